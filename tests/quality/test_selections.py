"""With a paragraph selected, a question that it does not answer is refused, and others are not.

The questions are our own, about paragraphs of the sample book; the classifier for selected text was
fitted to none of them.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from deploy.evaluation.datasets import GoldenRow, read_golden
from tests.support.stack import SAMPLE, RunningStack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

QUESTIONS = Path(__file__).with_name("questions") / "selections.jsonl"

LEAST_REFUSED = 0.9
MOST_LOST = 0.05


@pytest.fixture(scope="module")
def refused(sample_stack: RunningStack) -> dict[str, bool]:
    """Which questions are refused, by their ids."""

    def is_refused(row: GoldenRow) -> bool:
        assert row.selection is not None
        selection = {"document": row.selection.path, "text": row.selection.text}
        return sample_stack.ask(SAMPLE, row.question, selection=selection)["refusal"] is not None

    return {row.row_id: is_refused(row) for row in read_golden(QUESTIONS)}


def _those(refused: dict[str, bool], rows: Sequence[GoldenRow]) -> list[str]:
    return [row.question for row in rows if refused[row.row_id]]


def test_a_question_that_the_selected_text_does_not_answer_is_refused(
    refused: dict[str, bool],
) -> None:
    rows = [row for row in read_golden(QUESTIONS) if not row.answerable]
    assert len(rows) >= 60
    held = _those(refused, rows)
    answered = [row.question for row in rows if row.question not in held]
    assert len(held) >= LEAST_REFUSED * len(rows), answered


def test_a_question_of_another_subject_than_the_selected_text_is_refused(
    refused: dict[str, bool],
) -> None:
    rows = [row for row in read_golden(QUESTIONS) if row.kind == "selection_off_topic"]
    assert len(_those(refused, rows)) == len(rows)


def test_a_question_that_the_selected_text_answers_is_answered(refused: dict[str, bool]) -> None:
    rows = [row for row in read_golden(QUESTIONS) if row.answerable]
    assert len(rows) >= 60
    lost = _those(refused, rows)
    assert len(lost) <= MOST_LOST * len(rows), lost


def test_a_question_about_the_selected_text_itself_is_answered(refused: dict[str, bool]) -> None:
    rows = [row for row in read_golden(QUESTIONS) if row.kind == "deictic"]
    assert _those(refused, rows) == []

"""A question that says of what book it is asked is answered or refused as without it."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.evaluation.datasets import read_golden
from tests.support.stack import SAMPLE, RunningStack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

QUESTIONS = Path(__file__).parents[2] / "deploy" / "samples" / "physical-ai-golden.jsonl"
NAME = "physical AI"
LEAST_ALIKE = 0.85


@dataclass(frozen=True)
class Asked:
    """Of one question, the first sentence without the name and with it; "" for a refusal."""

    question: str
    answerable: bool
    plain: str
    named: str


@pytest.fixture(scope="module")
def asked(sample_stack: RunningStack) -> list[Asked]:
    def lead(question: str) -> str:
        answer = sample_stack.ask(SAMPLE, question)
        return str(answer["sentences"][0]["text"]) if answer["refusal"] is None else ""

    rows = [
        row
        for row in read_golden(QUESTIONS)
        if not (row.history or row.selection or NAME.lower() in row.question.lower())
    ]
    named = {row.row_id: re.sub(r"([?.!])\s*$", rf" in {NAME}\1", row.question) for row in rows}
    return [
        Asked(row.question, row.answerable, lead(row.question), lead(named[row.row_id]))
        for row in rows
        if named[row.row_id] != row.question
    ]


def test_the_name_of_the_subject_lets_no_more_pass_that_the_book_does_not_answer(
    asked: list[Asked],
) -> None:
    rows = [one for one in asked if not one.answerable]
    assert len(rows) >= 20
    assert [one.question for one in rows if one.named and not one.plain] == []


def test_an_answerable_question_is_led_by_the_same_sentence(asked: list[Asked]) -> None:
    rows = [one for one in asked if one.answerable]
    assert len(rows) >= 30
    others = [one.question for one in rows if one.named != one.plain]
    assert len(others) <= (1 - LEAST_ALIKE) * len(rows), others

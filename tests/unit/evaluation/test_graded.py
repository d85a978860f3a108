"""Golden questions made of graded answers, as `quoth eval` and `quoth calibrate` read them."""

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.evaluation.datasets import Gold, read_golden
from deploy.evaluation.graded import NO_PLACE, SELECTED, golden_rows

CITED = {"document": "keeping.md", "quote": "The tide fills it.", "section_path": []}
PLACE = {"document": "other.md", "quote": "The sea does."}


def graded(grade: str, answer_id: str = "a-1", **changes: Any) -> dict[str, Any]:
    place = changes.pop("place", {"document": "", "quote": ""})
    answer = {
        "answer_id": answer_id,
        "question": "What fills the pond?",
        "outcome": "answered",
        "citations": [CITED],
        "grade": {"grade": grade, "note": "", **place},
    }
    return {**answer, **changes}


@pytest.mark.parametrize(
    ("answer", "answerable", "gold"),
    [
        (graded("right"), True, [Gold("keeping.md", "The tide fills it.")]),
        (graded("right", place=PLACE), True, [Gold("other.md", "The sea does.")]),
        (graded("right", outcome="refused", citations=[]), False, []),
        (graded("wrong", place=PLACE), True, [Gold("other.md", "The sea does.")]),
        (graded("should_have_refused"), False, []),
        (
            graded("should_have_answered", outcome="refused", citations=[], place=PLACE),
            True,
            [Gold("other.md", "The sea does.")],
        ),
    ],
)
def test_a_grade_becomes_a_golden_question(
    tmp_path: Path, answer: dict[str, Any], answerable: bool, gold: list[Gold]
) -> None:
    rows, omitted = golden_rows([answer])
    path = tmp_path / "graded.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (read,) = read_golden(path)
    assert (read.row_id, read.kind, read.question) == ("a-1", "graded", "What fills the pond?")
    assert (read.answerable, list(read.gold)) == (answerable, gold)
    assert omitted == {}


def test_grades_without_a_place_or_a_question_are_omitted_with_the_reason() -> None:
    rows, omitted = golden_rows(
        [graded("wrong"), graded("right", "a-2", question=" "), {**graded("right"), "grade": None}]
    )
    assert rows == []
    assert omitted == {"a-1": NO_PLACE, "a-2": SELECTED}


def test_the_newest_grade_of_a_question_counts() -> None:
    rows, _ = golden_rows([graded("should_have_refused", "new"), graded("right", "old")])
    assert [row["id"] for row in rows] == ["new"]

"""What readers are to work out for themselves answers nobody."""

import pytest

from services.generation.extractive.boilerplate import is_boilerplate
from services.generation.extractive.candidates import list_candidates
from tests.support.leads import lead_of, passage_of

TOLD = "Stagflation is stagnation together with inflation."


def left_out(
    pieces: list[str], question: str, titles: tuple[str, ...] = ("Book", "Chapter")
) -> list[str]:
    held = passage_of(pieces, [0.5] * len(pieces), titles=titles)
    items = list_candidates([held], "en")
    return [item.text for item in items if is_boilerplate(item, question)]


@pytest.mark.parametrize(
    ("over", "is_exercise"),
    [
        ("Test your understanding:", True),
        ("Practice Questions", True),
        ("Check your understanding: Reading output:", True),
        ("Frequently asked questions:", False),
    ],
)
def test_tasks_below_such_a_line_are_left_out(over: str, *, is_exercise: bool) -> None:
    pieces = [over, "- Explain why growth stops.", "- Name two years of it."]
    found = left_out(pieces, "What is stagflation?")
    assert (pieces[1] in found, pieces[2] in found) == (is_exercise, is_exercise)
    assert pieces[1] not in left_out(pieces, "Which exercise is about growth?")


@pytest.mark.parametrize(
    ("title", "is_exercise"),
    [("Section Quiz", True), ("Quiz", True), ("How to make a quiz", False)],
)
def test_an_option_of_a_quiz_is_left_out(title: str, *, is_exercise: bool) -> None:
    pieces = ["The difference between mores and folkways is that", "- mores are made of wood"]
    question = "What is the difference between mores and folkways?"
    found = left_out(pieces, question, titles=("Book", title))
    assert (pieces[1] in found) == is_exercise


def test_a_sentence_leads_and_not_a_task() -> None:
    pieces = [TOLD, "Test your understanding:", "- Explain what stagflation is like."]
    assert lead_of("What is stagflation?", pieces, [0.5, 0.1, 0.9]) == TOLD
    assert lead_of("Why does stagflation matter?", pieces[1:], [0.1, 0.9]) == ""

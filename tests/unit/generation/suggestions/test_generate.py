"""Questions raised by what was found, for a reader whose own was refused."""

from dataclasses import replace

import pytest

from services.generation.model import Gate, Passage
from services.generation.suggestions.raising import is_near, raise_questions
from tests.support.generation_fakes import PASSAGES, passage

ASKED = "Is it blue?"


def under(
    *path: str, text: str = "The reading of the pumps of a plant is done with care."
) -> Passage:
    return passage(text, document=text, section_path=path)


def test_titles_and_sentences_raise_questions() -> None:
    text = "A pump is a machine that moves fluid. Dirt is dangerous, because it blocks the valve."
    assert raise_questions([under("Actuators", "Hydraulic pumps", text=text)], ASKED) == [
        "What are hydraulic pumps?",
        "Why is dirt dangerous?",
        "What is a pump?",  # says least
    ]


def test_suggestions_nearest_to_the_question_come_first() -> None:
    found = [under("Motors"), under("Oil filters"), under("Hydraulic pumps")]
    assert raise_questions(found, "How loud is a hydraulic pump?")[0] == "What are hydraulic pumps?"


def test_the_question_itself_and_repetitions_are_not_suggested() -> None:
    found = [under("Hydraulic pumps"), under("2. Hydraulic Pumps")]
    assert raise_questions(found, "What about hydraulic pumps?") == []
    assert len(raise_questions(found, ASKED)) == 1
    twice = [under("What's in the pump?"), under("What’s in the pump?")]
    assert raise_questions(twice, ASKED) == ["What's in the pump?"]


def test_titles_that_say_nothing_raise_nothing() -> None:
    assert raise_questions([under("Introduction"), under("Next steps"), under("1.2")], "Why?") == []


GERMAN = "Eine Pumpe bewegt eine Flüssigkeit, wenn der Kolben sich hebt und senkt."


@pytest.mark.parametrize("language", ["de", "", "xx"])
def test_a_book_in_another_language_raises_only_questions_of_its_own(language: str) -> None:
    found = [under("Pumpen", text=GERMAN), under("Warum lecken Leitungen?", text=GERMAN)]
    assert raise_questions(found, ASKED, language) == ["Warum lecken Leitungen?"]


def test_suggested_questions_are_phrased_by_the_rules_of_the_books_language() -> None:
    labels = [under("Hydraulic pumps", text="Pumps: red, blue, green, black, white, grey.")]
    assert raise_questions(labels, ASKED) == []
    assert raise_questions(labels, ASKED, "en") == ["What are hydraulic pumps?"]
    assert raise_questions([under("Hydraulic pumps")], ASKED, "de") == []


@pytest.mark.parametrize(("probability", "near"), [(0.01, False), (0.05, True), (0.4, True)])
def test_a_question_is_near_the_book_by_the_gate(probability: float, near: bool) -> None:
    assert is_near(Gate(probability, 0.5, passed=False)) is near


def test_a_listing_raises_nothing_by_its_lines() -> None:
    code = replace(PASSAGES[0], spans=(), locator=replace(PASSAGES[0].locator, section_path=()))
    assert raise_questions([code], ASKED) == []

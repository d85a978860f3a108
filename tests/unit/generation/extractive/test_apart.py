"""Where a thing that is asked about is not named, nothing is said of it."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from libs.question.follow_up import Conversation
from services.generation.extractive.answerer import choose_places
from services.generation.extractive.apart import things_apart
from services.generation.model import Passage, Selection
from tests.support.generation_fakes import passage, prompt
from tests.support.leads import BY_SIMILARITY

MILL = (
    "To stop the wheel, lower the gate by 30 cm. The wheel of Évora weighs 2 t and needs 90 W. "
    "Of the needlework 2 remain."
)


@pytest.mark.parametrize(
    ("language", "question", "apart"),
    [
        ("en", "How do I stop the wheel of the ferry?", ["ferry"]),
        ("en", "How do I lower the gates?", []),
        ("en", "How do I stop the wheel of Evora?", []),
        ("en", "How many centimetres is the gate lowered?", []),
        # Another word of the same stem says it, unless its ending or stem is short.
        ("en", "How many needles does the wheel have?", []),
        ("en", "How do I find the stoppage of the wheel?", ["stoppage"]),
        ("en", "How many joules does the wheel need?", ["joules"]),
        ("de", "Wie kann ich die Fähre stoppen?", ["fahre"]),
        # A part of the compound is said.
        ("de", "Wie kann ich das Gatetor senken?", []),
    ],
)
def test_things_that_the_place_has_no_word_of(
    language: str, question: str, apart: list[str]
) -> None:
    assert things_apart(analyse_question(question, language), [MILL]) == apart


def is_answered(question: str, *passages: Passage) -> bool:
    return bool(choose_places(prompt(passages, question), BY_SIMILARITY))


def test_an_answer_that_has_no_word_of_a_thing_is_not_shown() -> None:
    gate = passage(MILL, MILL, section_path=("Mill", "Gate"))
    assert is_answered("How do I stop the wheel?", gate)
    assert not is_answered("How do I stop the wheel of the ferry?", gate)


def test_a_title_or_another_passage_of_the_section_says_the_thing() -> None:
    question = "How do I stop the wheel of the ferry?"
    assert is_answered(question, passage(MILL, MILL, section_path=("Ferry", "Gate")))
    gate, pier = ("Yard", "Gate"), ("Yard", "Pier")
    held = passage(MILL, MILL, section_path=gate)
    other = "A ferry lies at the pier."
    assert is_answered(question, held, passage(other, other, section_path=gate))
    assert not is_answered(question, held, passage(other, other, section_path=pier))


def test_marked_text_and_an_answer_before_leave_the_thing_unsaid() -> None:
    asked = prompt((passage(MILL, MILL),), "How do I stop the wheel of the company?")
    assert choose_places(asked, BY_SIMILARITY) == []
    marked = Selection("book.md", 0, len(MILL), MILL)
    assert choose_places(replace(asked, selection=marked), BY_SIMILARITY)
    before = Conversation(("Where does the ferry lie?",), "It lies at the pier.")
    after = analyse_question("And how do I stop the wheel of the ferry?", "en", before=before)
    assert after.follow_up
    assert choose_places(replace(asked, analysis=after), BY_SIMILARITY)

"""A thing that a question asks for and no passage has a word of is not there."""

import pytest

from libs.question.analyse import analyse_question
from services.generation.coverage.asked_things import unsaid_things
from services.generation.coverage.entities import unknown_names
from services.generation.model import Locator, Passage

MILL = (
    "The mill stands at the weir. Its wheel turns at noon, and a miller pays the rent. "
    "Its size is 9 ells."
)


@pytest.mark.parametrize(
    ("language", "question", "unsaid"),
    [
        ("en", "What is the boiling point of the tar?", ["boiling", "point"]),
        ("en", "What was the tempo of the wheel?", ["tempo"]),
        ("en", "How do I pay income tax on the mill?", ["income", "tax"]),
        ("en", "How can I tar the wheel?", ["tar"]),
        ("en", "Which network port does the mill use?", ["port"]),
        ("en", "How do I pay rent-tax?", ["tax"]),
        ("en", "What is the millstone of the yard?", ["millstone"]),
        ("de", "Was ist der Siedepunkt des Teers?", ["siedepunkt"]),
        ("de", "Welche Fluglinie hat die Mühle?", ["fluglinie"]),
        ("de", "Wie bezahle ich eine Steuer?", ["steuer"]),
        ("fr", "Quel est le bureau de la roue ?", ["bureau"]),
    ],
)
def test_a_thing_without_a_word_is_unsaid(language: str, question: str, unsaid: list[str]) -> None:
    assert unsaid_things(analyse_question(question, language), MILL) == unsaid


@pytest.mark.parametrize(
    ("language", "question"),
    [
        # Its words are said, in whatever form.
        ("en", "What is the wheel of the mill?"),
        ("en", "How do I turn the wheels at the mill?"),
        ("en", "Which miller does it have?"),
        ("en", "What is the maximum upload size for the mill?"),
        # A book that tells it need not have these words.
        ("en", "What is the main purpose of the mill?"),
        ("en", "What is the name of the mill?"),
        ("en", "How can I change the wheel?"),
        ("en", "Which way does it turn?"),
        ("de", "Was ist der Zweck der Mühle?"),
        ("fr", "Quel est le but du moulin ?"),
        ("en", "How do I hold rent at the mill?"),
        # It is too short to be told from others, or has a digit.
        ("en", "How do I pay VA at the mill?"),
        ("en", "What is the mp3 of the mill?"),
        # A part of it is said.
        ("de", "Wie drehe ich das Millerrad?"),
        ("de", "Was ist der Steinmiller der Mühle?"),
        # What it is said of may be called otherwise.
        ("en", "What is the rent of the windmill?"),
        ("en", "Which mill stands at the dam?"),
        ("en", "Which test wheels does the mill have?"),
        # It is asked for otherwise, or of the book.
        ("en", "Who pays tax?"),
        ("en", "Which chapters does the book have?"),
    ],
)
def test_a_book_may_tell_it_in_other_words(language: str, question: str) -> None:
    assert unsaid_things(analyse_question(question, language), MILL) == []


def test_a_question_for_what_no_passage_says_has_an_unknown_name() -> None:
    held = Passage("a", Locator("mill.md", 0, len(MILL), ("Mills",)), MILL)
    assert unknown_names(analyse_question("How do I pay tax at the mill?", "en"), [held]) == ["tax"]
    assert unknown_names(analyse_question("How do I pay rent at the mill?", "en"), [held]) == []

"""What a question has in a place is held against what the book has in the very same place."""

import pytest

from libs.question.analyse import analyse_question
from services.generation.coverage.untold import list_unsaid, list_untold
from services.generation.model import Sentence
from tests.support.generation_fakes import passage
from tests.unit.generation.premise.test_said_otherwise import find

BUY = "Mills should buy grain, not flour, where they can."
LAMP = "lamp_dimmed yes|no: if set to yes, the lamp is dimmed at the start. Default is no."
WEEKS = "The guild works in 6-week cycles."


@pytest.mark.parametrize(
    ("language", "question", "text", "asked"),
    [
        ("en", "Why should mills buy flour rather than grain?", BUY, "flour rather than grain"),
        ("de", "Warum kauft man Mehl statt Korn?", "Man kauft Korn statt Mehl.", "Mehl statt Korn"),
        ("en", "Why is the lamp dimmed at the start by default?", LAMP, "by default"),
        ("en", "Why do cycles last eight weeks?", WEEKS, "eight weeks"),
        (
            "en",
            "Why does the guild pay half of the rent?",
            "The guild pays 100% of the rent.",
            "half",
        ),
    ],
)
def test_another_thing_in_its_place_is_told(
    language: str, question: str, text: str, asked: str
) -> None:
    assert find(question, text, language) == f"{asked} > {text}"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # The book says the same, or the same as well.
        ("Why should mills buy grain rather than flour?", BUY),
        ("Why buy flour rather than grain?", f"{BUY}\nSome buy flour instead of grain."),
        # The question denies it itself, or something else is off by default.
        ("Why is the lamp not dimmed at the start by default?", LAMP),
        ("Why is the lamp disabled at the start by default?", LAMP),
        ("Why is the horn dimmed at the start by default?", LAMP),
        ("Why do cycles last six weeks?", WEEKS),
        # What is six weeks long is no cycle.
        ("Why do meetings last eight weeks?", WEEKS),
    ],
)
def test_nothing_is_corrected_that_may_be_right(question: str, text: str) -> None:
    assert find(question, text, "en") == ""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Why are the sluices of the mill opened every hour?", ("every hour",)),
        ("Why are the sluices of the mill opened every ten minutes?", ()),
        ("Why do the sluices of the mill stay open for nine days?", ("nine days",)),
        ("Since the sluices of the mill are open for nine days, who shuts them?", ("nine days",)),
        ("How do I open the sluices of the mill for nine days?", ()),
    ],
)
def test_a_measure_that_no_passage_on_the_thing_has_is_told(
    question: str, told: tuple[str, ...]
) -> None:
    text = "The sluices of the mill are opened every 10 minutes, and stay open for two days."
    held = (
        passage(text, text),
        passage("Guests stay for nine days.", "Guests stay for nine days."),
    )
    assert list_untold(analyse_question(question), held) == told


ROOF = "The roof of the mill is thatched, and the weaver keeps geese."


@pytest.mark.parametrize(
    ("question", "led", "told"),
    [
        (
            "Why must geese of the mill wear hats?",
            "Visitors pay.",
            ("geese of the mill wear hats",),
        ),
        # What leads says most of it, in whatever words.
        ("Why must geese of the mill wear hats?", "Geese wear caps against the mill's dust.", ()),
        ("How must geese of the mill wear hats?", "Visitors pay.", ()),
        ("Why does the weaver keep geese?", "Visitors pay.", ()),
    ],
)
def test_a_premise_that_no_sentence_has_is_told_beside_another_answer(
    question: str, led: str, told: tuple[str, ...]
) -> None:
    shown = (Sentence(led, ()),)
    assert list_unsaid(analyse_question(question), (passage(ROOF, ROOF),), shown, ()) == told

"""A lead is shown with the sentence behind it that has the number, or the way, that is asked for."""

import pytest

from tests.support.leads import lead_of, lead_places_of

MANY = "How many gate bars does the guild recommend when it is cold?"
KEPT = "Where you set a gate to 0 bars, no rust is kept."
ADVISED = "For cold days, we recommend no more than 10."
OFF = "Gate bars are off in Oslo."
WAY = "In such towns, you must set gate bars to wet."


@pytest.mark.parametrize(
    ("question", "first", "behind", "between", "shown"),
    [
        (MANY, KEPT, ADVISED, " ", True),
        ("How can I set gate bars in Oslo?", OFF, WAY, " ", True),
        # What the lead says most of it has told, and what is told of else is no way.
        ("How many gate bars rust?", "Of the gates 7 bars rust.", "Bars are many: 9.", " ", False),
        ("How can I set gate bars in Oslo?", OFF, "You must set it there.", " ", False),
        # Of another line, without the number or the way, or without a word that is asked.
        (MANY, KEPT, ADVISED, "\n\n", False),
        (MANY, KEPT, "Some recommend more.", " ", False),
        (MANY, KEPT, "Ten days may pass in 10 ways.", " ", False),
        ("How can I set gate bars in Oslo?", OFF, "Rust set gate bars back.", " ", False),
        ("Why are gate bars off in Oslo?", f"{OFF[:-1]} because of rust.", WAY, " ", False),
    ],
)
def test_the_sentence_behind_that_has_what_is_asked_is_shown(
    question: str, first: str, behind: str, between: str, *, shown: bool
) -> None:
    led = lead_of(question, (first, behind), (0.9, 0.0), between=between)
    assert led == (f"{first}{between}{behind}" if shown else first)


@pytest.mark.parametrize(
    ("language", "question", "first", "behind", "shown"),
    [
        (
            "en",
            "What is the drawback of the wet gate?",
            "The drawback of the wet gate is rust.",
            "Its bars are long.",
            False,
        ),
        (
            "en",
            "What is the drawback of the wet gate?",
            "The wet gate has a little drawback: its bars rust.",
            "Its bars are long.",
            False,
        ),
        (
            "en",
            "How do I join two gates together?",
            "To join two gates, you need to say how they join.",
            "To do this, use a bar in each.",
            True,
        ),
        (
            "en",
            "How do I join two gates together?",
            "To join two gates, bind them with a bar.",
            "The bars of gates are wet.",
            False,
        ),
        (
            "en",
            "Why should gates be wet?",
            "Gates should be wet because dust is dry.",
            "They keep out wind.",
            False,
        ),
    ],
)
def test_the_way_behind_a_lead_that_tells_none_is_shown(
    language: str, question: str, first: str, behind: str, *, shown: bool
) -> None:
    led = lead_of(question, (first, behind), (0.9, 0.0), between=" ", language=language)
    assert led == (f"{first} {behind}" if shown else first)


def test_the_sentence_behind_a_long_lead_is_a_piece_of_its_own() -> None:
    first = KEPT.replace("rust", "rust" + " of old" * 90)
    assert lead_places_of(MANY, (first, ADVISED), (0.9, 0.0), between=" ") == [first, ADVISED]

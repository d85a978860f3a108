"""A comparison that a question takes for granted is told to be the other way round where it is."""

import pytest

from tests.unit.generation.premise.test_said_otherwise import find


@pytest.mark.parametrize(
    ("language", "question", "text", "asked"),
    [
        (
            "en",
            "Why does clay hold water better than sand?",
            "In summer, sand holds water better than clay.",
            "better than sand",
        ),
        (
            "en",
            "Why does clay hold more water than sand?",
            "All soils hold water, but sand has a greater share of it than clay.",
            "more water than sand",
        ),
        (
            "en",
            "Why is the old mill larger than the new one at Bern?",
            "The old mill is smaller than the new one at Bern.",
            "larger than the new one at Bern",
        ),
        (
            "de",
            "Warum ist Lehm größer als Torf?",
            "Im Garten ist Torf größer als Lehm.",
            "größer als Torf",
        ),
        (
            "en",
            "Why does clay hold more water than sandstone?",
            "Of all, sandstones hold more water than clay.",
            "more water than sandstone",
        ),
        (
            "en",
            "Why do sandstones hold more water than claystones?",
            "Claystone holds more water than sandstone.",
            "more water than claystones",
        ),
    ],
)
def test_a_comparison_made_otherwise_is_told(
    language: str, question: str, text: str, asked: str
) -> None:
    assert find(question, text, language) == f"{asked} > {text.splitlines()[-1]}"


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        # The same is said, if in other words or the other way round.
        ("en", "Why does clay hold water better than sand?", "Clay holds water better than sand."),
        ("en", "Why is clay heavier than sand?", "Sand is lighter than clay."),
        ("de", "Warum ist Lehm größer als Torf?", "Torf ist kleiner als Lehm."),
        # In another way, by another name, or of a part of the thing.
        ("en", "Why is clay heavier than sand?", "Clay is larger than sand."),
        ("en", "Why is the oak larger than the car?", "A carpet is larger than the oak."),
        ("en", "Why is marble heavier than granite?", "Basalt is heavier than marble."),
        ("en", "Why is clay heavier than wet sand?", "Sand is heavier than clay."),
        ("en", "Why is clay heavier than sand?", "Wet sand is heavier than clay on sand."),
        # It is not taken for granted.
        ("en", "When is clay heavier than sand?", "Sand is heavier than clay."),
        # Of another thing, of some case, or denied.
        ("en", "Why is clay heavier than sand?", "Sand is heavier than peat."),
        ("en", "Why is clay heavier than sand?", "If clay is dry, sand is heavier than clay."),
        ("en", "Why is clay heavier than sand?", "Sand is not heavier than clay."),
        # One sentence says it so, another otherwise.
        (
            "en",
            "Why is clay heavier than sand?",
            "Clay is heavier than sand.\nWet sand is heavier than clay.",
        ),
    ],
)
def test_nothing_is_told_of_what_may_be_compared_so(
    language: str, question: str, text: str
) -> None:
    assert find(question, text, language) == ""

"""What names none of the alternatives that a question gives does not answer it."""

import pytest

from tests.support.leads import lead_of

MEMORY = "The board has a memory of 8 GB in all."


@pytest.mark.parametrize(
    ("language", "question", "pieces", "led"),
    [
        ("en", "Which model fits in the memory of the board: tiny, base or small?", (MEMORY,), ""),
        (
            "en",
            "Which model fits in the memory of the board: tiny, base or small?",
            (MEMORY, "The base model fits."),
            "The base model fits.",
        ),
        ("en", "Which way does it turn, left or right?", ("It turns left.",), "It turns left."),
        ("de", "Welches Modell passt auf die Platine: Spatz, Meise oder Fink?", (MEMORY,), ""),
        # Told by a figure, and neither is named.
        ("en", "Which memory is that of the board, larger or smaller?", (MEMORY,), MEMORY),
        ("en", "Which board is it?", (MEMORY,), MEMORY),
    ],
)
def test_an_alternative_is_named(
    language: str, question: str, pieces: tuple[str, ...], led: str
) -> None:
    nearness = (0.9, 0.8)[: len(pieces)]
    assert lead_of(question, pieces, nearness, language) == led

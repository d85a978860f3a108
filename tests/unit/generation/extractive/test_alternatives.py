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


@pytest.mark.parametrize(
    ("language", "question", "pieces", "led"),
    [
        ("en", "What colour is the cable?", ("The cable has nine wires.",), ""),
        ("en", "What colour is the cable?", ("The cable is grey.",), "The cable is grey."),
        ("en", "Which colour is Moor Black?", ("Moor Black is a paint.",), ""),
        ("en", "What colour is the cable 940-0024C?", ("Pin 8 of 940-0128A is orange.",), ""),
        ("en", "Which colour depth is used?", ("The depth is 8 bits.",), "The depth is 8 bits."),
        ("en", "In which programming language is it written?", ("It is written to a file.",), ""),
        (
            "en",
            "In which programming language is it written?",
            ("It is written in C and Perl.",),
            "It is written in C and Perl.",
        ),
        ("de", "Welche Farbe hat das Kabel?", ("Das Kabel hat neun Adern.",), ""),
        (
            "de",
            "Welche Farbe hat das Kabel?",
            ("Das Kabel ist hellgrau.",),
            "Das Kabel ist hellgrau.",
        ),
        ("fr", "De quelle couleur est le câble ?", ("Le câble a neuf fils.",), ""),
        ("fr", "De quelle couleur est le câble ?", ("Le câble est vert.",), "Le câble est vert."),
        ("es", "¿De qué color es el cable?", ("El cable tiene nueve hilos.",), ""),
        ("es", "¿De qué color es el cable?", ("El cable es rojo.",), "El cable es rojo."),
        ("pt", "Qual é a cor do cabo?", ("O cabo tem nove fios.",), ""),
        ("pt", "Qual é a cor do cabo?", ("O cabo é azul.",), "O cabo é azul."),
        ("ru", "Какого цвета кабель?", ("В кабеле девять жил.",), ""),
        ("ru", "Какого цвета кабель?", ("Кабель красный.",), "Кабель красный."),
    ],
)
def test_a_colour_or_a_language_is_named(
    language: str, question: str, pieces: tuple[str, ...], led: str
) -> None:
    assert lead_of(question, pieces, (0.9, 0.8)[: len(pieces)], language) == led

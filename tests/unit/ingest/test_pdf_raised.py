"""What is raised in a line of a PDF: digits of a font with a smaller box are none of it."""

from services.ingest.model.book import MarkupKind
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.raised import take_raised
from services.ingest.parsers.pdf.traits import RAISED

BOLD = (MarkupKind.STRONG, "")
"""A font whose letters PDFium gives a box of 7.4 points, 2.3 above the foot of the others'."""


def signs(
    text: str, *traits: tuple[MarkupKind, str], low: float = 0, high: float = 10
) -> list[Sign]:
    return [(sign, 5.0 * at, 5.0 * at + 5, low, high, traits) for at, sign in enumerate(text)]


def test_a_number_of_a_font_with_a_smaller_box_stays_in_the_text() -> None:
    line = [*signs("Heredity, "), *signs("53", BOLD, low=2.3, high=9.7), *signs("(3), 146")]
    parts, marks = take_raised(line)
    assert "".join(text for text, _ in parts) == "Heredity, 53(3), 146"
    assert marks == []


def test_a_number_told_to_be_raised_is_a_mark() -> None:
    parts, marks = take_raised([*signs("a word"), *signs("4", RAISED, low=5, high=11)])
    assert ("".join(text for text, _ in parts), marks) == ("a word", ["4"])


def test_a_number_raised_behind_the_minus_of_an_exponent_is_no_mark() -> None:
    parts, marks = take_raised([*signs("8.5×10−"), *signs("12", RAISED, low=5, high=11)])
    assert ("".join(text for text, _ in parts), marks) == ("8.5×10^−12", [])

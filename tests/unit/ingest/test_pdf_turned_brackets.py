"""Brackets of lines that are read from the right."""

import pytest

from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.turned_brackets import with_turned_brackets
from tests.unit.ingest.test_pdf_drawn_order import added, shown, word


def from_right(text: str) -> list[Sign]:
    """Return letters side by side, each left of the one before."""
    return word(600, text, to_left=True)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (")من النص( هنا", "(من النص) هنا"),
        ("خوارزمية )مثل )تستخدم", "خوارزمية (مثل) تستخدم"),
        ("بين النص( الأصلي( هنا", "بين النص (الأصلي) هنا"),
        ("1( אם המשתמש רוצה", "1) אם המשתמש רוצה"),
        ("שכבה )ניסוי", "שכבה (ניסוי"),
        ("של ]3,3[ במקרה", "של [3,3] במקרה"),
        ("אחד( ושתיים (שלוש( כאן", "אחד) ושתיים (שלוש) כאן"),
    ],
)
def test_brackets_open_and_close_in_turn_with_their_spaces_outside(given: str, read: str) -> None:
    assert shown(with_turned_brackets(from_right(given))) == read


@pytest.mark.parametrize(
    "text",
    [
        "של (3,3) במקרה",
        "של (אחד (שתיים)) כאן",
        "סוף) ועוד (שלוש) כאן",
        "אחד (שתיים) ועוד (שלוש",
        ")read( from the left",
        "בלי סוגריים",
    ],
)
def test_brackets_that_do_so_and_other_lines_stay(text: str) -> None:
    run = from_right(text)
    assert shown(with_turned_brackets(run)) == text


def test_an_empty_pair_is_around_the_phrase_that_stands_between_its_two() -> None:
    before, phrase = from_right("صوت "), word(500, "Edge")
    opening, closing = word(526, "("), word(492, "(")
    behind = word(480, "هنا", to_left=True)
    run = [*before, *phrase, *opening, added(490), *closing, *behind]
    assert shown(with_turned_brackets(run)) == "صوت (Edge) هنا"
    elsewhere = [*before, *phrase, *word(484, "("), added(478), *word(476, "("), *behind]
    assert shown(with_turned_brackets(elsewhere)) != "صوت (Edge) هنا"

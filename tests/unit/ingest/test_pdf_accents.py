"""Accents of a PDF that fonts of TeX have as signs of their own."""

from services.ingest.parsers.pdf.accents import place_accents
from services.ingest.parsers.pdf.drawing import _bare
from services.ingest.parsers.pdf.line import Sign

WIDTH = 6.0


def signs_of(text: str) -> list[Sign]:
    """Return letters side by side, the accents over the next letter or, late, over `letter`s."""
    found: list[Sign] = []
    left = 100.0
    for letter in text:
        width = 0.0 if letter in "\xb4\xa8\u02c7" else WIDTH
        middle = left + WIDTH / 2
        edges = (left, left + width) if width else (middle - 2, middle + 2)
        found.append((letter, *edges, 0.0, 10.0, ()))
        left += width
    return found


def shown(signs: list[Sign]) -> str:
    return "".join(sign[0] for sign in place_accents(signs))


def test_an_accent_before_its_letter_is_on_it() -> None:
    assert shown(signs_of("tecnol\xb4ogico de d\xb4olares")) == "tecnológico de dólares"
    assert shown(signs_of("Estad\xb4\u0131stica")) == "Estadística"


def test_an_accent_that_comes_late_leaves_no_space_within_its_word() -> None:
    word = signs_of("dite")
    edge = word[2][2]
    gap: Sign = (" ", edge, edge, 0.0, 10.0, ())
    late: Sign = ("\u02c7", word[3][1] + 1, word[3][2] - 1, 0.2, 10.2, ())
    assert shown([*word[:3], gap, late, gap, word[3]]) == "ditě"
    assert shown([*word, gap, late]).rstrip() == "ditě"


def test_a_space_between_words_stays_beside_an_accent() -> None:
    assert shown(signs_of("la \xb4ultima")) == "la última"


def test_an_accent_that_stands_alone_or_over_no_letter_that_has_one_stays() -> None:
    alone: Sign = ("\xb4", 300.0, 304.0, 0.0, 10.0, ())
    assert shown([*signs_of("a b"), alone]) == "a b\xb4"
    assert shown(signs_of("7\xb45")) == "7\xb45"
    assert shown(signs_of("a\u02c7bc")) == "a\u02c7bc"


def test_a_quotation_is_found_on_a_page_that_has_its_accents_apart() -> None:
    assert _bare("el sector tecnol\xb4ogico") == _bare("el sector tecnológico")
    assert _bare("Estad\xb4\u0131stica") == _bare("Estadística")
    assert _bare("Vek d\xedte \u02c7") == _bare("Věk dítě".replace("ě", "e"))

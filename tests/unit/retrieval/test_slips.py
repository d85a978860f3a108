"""Slips are told in names, in joined words and beside other slips; other words are left as they are."""

import pytest

from libs.language.lexicon import load_lexicon
from services.retrieval.model import Correction
from services.retrieval.slips import (
    correct_beside,
    correct_joined,
    correct_names,
    correct_swapped,
    with_capitals,
)
from services.retrieval.spelling import respell
from services.retrieval.typos import TypoModel
from services.retrieval.vocabulary import Vocabulary

BOOK = Vocabulary({"fullperiod": 9, "perfect": 4, "playback": 5, "block": 40, "incrperiod": 3})
TYPOS = TypoModel(load_lexicon("en").spelling)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("FullPeroid", "fullperiod"),
        ("FulPeriod", "fullperiod"),
        ("FullPerod", "fullperiod"),
        # Another name, and what is no name by its capitals.
        ("FullPeriods", ""),
        ("FillPeriod", ""),
        ("Fullperoid", ""),
        ("pool4Peroid", ""),
    ],
)
def test_a_name_of_the_book_is_meant_by_one_but_for_a_letter(name: str, meant: str) -> None:
    corrections = correct_names((name,), frozenset(), BOOK)
    assert corrections == ((Correction(name.lower(), meant),) if meant else ())


def test_a_name_that_the_book_has_is_no_slip() -> None:
    book = Vocabulary({**BOOK.counts, "fullperoid": 1})
    assert correct_names(("FullPeroid",), book.terms, book) == ()


def test_a_word_is_told_by_what_it_is_joined_to() -> None:
    missing, slip = ("prefect",), (Correction("prefect", "perfect"),)
    assert correct_joined("What is bit-prefect playback?", missing, BOOK) == slip
    assert correct_joined("Which prefect has a playback?", missing, BOOK) == ()
    assert correct_joined("What is vice-prefect playback?", ("vice", *missing), BOOK) == ()


def test_beside_another_slip_a_word_of_the_language_may_be_one() -> None:
    assert correct_beside(("blok",), BOOK, TYPOS) == (Correction("blok", "block"),)
    assert correct_beside(("blink", "clock", "effect"), BOOK, TYPOS) == ()


def test_a_word_that_the_book_lacks_may_be_one_of_the_language_with_letters_swapped() -> None:
    is_word = {"stand", "form", "from"}.__contains__
    assert correct_swapped(("stnad",), is_word) == (Correction("stnad", "stand"),)
    # Two words, and a letter too many.
    assert correct_swapped(("fomr", "stands"), is_word) == (Correction("fomr", "form"),)
    assert correct_swapped(("frmo",), {"from", "frmo"}.__contains__) == (
        Correction("frmo", "from"),
    )


def test_a_name_keeps_its_capitals() -> None:
    assert with_capitals("FullPeroid", "fullperiod") == "FullPeriod"
    assert with_capitals("FullPerod", "fullperiod") == "FullPeriod"
    assert with_capitals("Gensis", "genesis") == "Genesis"
    slips = [Correction("fullperoid", "fullperiod"), Correction("defualt", "default")]
    asked = "What is the defualt of FullPeroid?"
    assert respell(asked, slips) == "What is the default of FullPeriod?"


def test_a_word_is_told_by_its_sound_where_several_letters_make_it() -> None:
    book = Vocabulary({"ankommensphase": 7, "ankunft": 3, "prüfung": 2})
    typos = TypoModel(load_lexicon("de").spelling)
    assert book.nearest("ankomensfase", typos) == "ankommensphase"
    assert book.nearest("ankermasse", typos) == ""

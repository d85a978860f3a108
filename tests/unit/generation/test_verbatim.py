"""Only whole clauses of the book, in its order, and joined by little words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.generation.verbatim import foreign_words, is_composed, read_words

FALLS = "Robots fall often, and they get up again."
SLOW = "A walking robot is slow."
WET = "When the floor is wet, robots often slip; on a dry floor they stand."


@pytest.mark.parametrize(
    "sentence",
    [
        FALLS,
        "Robots fall often.",
        "They get up again.",
        "A walking robot is slow, and robots fall often.",
        "A walking robot is slow; robots fall often and they get up again.",
        "Robots often slip.",
        "On the dry floor they stand.",
        "The walking robots is slow.",
    ],
)
def test_whole_clauses_pass(sentence):
    assert is_composed(sentence, [FALLS, SLOW, WET])


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "and",
        "Robots fall often and.",
        "Robots fall.",
        "Fall often.",
        "Robots get up again.",
        "Robots fall often robots often slip.",
        "Robots often slip on a dry floor.",
        "A walking robot is slow and slip.",
        "A robot is slow.",
        "Slow is a walking robot.",
        "Robots fall often, again.",
    ],
)
def test_torn_or_reordered_words_do_not(sentence):
    assert not is_composed(sentence, [FALLS, SLOW, WET])


def test_a_clause_behind_another_keeps_its_subject():
    pump = "The pump is cheap, is light."
    assert not is_composed("The motor is slow, is light.", ["The motor is slow, is hot.", pump])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It takes 1,000 Hz.", "It takes 1000 hz"),
        ("It can't take two seconds.", "It cannot take 2 s."),
        ("It doesn’t.", "It does not."),
        ("It reaches 92 percent.", "It reaches 92 %."),
    ],
)
def test_spellings_of_the_same_are_the_same(one, other):
    assert [word.form for word in read_words(one)] == [word.form for word in read_words(other)]


def test_foreign_words_are_named_in_order():
    assert foreign_words("Zebras and robots sing often.", [FALLS]) == ["zebras", "sing"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_judged_without_an_error(sentence, unit):
    assert is_composed(sentence, [unit]) in (True, False)

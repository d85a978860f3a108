"""Only whole sentences of the book, in its order and joined by little words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.generation.checks.clauses import foreign_words, read_words, render


def is_composed(sentence: str, spans: list[str]) -> bool:
    return bool(sentence) and render(sentence, spans) is not None


FALLS = "Robots fall often, and they get up again."
SLOW = "A walking robot is slow."
WET = "When the floor is wet, robots often slip; on a dry floor they stand."


@pytest.mark.parametrize(
    "sentence",
    [
        FALLS,
        "Robots fall often, and they get up again; a walking robot is slow.",
        "When a floor is wet, robots often slip; on dry floor they stand.",
        "The walking robots is slow.",
    ],
)
def test_whole_sentences_pass(sentence: str) -> None:
    assert is_composed(sentence, [FALLS, SLOW, WET])


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "and",
        "Robots fall often.",
        "They get up again.",
        "A walking robot is slow, and robots fall often.",
        "Robots often slip.",
        "When the floor is wet, robots often slip.",
        "On the dry floor they stand.",
        "A walking robot is slow; robots fall often and they get up again.",
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
def test_torn_or_reordered_words_do_not(sentence: str) -> None:
    assert not is_composed(sentence, [FALLS, SLOW, WET])


def test_a_clause_behind_another_keeps_its_subject() -> None:
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
def test_spellings_of_the_same_are_the_same(one: str, other: str) -> None:
    assert [word.normal_form for word in read_words(one)] == [
        word.normal_form for word in read_words(other)
    ]


def test_foreign_words_are_named_in_order() -> None:
    assert foreign_words("Zebras and robots sing often.", [FALLS]) == ["zebras", "sing"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_judged_without_an_error(sentence: str, span: str) -> None:
    assert is_composed(sentence, [span]) in (True, False)

"""A word is a form of another where only some of its forms begin, or go on, otherwise."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.said import is_one_of


@pytest.mark.parametrize(
    ("word", "asked"),
    [
        ("herunterzufahren", "herunterfahren"),
        ("heruntergefahren", "herunterfahren"),
        ("zusammenzufassen", "zusammenfassen"),
        ("festzustellen", "feststellen"),
        ("eingebaut", "einbauen"),
        ("anzulegen", "anlegen"),
    ],
)
def test_a_german_verb_is_the_same_with_zu_and_ge_behind_its_particle(
    word: str, asked: str
) -> None:
    german = load_lexicon("de")
    assert is_one_of(word, (asked,), german)
    assert is_one_of(asked, (word,), german)


@pytest.mark.parametrize("word", ["aufzubauen", "zuzug", "anzug"])
def test_another_particle_makes_another_verb(word: str) -> None:
    assert not is_one_of(word, ("abbauen", "zug"), load_lexicon("de"))

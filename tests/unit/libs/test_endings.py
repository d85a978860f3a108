"""A word is found behind what its language writes together with it."""

import pytest

from libs.language.endings import Endings, bare_word, begin_with, is_verb, nouns_of, with_particles
from libs.language.lexicon import load_lexicon
from libs.vectors.sparse import SparseEncoder

KOREAN = load_lexicon("ko").endings


@pytest.mark.parametrize(
    ("word", "bare"),
    [
        ("암자는", "암자"),
        ("암자에서는", "암자"),
        ("마을까지만", "마을"),
        ("말립니까", "말리"),
        ("말린다", "말리"),
        ("세웠습니까", "세우"),
        ("찍어도", "찍"),
        ("얼마입니까", "얼마"),
        ("포도", "포도"),  # what looks like a particle is of the word
        ("은", "은"),
        ("servo", "servo"),
    ],
)
def test_particles_and_endings_are_taken_off(word: str, bare: str) -> None:
    assert bare_word(word, KOREAN) == bare
    assert bare_word(bare_word(word, KOREAN), KOREAN) == bare


def test_a_language_without_any_keeps_its_words() -> None:
    assert bare_word("haven", Endings()) == "haven"


def test_verbs_are_told_by_their_endings() -> None:
    assert is_verb("말립니까", KOREAN)
    assert not is_verb("암자에서", KOREAN)


def test_a_verb_begins_in_as_many_ways_as_its_endings_close_its_stem() -> None:
    assert {"말리", "말린", "말릴", "말립", "말렸", "말려"} <= set(begin_with("말리", KOREAN))
    assert begin_with("찍", KOREAN) == ("찍",)
    assert "뜨" not in begin_with("뜨", KOREAN)  # one open syllable begins too many words
    assert {"뜨고", "뜬", "뜹"} <= set(begin_with("뜨", KOREAN))


def test_a_word_of_two_syllables_may_be_a_noun_of_one_with_its_particle() -> None:
    assert nouns_of("재가", KOREAN) == {"재가", "재"}
    assert nouns_of("공방이", KOREAN) == {"공방"}
    assert {"재", "재가", "재이다"} <= with_particles("재", KOREAN)


def test_passages_and_questions_have_the_same_terms() -> None:
    encoder = SparseEncoder("ko")
    said = set(encoder.encode_document("스님은 작은 암자에서 종이를 말린다.").indices)
    asked = set(encoder.encode_question("암자는 종이도 말립니까").indices)
    assert asked <= said
    assert not asked <= set(SparseEncoder("xx").encode_document("암자에서 종이를 말린다.").indices)

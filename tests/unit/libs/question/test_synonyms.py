"""A book may have other words for those of a question."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.synonyms import ask_for_doer, known_as, turn_voice
from libs.text import terms


def test_a_word_is_known_as_itself_and_by_its_synonyms() -> None:
    [fix], [repair] = terms("fix"), terms("repairs")
    assert {fix, repair} <= known_as(fix)
    assert known_as("zebra") == {"zebra"}


def test_the_words_of_one_language_mean_nothing_in_another() -> None:
    [fix] = terms("fix")
    assert known_as(fix, "zz") == {fix}


def test_a_doer_is_asked_for_by_the_participle_too() -> None:
    english = load_lexicon("en")
    assert ask_for_doer("Who wrote sdiff?", english) == ["Who has written sdiff?"]
    assert ask_for_doer("Which company drew it?", english) == ["Which company has drawn it?"]
    assert ask_for_doer("Who founded Hoard?", english) == ["Who is the founder of Hoard?"]
    assert ask_for_doer("Who is the founder of Hoard?", english) == ["Who founded Hoard?"]
    assert ask_for_doer("Who were the first owners of it?", english) == ["Who owned it?"]
    assert ask_for_doer("Who built the mill?", english) == []
    assert ask_for_doer("Who is the king of Spain?", english) == []
    assert ask_for_doer("Wer schrieb es?", load_lexicon("de")) == []


@pytest.mark.parametrize(
    ("question", "turned"),
    [
        ("When did the mill start?", ["When was the mill started?"]),
        ("When did the mill close?", ["When was the mill closed?"]),
        ("When did Hoard get breached?", ["When was Hoard breached?"]),
        ("When did the mill buy the barn?", []),
        ("When did the king rise?", []),
        ("Who started the mill?", []),
    ],
)
def test_an_event_is_asked_for_as_done_to_the_thing(question: str, turned: list[str]) -> None:
    assert turn_voice(question, load_lexicon("en")) == turned

"""Each language has its own words; none reads those of another."""

import msgspec
import pytest

from libs.language.lexicon import Lexicon, load_layout, load_lexicon
from libs.question.analyse import analyse_question


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What is the difference between springs and dampers?"),
        ("de", "Was ist der Unterschied zwischen Federn und Dämpfern?"),
        ("fr", "Quelle est la différence entre ressorts et amortisseurs ?"),
        ("es", "¿Cuál es la diferencia entre muelles y amortiguadores?"),
    ],
)
def test_a_comparison_is_told_in_the_language_of_the_book_alone(
    language: str, question: str
) -> None:
    assert analyse_question(question, language).several_places
    others = {"en", "de", "fr", "es"} - {language}
    told = {other for other in others if analyse_question(question, other).types.comparison}
    # "différence" and "diferencia" are words of one language each.
    assert told == set()


@pytest.mark.parametrize(
    ("language", "question", "thing"),
    [
        ("de", "Was ist ein Servo?", "ein Servo"),
        ("fr", "Qu’est-ce que c’est qu’un servo ?", "un servo"),
        ("es", "¿Qué es un servo?", "un servo"),
    ],
)
def test_the_term_to_be_explained_is_read_in_each_language(
    language: str, question: str, thing: str
) -> None:
    assert analyse_question(question, language).definiendum == thing


@pytest.mark.parametrize(
    ("language", "thanks"), [("de", "Vielen Dank!"), ("fr", "merci"), ("es", "Muchas gracias")]
)
def test_small_talk_is_recognised_in_each_language(language: str, thanks: str) -> None:
    assert analyse_question(thanks, language).small_talk
    assert not analyse_question(thanks, "en").small_talk


def test_a_language_that_does_not_say_is_english() -> None:
    assert load_lexicon("") == load_lexicon("en")


def test_a_resource_with_a_key_that_no_rule_reads_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="stop_wrods"):
        msgspec.toml.decode('stop_wrods = "a"', type=Lexicon)


def test_layout_words_are_those_of_all_languages() -> None:
    for language, chapter in {"en": "chapter", "de": "kapitel", "fr": "chapitre"}.items():
        assert chapter in load_lexicon(language).layout.chapter
        assert chapter in load_layout().chapter

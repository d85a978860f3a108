"""Each language has its own words; none reads those of another."""

import msgspec
import pytest

from libs.language import detect, scripts
from libs.language.asked_in import load_lexicons
from libs.language.entries import OFF, patterns_in
from libs.language.layout import load_layout
from libs.language.lexicon import Lexicon, load_lexicon
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
        ("de", "Was ist ein Servo?", "Servo"),
        ("fr", "Qu’est-ce que c’est qu’un servo ?", "servo"),
        ("es", "¿Qué es un servo?", "servo"),
        ("pt", "O que é um servo?", "servo"),
        ("fr", "Qu’est-ce que l’amortisseur ?", "amortisseur"),
        ("de", "Was ist der?", "der"),
        ("zh", "什么是伺服电机？", "伺服电机"),
        ("ja", "サーボとは何ですか？", "サーボ"),
        ("ar", "ما هو المحرك؟", "المحرك"),
        ("hi", "सर्वो क्या है?", "सर्वो"),
        ("ru", "Что такое сервопривод?", "сервопривод"),
    ],
)
def test_the_term_to_be_explained_is_read_in_each_language(
    language: str, question: str, thing: str
) -> None:
    assert analyse_question(question, language).definiendum == thing


@pytest.mark.parametrize(
    ("language", "thanks"),
    [
        *[("de", "Vielen Dank!"), ("fr", "merci"), ("es", "Muchas gracias"), ("pt", "Obrigado!")],
        *[("zh", "谢谢！"), ("ja", "ありがとうございます。"), ("ar", "شكرا"), ("ru", "Спасибо!")],
        ("hi", "धन्यवाद"),
    ],
)
def test_small_talk_is_recognised_in_each_language(language: str, thanks: str) -> None:
    assert analyse_question(thanks, language).small_talk
    assert analyse_question(thanks, "en").small_talk


def list_detected() -> set[str]:
    """What a text's language may be found to be."""
    by_script = {code for codes in scripts._LANGUAGES.values() for code in codes.split()}
    return by_script | detect._SCRIPTS.keys() | set(detect._model().labels)


LANGUAGES = ("en", "de", "es", "fr", "pt", "zh", "ja", "ar", "hi", "ru", "ko")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_of_the_product_has_its_words(language: str) -> None:
    lexicon = load_lexicon(language)
    assert lexicon.introductions
    assert lexicon.layout.chapter
    assert lexicon.small_talk.phrases
    for pattern in (lexicon.types.comparison, lexicon.types.reason, lexicon.expected.date):
        assert pattern != OFF
    assert lexicon.names.page != OFF
    texts = lexicon.refusals
    named = load_lexicon("en").refusals.languages.keys()
    assert lexicon.refusals.languages.keys() == named >= {*LANGUAGES, *list_detected()}
    assert all(lexicon.refusals.languages.values())
    assert language in ("ja", "ko", "zh") or len(set(lexicon.refusals.languages.values())) == len(
        named
    )
    assert "{language}" in texts.other_language
    own = (texts.nothing_found, texts.not_covered, texts.declined, texts.not_verified)
    # English is in the words of the profile.
    assert all(own) == (language != "en")
    assert language == "en" or "{related}" in texts.nothing_found


@pytest.mark.parametrize(
    ("language", "question", "comparison", "reason", "several"),
    [
        ("pt", "Qual é a diferença entre molas e amortecedores?", True, False, False),
        ("zh", "弹簧和阻尼器有什么区别？", True, False, False),
        ("ja", "ばねとダンパーの違いは何ですか", True, False, False),
        ("ar", "ما الفرق بين النابض والمخمد؟", True, False, False),
        ("hi", "स्प्रिंग और डैम्पर में क्या अंतर है?", True, False, False),
        ("ru", "В чём разница между пружиной и демпфером?", True, False, False),
        ("pt", "Por que o motor aquece?", False, True, False),
        ("zh", "电机为什么发热？", False, True, False),
        ("ja", "モーターはなぜ熱くなるのですか", False, True, False),
        ("ar", "لماذا يسخن المحرك؟", False, True, False),
        ("hi", "मोटर क्यों गरम होती है?", False, True, False),
        ("ru", "Почему мотор греется?", False, True, False),
    ],
)
def test_types_of_questions_are_told_in_languages_of_any_script(
    language: str, question: str, comparison: bool, reason: bool, several: bool
) -> None:
    types = analyse_question(question, language).types
    assert (types.comparison, types.reason) == (comparison, reason)
    assert analyse_question(question, language).several_places == (comparison or several)


@pytest.mark.parametrize(
    ("language", "question", "page"),
    [
        ("pt", "O que diz a página 12 sobre motores?", "12"),
        ("zh", "第42页讲了什么？", "42"),
        ("ja", "ivページには何がありますか", "iv"),
        ("ja", "42ページには何がありますか", "42"),
        ("ar", "ماذا في صفحة 7؟", "7"),
        ("hi", "पृष्ठ 9 पर क्या है?", "9"),
        ("ru", "Что на странице 3?", "3"),
    ],
)
def test_a_page_is_named_in_any_language(language: str, question: str, page: str) -> None:
    assert analyse_question(question, language).page == page


def test_a_language_that_does_not_say_is_english() -> None:
    assert load_lexicon("") == load_lexicon("en")


@pytest.mark.parametrize("language", load_lexicons())
def test_every_pattern_of_a_language_compiles(language: str) -> None:
    for pattern in patterns_in(load_lexicon(language)):
        pattern.compile()


def test_a_resource_with_a_key_that_no_rule_reads_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="stop_wrods"):
        msgspec.toml.decode('stop_wrods = "a"', type=Lexicon)


def test_layout_words_are_those_of_all_languages() -> None:
    for language, chapter in {"en": "chapter", "de": "kapitel", "fr": "chapitre"}.items():
        assert chapter in load_lexicon(language).layout.chapter
        assert chapter in load_layout().chapter


def test_the_layout_of_all_languages_is_that_of_each() -> None:
    for language in LANGUAGES:
        own = load_lexicon(language).layout
        for field in own.__struct_fields__:
            assert getattr(own, field) <= getattr(load_layout(), field), (language, field)

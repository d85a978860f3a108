"""In which language a question is asked."""

import pytest

from libs.language.asked_in import language_asked_in, language_read_by
from tests.unit.libs.short_questions import HELD_OUT, TUNED


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How do I install a package?", "en"),
        ("Was ist ein Servo und wie funktioniert er?", "de"),
        ("¿Qué es un paquete y para qué sirve?", "es"),
        ("Qu'est-ce que le noyau et comment le compiler ?", "fr"),
        ("O que é um pacote e como se instala?", "pt"),
        ("什么是软件包？", "zh"),
        ("パッケージとは何ですか", "ja"),
        ("ما هو الخادم؟", "ar"),
        ("पैकेज क्या है?", "hi"),
        ("Что такое пакет?", "ru"),
    ],
)
@pytest.mark.parametrize("book", ["en", "de", "zh", "ru"])
def test_a_question_tells_its_language_whatever_the_book_s(
    question: str, language: str, book: str
) -> None:
    assert language_asked_in(question, book) == language


@pytest.mark.parametrize(
    "question", ["docker run", "pip install de numpy", "Servo", "42", "", "Rust?"]
)
def test_a_question_that_does_not_tell_is_taken_for_the_book_s_language(question: str) -> None:
    assert language_asked_in(question, "de") == "de"
    assert language_asked_in(question) == "en"


@pytest.mark.parametrize(
    ("question", "book", "language"),
    [
        ("What treats varroa mites?", "de", "en"),
        ("Where sit servos?", "de", "en"),
        ("Wer baute Debian?", "en", "de"),
        ("¿Dónde vive Debian?", "en", "es"),
        ("Pourquoi Debian ?", "de", "fr"),
        ("Quando vem Debian?", "en", "pt"),
        ("Was kostet Debian?", "en", "de"),
        ("Where?", "de", "en"),
        # Nothing of it is of one language alone, or as much of another one.
        ("Was Die Hard a film?", "en", "en"),
        ("Was Debian?", "de", "de"),
        ("Where Debian lives", "de", "de"),
        ("Debian where?", "de", "de"),
    ],
)
def test_a_short_question_tells_its_language_by_the_word_that_opens_it(
    question: str, book: str, language: str
) -> None:
    assert language_asked_in(question, book) == language


@pytest.mark.parametrize(
    ("question", "book", "language"),
    [
        ("What treats varroa mites?", "ar", "en"),
        ("varroa mites", "ja", "en"),
        ("Wie hilft das?", "ru", "de"),
        ("How?", "el", "en"),
        ("Лечение варроа", "en", "ru"),
        ("علاج النحل", "de", "ar"),
        ("नमस्ते", "zh", "hi"),
        ("মৌমাছি", "en", "bn"),
        ("สวัสดีครับ", "de", "th"),
        ("벌", "en", "ko"),
    ],
)
def test_letters_of_another_script_are_not_the_book_s_language(
    question: str, book: str, language: str
) -> None:
    assert language_asked_in(question, book) == language


@pytest.mark.parametrize(
    ("question", "book"),
    [
        ("Docker Composeとは", "ja"),
        ("Что такое Docker Compose plugin?", "ru"),
        ("Лечење", "sr"),
        ("Lečenje", "sr"),
        ("ما هو Docker Compose plugin؟", "ar"),
        ("মৌমাছি", "bn"),
    ],
)
def test_letters_of_the_book_s_script_among_others_may_be_the_book_s_language(
    question: str, book: str
) -> None:
    assert language_asked_in(question, book) == book


@pytest.mark.parametrize("book", ["en", "de", "fr", "es", "ja", "ru"])
def test_short_questions_and_greetings_tell_their_language(book: str) -> None:
    wrong = [asked for asked in TUNED if language_asked_in(asked[0], book) != asked[1]]
    wrong_of_held_out = [
        asked for asked in HELD_OUT if language_asked_in(asked[0], book) != asked[1]
    ]
    assert len(wrong) <= 1
    assert len(wrong_of_held_out) <= 0.1 * len(HELD_OUT)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("登り窯の温度は?", "ja"),
        ("登り窯", "ja"),
        ("كم نخلة في الواحة؟", "ar"),
        ("Wann wird der Honig geerntet?", "de"),
        ("Honig?", "en"),
        ("Was Die Hard a film?", "en"),
        # In none of the book's languages.
        ("¿Cuándo se cosecha la miel?", "en"),
        ("Когда собирают мёд?", "en"),
        ("42", "en"),
        ("", "en"),
    ],
)
def test_a_question_is_read_by_the_one_of_the_book_s_languages_that_it_is_in(
    question: str, language: str
) -> None:
    assert language_read_by(question, "en", ("de", "ja", "ar")) == language


def test_words_of_two_languages_of_a_book_are_taken_for_the_first_s() -> None:
    assert language_read_by("Die Installation", "en", ("de",)) == "de"
    assert language_read_by("Installation", "de", ("en",)) == "de"
    assert language_read_by("Installation", "en", ("de",)) == "en"

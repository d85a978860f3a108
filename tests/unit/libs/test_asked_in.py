"""In which language a question is asked."""

import pytest

from libs.language.asked_in import language_asked_in


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
        # Nothing of it is of one language alone, or of another one.
        ("Was kostet Debian?", "en", "en"),
        ("Wie viel is it?", "en", "en"),
        ("Where Debian lives", "de", "de"),
        ("Where?", "de", "de"),
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

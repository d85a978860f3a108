"""Greetings and thanks are no questions; whatever names a thing is one."""

import pytest

from libs.question.analyse import analyse_question
from libs.question.follow_up import Conversation


@pytest.mark.parametrize(
    "text",
    [
        "hi",
        "Hello!",
        "Good morning :)",
        "thanks",
        "Thank you so much!",
        "Thanks for your help",
        "ok, great, thanks",
        "How are you today?",
        "What’s up?",
        "Hello, who are you?",
        "bye bye",
        "help",
    ],
)
def test_greetings_and_thanks_are_small_talk(text: str) -> None:
    assert analyse_question(text).small_talk


@pytest.mark.parametrize("book", ["", "en", "de", "ja"])
@pytest.mark.parametrize(
    "text",
    [
        "Hallo",
        "Hola",
        "Bonjour, ça va ?",
        "Oi, tudo bem?",
        "Danke!",
        "你好",
        "こんにちは",
        "مرحباً",
        "शुभ रात्रि",
        "Привет, как дела?",
    ],
)
def test_readers_greet_in_their_language_whatever_the_book_s(text: str, book: str) -> None:
    assert analyse_question(text, book).small_talk


@pytest.mark.parametrize("book", ["", "de", "fr", "ar", "ja"])
@pytest.mark.parametrize(
    "text", ["?", "??", " ? ", "!", "?!", "…", "...", "¿?", "？", "؟", "。", "🙂", "👍🏽", "❓?"]
)
@pytest.mark.parametrize("before", [None, Conversation(("What is torque?",), "Torque turns.")])
def test_marks_alone_ask_nothing(text: str, book: str, before: Conversation | None) -> None:
    assert analyse_question(text, book, before=before).small_talk


def test_marks_beside_marked_text_are_about_it() -> None:
    assert not analyse_question("?", of_selection=True).small_talk


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "&&",
        "->",
        "::",
        "++?",
        "5?",
        "torque",
        "Hello, what is torque?",
        "thanks, and the second one?",
        "How are you torqued?",
        "What is a good robot?",
        "help me with ROS 2",
        "why?",
        "Hola mundo",
        "Hallo, was ist Drehmoment?",
        "yes",
        "and the other one?",
        "hey " * 40,
    ],
)
def test_a_question_is_no_small_talk(text: str) -> None:
    assert not analyse_question(text).small_talk

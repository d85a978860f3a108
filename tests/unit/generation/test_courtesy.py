"""Greetings and thanks are no questions; whatever names a thing is one."""

import pytest

from services.generation.courtesy import is_courtesy


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
def test_courtesies(text):
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "???",
        "torque",
        "Hello, what is torque?",
        "thanks, and the second one?",
        "How are you torqued?",
        "What is a good robot?",
        "help me with ROS 2",
        "why?",
        "yes",
        "and the other one?",
        "hey " * 40,
    ],
)
def test_questions(text):
    assert not is_courtesy(text)

"""Questions raised by what was found, for a reader whose own was refused."""

from dataclasses import replace

import pytest

from services.generation.suggest import raise_questions
from tests.support.generation_fakes import PASSAGES


def under(*path):
    return replace(PASSAGES[0], units=(), locator=replace(PASSAGES[0].locator, section_path=path))


@pytest.mark.parametrize(
    ("path", "question"),
    [
        (("Actuators", "Hydraulic pumps"), "What does the book explain about Hydraulic pumps?"),
        (("Actuators", "Summary"), "What does the book explain about Actuators?"),
        (("Chapter 3: Pumps",), "What does the book explain about Pumps?"),
        (("2.5 Publisher pattern",), "What does the book explain about Publisher pattern?"),
        (("How to bleed a line",), "How do I bleed a line?"),
        (("Why do lines leak?",), "Why do lines leak?"),
    ],
)
def test_a_title_raises_a_question(path, question):
    assert raise_questions([under(*path)], [], "Is it blue?") == [question]


def test_what_is_defined_comes_before_titles():
    text = "A pump is a machine that moves fluid."
    unit = replace(PASSAGES[0].units[0], end=PASSAGES[0].locator.start + len(text))
    defining = replace(PASSAGES[0], text=text, units=(unit,))
    assert raise_questions([defining], [], "Is it blue?")[0] == "What is a pump?"


def test_the_question_itself_and_repetitions_are_not_suggested():
    path = ("Actuators", "Hydraulic pumps")
    asked = "What about hydraulic pumps?"
    assert raise_questions([under(*path), under(*path)], ["Hydraulic pumps"], asked) == []


def test_titles_that_say_nothing_raise_nothing():
    assert raise_questions([under("Introduction"), under("Next steps")], ["1.2"], "Why?") == []

"""A value leads only where the thing is named that it is asked of, and a task where its verb is."""

import pytest

from tests.support.leads import lead_of

EGGS = "The hen lays 4 eggs a week. The duck sleeps."
RANGE = "The range of the old cart is 40 km. A barge is slow."


def lead(question: str, text: str, language: str = "en", title: str = "Chapter") -> str:
    sentences = [f"{one}." for one in text.rstrip(".").split(". ")]
    nearness = [0.9 - at / 100 for at in range(len(sentences))]
    return lead_of(question, sentences, nearness, language, titles=("Book", title), between=" ")


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "How many eggs does a moor hen lay?", EGGS),
        ("en", "What is the range of a hay cart?", RANGE),
        ("en", "What does a boat rack cost?", "A rack costs £110 a year."),
        ("en", "How heavy is the Heron hull?", "The Heron weighs 720 kg."),
        ("en", "What colour is the mill shutter?", "The door of the mill is green."),
        ("de", "Wie lange dauert die große Probe?", "Die große Feier dauert zwei Stunden."),
        ("fr", "Combien pèse la cloche noire ?", "La roue noire pèse 40 kg."),
        # A name is never another.
        ("en", "What is the height of Ardmore?", "The height of the hill is 40 m."),
    ],
)
def test_a_value_of_what_is_not_named_is_refused(language: str, question: str, text: str) -> None:
    assert lead(question, text, language) == ""


@pytest.mark.parametrize(
    ("language", "question", "text", "told"),
    [
        ("en", "How many eggs does a hen lay?", EGGS, "The hen lays 4 eggs a week."),
        ("en", "How many eggs does a hen produce?", EGGS, "The hen lays 4 eggs a week."),
        ("en", "What is the range of a cart?", RANGE, "The range of the old cart is 40 km."),
        ("en", "How much does the hen eat?", "The hen eats 90 g.", "The hen eats 90 g."),
        ("de", "Wie hoch ist das Mühlrad?", "Das Mühlrad ist 9 m hoch.", "Das Mühlrad ist 9 m hoch."),
        ("de", "Wie hoch ist das Rad normalerweise?", "Das Rad ist 9 m hoch.", "Das Rad ist 9 m hoch."),
        ("fr", "Combien pèse la roue ?", "La roue pèse 40 kg.", "La roue pèse 40 kg."),
        # Nothing of its name is said: it may be called otherwise.
        ("en", "What colour is the shutter?", "It is green.", "It is green."),
    ],
)  # fmt: skip
def test_a_value_of_what_is_named_leads(language: str, question: str, text: str, told: str) -> None:
    assert lead(question, text, language) == told


def test_a_thing_may_be_named_by_the_title_alone() -> None:
    assert lead("How heavy is the Heron hull?", "It weighs 720 kg.", title="Hull of the Heron")


@pytest.mark.parametrize(
    "told", ["Set the drift to a large value.", "The value of the drift is 40."]
)
def test_the_greatest_value_is_a_number(told: str) -> None:
    is_said = lead("What is the maximum value of the drift?", told) == told
    assert is_said is any(one.isdecimal() for one in told)

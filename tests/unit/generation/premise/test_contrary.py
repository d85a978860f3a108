"""The contrary of what a question takes for granted is told, though its sentence says more."""

import pytest

from tests.unit.generation.premise.test_said_otherwise import find


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # The sentence adds why, since when, or a noun behind the last word.
        (
            "Why does the gate have a brass bell?",
            "In fact, the gate does not have a brass bell mechanism, partly because of thieves.",
        ),
        # One of many words is said otherwise.
        (
            "Why does heating the kiln crack my pot?",
            "Heating the kiln does not crack your real vessel.",
        ),
        # Another verb, of all that is asked about.
        (
            "Why must the boat name be a real surname?",
            "Also, a boat name should not be tied to a real surname.",
        ),
        # What it states before it asks.
        (
            "Since the mill requires the sacks to be sorted, how do I sort them?",
            "Unlike others, the mill does not require sacks to be sorted, and is quick.",
        ),
        # What cannot be used is not done in any way.
        ("How do I turn on the silent bell mode?", "Silent bell mode not implemented yet"),
        # The question denies what is so.
        (
            "Why do the drones have no wax glands?",
            "The drones possess four pairs of wax glands on the underside.",
        ),
    ],
)
def test_the_contrary_is_told(question: str, text: str) -> None:
    assert find(question, text, "en") == f" > {text}"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # Another thing is denied, or the same in some case.
        ("Why does the bell ring at night?", "The horn does not sound at night, the bell rings."),
        ("Why does the bell ring at night?", "The bell does not ring at night in Lent."),
        (
            "Why does the gate have a brass bell?",
            "If thieves come, the gate does not have a brass bell mechanism.",
        ),
        # The word that is lacking is a name.
        (
            "Why does the ferry from Kerry run daily?",
            "In fact, the ferry does not run daily, partly because of the tides.",
        ),
        # Another sentence says it.
        (
            "Why must the boat name be a real surname?",
            "A boat name should not be tied to a real surname.\nThe boat name is a real surname.",
        ),
        # Both deny it.
        (
            "Why shouldn't I mount the whole copper roof?",
            "Mounting the whole copper roof is possible, it is NOT recommended.",
        ),
        (
            "Why do the drones have no wax glands?",
            "The drones have wax glands.\nThe drones do not have wax glands.",
        ),
        # How it is done, where only one way of it is denied.
        ("How do I ring the silent brass bell?", "The silent brass bell does not ring by itself."),
    ],
)
def test_no_contrary_is_told_of_what_may_be_so(question: str, text: str) -> None:
    assert not find(question, text, "en")


def test_that_it_is_hard_is_not_denied_by_who_cannot_do_it() -> None:
    text = "The trouble is that no one can guess the wind of tomorrow."
    question = "Why is it hard to guess the wind of tomorrow?"
    assert not find(question, text, "en", title="Hard questions")

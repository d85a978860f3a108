"""What says all that the likeliest span does of the question, and more of it, leads."""

import pytest

from tests.support.leads import lead_of

PRINTS = [
    "Press P in the menu of the mail program to print attachments.",
    "Muttprint is not able to print attachments.",
]


def test_the_sentence_leads_that_has_the_words_of_the_likeliest_and_more() -> None:
    assert lead_of("Can Muttprint print attachments?", PRINTS, [0.9, 0.85]) == PRINTS[1]


def test_a_much_less_likely_sentence_does_not_lead_for_more_words() -> None:
    assert lead_of("Can Muttprint print attachments?", PRINTS, [0.9, 0.4]) == PRINTS[0]


def test_the_likeliest_leads_where_another_lacks_one_of_its_words() -> None:
    told = ["Envelopes are printed with P.", "Muttprint can print attachments and letters."]
    assert lead_of("Can Muttprint print envelopes?", told, [0.9, 0.85]) == told[0]


@pytest.mark.parametrize("between", [" ", "\n"])
def test_a_pronoun_speaks_of_what_stands_before_it_in_its_line(between: str) -> None:
    told = [
        "If you want the tarball method, it takes a list of folders.",
        "It is the easiest to use.",
        "Its main drawback is that it eats disk space.",
    ]
    found = lead_of(
        "Which drawback does the tarball method have?", told, [0.9, 0.2, 0.85], between=between
    )
    # In a line of its own it may speak of anything, and says but one word of the question.
    assert (told[2] in found) is (between == " ")


def test_what_names_a_key_stays_before_what_says_more() -> None:
    told = [
        "M-S toggles the wrapping.",
        "Lines have soft wrapping where that is toggled on with any key.",
    ]
    assert lead_of("Which key toggles soft wrapping?", told, [0.9, 0.85]).startswith("M-S")

"""What says all that the likeliest span does of the question, and more of it, leads."""

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


def test_a_pronoun_speaks_of_what_stands_before_it_in_its_line() -> None:
    told = [
        "Muttprint is made for mails.",
        "It prints attachments with a margin.",
        "Print attachments.",
    ]
    found = lead_of("Can Muttprint print attachments?", told, [0.5, 0.85, 0.9], between=" ")
    assert found == " ".join(told[:2])


def test_the_attribute_asked_for_leads_before_what_has_the_thing() -> None:
    told = [
        "The tarball method takes a list of folders.",
        "Its main drawback is that it eats disk space.",
    ]
    question = "Which drawback does the tarball method have?"
    assert told[1] in lead_of(question, told, [0.9, 0.85])


def test_a_sentence_that_says_more_leads_before_one_below_a_title_that_does() -> None:
    titles = ("Muttprint", "Print attachments")
    told = ["Use the menu of the mail program.", PRINTS[1]]
    assert lead_of("Can Muttprint print attachments?", told, [0.9, 0.85], titles=titles) == told[1]


def test_a_key_stays_before_a_sentence_that_says_more() -> None:
    told = [
        "M-S toggles the wrapping.",
        "Lines have soft wrapping where that is toggled on with any key.",
    ]
    assert lead_of("Which key toggles soft wrapping?", told, [0.9, 0.85]).startswith("M-S")

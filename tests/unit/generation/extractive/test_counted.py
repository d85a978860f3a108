"""As many things are shown as a sentence counts, wherever they stand behind it."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import choose_places
from services.generation.model import SentenceRole
from tests.support.generation_fakes import prompt
from tests.support.leads import BY_SIMILARITY, lead_of, lead_places_of, passage_of

TWO = "However, the mill imposed two key rules."
ORDINALS = (
    TWO,
    "First, all grain is dried before it is weighed.",
    "This takes a week.",
    "Second, nobody grinds on a Sunday.",
    "The old mill had neither.",
)
NAMING = (
    "All sacks have three optional marks.",
    "The owner mark names whose it is.",
    "It is red.",
    "The grain mark tells rye from oats.",
    "The weight mark is stamped last.",
    "Sacks are washed.",
)


@pytest.mark.parametrize(
    ("question", "sentences", "led"),
    [
        # To the end of what begins with the last ordinal.
        ("Which two key rules did the mill impose?", ORDINALS, 4),
        # The ordinals are of something else than what is asked for.
        ("Which mill was imposed on?", ORDINALS, 1),
        # What goes on with a thing that is named comes with it.
        ("Which three optional marks do sacks have?", NAMING, 5),
    ],
)
def test_sentences_lead_up_to_the_last_of_what_is_counted(
    question: str, sentences: tuple[str, ...], led: int
) -> None:
    nearness = (0.9, *[0.0] * (len(sentences) - 1))
    assert lead_of(question, sentences, nearness, between=" ") == " ".join(sentences[:led])


@pytest.mark.parametrize(
    "told",
    [
        "The mill writes two files, with the endings one and two, both short.",
        "The mill has two files: a book and a roll.",
        "The mill has two-stage files.",
    ],
)
def test_a_sentence_that_tells_what_it_counts_is_shown_alone(told: str) -> None:
    sentences = (told, "By day it is shut.", "By night it is open.")
    assert lead_of("Which files has the mill?", sentences, (0.9, 0.0, 0.0), between=" ") == told


def test_things_counted_above_the_likeliest_sentence_lead() -> None:
    pieces = (
        "You can set rights for three kinds of guests:",
        "Owner",
        "Who has built the house.",
        "Group",
        "Who lives with the owner.",
        "Others",
        "All who come to call.",
        "For each kind of guest the rights can be set apart.",
    )
    question = "For which three kinds of guests can I set rights?"
    nearness = (0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.9)
    assert lead_of(question, pieces, nearness) == "\n".join(pieces[:7])


def test_reasons_that_are_counted_are_shown() -> None:
    sentences = (
        "The goal of a dry loft has two reasons.",
        "Damp grain rots.",
        "A damp floor rots as well.",
        "Lofts are swept.",
    )
    led = lead_of("Why is a dry loft the goal?", sentences, (0.9, 0.0, 0.0, 0.0), between=" ")
    assert led == " ".join(sentences[:3])


def test_long_items_are_shown_by_their_first_sentences() -> None:
    more = "It goes on and on for long. " * 14
    items = [f"- {name} is a tendency of mills." for name in ("Rust", "Rot", "Moss", "Wind")]
    spans = [one for item in items for one in (item, f"- {more}")]
    pieces = ("Mills show four tendencies of wear.", *spans)
    question = "Which four tendencies of wear do mills show?"
    # An item goes on in its line.
    held = passage_of(pieces, (0.9, *[0.0] * (len(pieces) - 1)))
    joined = replace(held, text=held.text.replace("\n- It", " - It"))
    asked = replace(prompt((joined,), question), analysis=analyse_question(question))
    places = choose_places(asked, BY_SIMILARITY)
    led = [joined.text_of(one.span) for one in places if one.role is SentenceRole.LEAD]
    assert led == [pieces[0], *items]


def test_no_piece_is_longer_than_a_quotation_may_be() -> None:
    long = "is told of at great length " * 12
    sentences = (
        "The mill has three parts.",
        f"The first part {long}.",
        f"The second part {long}.",
        f"The third part {long}.",
    )
    nearness = (0.9, 0.0, 0.0, 0.0)
    places = lead_places_of("Which three parts has the mill?", sentences, nearness, between=" ")
    assert len(places) == 4

"""The nouns of a question are the things that a book which answers it names."""

import pytest

from libs.question.analyse import analyse_question
from libs.question.things import list_things


@pytest.mark.parametrize(
    ("language", "question", "things"),
    [
        ("en", "How do I move the mill to another weir?", ["mill", "weir"]),
        ("en", "How do I limit the water per wheel?", ["water", "wheel"]),
        ("en", "What is the dress code at the mill?", ["code", "mill"]),
        ("en", "How much does a sack of flour cost?", ["sack", "flour"]),
        # Behind an adjective or another noun the last one is the thing.
        ("en", "How do I oil the old water wheel?", ["wheel"]),
        # Who does something may be called otherwise, and a verb is no thing.
        ("en", "How many sacks does the big mill grind a day?", ["sacks"]),
        ("en", "How many turns should each wheel make to grind it?", ["turns"]),
        ("en", "How strong a shove can Tally absorb?", ["shove"]),
        ("en", "How do I stop the wheel before grinding?", ["wheel"]),
        # What a book may do without is none; the word before it says what is asked.
        ("en", "What is the notice period at the mill?", ["notice", "mill"]),
        ("en", "What is the name of the mill?", ["mill"]),
        # A word with a hyphen is known by its end, and one with a digit is no thing.
        ("en", "How do I mount the water-wheel in barn 2?", ["wheel", "barn"]),
        ("de", "Wie kann ich das Mühlrad ölen?", ["mühlrad"]),
        ("fr", "Comment puis-je huiler l'arbre de la roue ?", ["arbre", "roue"]),
        ("es", "¿Cómo puedo engrasar la rueda del molino?", ["rueda", "molino"]),
        ("pt", "Como posso lubrificar a roda do moinho?", ["roda", "moinho"]),
    ],
)
def test_the_nouns_are_the_things(language: str, question: str, things: list[str]) -> None:
    assert list_things(analyse_question(question, language)) == things


@pytest.mark.parametrize(
    ("language", "question"),
    [
        # It asks otherwise, so that the asker's nouns need not be the book's.
        ("en", "Why does the mill stop in winter?"),
        ("en", "Who owns the mill at the weir?"),
        ("de", "Welche Mühle steht am Wehr?"),
        ("fr", "Combien de sacs a le moulin ?"),
        # It tells a story, asks several things, or is about the book.
        ("en", "The wheel is stuck in ice. How do I free the wheel?"),
        ("en", "How do I oil the wheel and how do I clean the weir?"),
        ("en", "How many chapters does the book have?"),
        # Nobody knows the nouns of its language.
        ("ru", "Как смазать колесо мельницы?"),
    ],
)
def test_other_questions_name_no_things(language: str, question: str) -> None:
    assert list_things(analyse_question(question, language)) == []

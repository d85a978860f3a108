"""The particle that German parts from a verb stands before it again."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.language.verbs import join_verbs
from libs.question.said import asked_words


@pytest.mark.parametrize(
    ("question", "joined"),
    [
        ("Wie baue ich den Filter ein?", "Wie einbaue ich den Filter?"),
        ("Welche rote Lampe geht aus?", "Welche rote Lampe ausgeht?"),
        ("Wann springt sie an, wenn es regnet?", "Wann anspringt sie, wenn es regnet?"),
        ("Wohin kommt der Schlüssel?", "Wohin kommt der Schlüssel?"),
        ("Der Deckel an?", "Der Deckel an?"),
    ],
)
def test_a_particle_at_the_end_of_a_clause_is_joined_to_its_verb(
    question: str, joined: str
) -> None:
    assert join_verbs(question, load_lexicon("de")) == joined


def test_a_language_without_such_verbs_keeps_its_questions() -> None:
    question = "How do I plug it in?"
    assert join_verbs(question, load_lexicon("en")) == question


def test_a_question_names_a_verb_with_its_particle() -> None:
    assert asked_words("Wie fahre ich los?", load_lexicon("de")) == {"losfahre"}

"""A question about selected text may ask for what only that text can tell."""

import re

import pytest

from libs.question.analyse import analyse_question
from libs.rpc.question import analysis_from_proto, analysis_to_proto


@pytest.mark.parametrize(
    "question",
    [
        "Explain this.",
        "What does this mean?",
        "Summarise",
        "tl;dr",
        "why?",
        "Can you say that in simpler words?",
        "what is it good for?",
        "And if the hip fails before the knee does?",
        "In the second item, which unit has the rotation?",
        "What do I run to get this, and does the latency meet the target of the project?",
    ],
)
def test_a_question_that_points_at_selected_text_is_deictic(question: str) -> None:
    assert analyse_question(question, of_selection=True).deictic


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote the opera Tosca?",
        "How much does a motor cost?",
        "Can a task be cancelled while it runs?",
        "How many poles has the motor of this robot when its windings make a star?",
    ],
)
def test_a_question_with_its_own_subject_is_not_deictic(question: str) -> None:
    assert not analyse_question(question, of_selection=True).deictic


def test_nothing_is_deictic_without_selected_text() -> None:
    assert not analyse_question("Explain this.").deictic


@pytest.mark.parametrize(
    ("language", "question"),
    [("de", "Erkläre diesen Absatz"), ("fr", "Résume ce passage"), ("es", "Explica esto")],
)
def test_each_language_points_in_its_own_words(language: str, question: str) -> None:
    assert analyse_question(question, language, of_selection=True).deictic
    assert not analyse_question(question, "zz", of_selection=True).deictic


@pytest.mark.parametrize(
    ("language", "questions"),
    [
        ("de", "Was bedeutet das? Was heißt das? Und was heißt das genau? Was soll das heißen?"),
        ("de", "Wie ist das gemeint? Was besagt das? Fasse das kurz zusammen! Erklär mir das."),
        (
            "es",
            "¿Qué significa? ¿Qué quiere decir? ¿De qué trata? Explícamelo. ¿Puedes explicarlo?",
        ),
        ("es", "¿Qué significa esto? Resúmelo. Tradúcelo."),
        ("fr", "Que veut dire cela ? Ça veut dire quoi ? Explique-le. Pouvez-vous l'expliquer ?"),
        (
            "pt",
            "O que significa? O que quer dizer isto? Do que se trata? Explique-o. Pode explicar?",
        ),
    ],
)
def test_marked_text_is_asked_for_in_each_language(language: str, questions: str) -> None:
    for question in re.split(r"(?<=[?.!])\s(?=[¿\w])", questions):
        assert analyse_question(question, language, of_selection=True).deictic, question


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Was heißt Ölwechsel?"),
        ("de", "Was bedeutet das Zeichen am Kessel?"),
        ("de", "Wie heißt das Schiff?"),
        ("de", "Wer hat das erfunden?"),
        ("de", "Was kostet das?"),
        ("es", "¿Qué significa la palabra ábaco?"),
        ("es", "¿Cuánto cuesta?"),
        ("fr", "Que veut dire le mot abaque ?"),
        ("pt", "O que significa a palavra ábaco?"),
    ],
)
def test_a_question_that_names_its_own_thing_does_not_ask_for_the_text(
    language: str, question: str
) -> None:
    assert not analyse_question(question, language, of_selection=True).deictic


def test_a_deictic_question_is_told_to_retrieval() -> None:
    asked = analyse_question("Explain this.", of_selection=True)
    assert analysis_from_proto(analysis_to_proto(asked), asked.question).deictic

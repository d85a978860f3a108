"""A question about selected text may ask for what only that text can tell."""

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


def test_a_deictic_question_is_told_to_retrieval() -> None:
    asked = analyse_question("Explain this.", of_selection=True)
    assert analysis_from_proto(analysis_to_proto(asked), asked.question).deictic

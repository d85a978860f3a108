"""What a question takes to be so of one thing only is told where the book says it of others too."""

import pytest

from tests.unit.generation.premise.test_said_otherwise import find


@pytest.mark.parametrize(
    ("language", "question", "text", "asked"),
    [
        (
            "en",
            "Why does the saw cut only dry logs?",
            "The saw cuts both dry and wet logs.",
            "only dry",
        ),
        (
            "en",
            "How do I open the mill gate only with a key?",
            "You open the gate of the mill without a key.",
            "only with a key",
        ),
        (
            "de",
            "Warum schneidet die Säge nur trockene Stämme?",
            "Die Säge schneidet sowohl trockene als auch nasse Stämme.",
            "nur trockene",
        ),
        (
            "de",
            "Warum läuft die Mühle am Wehr nur mit Strom?",
            "Die Mühle am Wehr läuft auch ohne Strom.",
            "nur mit Strom",
        ),
        # It is named in the sentence before.
        (
            "en",
            "Why does the mill cut only dry logs?",
            "The mill is new.\nIt cuts both dry and wet logs.",
            "only dry",
        ),
        # By default it is off, as its sentence says.
        (
            "en",
            "Why are the mill lamps on by default?",
            "The mill is lit, but its lamps of the mill are off by default.",
            "by default",
        ),
    ],
)
def test_not_so_alone_is_told(language: str, question: str, text: str, asked: str) -> None:
    assert find(question, text, language) == f"{asked} > {text.splitlines()[-1]}"


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "Why does the saw cut only dry logs?", "The saw cuts only dry logs."),
        ("en", "Why does the saw cut only dry logs?", "The mill has both dry and wet logs."),
        ("en", "Why does the saw cut dry logs?", "The saw cuts both dry and wet logs."),
        (
            "en",
            "Why does the saw cut only dry logs?",
            "The saw cuts both dry and wet logs.\nThis saw cuts both dry and green logs.",
        ),
        ("en", "How do I open the mill gate with a key?", "Open the mill gate without a key."),
        (
            "en",
            "Why are the mill lamps on by default?",
            "The lamps are lit; the mill is off by default.",
        ),
        ("de", "Warum läuft die Mühle nur mit Strom?", "Die Säge läuft ohne Strom."),
    ],
)
def test_nothing_is_told_of_what_may_be_so_alone(language: str, question: str, text: str) -> None:
    assert find(question, text, language) == ""

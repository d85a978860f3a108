"""What a span says beside its words: by a value of the kind asked for, and by what stands over it."""

import pytest
from msgspec import structs

from libs.question.analyse import analyse_question
from services.retrieval.model import Chunk, Span, distinct_terms
from services.retrieval.question_terms import QuestionTerms
from services.retrieval.told import best_told
from tests.support.retrieval_fakes import PARAGRAPH, make_chunk

_TABLE = """Klemme | Belegung | Farbe
1 | Pumpe | braun
5 | Ventil | grau"""
_WORK = """Arbeit | Abstand | Wer
Dichtung tauschen | alle 4 Jahre | Installateur"""
_SIZES = """Größe | Modell 4 | Modell 9
Länge | 2 m | 3 m"""


def _chunk(text: str) -> Chunk:
    """Return a chunk of which each line is a span, the header of a table with its first row."""
    chunk = make_chunk(text, path=("Technik",))
    head, *rest = chunk.spans
    if " | " in text:
        rest = [Span(head.start, rest[0].end, PARAGRAPH), *rest[1:]]
    return structs.replace(chunk, spans=tuple(rest) if " | " in text else chunk.spans)


def _told(question: str, text: str, language: str = "de") -> float:
    chunk = _chunk(text)
    held = distinct_terms(text) | chunk.title_terms
    analysis = analyse_question(question, language)
    return best_told([chunk], QuestionTerms.weigh(question, [held], language), analysis)


def test_a_row_says_what_stands_over_its_columns() -> None:
    assert _told("Welche Farbe hat Klemme 5?", _TABLE) == 1.0
    assert _told("Welche Belegung hat Klemme 5?", _TABLE) == 1.0


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("de", "Welche Farbe hat die Plane?", "Die Plane ist gelb."),
        ("de", "Wie schwer ist die Gabel?", "Die Gabel hat 2 kg."),
        ("de", "Was kostet die Kaution?", "Die Kaution beträgt 100 €."),
        ("fr", "De quelle couleur est la bâche ?", "La bâche est jaune."),
        ("es", "¿De qué color es la lona?", "La lona es amarilla."),
        ("pt", "Quanto pesa o garfo?", "O garfo tem 2 kg."),
    ],
)
def test_a_value_says_of_what_it_is_one(language: str, question: str, text: str) -> None:
    assert _told(question, text, language) == 1.0


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("de", "Welche Farbe hat die Plane?", "Die Plane ist neu."),
        ("de", "Wie schwer ist die Gabel?", "Die Gabel hat zwei Zinken."),
        ("de", "Welche Garantie hat das Modell 2?", "Das Modell 2 wurde verkauft."),
        ("fr", "Quelle garantie a le modèle 2 ?", "Le modèle 2 fut vendu."),
        ("es", "¿Qué garantía tiene el modelo 2?", "El modelo 2 se vendió."),
        ("pt", "Que garantia tem o modelo 2?", "O modelo 2 foi vendido."),
    ],
)
def test_a_span_without_the_value_or_the_attribute_tells_nothing(
    language: str, question: str, text: str
) -> None:
    assert _told(question, text, language) == 0.0


def test_a_value_of_another_thing_tells_no_more_than_the_words_around_it() -> None:
    assert _told("Wie lang ist das Kabel des Ventils?", "Eine Pumpe mit 15 m Kabel.") < 0.6


@pytest.mark.parametrize(
    "question", ["Wer tauscht die Dichtung?", "Wie oft tauscht man Dichtungen?"]
)
def test_a_row_tells_who_does_it_and_how_often(question: str) -> None:
    assert _told(question, _WORK) == 1.0


def test_a_comparison_is_told_by_a_row_of_what_the_things_are_compared_in() -> None:
    question = "Worin unterscheiden sich Modell 4 und Modell 9 in der {}?"
    assert _told(question.format("Länge"), _SIZES) == 1.0
    assert _told(question.format("Farbe"), _SIZES) == 0.0

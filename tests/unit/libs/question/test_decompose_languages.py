"""Questions that compare are split in German, French, Spanish and Portuguese as in English."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.decompose import decompose_question


@pytest.mark.parametrize(
    ("language", "question", "parts"),
    [
        (
            "de",
            "Was ist der Unterschied zwischen dem Zulauf und dem Überlauf?",
            ("Was ist Zulauf?", "Was ist Überlauf?"),
        ),
        ("de", "Wie unterscheidet sich der Kran vom Bagger?", ("Was ist Kran?", "Was ist Bagger?")),
        (
            "de",
            "Worin unterscheiden sich das Modell 4 und das Modell 9 in der Länge?",
            ("Welche Länge hat Modell 4?", "Welche Länge hat Modell 9?"),
        ),
        (
            "de",
            "Vergleiche die Ladezeit von L1 und L3.",
            ("Vergleiche die Ladezeit von L1", "Vergleiche die Ladezeit von L3"),
        ),
        (
            "fr",
            "Quelle est la différence entre la vanne et le clapet ?",
            ("Qu'est-ce que vanne ?", "Qu'est-ce que clapet ?"),
        ),
        (
            "fr",
            "En quoi le Rhin 4 et le Rhin 9 diffèrent-ils par la hauteur de chute ?",
            ("Quelle hauteur de chute a Rhin 4 ?", "Quelle hauteur de chute a Rhin 9 ?"),
        ),
        (
            "es",
            "¿En qué se diferencian el Ebro 4 y el Ebro 9 en el precio?",
            ("¿Qué precio tiene Ebro 4?", "¿Qué precio tiene Ebro 9?"),
        ),
        (
            "es",
            "¿Cuál es la diferencia entre la entrada y el rebosadero?",
            ("¿Qué es entrada?", "¿Qué es rebosadero?"),
        ),
        (
            "pt",
            "Qual é a diferença entre a entrada e a descarga de excesso?",
            ("O que é entrada?", "O que é descarga de excesso?"),
        ),
        (
            "pt",
            "Em que diferem o Tejo 4 e o Tejo 9 na altura?",
            ("Que altura tem Tejo 4?", "Que altura tem Tejo 9?"),
        ),
    ],
)
def test_a_comparison_asks_of_each_thing(
    language: str, question: str, parts: tuple[str, ...]
) -> None:
    found = decompose_question(question, load_lexicon(language))
    assert tuple(part.question for part in found) == parts


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Wie reinige ich den Filter und den Deckel?"),
        ("de", "Was kostet die Pumpe?"),
        ("fr", "Comment nettoyer le filtre et le couvercle ?"),
        ("es", "¿Cómo se limpian el filtro y la tapa?"),
        ("pt", "Como se limpam o filtro e a tampa?"),
    ],
)
def test_a_question_that_compares_nothing_stays_whole(language: str, question: str) -> None:
    assert decompose_question(question, load_lexicon(language)) == ()

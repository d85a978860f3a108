"""A line that says when a page was changed, or what to read, answers just who asks for that."""

import pytest

from services.generation.extractive.boilerplate import is_boilerplate
from services.generation.extractive.candidates import list_candidates
from services.generation.model import BlockKind, Locator, Passage, PassageScores, Span


def is_left_out(text: str, question: str, language: str, *titles: str) -> bool:
    place = Locator("a.md", 0, len(text), ("Book", *titles))
    kind = BlockKind.LIST_ITEM if titles else BlockKind.PARAGRAPH
    held = Passage("a", place, text, (Span(0, len(text), kind, 0.5),), PassageScores())
    (item,) = list_candidates([held], language)
    return is_boilerplate(item, question)


@pytest.mark.parametrize(
    ("language", "text", "asked", "other"),
    [
        (
            "en",
            "Last updated: May 2024 for the first module",
            "Which version is this page of?",
            "What do I build in the last module?",
        ),
        (
            "de",
            "Zuletzt geändert: Mai 2024, für Modul 1",
            "Wann wurde die Seite geändert?",
            "Was baue ich im letzten Modul?",
        ),
        (
            "fr",
            "Dernière mise à jour : mai 2024, module 1",
            "Quand a-t-elle été modifiée ?",
            "Que construit-on au dernier module ?",
        ),
        (
            "es",
            "Última actualización: mayo de 2024, módulo 1",
            "¿Cuándo se modificó?",
            "¿Qué se construye en el último módulo?",
        ),
    ],
)
def test_the_date_of_a_page_answers_only_who_asks_for_it(
    language: str, text: str, asked: str, other: str
) -> None:
    left_out = [is_left_out(text, question, language) for question in (asked, other)]
    assert left_out == [False, True]


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("Which papers am I told to read on grasping?", False),
        ("What should I read on grasping?", False),
        ("Which method is arXiv:1707.06347?", False),
        ("Which method is arXiv:1802.01561?", True),
        ("How does grasping work?", True),
    ],
)
def test_literature_answers_who_asks_what_to_read(question: str, *, left_out: bool) -> None:
    text = "Grasping: the two papers of Holt, arXiv:1707.06347"
    assert is_left_out(text, question, "en", "Further reading") is left_out

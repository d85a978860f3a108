"""What leads of a passage, in tests of the rules by which the extractive answerer chooses it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from libs.ml import LogisticModel
from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import choose_places
from services.generation.model import BlockKind, Locator, Passage, PassageScores, SentenceRole, Span
from tests.support.generation_fakes import prompt

BY_SIMILARITY = LogisticModel("", ("similarity",), (0.0,), (1.0,), (10.0,), -5.0)
"""A ranking by how near a span is found to the question, and by nothing else."""


def lead_of(*asked: Any, **where: Any) -> str:
    """Return the first of `lead_places_of`, which takes the same; "" for none."""
    return next(iter(lead_places_of(*asked, **where)), "")


def lead_places_of(
    question: str,
    pieces: Sequence[str],
    nearness: Sequence[float],
    language: str = "en",
    *,
    titles: tuple[str, ...] = ("Book", "Chapter"),
    between: str = "\n",
) -> list[str]:
    """Return all that leads of the pieces of a passage.

    One with " | " is a table's row, one that begins with "- " an item of a list, with "$ " code.
    """
    held = passage_of(pieces, nearness, titles=titles, between=between)
    asked = replace(prompt((held,), question), analysis=analyse_question(question, language))
    places = choose_places(asked, BY_SIMILARITY)
    return [held.text_of(one.span) for one in places if one.role is SentenceRole.LEAD]


def passage_of(
    pieces: Sequence[str],
    nearness: Sequence[float],
    *,
    titles: tuple[str, ...] = ("Book", "Chapter"),
    between: str = "\n",
) -> Passage:
    """Return the passage of these pieces, each a span as near to the question as is said."""
    spans, at = list[Span](), 0
    for piece, near in zip(pieces, nearness, strict=True):
        kind = _kind_of(piece)
        spans.append(Span(at, at + len(piece), kind, near))
        at += len(piece) + len(between)
    text = between.join(pieces)
    place = Locator("a.md", 0, len(text), titles)
    return Passage("a", place, text, tuple(spans), PassageScores(fused=0.5))


def _kind_of(piece: str) -> BlockKind:
    if " | " in piece:
        return BlockKind.TABLE
    if piece.startswith("$ "):
        return BlockKind.CODE
    return BlockKind.LIST_ITEM if piece.startswith("- ") else BlockKind.PARAGRAPH

"""Passages in, the words of the book that answer out, as they are: no language model.

How much of the book is shown, and by which weights it is chosen, was measured on three labelled sets:
half the best score, five pieces and 800 characters lose few answers that more text would have held.
"""

import math
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass

from libs.text import terms
from services.generation.adapters.pieces import Piece, cut_pieces, table_header
from services.generation.adapters.question_form import QuestionForm, read_form
from services.generation.model import (
    BlockKind,
    Claim,
    DraftSentence,
    Passage,
    Prompt,
    Selection,
    Transcript,
)

_PASSAGE_WEIGHT = 0.2
_COVERAGE_WEIGHT = 0.4

_WEAKEST = 0.5
"""Share of the best piece's score below which a piece is left out."""

_ALIKE = 0.8
"""Share of common terms from which two pieces count as one."""

_CHARACTERS = 800
_CHARACTERS_OF_MANY = 1200
"""For lists and comparisons, which need more room."""

_LIST_CHARACTERS = 350

_DEFINES = re.compile(
    r"\b(?:is|are|means?|refers? to|describes?|denotes?|stands? for|called|defined as)\b|:",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")


class ExtractiveAnswerer:
    """Shows the pieces of the passages that match the question best, in reading order."""

    async def write(
        self,
        prompt: Prompt,
        transcript: Transcript,  # noqa: ARG002 - there is no model to talk to
        allowed_s: float,  # noqa: ARG002 - a few milliseconds' work
    ) -> AsyncGenerator[DraftSentence, None]:
        shown = set()
        for piece in choose_pieces(prompt):
            for index in _units_to_show(piece):
                unit, place = piece.passage.units[index], piece.passage.locator
                if (place.document, unit.start) in shown:
                    continue
                shown.add((place.document, unit.start))
                text = piece.passage.text_of(unit)
                claim = Claim(piece.source, text, unit.start - place.start)
                yield DraftSentence(text, (claim,))


def choose_pieces(prompt: Prompt) -> list[Piece]:
    """Return the pieces to show, in reading order; at most as many as the profile says."""
    form = read_form(prompt.question)
    many = form.list_of_things or form.comparison
    limit = _CHARACTERS_OF_MANY if many else _CHARACTERS
    list_limit = limit if form.list_of_things else _LIST_CHARACTERS
    pieces = _outside(prompt.explain, list(cut_pieces(prompt.passages, list_limit)))
    ranked = _rank(pieces, prompt.question, form)
    chosen = _choose(ranked, prompt.settings.max_sentences, limit)
    return _in_reading_order(chosen)


@dataclass(frozen=True)
class _Ranked:
    piece: Piece
    terms: frozenset[str]
    score: float


class _Importance:
    """How much each term of the question tells the units of the passages apart."""

    def __init__(self, question: str, passages: Iterable[Passage]) -> None:
        units = [terms(item.text_of(unit)) for item in passages for unit in item.units]
        counts = Counter(term for unit in units for term in set(unit))
        self._weights = {
            term: math.log((len(units) + 1) / (counts[term] + 0.5)) for term in terms(question)
        }
        self._total = sum(self._weights.values())

    def covered_by(self, held: frozenset[str]) -> float:
        """Return the share of the question that `held` covers, in [0, 1]."""
        if not self._total:
            return 0.0
        return sum(self._weights[term] for term in self._weights.keys() & held) / self._total


def _outside(explain: Selection | None, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces that explain marked text: those beside it, or all when there are none."""
    if explain is None:
        return pieces
    beside = [
        piece
        for piece in pieces
        if not explain.covers(
            piece.passage.locator.document, piece.units[0].start, piece.units[-1].end
        )
    ]
    return beside or pieces


def _rank(pieces: list[Piece], question: str, form: QuestionForm) -> list[_Ranked]:
    passages = {piece.source: piece.passage for piece in pieces}
    importance = _Importance(question, passages.values())
    ranked = []
    for piece in pieces:
        held = frozenset(terms(piece.text))
        score = (
            max(unit.score for unit in piece.units)
            + _PASSAGE_WEIGHT * piece.passage.scores.blended
            + _COVERAGE_WEIGHT * importance.covered_by(held | piece.above)
        )
        ranked.append(_Ranked(piece, held, score * _fitness(piece, held, form)))
    return sorted(ranked, key=lambda item: -item.score)  # stable: equals stay in passage order


def _fitness(piece: Piece, held: frozenset[str], form: QuestionForm) -> float:
    """Return how well the form of a piece suits the question's; 1.0 is neutral."""
    fitness = 1.0
    if piece.kind in (BlockKind.CODE, BlockKind.MATH) and not form.code:
        fitness *= 0.7
    if piece.text.rstrip().endswith((":", "?")) or piece.opens_table:
        fitness *= 0.7  # leads to the answer, asks for it, or only names its columns
    if form.amount and not _DIGIT.search(piece.text):
        fitness *= 0.9
    if form.definition and _DEFINES.search(piece.text):
        fitness *= 1.05
    if len(held) < 3:
        fitness *= 0.9  # a label
    return fitness


def _choose(ranked: list[_Ranked], limit: int, characters: int) -> list[Piece]:
    chosen: list[_Ranked] = []
    for item in ranked:
        if len(chosen) == limit or item.score < _WEAKEST * ranked[0].score:
            break
        left = characters - sum(len(other.piece.text) for other in chosen)
        if not chosen or (len(item.piece.text) <= left and not _is_repeated(item, chosen)):
            chosen.append(item)
    return [item.piece for item in chosen]


def _is_repeated(item: _Ranked, others: Sequence[_Ranked]) -> bool:
    return any(
        len(item.terms & other.terms) >= _ALIKE * len(item.terms | other.terms) for other in others
    )


def _units_to_show(piece: Piece) -> list[int]:
    """Return the indexes of the piece's units; a table row comes after its table's first row."""
    header = table_header(piece)
    indexes = list(range(piece.first, piece.last + 1))
    return indexes if header is None or header in indexes else [header, *indexes]


def _in_reading_order(pieces: list[Piece]) -> list[Piece]:
    """Order by document, the one with the best passage first, and by place inside it."""
    best: dict[str, int] = {}
    for piece in pieces:
        document = piece.passage.locator.document
        best[document] = min(piece.source, best.get(document, piece.source))
    return sorted(
        pieces,
        key=lambda piece: (best[piece.passage.locator.document], piece.units[0].start),
    )

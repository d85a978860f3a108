"""Join what was found in each of several parts of a book that a question names."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from libs.vectors.schema import Scope
from services.retrieval.model import AskedPart, HighlightedPassage, MissingPart, SearchResult
from services.retrieval.outline import RELATED_SECTIONS

_LEAST_EACH = 4
"""Passages of a part, however many parts there are: its answer is not always in the first."""

_LEAST_PARTS = 2


def join_parts(
    whole: SearchResult, scopes: Sequence[Scope], results: Sequence[SearchResult], most: int
) -> SearchResult | None:
    """Return what was found in the parts as one; None where no two have anything, or nothing answers.

    `most` passages are shown, or four of each part, those of the parts in turns. What answers is judged
    by what was found in the `whole` book for the question as it was asked, or else by the surest part:
    in one part alone the words for another count as not found.
    """
    fit = [(scope, one) for scope, one in zip(scopes, results, strict=True) if one.passages]
    surest = max((whole, *results), key=lambda one: (one.gate.passed, one.gate.probability))
    if len(fit) < _LEAST_PARTS or not surest.gate.passed:
        return None
    each = max(_LEAST_EACH, most // len(fit))
    held = _once([one.passages[:each] for _, one in fit])
    parts = [
        AskedPart(_title_of(scope, passages), tuple(_id_of(one) for one in passages))
        for (scope, _), passages in zip(fit, held, strict=True)
    ]
    related = chain.from_iterable(one.related_sections for _, one in fit)
    turns = chain.from_iterable(zip_longest(*held))
    return replace(
        whole,
        gate=surest.gate,
        passages=tuple(one for one in turns if one is not None),
        related_sections=tuple(dict.fromkeys(related))[:RELATED_SECTIONS],
        asked_parts=tuple(one for one in parts if one.chunk_ids),
    )


def note_missing(found: SearchResult, missing: MissingPart) -> SearchResult:
    """Return the result with the part that the book has not, unless what was found speaks of it."""
    named = re.compile(
        rf"(?<!\w){re.escape(missing.kind)}\w* {missing.number}(?!\d)", re.IGNORECASE
    )
    if any(named.search(one.passage.chunk.text) for one in found.passages):
        return found
    return replace(found, missing_part=missing)


def _once(
    lists: Sequence[Sequence[HighlightedPassage]],
) -> list[list[HighlightedPassage]]:
    """Return the lists without what an earlier one has: a part may lie in another."""
    seen: set[str] = set()
    kept = []
    for passages in lists:
        new = [one for one in passages if _id_of(one) not in seen]
        seen.update(map(_id_of, new))
        kept.append(new)
    return kept


def _id_of(one: HighlightedPassage) -> str:
    return one.passage.chunk.chunk_id


def _title_of(scope: Scope, passages: Sequence[HighlightedPassage]) -> str:
    """Return the title of a part: its section's, or that of its document."""
    if scope.section_path:
        return scope.section_path[-1]
    titles = (one.passage.chunk.section_path[:1] for one in passages)
    return next((title for path in titles for title in path), scope.document)

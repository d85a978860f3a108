"""Documents, their chunks and what was there before in; what happened to each character out."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from services.ingest.model import (
    Block,
    Chunk,
    Document,
    DocumentReport,
    Edition,
    KeptDocument,
    Loss,
    MissingRange,
)

_SHOWN = 80
_MOST_LOSSES = 1000
"""That are named one by one, of one document."""
_MADE_BY = {
    "parser": "the parser is another",
    "chunking": "the chunking is another",
    "collection": "the embedding model, or how Quoth indexes, is another",
    "points": "the index holds other fields",
    "language": "the language is another",
    "title": "the title is another",
}


def report_document(
    document: Document, chunks: Sequence[Chunk], warnings: Sequence[str]
) -> DocumentReport:
    """Count what reached a chunk, and name every visible character that did not."""
    text = document.text
    covered = bytearray(len(text))
    for chunk in chunks:
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    gaps = list(_gaps(text, covered))
    visible = _visible(text)
    return DocumentReport(
        path=document.path,
        visible_characters=visible,
        covered_characters=visible - sum(_visible(text[start:end]) for start, end in gaps),
        missing=[_missing(text, start, end, document.blocks) for start, end in gaps],
        blocks=dict(Counter(block.kind.name.lower() for block in document.blocks)),
        warnings=list(warnings),
        chunks=len(chunks),
        tokens=sum(chunk.token_count for chunk in chunks),
        losses=_bounded(document.losses),
    )


def _bounded(losses: Sequence[Loss]) -> list[Loss]:
    """Return the losses, those beyond a bound as one."""
    kept, rest = losses[:_MOST_LOSSES], losses[_MOST_LOSSES:]
    if not rest:
        return list(kept)
    characters = sum(loss.characters for loss in rest)
    kinds = ", ".join(dict.fromkeys(loss.kind for loss in rest))
    place = f"{rest[0].place} to {rest[-1].place}"
    return [*kept, Loss(kinds, place, f"{len(rest)} more, not named one by one", characters)]


def report_failure(path: str, reason: str) -> DocumentReport:
    """Report a document that could not be read."""
    return DocumentReport(path, 0, 0, [], {}, [], 0, 0, change="failed", failure=reason)


def report_change(
    report: DocumentReport, content_hash: str, before: KeptDocument | None, chunks_new: int
) -> DocumentReport:
    """Say how a document differs from the edition before."""
    if before is None:
        change = "added"
    else:
        change = "unchanged" if content_hash == before.content_hash else "changed"
    return replace(report, chunks_new=chunks_new, change=change)


def reasons_for(
    target: Edition,
    latest: Edition,
    current: Edition,
    changes: Sequence[str],
    removed: Sequence[str],
    *,
    intact: bool,
) -> list[str]:
    """Say why `target` is made.

    `changes` are those of its documents; `intact` is whether the index held all of the latest one.
    """
    if not latest.number:
        return ["first edition"]
    reasons = [
        words
        for part, words in _MADE_BY.items()
        if part in latest.recipe and latest.recipe[part] != target.recipe.get(part)
    ]
    counts: Mapping[str, int] = Counter(changes) + Counter(removed=len(removed))
    for change in ("added", "changed", "removed", "failed"):
        if counts[change]:
            noun = "document" if counts[change] == 1 else "documents"
            reasons.append(f"{counts[change]} {noun} {change}")
    if not intact and target.collection == latest.collection:
        reasons.append("the index had lost passages")
    if current.number != latest.number:
        reasons.append(f"readers saw edition {current.number}")
    return reasons or ["the order or the settings of the book are others"]


def recipe_parts(**parts: Any) -> dict[str, Any]:
    """Return what an edition is made by, under the names that reasons are given for."""
    assert parts.keys() == _MADE_BY.keys()
    return parts


def _visible(text: str) -> int:
    return sum(map(len, text.split()))


def _gaps(text: str, covered: bytearray) -> Iterator[tuple[int, int]]:
    """Yield the ranges that no chunk covers, without the space around them."""
    start = covered.find(0)
    while start >= 0:
        end = covered.find(1, start)
        end = len(text) if end < 0 else end
        gap = text[start:end]
        if gap.strip():
            yield start + len(gap) - len(gap.lstrip()), start + len(gap.rstrip())
        start = covered.find(0, end)


def _missing(text: str, start: int, end: int, blocks: Sequence[Block]) -> MissingRange:
    inside = any(block.start < end and start < block.end for block in blocks)
    reason = "no chunk holds this part of a block" if inside else "it belongs to no block"
    shown = text[start:end]
    shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
    return MissingRange(start, end, shown, reason)

"""Report what became of each document's characters, and what a new edition changes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from libs.embedding.languages import OFFERED, knows
from libs.language.lexicon import FALLBACK, name_of_language
from services.ingest.model.book import (
    Block,
    Chunk,
    Document,
    DocumentReport,
    DroppedContent,
    Edition,
    KeptDocument,
    MissingRange,
    Report,
)
from services.ingest.parsers.invisible import HIDDEN

_MAX_WARNINGS = 50
_MAX_REASONS = 3
_SHOWN = 80
_LEAST_HIDDEN = 200
_HIDDEN_SHARE = 0.2
"""Hidden characters from which on a document is named: pages hide a menu or a note, not a fifth."""
_MOST_DROPPED = 1000
"""That are named one by one, of one document."""
_MADE_BY = {
    "parser": "the parser is another",
    "chunking": "the chunking is another",
    "collection": "the embedding model, or how Quoth indexes, is another",
    "points": "the index holds other fields, or vectors made in another way",
    "language": "the language is another, or is found in another way",
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
        warnings=[*warnings, *_much_hidden(document, visible)],
        chunks=len(chunks),
        tokens=sum(chunk.token_count for chunk in chunks),
        dropped_content=_bounded(document.dropped_content),
    )


def _much_hidden(document: Document, visible_characters: int) -> Iterator[str]:
    """Name a document of which what readers see and what is there differ by much."""
    hidden = sum(item.characters for item in document.dropped_content if item.kind == HIDDEN.kind)
    if hidden >= max(_LEAST_HIDDEN, _HIDDEN_SHARE * visible_characters):
        yield (
            f'"{document.path}": much of it is hidden from readers, {hidden} characters beside '
            f"{visible_characters} that they see: it was left out."
        )


def _bounded(dropped_content: Sequence[DroppedContent]) -> list[DroppedContent]:
    """Return the dropped_content, those beyond a bound as one."""
    kept, rest = dropped_content[:_MOST_DROPPED], dropped_content[_MOST_DROPPED:]
    if not rest:
        return list(kept)
    characters = sum(item.characters for item in rest)
    kinds = ", ".join(dict.fromkeys(item.kind for item in rest))
    place = f"{rest[0].place} to {rest[-1].place}"
    return [
        *kept,
        DroppedContent(kinds, place, f"{len(rest)} more, not named one by one", characters),
    ]


def main_language(reports: Iterable[DocumentReport]) -> str:
    """Return the language that most of the text is in; English where there is none."""
    return next(iter(list_languages(reports)), FALLBACK)


def list_languages(reports: Iterable[DocumentReport]) -> list[str]:
    """Return the languages of documents, that of most text first, then those of passages in them."""
    characters: Counter[str] = Counter()
    passages: Counter[str] = Counter()
    for report in reports:
        characters[report.language or FALLBACK] += report.visible_characters
        passages.update(report.passage_languages)
    in_order = (*_most_first(characters), *_most_first(passages))
    return list(dict.fromkeys(in_order))


def _most_first(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda one: (-counts[one], one))


def offer_model(model: str, languages: Iterable[str]) -> list[str]:
    """Offer the multilingual model where documents are in languages that the model does not know."""
    unknown = [language for language in languages if not knows(model, language)]
    if not unknown:
        return []
    named = ", ".join(map(name_of_language, unknown))
    offer = (
        f'The embedding model "{model}" hardly knows a language of the book ({named}), so '
        f"what is in it is searched mostly by its words. {OFFERED} knows a hundred languages, and "
        "reads a book at half the speed."
    )
    return [offer]


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


def report_of_kept(document: KeptDocument) -> DocumentReport:
    assert document.report is not None
    return document.report


def unchanged_report(document: KeptDocument) -> DocumentReport:
    return replace(report_of_kept(document), change="unchanged", chunks_new=0)


def name_empty(reports: Iterable[DocumentReport]) -> str:
    """Say why there is nothing to publish, as far as the documents' own warnings tell."""
    warnings = [warning for report in reports for warning in report.warnings]
    return " ".join(["The source holds no text.", *warnings[:_MAX_REASONS]])


def all_warnings(report: Report) -> list[str]:
    failed = [f"Left out: {item.failure}" for item in report.documents if item.failure]
    return [
        *failed,
        *report.warnings,
        *(text for item in report.documents for text in item.warnings),
    ]


def shortened(warnings: Sequence[str]) -> list[str]:
    if len(warnings) <= _MAX_WARNINGS:
        return list(warnings)
    return [*warnings[:_MAX_WARNINGS], f"… and {len(warnings) - _MAX_WARNINGS} warnings more."]

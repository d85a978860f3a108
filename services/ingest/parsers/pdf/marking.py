"""Make the text of a line or a paragraph together with the markup of its ranges."""

from collections.abc import Iterable, Sequence

from services.ingest.model.book import Markup, MarkupKind
from services.ingest.parsers.markup import nested, place, shift
from services.ingest.parsers.pdf.line import Traits

Piece = tuple[str, Traits]
"""A part of a line with what it is beside its letters; without letters it is a place."""

Marked = tuple[str, tuple[Markup, ...]]
"""A text with the markup of its ranges."""

_BAR = " | "
_ORDER = (
    *(MarkupKind.SUPERSCRIPT, MarkupKind.CODE, MarkupKind.EMPHASIS),
    *(MarkupKind.STRONG, MarkupKind.LINK),
)
"""Of ranges that are the same the last one goes around the others."""
_PLACES = (MarkupKind.ANCHOR, MarkupKind.FOOTNOTE_REFERENCE)


def marked_text(pieces: Sequence[Piece]) -> Marked:
    """Return the text of pieces with one space where there is any, and its markup."""
    raw = "".join([text for text, _ in pieces])
    text = " ".join(raw.split())
    if not any(traits for _, traits in pieces):
        return text, ()
    found: list[Markup] = []
    at = 0
    for piece, traits in pieces:
        found += [Markup(kind, at, at + len(piece), value) for kind, value in traits]
        at += len(piece)
    return text, tuple(_behind_word(one, text) for one in place(raw, text, joined(found, raw)))


def _behind_word(one: Markup, text: str) -> Markup:
    """Let the mark of a footnote follow the word before it."""
    if one.kind is MarkupKind.FOOTNOTE_REFERENCE and text[one.start - 1 : one.start] == " ":
        return one._replace(start=one.start - 1, end=one.start - 1)
    return one


def joined(markup: Iterable[Markup], text: str) -> list[Markup]:
    """Return markup with those ranges as one that mean the same and have only space between them."""
    kept: list[Markup] = []
    last: dict[tuple[MarkupKind, str], int] = {}
    for one in sorted(markup, key=lambda one: one.start):
        before = last.get((one.kind, one.value))
        if before is not None and not text[kept[before].end : one.start].strip():
            kept[before] = kept[before]._replace(end=max(kept[before].end, one.end))
        else:
            if one.kind not in _PLACES:
                last[one.kind, one.value] = len(kept)
            kept.append(one)
    return kept


def in_order(markup: Iterable[Markup], text: str) -> tuple[Markup, ...]:
    """Return the markup of a whole text as it is kept: joined, in order, one in the other."""
    return one_in_other(joined(markup, text))


def one_in_other(markup: Iterable[Markup]) -> tuple[Markup, ...]:
    """Return markup in order, outer ranges before those within."""
    found = sorted(markup, key=lambda one: one.start)
    if not found:
        return ()
    rank = {kind: number for number, kind in enumerate(_ORDER)}
    return tuple(nested(sorted(found, key=lambda one: rank.get(one.kind, -1))))


def cut_end(markup: Iterable[Markup], length: int) -> tuple[Markup, ...]:
    """Return the markup of a text that has only its first `length` characters left."""
    return tuple(
        one._replace(start=min(one.start, length), end=min(one.end, length)) for one in markup
    )


def join_cells(cells: Sequence[Marked]) -> Marked:
    """Return a row of a table, cells parted by " | "."""
    markup: list[Markup] = []
    at = 0
    for text, own in cells:
        markup += shift(own, at)
        at += len(text) + len(_BAR)
    return _BAR.join(text for text, _ in cells), tuple(markup)

"""Name what is known of a PDF's lines and paragraphs, and is not kept in the text made of them."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace

from libs.text import STOP_WORDS
from services.ingest.model.book import Markup, MarkupKind
from services.ingest.parsers.pdf.dropped_pieces import DroppedPiece, changed, left_out
from services.ingest.parsers.pdf.flow import Paragraph
from services.ingest.parsers.pdf.line import Line

_USUAL = {
    MarkupKind.STRONG: changed("bold text", "most of the book is set so: it stresses nothing"),
    MarkupKind.EMPHASIS: changed("slanted text", "most of the book is set so: it stresses nothing"),
    MarkupKind.CODE: changed("code in a line", "most of the book is set so: it marks nothing"),
}
_RAISED = left_out("raised number", "no footnote of its page has it: it may be a power")
_LOOSE = changed(
    "footnote", "nothing on its page refers to it: it stands at the end of its section"
)
_IN_CODE = {
    MarkupKind.LINK: changed("link", "it stands in code, which is shown as it stands"),
    MarkupKind.STRONG: changed("bold text", "it stands in code, which is shown as it stands"),
    MarkupKind.EMPHASIS: changed("slanted text", "it stands in code, which is shown as it stands"),
}
_IN_NOTE = changed("code", "it stands in a footnote, which is shown as running text")
_UNTITLED = changed("heading", "the outline names it, and no line of its page says the same")
_WRITTEN = changed("raised or lowered text", "it is written with ^ or _")
_NEAR = 24
_POWER = re.compile("[2-9]")
"""Others are seldom powers of what is no number, and often the marks of notes at the end of a book."""
_UNIT = re.compile(r"(?<![^\W_])[^\W\d_]{1,3}\Z")
"""A unit or the name of a quantity: longer words are words."""
_TERM = re.compile(r"[(\[](?:(?![^\W\d_]{4})[^()\[\]]){1,40}[)\]]\Z")
"""Brackets around no words."""


def usual_looks(
    before: Sequence[Sequence[Line]], after: Sequence[Sequence[Line]]
) -> Iterator[DroppedPiece]:
    """Yield the looks that all lines have lost."""
    left = {one.kind for lines in after for line in lines for one in line.markup}
    told: set[MarkupKind] = set()
    for lines in before:
        for line in lines:
            for one in line.markup:
                if one.kind in _USUAL and one.kind not in left | told:
                    told.add(one.kind)
                    yield DroppedPiece(_USUAL[one.kind], line.page, line.text[one.start : one.end])


def with_powers(lines: Sequence[Line], notes: Set[str]) -> tuple[list[Line], list[DroppedPiece]]:
    """Write as powers the raised numbers that are none of the footnotes: m with a raised 2 is m^2.

    Also returns what the report says of them. `notes` are the footnotes of all pages. Where a page has
    a number twice, the one behind a unit is the power.
    """
    kept: list[Line] = []
    dropped: list[DroppedPiece] = []
    plain = {
        (line.page, one.value)
        for line in lines
        for one in _marks_in(line)
        if not _may_have_power(line.text[: one.start], one.value)
    }
    for line in lines:
        powers = [
            one
            for one in _marks_in(line)
            if _may_have_power(line.text[: one.start], one.value)
            and (not _names_notes(one.value, line.page, notes) or (line.page, one.value) in plain)
        ]
        written = line
        for one in reversed(powers):
            written = _with_power(written, one)
            dropped.append(
                DroppedPiece(_WRITTEN, line.page, f"{line.text[: one.start]}^{one.value}"[-_NEAR:])
            )
        kept.append(written)
    return kept, dropped


def _marks_in(line: Line) -> list[Markup]:
    return [one for one in line.markup if one.kind is MarkupKind.FOOTNOTE_REFERENCE]


def _may_have_power(before: str, number: str) -> bool:
    """Whether a number raised behind this text may be a power, as far as the text tells."""
    unit = _UNIT.search(before)
    name = unit[0] if unit else ""
    is_word = len(name) > 1 and (name.lower() in STOP_WORDS or name.isupper())
    may_be_base = bool(name and not is_word) or bool(_TERM.search(before))
    return may_be_base and bool(_POWER.fullmatch(number))


def _with_power(line: Line, mark: Markup) -> Line:
    """Return a line with the number of a mark in its text."""
    shown, at = f"^{mark.value}", mark.start
    markup = [
        one._replace(
            start=one.start + len(shown) * (one.start >= at),
            end=one.end + len(shown) * (one.end > at or one.start >= at),
        )
        for one in line.markup
        if one is not mark
    ]
    power = Markup(MarkupKind.SUPERSCRIPT, at, at + len(shown), "^")
    marks = list(line.marks)
    if mark.value in marks:
        marks.remove(mark.value)
    text = f"{line.text[:at]}{shown}{line.text[at:]}"
    return replace(line, text=text, marks=tuple(marks), markup=(*markup, power))


def raised_numbers(lines: Iterable[Line], notes: Set[str]) -> Iterator[DroppedPiece]:
    """Yield the raised numbers that are marks of no footnote; `notes` are those of all pages."""
    for line in lines:
        for one in line.markup:
            is_mark = one.kind is MarkupKind.FOOTNOTE_REFERENCE
            if is_mark and not _names_notes(one.value, line.page, notes):
                words = f"{line.text[max(0, one.start - _NEAR) : one.start]}[{one.value}]"
                yield DroppedPiece(_RAISED, line.page, words, len(one.value))


def _names_notes(number: str, page: int, notes: Set[str]) -> bool:
    """Whether a number is the mark of a footnote of its page, or of two that run together."""
    parts = [(number[:at], number[at:]) for at in range(len(number))]
    return any(all(not one or f"{one}@{page}" in notes for one in both) for both in parts)


def loose_notes(lines: Iterable[Line], labels: Iterable[str]) -> Iterator[DroppedPiece]:
    """Yield the footnotes of a page, by number and page, that none of its lines refers to."""
    marks = [mark for line in lines for mark in line.marks]
    for label in labels:
        number, _, page = label.partition("@")
        # Marks that run together, 2 and 3 as 23, are taken apart.
        if not any(number in mark for mark in marks):
            yield DroppedPiece(_LOOSE, int(page), number)


def code_in_notes(paragraphs: Iterable[Paragraph]) -> Iterator[DroppedPiece]:
    """Yield the first line of each piece of code that is running text of a footnote."""
    for paragraph in paragraphs:
        lines = () if paragraph.is_code else paragraph.lines
        for before, line in zip([None, *lines], lines, strict=False):
            if line.is_mono and not (before and before.is_mono):
                yield DroppedPiece(_IN_NOTE, line.page, line.text)


def markup_in_code(paragraphs: Iterable[Paragraph]) -> Iterator[DroppedPiece]:
    """Yield the links and looks of what is code."""
    for paragraph in paragraphs:
        for line in paragraph.lines if paragraph.is_code and not paragraph.is_table else ():
            for one in line.markup:
                if one.kind in _IN_CODE:
                    # Each word of code that is set apart would make a long list of nothing lost.
                    is_link = one.kind is MarkupKind.LINK
                    words = line.text[one.start : one.end] if is_link else ""
                    yield DroppedPiece(_IN_CODE[one.kind], line.page, words)


def untitled(names: Iterable[tuple[int, str]], seen: Set[int]) -> Iterator[DroppedPiece]:
    """Yield the lines of the outline, by page, that are no headings, of pages whose text was `seen`."""
    for page, title in names:
        if page in seen:
            yield DroppedPiece(_UNTITLED, page, title)

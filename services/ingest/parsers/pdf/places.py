"""Mark the places that links lead to, and leave out what marks nothing."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from unicodedata import east_asian_width

from services.ingest.model.book import Markup, MarkupKind
from services.ingest.parsers.pdf.dropped_pieces import DroppedPiece, changed
from services.ingest.parsers.pdf.line import Line

_LOOKS = frozenset((MarkupKind.STRONG, MarkupKind.EMPHASIS, MarkupKind.CODE))
_NAME = re.compile(r"page-(?P<page>[1-9]\d{0,5})(?:-(?P<height>-?\d{1,6}))?")
_MOST_PLACES = 20_000
_NO_PLACE = changed("link", "what it leads to is not in the text")


def drop_usual_looks(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Leave out the looks that most of a book has: what all of it is set in stresses nothing.

    Letters of Chinese, Japanese and Korean are as wide as each other in any font: a book of these that
    is set in one of one width is no code.
    """
    whole = sum(len(line.text) for lines in pages for line in lines)
    lengths: Counter[MarkupKind] = Counter()
    for lines in pages:
        for line in lines:
            for one in line.markup:
                lengths[one.kind] += one.end - one.start
    usual = {kind for kind in _LOOKS if lengths[kind] * 2 > whole}
    if not usual:
        return [list(lines) for lines in pages]
    plain = [[_without(line, usual) for line in lines] for lines in pages]
    if MarkupKind.CODE not in usual or not _is_wide(line.text for lines in pages for line in lines):
        return plain
    return [[replace(line, is_mono=False) for line in lines] for lines in plain]


def _is_wide(texts: Iterable[str]) -> bool:
    """Whether most letters are of the width that those of Chinese have."""
    letters = [letter for text in texts for letter in text if letter.isalpha()]
    return 2 * sum(east_asian_width(letter) in "WF" for letter in letters) > len(letters)


def _without(line: Line, kinds: Set[MarkupKind]) -> Line:
    kept = tuple(one for one in line.markup if one.kind not in kinds)
    return line if len(kept) == len(line.markup) else replace(line, markup=kept)


def with_anchors(pages: Sequence[Sequence[Line]], dropped: list[DroppedPiece]) -> list[list[Line]]:
    """Mark the lines that links of these lines lead to, by the names in these links.

    Links to what is not in the text are added to `dropped`.
    """
    links = [
        (line, one)
        for lines in pages
        for line in lines
        for one in line.markup
        if one.kind is MarkupKind.LINK and _NAME.fullmatch(one.value, 1)
    ]
    wanted = {one.value[1:] for _, one in links}
    placed = [list(lines) for lines in pages]
    heights = [sorted((line.y, -at) for at, line in enumerate(lines)) for lines in placed]
    anchors: dict[tuple[int, int], list[str]] = defaultdict(list)
    for name in sorted(wanted)[:_MOST_PLACES]:
        if place := _find(name, heights):
            anchors[place].append(name)
    placed_names = {name for names in anchors.values() for name in names}
    dropped += [
        DroppedPiece(_NO_PLACE, line.page, line.text[one.start : one.end])
        for line, one in links
        if one.value[1:] not in placed_names
    ]
    for (page, at), names in anchors.items():
        line = placed[page][at]
        marks = (Markup(MarkupKind.ANCHOR, 0, 0, name) for name in names)
        placed[page][at] = replace(line, markup=(*marks, *line.markup))
    return placed


def _find(name: str, heights: Sequence[Sequence[tuple[float, int]]]) -> tuple[int, int] | None:
    """Return the page, from 0, and the line on it that a place by links.name_of stands at."""
    named = _NAME.fullmatch(name)
    page = int(named["page"]) - 1 if named else len(heights)
    if not named or page >= len(heights):
        return None
    top = float(named["height"]) if named["height"] else float("inf")
    below = bisect_left(heights[page], (top, 0))
    if below:
        return page, -heights[page][below - 1][1]
    # What stood there was left out: the text goes on overleaf.
    rest = (index for index in range(page + 1, len(heights)) if heights[index])
    return next(((index, 0) for index in rest), None)


def without_whole(markup: Iterable[Markup], text: str) -> tuple[Markup, ...]:
    """Leave out what a heading as a whole is set in."""
    return tuple(one for one in markup if one.kind not in _LOOKS or one.end - one.start < len(text))


def only_notes(line: Line, notes: Set[str]) -> Line:
    """Keep the marks of footnotes that there are; others are raised numbers of another sense."""
    kept = tuple(
        one
        for one in line.markup
        if one.kind is not MarkupKind.FOOTNOTE_REFERENCE or f"{one.value}@{line.page}" in notes
    )
    return line if len(kept) == len(line.markup) else replace(line, markup=kept)

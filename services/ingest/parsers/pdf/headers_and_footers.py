"""Drop running headers, footers and page numbers from the lines of all pages."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from itertools import chain
from operator import sub
from statistics import median

from libs.language.entries import alternatives
from libs.language.lexicon import load_layout
from services.ingest.parsers.pdf.line import Line

_LEADER = re.compile(r"(?:\s?\.){4,}\s*(?:\d{1,5}|[ivxlc]{1,8})$|(?:\s?\.){8,}$")
_LAYOUT = load_layout()
_OVERLEAF = re.compile(
    rf"\((?:{alternatives(_LAYOUT.continues | _LAYOUT.continued)})\)",
    re.IGNORECASE,
)
_INDEX = re.compile(
    rf"(?:[\w ]{{0,24}}\s)?(?:{alternatives(_LAYOUT.index)})\b.{{0,3}}", re.IGNORECASE
)
_NAMED_PAGES = re.compile(r"(?:^|[\s,.])\d{1,5}(?:\s?[,–-]\s?\d{1,5})*$")
_ROMAN = re.compile(r"[ivxlc]{1,8}")
_TOLERANCE = 3.0
_DEPTH = 2
_MIN_PAGES = 3
_APART = 4
"""Pages from one to the next that have it, at most: lines that are alike now and then are text."""
_MIN_ENTRIES = 4
_MOST_ROWS = 3
_START = 12
_LARGE = 1.12
"""Letters of titles, beside those of most lines."""


def drop_headers_and_footers(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Drop lines at a page's edge that stand at one height on many pages and repeat or count."""
    kept = [_without_overleaf(lines) for lines in pages]
    large = _LARGE * median([line.size for lines in kept for line in lines] or [0.0])
    for _ in range(_DEPTH):
        before = sum(map(len, kept))
        for is_top in (True, False):
            _drop_edge(kept, large, is_top=is_top)
        if sum(map(len, kept)) == before:
            break
    return kept


def _without_overleaf(lines: Sequence[Line]) -> list[Line]:
    """Drop the words by which Sphinx says that code goes on."""
    return [line for line in lines if not _OVERLEAF.fullmatch(line.text)]


def _drop_edge(pages: list[list[Line]], large: float, *, is_top: bool) -> None:
    edges: dict[int, list[Line]] = defaultdict(list)
    for lines in pages:
        if lines:
            edge = max(lines, key=_height) if is_top else min(lines, key=_height)
            if not _is_of_text(edge, lines):
                edges[round(edge.y / _TOLERANCE)].append(edge)
    # What would go is judged together: "Note" tops many pages at the height of titles on others.
    near = {height: [edges.get(height + step, []) for step in (-1, 0, 1)] for height in edges}
    repeating = [at for at, found in near.items() if _is_header_or_footer([*chain(*found)], large)]
    for height in {at + step for at in repeating for step in (-1, 0, 1)}:
        for edge in edges.get(height, []):
            lines = pages[edge.page - 1]
            # Its left and its right part may be lines of their own.
            lines[:] = [line for line in lines if abs(line.y - edge.y) > 1]


def _is_of_text(edge: Line, lines: Sequence[Line]) -> bool:
    """Whether a line is a row of a table, one larger than may be drawn around a running head."""
    return bool(edge.table) and sum(line.table == edge.table for line in lines) > _MOST_ROWS


def _height(line: Line) -> float:
    return line.y


def _is_header_or_footer(lines: Sequence[Line], large: float) -> bool:
    numbers = sorted({line.page for line in lines})
    if len(numbers) < _MIN_PAGES or median(map(sub, numbers[1:], numbers)) > _APART:
        return False
    bare = Counter(_bare(line, large) for line in lines)
    offsets = Counter(
        int(number) - line.page for line in lines for number in set(_numbers(line.text))
    )
    steady = {offset for offset, count in offsets.items() if count >= _MIN_PAGES}
    known = 0
    for line in lines:
        counts = any(int(number) - line.page in steady for number in _numbers(line.text))
        known += counts or bare[_bare(line, large)] > 1 or bool(_ROMAN.fullmatch(line.text))
    return known * 5 >= len(lines) * 3


def _bare(line: Line, large: float) -> str:
    # Its start: what follows is often the section, which changes from page to page. Titles may begin
    # alike without being the same.
    if line.size > large:
        return re.sub(r"\W+", "", line.text)
    return re.sub(r"[\d\W]+", "", line.text)[:_START]


def _numbers(text: str) -> list[str]:
    return re.findall(r"(?<![\w.])\d{1,5}(?![\w.])", text)


def contents_pages(pages: Sequence[Sequence[Line]], index: Collection[int]) -> list[int]:
    """Return the numbers of the pages, counted from 1, that are a table of contents.

    They have dots that lead to page numbers; on the last of several there may be few, beside the
    titles of chapters. A page of the index is none.
    """
    found: list[int] = []
    for number, lines in enumerate(pages, start=1):
        entries = sum(1 for line in lines if _LEADER.search(line.text))
        is_list = entries >= _MIN_ENTRIES and entries * 3 >= len(lines)
        goes_on = bool(found) and found[-1] == number - 1
        if number not in index and (is_list or (goes_on and entries * 2 >= len(lines) > 0)):
            found.append(number)
    return found


def index_pages(pages: Sequence[Sequence[Line]]) -> list[int]:
    """Return the numbers of the pages, counted from 1, that only say what stands on which page."""
    found: list[int] = []
    for number, lines in enumerate(pages, start=1):
        naming = sum(1 for line in lines if _NAMED_PAGES.search(line.text))
        is_list = len(lines) >= _MIN_ENTRIES and naming * 5 >= len(lines) * 2
        titled = any(_INDEX.fullmatch(line.text) for line in lines[:_DEPTH])
        goes_on = bool(found) and found[-1] == number - 1
        if is_list and (titled or (goes_on and naming * 10 >= len(lines) * 6)):
            found.append(number)
    return found

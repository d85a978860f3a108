"""Drop running headers, footers and page numbers from the lines of all pages."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise, takewhile
from operator import sub
from statistics import median
from typing import NamedTuple

from libs.language.entries import alternatives
from libs.language.layout import load_layout
from services.ingest.model.book import MarkupKind
from services.ingest.parsers.pdf.flow import CAPTION
from services.ingest.parsers.pdf.line import Line

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
_LARGE, _LARGEST = 1.12, 1.8
"""Letters of titles, beside those of most lines; as large as no running head's."""
_WORDS = re.compile(r"[^\W\d_]{2}")
_WIDEST = 0.8
"""Of the width of a page's text, that a title with a number has; a running head may have all of it."""
_SAME_EDGE = 2.0
_BOLD_SHARE = 0.9
_MOST_WITHIN = 0.2
"""Of the pages that titles begin, that go on with a sentence of the page before."""
_NEAR = (-1, 0, 1)
_MOST_LINES = 3
"""Of a running head. What more lines follow in the usual step is the text of the page."""
_STEP = 1.15
"""Beside the usual step of a page's lines: a larger one is a gap."""
_SAME_SIZE = 0.5
_OVER_TABLE = 4.0
"""Of a letter's height, from a title in large letters down to the table that it is over, at most."""
_SENTENCE = re.compile(r"[^\W\d].*\s.*[.!?][\"'”’)]?$")
_YEAR = re.compile(r"(?<!\w)(?:1[5-9]|20)\d\d(?!\w)")
_OUTER_NUMBER = re.compile(r"\W*\d{1,5}(?![\w.])|(?<![\w.])\d{1,5}\W*$")
_FACING = 8
"""Steps of height between the heads of left and of right pages, at most."""


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


class _Edge(NamedTuple):
    """The outermost line of a page, and what tells whether it is the title of what is under it."""

    line: Line
    is_set_as_title: bool
    is_title_with_number: bool
    """Whether it is short and no gap parts its words from a number, so that this may be theirs."""
    goes_on_under: bool
    """Whether the line under it begins within a sentence."""
    is_in_step: bool
    """Whether no gap parts it from the text of its page, nor the size of its letters."""
    is_paragraph: bool
    """Whether it is a sentence, as far from the text as other paragraphs of its page are."""
    is_kept: bool
    """Whether it is the caption, or in large letters the title, of the table right under it.

    More pages may go on with that, or have tables of the same name.
    """
    is_large: bool
    """Whether its letters are as large as only those of titles are, as of slides, or over a table."""

    @property
    def words(self) -> str:
        return re.sub(r"[\d\W]+", "", self.line.text)

    @property
    def bare(self) -> str:
        """What is compared from page to page.

        Of a running head its start: what follows is often the section, which changes. Titles may begin
        alike without being the same, or differ in their number alone.
        """
        if self.is_set_as_title:
            return re.sub(r"\W+", "", self.line.text)
        return re.sub(r"[\d\W]+", "", self.line.text)[:_START]


def _drop_edge(pages: list[list[Line]], large: float, *, is_top: bool) -> None:
    edges: dict[int, list[_Edge]] = defaultdict(list)
    for lines in pages:
        if lines:
            edge = max(lines, key=_height) if is_top else min(lines, key=_height)
            if not _is_of_text(edge, lines):
                edges[round(edge.y / _TOLERANCE)].append(_edge_of(edge, lines, large))
    # What would go is judged together: "Note" tops many pages at the height of titles on others.
    near = {height: [*chain(*(edges.get(height + step, []) for step in _NEAR))] for height in edges}
    repeating = {at for at, found in near.items() if _are_headers_or_footers([found])}
    for pair in _facing(near):
        if _are_headers_or_footers([near[at] for at in pair]):
            repeating |= {*pair}
    first = {edge.words: edge.line.page for edge in sorted(chain(*edges.values()), key=_from_last)}
    for height in {at + step for at in repeating for step in _NEAR}:
        for one in edges.get(height, []):
            if one.is_kept or (one.is_large and one.line.page == first[one.words]):
                continue
            lines = pages[one.line.page - 1]
            # Its left and its right part may be lines of their own.
            lines[:] = [line for line in lines if abs(line.y - one.line.y) > 1]


def _edge_of(edge: Line, lines: Sequence[Line], large: float) -> _Edge:
    under = max((line for line in lines if edge.y - line.y > 1), key=_height, default=None)
    is_bold = (
        under is not None
        and _is_bold(edge)
        and not _is_bold(under)
        and abs(edge.left - under.left) < _SAME_EDGE
    )
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    is_short = edge.right - edge.left <= _WIDEST * (right - left)
    is_set_as_title = edge.size > large or is_bold
    is_numbered = is_set_as_title and is_short and not edge.parts and bool(under)
    goes_on = under is not None and under.text[:1].islower()
    is_numbered = is_numbered and bool(_WORDS.search(edge.text))
    is_kept = under is not None and bool(under.table and CAPTION.match(edge.text))
    is_kept = is_kept or (edge.size > large and _is_over_table(edge, lines))
    dated = replace(edge, text=_YEAR.sub("", edge.text))
    place = _place_of(edge, lines)
    # A running head may be large too, but it has a gap or a frame.
    is_large = edge.size > _LARGEST / _LARGE * large and not (edge.parts or edge.table)
    is_alone = sum(abs(line.y - edge.y) <= 1 for line in lines) == 1
    is_large = is_large and is_alone and bool(_WORDS.search(edge.text))
    # A year is no number of a page; but the rows of one table may go on below it from page to page.
    is_large = is_large or (edge.size > large and _is_over_table(dated, lines))
    return _Edge(edge, is_set_as_title, is_numbered, goes_on, *place, is_kept, is_large)


def _is_over_table(edge: Line, lines: Sequence[Line]) -> bool:
    """Whether an edge is a title without a number, of a few lines, over a table's width."""
    under = (line for line in lines if edge.y - line.y > 1 and not line.titled)
    below = sorted(under, key=_height, reverse=True)
    others = takewhile(
        lambda line: not line.table and abs(line.size - edge.size) < _SAME_SIZE,
        below[: _MOST_LINES - 1],
    )
    title = [edge, *others]
    table = [*below, edge][len(title) - 1]
    is_alone = sum(abs(line.y - edge.y) <= 1 for line in lines) == 1
    is_within = table.left - _SAME_EDGE < edge.left < edge.right < table.right + _SAME_EDGE
    has_number = bool(_OUTER_NUMBER.search(edge.text) or edge.parts or edge.table)
    is_near = title[-1].y - table.y <= _OVER_TABLE * edge.size
    is_of_table = bool(table.table) and is_near and is_within
    return is_of_table and is_alone and bool(_WORDS.search(edge.text)) and not has_number


def _place_of(edge: Line, lines: Sequence[Line]) -> tuple[bool, bool]:
    """Return whether an edge is in step with the lines of its page, and whether it is a paragraph."""
    heights = sorted({line.y for line in lines}, key=lambda y: abs(y - edge.y))
    steps = [step for one, two in pairwise(heights) if (step := abs(two - one)) > 1]
    if len(steps) <= _MOST_LINES:
        return False, False
    usual = _STEP * median(steps)
    beside = [line for line in lines if abs(abs(line.y - edge.y) - steps[0]) < 1]
    is_of_size = any(abs(line.size - edge.size) < _SAME_SIZE for line in beside)
    is_in_step = is_of_size and max(steps[:_MOST_LINES]) <= usual
    is_sentence = bool(_SENTENCE.search(edge.text))
    return is_in_step, is_of_size and is_sentence and steps[0] <= max(usual, *steps[1:])


def _is_bold(line: Line) -> bool:
    bold = sum(one.end - one.start for one in line.markup if one.kind is MarkupKind.STRONG)
    return bold >= _BOLD_SHARE * len(line.text)


def _facing(edges: Mapping[int, Sequence[_Edge]]) -> Iterator[tuple[int, int]]:
    """Yield the heights of edges that only left pages have with those that only right pages have."""
    sides = {at: {edge.line.page % 2 for edge in found} for at, found in edges.items()}
    left, right = ([at for at, side in sides.items() if side == {one}] for one in (0, 1))
    yield from ((at, other) for at in left for other in right if abs(at - other) <= _FACING)


def _is_of_text(edge: Line, lines: Sequence[Line]) -> bool:
    """Whether a line is a row of a table, one larger than may be drawn around a running head."""
    return bool(edge.table) and sum(line.table == edge.table for line in lines) > _MOST_ROWS


def _from_last(edge: _Edge) -> int:
    return -edge.line.page


def _height(line: Line) -> float:
    return line.y


def _are_headers_or_footers(groups: Sequence[Sequence[_Edge]]) -> bool:
    """Whether most lines of each group, one or those of facing pages, repeat or count pages."""
    edges = [*chain(*groups)]
    numbers = sorted({edge.line.page for edge in edges})
    if len(numbers) < _MIN_PAGES or median(map(sub, numbers[1:], numbers)) > _APART:
        return False
    bare = Counter(edge.bare for edge in edges)
    whole = Counter(edge.line.text for edge in edges)
    offsets = Counter(
        int(number) - edge.line.page for edge in edges for number in set(_numbers(edge.line.text))
    )
    steady = {offset for offset, count in offsets.items() if count >= _MIN_PAGES}
    may_be_titles = _may_be_titles(edges)

    def is_known(edge: _Edge) -> bool:
        text, page = edge.line.text, edge.line.page
        if CAPTION.match(text) and whole[text] == 1:
            return False
        counts = any(int(number) - page in steady for number in _numbers(text))
        is_title = may_be_titles and edge.is_title_with_number
        if edge.is_in_step or edge.is_paragraph:
            # Sentences that begin alike, and say numbers that grow, may end pages by chance.
            is_sentence = edge.is_in_step and bool(_SENTENCE.search(text))
            counts = counts and not edge.is_paragraph and bool(_OUTER_NUMBER.search(text))
            return not is_sentence and (whole[text] > 1 or (counts and not is_title))
        return bare[edge.bare] > 1 or bool(_ROMAN.fullmatch(text)) or (counts and not is_title)

    return all(5 * sum(map(is_known, group)) >= 3 * len(group) for group in groups)


def _may_be_titles(edges: Sequence[_Edge]) -> bool:
    """Whether lines may be titles that count, all at one end, and no sentence goes on under them."""
    sides = {bool(re.match(r"\W*\d", edge.line.text)) for edge in edges}
    within = sum(edge.goes_on_under for edge in edges)
    return len(sides) == 1 and within <= _MOST_WITHIN * len(edges)


def _numbers(text: str) -> list[str]:
    return re.findall(r"(?<![\w.])\d{1,5}(?![\w.])", text)


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

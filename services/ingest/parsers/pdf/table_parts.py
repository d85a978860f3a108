"""Join the parts of a table that were found as several, one right below the other."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from services.ingest.parsers.pdf.bare_pieces import Edges, Lines, Piece, extents_of
from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.flow import begins_caption
from services.ingest.parsers.pdf.value_cells import is_date

_NEXT_ROW = 1.6
"""Of a letter's height, without text: from one row to the next."""
_MOST_BETWEEN = 2
"""Rows between two parts that are of none of them."""
_TOUCH, _BEYOND = 3.0, 8.0
"""Points that rows of one table overlap, and that its parts differ in where they begin and end."""
_LEAST_COLUMNS = 3
_SAME_EDGE = 1.0
"""Points that a drawn line between two columns moves at most."""
_VALUE = re.compile(r"\W{0,2}[$€£¥]?\W?\d|[–—-]$")


def joined_parts(tables: Sequence[Table], lines: Lines) -> list[Table]:
    """Return the tables of a page, those as one of which the lower has the columns of the upper one.

    The lower has no names of its own, and only rows stand between. `lines` are those of the page.
    """
    found: list[Table] = []
    for table in sorted(tables, key=lambda one: -one.rows[0]):
        at = next(
            (
                at
                for at in reversed(range(len(found)))
                if found[at].rows[-1] > table.rows[0] - _TOUCH and _are_over(found[at], table)
            ),
            None,
        )
        whole = None if at is None else _joined(found[at], table, lines)
        if at is not None and whole:
            found[at] = whole
        else:
            found.append(table)
    order = {id(table): at for at, table in enumerate(tables)}
    return sorted(found, key=lambda one: order.get(id(one), len(tables)))


def _are_over(above: Table, below: Table) -> bool:
    return (
        len(above.columns) == len(below.columns) > _LEAST_COLUMNS
        and abs(above.columns[0] - below.columns[0]) < _BEYOND
    )


def _joined(above: Table, below: Table, lines: Lines) -> Table | None:
    """Return two tables as one; None if they are not, or do not stand right below each other."""
    if below.title:
        return None
    left = min(above.columns[0], below.columns[0])
    right = max(above.columns[-1], below.columns[-1])
    near = [
        held
        for line in lines
        if (held := [one for one in line if one.right > left and one.left < right])
    ]
    upper, lower = _lines_in(above, near), _lines_in(below, near)
    between = [line for line in near if below.rows[0] < line[0].middle < above.rows[-1]]
    if not upper or not lower or not _are_values(lower, below) or len(between) > _MOST_BETWEEN:
        return None
    if not _are_near([upper[-1], *between, lower[0]]):
        return None
    columns = _same_columns(above, below) or _columns(
        extents_of(above, upper, _TOUCH), extents_of(below, lower, _TOUCH)
    )
    # What runs into the next cell says nothing of an edge that both parts have.
    pairs = zip(columns, above.columns[1:-1], below.columns[1:-1], strict=bool(columns))
    columns = [min(max(edge, min(two)), max(two)) for edge, *two in pairs]
    if not columns:
        return None
    edges = (left, *columns, right)
    whole = replace(above, columns=edges, is_open=above.is_open or below.is_open)
    if not all(_may_be_row(line, whole) for line in between):
        return None
    return _stacked(whole, above, below, between)


def _stacked(whole: Table, above: Table, below: Table, between: Lines) -> Table:
    """Return the rows of two tables and what stands between, in the columns of the whole."""
    heights = [(min(one.bottom for one in line), max(one.top for one in line)) for line in between]
    rows, foot = [*above.rows[:-1]], above.rows[-1]
    for bottom, top in heights:
        rows.append((foot + top) / 2)
        foot = bottom
    rows.append((foot + below.rows[0]) / 2)
    first = len(rows) - 1
    moved = dict(zip(below.columns, whole.columns, strict=True))
    kept = dict(zip(above.columns, whole.columns, strict=True))
    # What stands between the halves of a grid has no line between its columns.
    bands = [*pairwise(rows[len(above.rows) - 1 :])] if not whole.is_open else []
    bare = [(edge, top, low) for top, low in bands for edge in whole.columns[1:-1]]
    spanned = above.open | {(band + first, column) for band, column in below.open}
    return replace(
        whole,
        rows=(*rows, *below.rows[1:]),
        open=spanned,
        gaps=(
            *bare,
            *(
                (edges[x], top, low)
                for edges, one in ((kept, above), (moved, below))
                for x, top, low in one.gaps
            ),
        ),
        walls=tuple(
            (edges[x], top, low)
            for edges, one in ((kept, above), (moved, below))
            for x, top, low in one.walls
        ),
        bars=above.bars,
    )


def _lines_in(table: Table, lines: Lines) -> list[Sequence[Piece]]:
    return [line for line in lines if table.rows[-1] < line[0].middle < table.rows[0]]


def _are_values(lines: Lines, table: Table) -> bool:
    """Whether the first row has numbers behind its first cell, and no names of columns."""
    first = next((line for line in lines if len(line) > 1), ())
    inner = [one.text for one in first if one.left > table.columns[1] - _TOUCH]
    values = [text for text in inner if _VALUE.match(text)]
    return 2 * len(values) > len(inner) and not all(map(is_date, inner))


def _are_near(lines: Lines) -> bool:
    """Whether lines follow each other as the rows of a table do."""
    for above, line in pairwise(lines):
        gap = min(one.bottom for one in above) - max(one.top for one in line)
        if gap > _NEXT_ROW * max(one.height for one in line):
            return False
    return True


def _same_columns(above: Table, below: Table) -> Sequence[float]:
    """Return the edges between columns that the same lines part in two tables; [] if they differ."""
    if above.is_open or below.is_open:
        return []
    pairs = zip(above.columns, below.columns, strict=True)
    same = all(abs(one - other) <= _SAME_EDGE for one, other in pairs)
    return above.columns[1:-1] if same else []


def _columns(one: Mapping[int, Edges], other: Mapping[int, Edges]) -> list[float]:
    """Return the edges between the columns of two tables; [] if those of one overlap the other's."""
    if one.keys() != other.keys() or [*sorted(one)] != [*range(len(one))]:
        return []
    both = [
        (min(one[at][0], other[at][0]), max(one[at][1], other[at][1])) for at in range(len(one))
    ]
    pairs = [*pairwise(both)]
    if any(before[1] >= behind[0] for before, behind in pairs):
        return []
    return [(before[1] + behind[0]) / 2 for before, behind in pairs]


def _may_be_row(line: Sequence[Piece], table: Table) -> bool:
    """Whether a line is a row of some columns, or the name of the rows below."""
    text = " ".join(one.words for one in line)
    if begins_caption(text) or any(one.leads for one in line):
        return False
    if len(line) == 1:
        return not text.endswith((".", ";"))
    held = [table.column_at((one.left + one.right) / 2) for one in line]
    return len({*held}) == len(held) and all(
        table.columns[at] - _TOUCH < one.left and one.right < table.columns[at + 1] + _TOUCH
        for at, one in zip(held, line, strict=True)
    )

"""Find the tables with a line under the name of each column, whose cells are of several lines."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from services.ingest.parsers.pdf.bare_pieces import Piece
from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.number_tables import overlap
from services.ingest.parsers.pdf.row_pieces import is_amount
from services.ingest.parsers.pdf.rules import Rule

_LEAST_COLUMNS = 3
_LEVEL = 1.0
"""Points that lines under names differ in height."""
_WIDEST_GAP = 0.5
"""Of the width of the narrower of two names' lines, between them."""
_REACH = 4.0
"""Points that what stands in a column reaches out of it, at most."""
_TOUCH = 0.25
"""Of a letter's height, that it reaches over the edge of its column, at most."""
_NAME = 1.2
"""Of a letter's height, from a line to the foot of the name on it, and between lines of names."""
_HOLE = 4.0
"""Of a letter's height, between two lines of one table."""
_VALUE = re.compile(r"[–—-]|.*%")
"""What no column is called, and no cell goes on with, beside amounts."""
_ROW_STEP = 1.3
"""Of the step between the lines of a row: rows are farther apart."""
_MOST_NAMES = 4
"""Lines of a header."""


def find_barred_tables(
    lines: Sequence[Sequence[Piece]], others: Sequence[Table], level: Sequence[Rule]
) -> list[Table]:
    """Return the tables of lines of a page, from the top, that lie in none of `others`.

    `level` are the horizontal lines of the page, by their height.
    """
    found: list[Table] = []
    for bars in _rows_of_bars(level):
        table = _table_under(bars, lines)
        if table and not any(overlap(table, one) for one in (*others, *found)):
            found.append(table)
    return found


def _rows_of_bars(level: Sequence[Rule]) -> Iterator[list[Rule]]:
    """Yield the lines that stand side by side, as they do under the names of columns."""
    for _, held in groupby(level, key=lambda rule: round(rule.place / _LEVEL)):
        bars = sorted(held, key=lambda rule: rule.start)
        are_near = all(
            0
            < other.start - one.end
            < _WIDEST_GAP * min(one.end - one.start, other.end - other.start)
            for one, other in pairwise(bars)
        )
        if len(bars) >= _LEAST_COLUMNS and are_near:
            yield bars


def _table_under(bars: Sequence[Rule], lines: Sequence[Sequence[Piece]]) -> Table | None:
    """Return the table with a line under each name; None if what stands below is in no columns."""
    place = bars[0].place
    between = [(one.end + other.start) / 2 for one, other in pairwise(bars)]
    columns = (bars[0].start - _REACH, *between, bars[-1].end + _REACH)
    inner = [_within(line, columns) for line in lines]
    over = [line for line in inner if line and line[0].middle > place]
    under = [line for line in inner if line and line[0].middle < place]
    names = _names(over, columns, place)
    body = _body(under, columns, place)
    begins = _begins(body) if body else []
    are_full = all(2 * len(_filled(body[at], columns)) > len(bars) for at in begins)
    if not are_full or not 1 < len(begins) < len(body):
        return None
    rest = [line for at, line in enumerate(body) if at not in begins]
    is_row = any(_has_value(line) for line in (*names[:1], *rest))
    is_named = bool(names) and not is_row and len(_filled(names[0], columns)) == len(bars)
    if not is_named or _are_beside(lines, columns, _foot(body[-1]), place):
        return None
    edges = [(_foot(body[at - 1]) + _top(body[at])) / 2 for at in begins[1:]]
    return Table(
        columns,
        (_top(names[-1]) + 1, place, *edges, _foot(body[-1]) - 1),
        is_open=True,
        walls=tuple((edge, place, _foot(body[-1]) - 1) for edge in between),
    )


def _has_value(line: Sequence[Piece]) -> bool:
    return any(_VALUE.fullmatch(one.text) or is_amount(one.text) for one in line)


def _begins(body: Sequence[Sequence[Piece]]) -> list[int]:
    """Return which lines begin rows, with more space between them than their lines."""
    steps = [one[0].middle - other[0].middle for one, other in pairwise(body)]
    least = _ROW_STEP * min(steps, default=0.0)
    return [0, *(at for at, step in enumerate(steps, start=1) if step > least)]


def _are_beside(
    lines: Sequence[Sequence[Piece]], columns: Sequence[float], foot: float, top: float
) -> bool:
    """Whether something stands beside the columns, as labels do that have no name."""
    return any(
        foot < piece.middle < top and not (columns[0] < piece.right and piece.left < columns[-1])
        for line in lines
        for piece in line
    )


def _within(line: Sequence[Piece], columns: Sequence[float]) -> list[Piece]:
    return [one for one in line if one.right > columns[0] and one.left < columns[-1]]


def _names(
    over: Sequence[list[Piece]], columns: Sequence[float], place: float
) -> list[list[Piece]]:
    """Return the lines of a header, the lowest first."""
    found: list[list[Piece]] = []
    edge = place
    for line in reversed(over):
        is_near = _foot(line) - edge < _NAME * line[0].height
        is_within = line[0].left >= columns[0] - _REACH and line[-1].right <= columns[-1] + _REACH
        if not (is_near and is_within) or len(found) == _MOST_NAMES:
            break
        found.append(line)
        edge = _top(line)
    return found


def _body(
    under: Sequence[list[Piece]], columns: Sequence[float], place: float
) -> list[list[Piece]]:
    """Return the lines below names, as far as each stands in their columns."""
    found: list[list[Piece]] = []
    edge = place
    for line in under:
        if edge - _top(line) > _HOLE * line[0].height or not _is_parted(line, columns):
            break
        found.append(line)
        edge = _foot(line)
    return found


def _is_parted(line: Sequence[Piece], columns: Sequence[float]) -> bool:
    """Whether no letter stands across an edge between columns, and most edges have space around."""
    signs = [sign for piece in line for sign in piece.signs]
    height = line[0].height
    crossed = [edge for edge in columns[1:-1] if signs[0][1] < edge < signs[-1][2]]
    if any(
        sign[1] + _TOUCH * height < edge < sign[2] - _TOUCH * height
        for sign in signs
        for edge in crossed
    ):
        return False
    reach = _TOUCH * height
    spaces = [
        (one[2] - reach, other[1] + reach)
        for one, other in pairwise(signs)
        if other[1] - one[2] > height
    ]
    spaced = sum(any(left < edge < right for left, right in spaces) for edge in crossed)
    return 2 * spaced >= len(crossed)


def _filled(line: Sequence[Piece], columns: Sequence[float]) -> set[int]:
    """Return the columns that a line has letters in."""
    return {
        bisect_right(columns, (sign[1] + sign[2]) / 2) for piece in line for sign in piece.signs
    }


def _top(line: Sequence[Piece]) -> float:
    return max(piece.top for piece in line)


def _foot(line: Sequence[Piece]) -> float:
    return min(piece.bottom for piece in line)

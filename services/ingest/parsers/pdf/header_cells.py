"""Part the columns of an open table where lines part the names over them, and none the rows."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.grid_rivers import signs_below, signs_in
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.rivers import sign_lines
from services.ingest.parsers.pdf.rules import Rule

_OVER = 20.0
"""Points over the names, to which the lines that part them reach."""
_SHORTEST = 6.0
_EDGE = 3.0
"""Points from the side of a table, or another edge, where a line parts nothing more."""
_GAP = 0.5
"""Of a letter's height: two words of one cell are no farther apart."""
_MOST_CROSSED, _BOTH = 0.1, 0.5
"""Of the lines of a table, over which an edge may go, and that have something on its two sides."""

_Line = list[Sign]


def with_header_cells(
    table: Table, upright: Sequence[Rule], runs: Sequence[Sequence[Sign]]
) -> Table:
    """Return an open table with the edges that lines draw in its header, if its rows have room."""
    if not table.is_open or table.title or len(table.rows) <= 2:
        return table
    top, foot = table.rows[0] + _OVER, table.rows[2]
    inner = [
        rule.place
        for rule in upright
        if foot < rule.start and rule.end < top and rule.end - rule.start > _SHORTEST
        if table.columns[0] + _EDGE < rule.place < table.columns[-1] - _EDGE
    ]
    if not inner:
        return table
    signs = signs_in(table, runs)
    lines, body = sign_lines(signs), sign_lines(signs_below(table.rows[1], signs))
    for place in inner:
        table = _with_edge(table, place, lines, body)
    return table


def _with_edge(table: Table, place: float, lines: Sequence[_Line], body: Sequence[_Line]) -> Table:
    """Return a table with an edge, where both parts of the column that it is in are filled."""
    at = table.column_at(place)
    left, right = table.columns[at], table.columns[at + 1]
    held = [[sign for sign in line if left < (sign[1] + sign[2]) / 2 < right] for line in body]
    crossed = sum(_is_crossed(line, place) for line in held)
    both = sum(_has_both(line, place) for line in held)
    if crossed > _MOST_CROSSED * len(body) or both < _BOTH * len(body):
        return table
    walls = tuple(_walls(place, left, right, lines))
    columns = (*table.columns[: at + 1], place, *table.columns[at + 1 :])
    opened = frozenset((band, column + (column > at)) for band, column in table.open)
    return replace(table, columns=columns, open=opened, walls=(*table.walls, *walls))


def _walls(
    place: float, left: float, right: float, lines: Sequence[_Line]
) -> Iterator[tuple[float, float, float]]:
    for line in lines:
        held = [sign for sign in line if left < (sign[1] + sign[2]) / 2 < right]
        if held and not _is_crossed(held, place):
            yield place, max(sign[4] for sign in held) + 1, min(sign[3] for sign in held) - 1


def _is_crossed(line: _Line, place: float) -> bool:
    """Whether a letter, or the space between two of its words, is where an edge goes."""
    ordered = sorted(line, key=lambda sign: sign[1])
    return any(
        before[1] < place < sign[2] and sign[1] - before[2] < _GAP * (sign[4] - sign[3])
        for before, sign in pairwise(ordered)
    )


def _has_both(line: _Line, place: float) -> bool:
    return any(sign[2] <= place for sign in line) and any(sign[1] >= place for sign in line)

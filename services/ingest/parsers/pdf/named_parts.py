"""Part a column of a grid where several names stand side by side over what is set under each."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.grid_rivers import signs_below, signs_in
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.rivers import parts_of, sign_lines

_MOST_CROSSED = 0.1
"""Of the lines below the names, over which an edge between two of them goes."""
_LEAST_BOTH = 2
"""Lines that have something under two names at least."""
_LONGEST = 12
"""Letters of such a name: Min, Typ, Max."""
_ABOVE, _TALLEST = 1.0, 40.0
"""Points over the lowest line of a header, and the height of that which is looked at, at most."""

_Line = list[Sign]


def with_named_parts(table: Table, runs: Sequence[Sequence[Sign]]) -> Table:
    """Return a grid with the columns that its header names and that no line parts.

    What stands over them in the header, and the few lines below that go over an edge, stay whole.
    """
    if table.is_open or table.title or table.is_cut:
        return table
    whole = signs_in(table, runs)
    for place, (left, right) in reversed([*enumerate(pairwise(table.columns))]):
        inner = [sign for sign in whole if left < (sign[1] + sign[2]) / 2 < right]
        body = sign_lines(signs_below(table.rows[1], inner))
        above = {id(sign) for line in body for sign in line}
        header = sign_lines([sign for sign in inner if id(sign) not in above])
        edges = _edges(header, body) if header else []
        if edges and table.rows[0] - table.rows[1] < _TALLEST:
            table = _parted(table, place, edges, header, body)
    return table


def _edges(header: Sequence[_Line], body: Sequence[_Line]) -> list[float]:
    """Return the places between the names of the lowest line of a header, if they part the body."""
    names = parts_of(header[-1])
    letters = len(header[-1])
    if len(names) < 2 or letters > _LONGEST * len(names) or not body:
        return []
    parts = [parts_of(line) for line in body]
    edges = []
    for before, behind in pairwise(names):
        places = [(before[1] + behind[0]) / 2, before[1] + 1, behind[0] - 1]
        edge = min(places, key=lambda place: _count_crossed(parts, place))
        edges.append(edge)
    most = _MOST_CROSSED * len(body)
    are_apart = all(_count_crossed(parts, edge) <= most for edge in edges)
    several = sum(len(_held(line, edges)) > 1 for line in parts)
    return edges if are_apart and several >= _LEAST_BOTH else []


def _count_crossed(parts: Sequence[Sequence[tuple[float, float]]], edge: float) -> int:
    return sum(any(left < edge < right for left, right in line) for line in parts)


def _held(line: Sequence[tuple[float, float]], edges: Sequence[float]) -> set[int]:
    return {sum((left + right) / 2 > edge for edge in edges) for left, right in line}


def _parted(
    table: Table, place: int, edges: Sequence[float], header: Sequence[_Line], body: Sequence[_Line]
) -> Table:
    more = len(edges)
    columns = (*table.columns[: place + 1], *edges, *table.columns[place + 1 :])
    spanned = {
        (band, one)
        for band, column in table.open
        for one in (
            range(place, place + more + 1)
            if column == place
            else (column + more * (column > place),)
        )
    }
    gaps = [*_gaps(table, edges, header, body)]
    return replace(table, columns=columns, open=frozenset(spanned), gaps=(*table.gaps, *gaps))


def _gaps(
    table: Table, edges: Sequence[float], header: Sequence[_Line], body: Sequence[_Line]
) -> Iterator[tuple[float, float, float]]:
    """Yield where no edge is: over the names, and where a line goes on from one to the next."""
    top = max(sign[4] for sign in header[-1]) - _ABOVE
    for edge in edges:
        if len(header) > 1:
            yield edge, table.rows[0] + _ABOVE, top
        for line in body:
            if any(left < edge < right for left, right in parts_of(line)):
                yield edge, max(sign[4] for sign in line), min(sign[3] for sign in line)

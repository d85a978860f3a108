"""Find the columns within a grid that no line parts, and open the grid to them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from services.ingest.parsers.pdf.cells import Table, lines_of, pieces_of
from services.ingest.parsers.pdf.groups import Bar
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.rivers import inner_rivers, number_rivers

_FEW_BANDS, _MOST_BANDS = 3, 12
"""Of few, the last holds the rows; of more, all below the first."""
_FEW_EDGES = 4
"""Of columns: a grid with no more may have many rows, and columns that no line parts."""
_TALLEST = 3
"""Rows of a header, beside which a cell of the first column stands."""


def with_rivers(table: Table, runs: Sequence[Sequence[Sign]]) -> Table:
    """Return a grid with the columns that no line parts in it, if few of its lines part rows.

    What the rows are called by may stand beside all rows of the header.
    """
    are_many = len(table.rows) - 1 > _MOST_BANDS and len(table.columns) > _FEW_EDGES
    if table.is_open or are_many or not _are_of_header(table):
        return table
    whole = _with_one_header(table)
    opened = _opened(whole, runs)
    return table if opened is whole else opened


def _are_of_header(table: Table) -> bool:
    """Whether only cells at the left of the header go on in the next row."""
    bands = {band for band, _ in table.open}
    is_left = all(column == 0 for _, column in table.open)
    return is_left and max(bands, default=0) <= min(_TALLEST, len(table.rows) - _FEW_BANDS)


def _with_one_header(table: Table) -> Table:
    last = max((band for band, _ in table.open), default=0)
    return replace(table, rows=(table.rows[0], *table.rows[last + 1 :]), open=frozenset())


def _opened(table: Table, runs: Sequence[Sequence[Sign]]) -> Table:
    """Return a table with the columns that only space parts; the same one if there are none."""
    are_few = len(table.rows) - 1 <= _FEW_BANDS
    whole = signs_in(table, runs)
    found: list[float] = []
    near: list[float] = []
    for top in table.rows[-2:0:-1] if are_few else table.rows[1:2]:
        for inner in _by_column(table, signs_below(top, whole)).values():
            wide, numbers = inner_rivers(inner), number_rivers(inner)
            are_more = len(numbers) > len(wide)
            near += numbers if are_more else []
            found += numbers if are_more else wide
        if len(found) > len(near):
            break
        found, near = [], []
    if found:
        columns = tuple(sorted((*table.columns, *found)))
        walls = tuple((edge, table.rows[1], table.rows[-1]) for edge in near)
        opened = replace(table, columns=columns, is_open=True, walls=walls)
        return replace(opened, bars=tuple(_bars_within(table, opened, runs)))
    held = _by_column(table, signs_below(table.rows[1], whole))
    found = [edge for inner in held.values() for edge in number_rivers(inner)]
    head, top, foot = table.rows[0], table.rows[1], table.rows[-1]
    drawn = [(edge, head, foot) for edge in table.columns[1:-1] if not table.gaps]
    walls = (*drawn, *((edge, top, foot) for edge in found))
    columns = tuple(sorted((*table.columns, *found)))
    return replace(table, columns=columns, is_open=True, walls=walls) if found else table


def _bars_within(grid: Table, table: Table, runs: Sequence[Sequence[Sign]]) -> Iterator[Bar]:
    """Yield the foot of what is alone in its line in a drawn header cell, over names of columns."""
    header = [piece for piece in pieces_of(table, runs) if not piece.band]
    for left, right in pairwise(grid.columns):
        lines = lines_of([piece for piece in header if left < piece.left < right])
        over = next((at for at, line in enumerate(lines) if len(line) > 1), 0)
        if over:
            yield lines[over - 1][0].base, left, right


def _by_column(table: Table, signs: Sequence[Sign]) -> dict[int, list[Sign]]:
    held: dict[int, list[Sign]] = defaultdict(list)
    for sign in signs:
        held[table.column_of(sign)].append(sign)
    return held


def signs_in(table: Table, runs: Sequence[Sequence[Sign]]) -> list[Sign]:
    """Return the letters that a table holds."""
    return [sign for run in runs for sign in run if sign[0].strip() and table.holds(sign)]


def signs_below(edge: float, signs: Sequence[Sign]) -> list[Sign]:
    """Return the letters below a height."""
    return [sign for sign in signs if (sign[3] + sign[4]) / 2 < edge]


def signs_above(edge: float, signs: Sequence[Sign]) -> list[Sign]:
    """Return the letters above a height."""
    return [sign for sign in signs if (sign[3] + sign[4]) / 2 > edge]

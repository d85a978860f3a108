"""Choose between tables that share a place: what stands there would be in both."""

from collections.abc import Sequence

from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.number_tables import overlap

_TOUCH = 3.0
"""Points that edges of two tables differ at most, that are the same."""


def largest(tables: Sequence[Table]) -> list[Table]:
    """Return tables without those that share a place with a larger one, if no line parts their columns.

    Lines of several lengths, as the grounds of rows that end at other places make, lead to both. So do
    the grounds of every second row, beside the lines over and under all: those are a grid of some rows.
    """
    opened = [table for table in tables if table.is_open]
    kept = [
        table
        for table in tables
        if not table.is_open and not any(_is_grid_of_some(table, one) for one in opened)
    ]
    for table in sorted(opened, key=_size, reverse=True):
        if not any(overlap(table, one) for one in kept if one.is_open):
            kept.append(table)
    return [table for table in tables if any(table is one for one in kept)]


def _is_grid_of_some(grid: Table, table: Table) -> bool:
    """Whether a grid lies in a table that is as wide, and has as many columns and more rows."""
    both = ((grid.columns[at], table.columns[at]) for at in (0, -1))
    is_as_wide = all(abs(x - y) <= _TOUCH for x, y in both)
    is_within = table.rows[-1] - _TOUCH <= grid.rows[-1] < grid.rows[0] <= table.rows[0] + _TOUCH
    are_same = len(grid.columns) == len(table.columns)
    return are_same and is_as_wide and is_within and len(grid.rows) < len(table.rows)


def _size(table: Table) -> int:
    return len(table.columns) * len(table.rows)

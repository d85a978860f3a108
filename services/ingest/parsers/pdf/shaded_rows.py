"""Take the rows of a table of numbers for one table, where a ground behind some was taken for grids."""

from collections.abc import Sequence

from services.ingest.parsers.pdf.bare_pieces import Piece
from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.number_tables import find_number_tables, overlap
from services.ingest.parsers.pdf.rules import Rule

_MORE, _SEVERAL = 1.25, 3
"""Times as many rows as the grids have that it is taken for, unless these are so many."""
_COVERED = 0.85
"""Of the height of a table, that grids cover which are only some of its rows."""
_INSIDE = 0.6
"""Of the height of the grids, that is of the table's."""
_LEAST = 4
"""Rows of a table of which a ground was taken for grids."""


def without_grounds_of_rows(
    drawn: Sequence[Table], lines: Sequence[Sequence[Piece]], level: Sequence[Rule]
) -> list[Table]:
    """Return the tables of a page that lines make, but for those that are some rows of another.

    Of accounts every second row may have a ground, with white between its cells. The rows that stand
    below each other, whatever is behind them, are more than the grids have. `lines` are those of the
    page.
    """
    if all(table.is_open for table in drawn):
        return [*drawn]
    kept = [*drawn]
    for table in find_number_tables(lines, [], level):
        over = [one for one in kept if overlap(one, table)]
        grids = [one for one in over if not one.is_open]
        are_parts = all(_is_part(one, table) for one in over)
        if grids and are_parts and _are_rows_of(grids, table):
            kept = [*(one for one in kept if one not in over), table]
    return kept


def _are_rows_of(grids: Sequence[Table], table: Table) -> bool:
    """Whether a table has the rows of some grids, and more, or several have them in pieces."""
    rows = sum(len(one.rows) - 1 for one in grids)
    heights = sum(one.rows[0] - one.rows[-1] for one in grids)
    if len({len(one.columns) for one in grids}) > 1 and len(grids) >= _SEVERAL:
        least = float(rows)
    elif heights <= _COVERED * (table.rows[0] - table.rows[-1]):
        least = _MORE * rows
    else:
        return False  # rows of several lines each
    shared = sum(
        min(one.rows[0], table.rows[0]) - max(one.rows[-1], table.rows[-1]) for one in grids
    )
    return len(table.rows) - 1 >= max(_LEAST, least) and shared >= _INSIDE * heights


def _is_part(one: Table, table: Table) -> bool:
    return not one.title and not (one.is_open and len(one.columns) > len(table.columns))

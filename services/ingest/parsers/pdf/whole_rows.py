"""Leave out what lines make of some columns of a table of numbers: its rows go on beside them.

The accounts of a report have a line below the numbers of each column alone, or a ground behind every
second row, which ends between the columns.
"""

from collections.abc import Sequence
from dataclasses import replace

from services.ingest.parsers.pdf.bare_pieces import Piece
from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.number_tables import find_number_tables, overlap
from services.ingest.parsers.pdf.rules import Rule

_TOUCH = 3.0
"""Points that a part may reach into the column beside it."""
_SHARE = 0.6
"""Of the rows of a part, that are rows of the whole."""
_MOST_SHARED = 2
"""Rows at the edge of another table, that are of the whole."""


def without_parts(
    tables: Sequence[Table], lines: Sequence[Sequence[Piece]], level: Sequence[Rule]
) -> list[Table]:
    """Return the tables between lines but for those whose rows are longer, by their numbers.

    `lines` are what stands on the page, `level` its horizontal lines.
    """
    if not tables:
        return []
    whole = [
        one
        for one in find_number_tables(lines, [], level)
        if any(overlap(one, table) and _lacks_columns(table, one) for table in tables)
    ]
    kept = [table for table in tables if not _is_part(table, whole)]
    return [_below(table, whole) for table in kept]


def _is_part(table: Table, whole: Sequence[Table]) -> bool:
    """Whether most rows of a table are of others that have more columns beside it."""
    longer = [one for one in whole if overlap(one, table) and _lacks_columns(table, one)]
    rows = _middles(table)
    held = [y for y in rows if any(one.rows[-1] < y < one.rows[0] for one in longer)]
    return bool(longer) and len(held) >= _SHARE * len(rows)


def _lacks_columns(table: Table, whole: Table) -> bool:
    """Whether a table has nothing of the first column of another, or of its last."""
    return (
        table.columns[0] > whole.columns[1] - _TOUCH or table.columns[-1] < whole.columns[-2] + _TOUCH
    )


def _below(table: Table, whole: Sequence[Table]) -> Table:
    """Return a table without its first rows, if they are the last ones of another."""
    for one in whole:
        rows = [edge for edge in table.rows if edge <= one.rows[-1] + _TOUCH]
        cut = len(table.rows) - len(rows)
        if overlap(table, one) and 0 < cut <= _MOST_SHARED and len(rows) > _MOST_SHARED:
            return replace(table, rows=tuple(rows))
    return table


def _middles(table: Table) -> list[float]:
    return [(top + foot) / 2 for top, foot in zip(table.rows, table.rows[1:], strict=False)]

"""Leave out what lines make of parts of a table of numbers: its rows and columns go on beside them.

The accounts of a report have a line below the numbers of each column alone, or a ground behind every
second row or behind each of its cells: lines that do not part what stands in them.
"""

from collections.abc import Sequence
from itertools import combinations

from services.ingest.parsers.pdf.bare_pieces import Piece
from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.centred_cells import with_centred_cells
from services.ingest.parsers.pdf.number_rows import NumberLine, number_lines
from services.ingest.parsers.pdf.number_tables import find_number_tables, overlap
from services.ingest.parsers.pdf.rules import Rule
from services.ingest.parsers.pdf.value_cells import Cell

_TOUCH = 3.0
"""Points that a part may reach into the column beside it."""
_SHARE = 0.6
"""Of the lines of a part, that are lines of the whole."""
_MOST_WORDS = 0.25
"""Of the rows of numbers alone, that have a word."""
_LABELLED = 0.75
"""Of these rows, that have a label beside the part."""
_HEADER = 12.0
"""Points that a part may begin above the whole: less than a line of a header."""
_LEAST_OUTSIDE, _LEAST_MERGED = 2, 6
"""Rows of the whole that are in none of its parts, and those that a part makes one of, with what stands
over the whole."""


def without_parts(
    tables: Sequence[Table], lines: Sequence[list[Piece]], level: Sequence[Rule]
) -> list[Table]:
    """Return the tables between lines but for those whose rows are longer, or more, by their numbers.

    `lines` are what stands on the page, `level` its horizontal lines.
    """
    whole = find_number_tables(with_centred_cells(lines), [], level) if tables else []
    if not any(overlap(one, table) for one in whole for table in tables):
        return [*tables]
    [rows, *_] = number_lines(lines)
    gone = [part for one in whole for part in _parts_of(one, whole, tables, rows)]
    return [table for table in tables if not any(table is part for part in gone)]


def _parts_of(
    whole: Table, others: Sequence[Table], tables: Sequence[Table], rows: Sequence[NumberLine]
) -> list[Table]:
    """Return the tables that are parts of another; `rows` are the lines of the page."""
    inner = [one for one in tables if overlap(whole, one) and _has_most(others, one, rows)]
    more = [(one, _more_cells(whole, one, rows)) for one in inner]
    narrow = [one for one, count in more if count > 0 and _is_side(one, whole, rows)]
    wide = [one for one, count in more if count >= 0 and _is_as_wide(one, whole)]
    return [*narrow, *wide] if _go_on_beside(whole, wide, rows) else narrow


def _has_most(whole: Sequence[Table], table: Table, rows: Sequence[NumberLine]) -> bool:
    """Whether most rows of a table are of others: its lines with several cells, or with numbers."""
    over = [one for one in whole if overlap(one, table)]
    held = [
        row
        for row in rows
        if _holds(table, row)
        and len(cells := _cells_in(table, row)) > 0
        and (row.is_counted or len(cells) > 1)
    ]
    return sum(any(_holds(one, row) for one in over) for row in held) >= _SHARE * len(held)


def _is_as_wide(table: Table, whole: Table) -> bool:
    """Whether a table has something of the first column of another, and of its last."""
    begins = table.columns[0] <= whole.columns[1] - _TOUCH
    return begins and table.columns[-1] >= whole.columns[-2] + _TOUCH


def _is_side(table: Table, whole: Table, rows: Sequence[NumberLine]) -> bool:
    """Whether a table has nothing of the last column of another, or numbers alone beside the first.

    Text of the page may stand beside one that has labels of its own.
    """
    if table.columns[-1] < whole.columns[-2] + _TOUCH:
        return True
    held = [row for row in rows if _holds(table, row) and row.is_counted]
    inside = [(_cells_of(table, row), row.labels) for row in held]
    named = sum(any(cell in labels for cell in cells) for cells, labels in inside)
    # "Ann" over "30.00" is called a value, beside a label that stands outside.
    named = max(named, sum(not _may_count(cells[0]) for cells, _ in inside if cells))
    labelled = sum(any(cell not in cells for cell in labels) for cells, labels in inside)
    return named <= _MOST_WORDS * len(held) and labelled >= _LABELLED * len(held)


def _may_count(cell: Cell) -> bool:
    return cell.has_digit or cell.is_dash


def _more_cells(whole: Table, table: Table, rows: Sequence[NumberLine]) -> int:
    """Return how many cells more the lines that two tables share have in the first.

    The rows of tables side by side have fewer columns together than each has.
    """
    shared = [row for row in rows if _holds(whole, row) and _holds(table, row)]
    columns = sum(len({*map(whole.column_at, _cells_in(whole, row))}) for row in shared)
    return columns - sum(len(_cells_in(table, row)) for row in shared)


def _go_on_beside(whole: Table, parts: Sequence[Table], rows: Sequence[NumberLine]) -> bool:
    """Whether rows of a table stand above, below or between its parts, or these mix rows."""
    are_merged = any(_merges(part, whole, rows) for part in parts)
    if are_merged or any(overlap(one, other) for one, other in combinations(parts, 2)):
        return True
    held = [row for row in rows if _holds(whole, row) and row.is_counted]
    outside = [row for row in held if not any(_holds(part, row) for part in parts)]
    return bool(parts) and len(outside) >= _LEAST_OUTSIDE


def _merges(table: Table, whole: Table, rows: Sequence[NumberLine]) -> bool:
    """Whether a table has what several rows of another are called by in one cell.

    One that begins higher, as the frame of a page does, has to have most rows in one.
    """
    bands = [
        table.band_of(row.middle)
        for row in rows
        if _holds(whole, row) and _holds(table, row) and _is_labelled(row)
    ]
    merged = len(bands) - len({table.first_band(band, 0) for band in bands})
    is_as_high = table.rows[0] <= whole.rows[0] + _HEADER
    return merged >= (_LEAST_OUTSIDE if is_as_high else max(_LEAST_MERGED, len(bands) / 2))


def _is_labelled(row: NumberLine) -> bool:
    """Whether a row has a label of its own, not the next line of one, and numbers."""
    return bool(row.labels and row.values) and not row.labels[0].text[:1].islower()


def _holds(table: Table, row: NumberLine) -> bool:
    return table.rows[-1] < row.middle < table.rows[0]


def _cells_of(table: Table, row: NumberLine) -> list[Cell]:
    """Return the cells of a line that a table has."""
    first, last = table.columns[0], table.columns[-1]
    return [cell for cell in row.cells if first < (cell.left + cell.right) / 2 < last]


def _cells_in(table: Table, row: NumberLine) -> list[float]:
    """Return their middles."""
    return [(cell.left + cell.right) / 2 for cell in _cells_of(table, row)]

"""Tell the tables with a drawn line below each row, whose cells may be of several lines."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from services.ingest.parsers.pdf.cells import Piece
from services.ingest.parsers.pdf.row_pieces import (
    PiecesOfLine,
    by_column,
    had_room,
    is_number,
)

_LEAST_RULED, _RULED = 4, 0.8
"""Places between two drawn lines, and of those with several lines, that have one row, if all rows have
a line below them."""


def bands_of_one_row(
    body: Mapping[int, Sequence[Sequence[Piece]]], widths: Mapping[int, float]
) -> set[int]:
    """Return which bands are a row each of several lines, where lines are drawn between all rows."""
    several = {band: [*map(by_column, found)] for band, found in body.items() if len(found) > 1}
    rows = {band for band, found in several.items() if _are_cells(found, widths)}
    is_ruled = len(body) >= _LEAST_RULED and len(rows) >= _RULED * len(several)
    return rows if is_ruled else set()


def _are_cells(lines: Sequence[PiecesOfLine], widths: Mapping[int, float]) -> bool:
    """Whether what stands below each other in most columns goes on, and is no number below another."""
    columns = {column for line in lines for column in line}
    held = [[line[column] for line in lines if column in line] for column in columns]
    both = [two for cell in held for two in pairwise(cell)]
    if any(is_number(one) and is_number(other) for one, other in both):
        return False
    return 2 * sum(had_room(one, other, widths[one.column]) for one, other in both) <= len(both)

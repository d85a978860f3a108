"""Tell the cells of a grid that no line parts, though each of its rows has one of its own."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from services.ingest.parsers.pdf.cells import Piece, Table, lines_of, pieces_of
from services.ingest.parsers.pdf.line import Sign

_LEAST_LINES = 3
_FILLED = 0.75
"""Of the rows that a cell would span, in which it has a line of text, or of the lines
beside a cell, to which it has one."""


def with_cells_of_rows(table: Table, runs: Sequence[Sequence[Sign]]) -> Table:
    """Return a grid in which no cell spans rows that it has a line of text in each of.

    What one cell says over several rows goes on in small letters, or in fewer lines than these are.
    """
    if not table.open:
        return table
    held: dict[tuple[int, int], list[Piece]] = defaultdict(list)
    for piece in pieces_of(table, runs):
        held[piece.band, piece.column].append(piece)
    apart: set[tuple[int, int]] = set()
    for (band, column), pieces in held.items():
        last = band
        while (last + 1, column) in table.open:
            last += 1
        if last == band:
            continue
        if _has_line_in_each(table, pieces, band, last):
            apart |= {(one, column) for one in range(band + 1, last + 1)}
    return replace(table, open=table.open - apart)


def _has_line_in_each(table: Table, pieces: Sequence[Piece], first: int, last: int) -> bool:
    lines = lines_of(pieces)
    bands = [table.band_of(line[0].middle) for line in lines]
    are_apart = all(above < band for above, band in pairwise(bands))
    begin = [min(line, key=lambda piece: piece.left).text[0] for line in lines]
    return (
        len(lines) >= _LEAST_LINES
        and are_apart
        and len(lines) >= _FILLED * (last - first + 1)
        and not any(map(str.islower, begin))
    )

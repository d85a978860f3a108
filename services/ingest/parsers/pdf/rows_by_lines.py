"""Tell the rows of a grid by its lines of text, where lines are drawn under some of them alone.

Accounts draw a line over and under a sum, in the columns of numbers: what the rows are called by is one
tall cell beside them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from services.ingest.parsers.pdf.cells import Piece, Table, lines_of, pieces_of
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.row_pieces import is_amount, is_value

_LEAST_LINES = 6
_LABELLED = 0.8
"""Of the lines with numbers, that have a label."""
_TWO, _WORD = re.compile(r"\d\W{0,3}\s\W*\d"), re.compile(r"[^\W\d_]{2}")
_Bands = tuple[int, int]
"""The first and the last of some rows between drawn lines."""


def with_rows_by_lines(table: Table, runs: Sequence[Sequence[Sign]]) -> Table:
    """Return a grid with a row for each line of text beside tall cells, where numbers tell them."""
    if table.is_open or not table.open:
        return table
    pieces = [*pieces_of(table, runs)]
    left, added = {*range(len(table.rows))}, list[float]()
    for first, last in _joined_bands(table):
        edges = _edges(table, pieces, (first, last))
        if edges:
            left -= {*range(first + 1, last + 1)}
            added += edges
    rows = sorted([*(table.rows[at] for at in left), *added], reverse=True)
    spanned = {(rows.index(table.rows[at]), column) for at, column in table.open if at in left}
    return replace(table, rows=tuple(rows), open=frozenset(spanned))


def _joined_bands(table: Table) -> Iterator[_Bands]:
    """Yield the rows between drawn lines that cells span together, from the top."""
    first = 0
    joined = {band for band, _ in table.open}
    for band in range(1, len(table.rows)):
        if band not in joined or band == len(table.rows) - 1:
            if band - 1 > first:
                yield first, band - 1
            first = band


def _edges(table: Table, pieces: Sequence[Piece], bands: _Bands) -> list[float]:
    """Return where rows begin at lines of text; [] if the lines do not tell them."""
    first, last = bands
    held = [piece for piece in pieces if first <= table.band_of(piece.middle) <= last]
    lines = lines_of(held)
    tall = {
        column
        for column in range(len(table.columns) - 1)
        if all((band, column) in table.open for band in range(first + 1, last + 1))
    }
    tall &= {piece.column for piece in held if _WORD.search(piece.text)}
    body = [line for line in lines if first or table.band_of(line[0].middle)]
    if len(body) < _LEAST_LINES or not _are_rows(table, body, tall):
        return []
    return [
        (above[0].middle + line[0].middle) / 2
        for above, line in pairwise(lines)
        if not (_goes_on(above, line, tall) or _names_tall(table, above, line, tall))
    ]


def _are_rows(table: Table, lines: Sequence[Sequence[Piece]], tall: set[int]) -> bool:
    """Whether beside tall cells are numbers, most on a line of these, and several in one band."""
    counted = [line for line in lines if any(piece.column not in tall for piece in line)]
    values = [piece for line in counted for piece in line if piece.column not in tall]
    if not values or not all(is_value(one) and not _are_several(one.text) for one in values):
        return False
    labelled = [line for line in counted if any(piece.column in tall for piece in line)]
    bands = [table.band_of(line[0].middle) for line in labelled]
    return len(labelled) >= _LABELLED * len(counted) and len({*bands}) < len(bands)


def _are_several(text: str) -> bool:
    """Whether a cell has numbers of two columns."""
    return bool(_TWO.search(text)) and not is_amount(text)


def _goes_on(above: Sequence[Piece], line: Sequence[Piece], tall: set[int]) -> bool:
    """Whether a line is the rest of a label, of which one line alone has numbers."""
    first = min(line, key=lambda piece: piece.left)
    is_rest = first.column in tall and first.text[0].islower()
    return is_rest and any(all(one.column in tall for one in held) for held in (above, line))


def _names_tall(
    table: Table, above: Sequence[Piece], line: Sequence[Piece], tall: set[int]
) -> bool:
    """Whether a line is what a header lacks over a tall cell: it stands below the other names."""
    is_header = not table.band_of(above[0].middle)
    lacks = is_header and not any(piece.column in tall for piece in above)
    return lacks and all(piece.column in tall for piece in line)

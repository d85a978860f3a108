"""Find what the rows of a grid are called by where that stands on its left, outside of its lines.

A spreadsheet is printed so whose labels have no border.
"""

from collections.abc import Sequence
from dataclasses import replace

from services.ingest.parsers.pdf.bare_pieces import Lines, Piece
from services.ingest.parsers.pdf.cells import Table, pieces_of
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.number_tables import overlap

_LEAST_ROWS, _LABELLED, _ALIGNED = 3, 0.8, 0.7
"""Rows of a grid, how many of them have a label, and how many of these begin or end at one place."""
_TOUCH, _EDGE = 2.0, 3.0
_WORDS = 0.8
"""Of the labels, that have letters."""


def labelled(tables: Sequence[Table], lines: Lines, runs: Sequence[Sequence[Sign]]) -> list[Table]:
    """Return grids with a first column of the labels on their left, if nearly every row has one.

    `lines` is what stands on the page line by line; labels that stand in another table are of that.
    """
    return [
        _with_labels(table, [one for one in tables if one is not table], lines, runs)
        for table in tables
    ]


def _with_labels(
    table: Table, others: Sequence[Table], lines: Lines, runs: Sequence[Sequence[Sign]]
) -> Table:
    if table.is_open or table.title or len(table.rows) <= _LEAST_ROWS:
        return table
    labels = _labels_of(table, lines)
    if len(labels) < _LABELLED * (len(table.rows) - 1):
        return table
    left = min(piece.left for piece in labels) - _EDGE
    width = table.columns[-1] - table.columns[0]
    right = max(piece.right for piece in labels)
    beside = Table((left, table.columns[0]), (table.rows[0], table.rows[-1]))
    is_near = right < table.columns[0] + _TOUCH and table.columns[0] - right < width
    is_free = not any(overlap(beside, other) for other in others)
    if not (is_near and is_free and _are_labels(labels)) or _has_labels(table, runs):
        return table
    return replace(
        table,
        columns=(left, *table.columns),
        open=frozenset((band, column + 1) for band, column in table.open),
    )


def _labels_of(table: Table, lines: Lines) -> list[Piece]:
    """Return what stands beside the rows, in one line each; [] if several lines stand beside one."""
    found: dict[int, Piece] = {}
    for line in lines:
        beside = [piece for piece in line if piece.left < table.columns[0] - _TOUCH]
        if not beside or not table.rows[-1] < line[0].middle < table.rows[0]:
            continue
        band = table.band_of(line[0].middle)
        if band in found or len(beside) > 1:
            return []
        found[band] = beside[0]
    return [*found.values()]


def _are_labels(labels: Sequence[Piece]) -> bool:
    """Whether most are words that begin or end below each other."""
    count = len(labels)
    named = sum(any(map(str.isalpha, piece.text)) for piece in labels)
    lefts, rights = [piece.left for piece in labels], [piece.right for piece in labels]
    aligned = max(
        sum(abs(edge - other) <= _TOUCH for other in edges)
        for edges in (lefts, rights)
        for edge in edges
    )
    return named >= _WORDS * count and aligned >= _ALIGNED * count


def _has_labels(table: Table, runs: Sequence[Sequence[Sign]]) -> bool:
    """Whether most of what the first column has below the header are words."""
    first = [piece.text for piece in pieces_of(table, runs) if piece.band and not piece.column]
    return 2 * sum(any(map(str.isalpha, text)) for text in first) > len(first)

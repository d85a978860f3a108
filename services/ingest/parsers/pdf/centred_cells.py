"""Put the lines of a cell together that stand beside one line of another, in the middle of its height.

Lines of one text never overlap: those of a cell of two lines and one in the middle beside it do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from services.ingest.parsers.pdf.bare_pieces import Piece
from services.ingest.parsers.pdf.cells import Piece as CellPiece
from services.ingest.parsers.pdf.cells import Table

_OVERLAP = 0.85
"""Of a letter's height: lines that are nearer overlap."""
_GAP = 0.9
"""Of a letter's height, between two cells."""
_LEAST_LINES, _MOST_LINES = 3, 9
"""Of two cells, of which the taller has two lines at least."""


def with_centred_cells(lines: Sequence[list[Piece]]) -> list[list[Piece]]:
    """Return the lines of a page, from the top, those that overlap as one line of whole cells."""
    found: list[list[Piece]] = []
    for held in _overlapping([(line[0].middle, max(map(_height, line))) for line in lines]):
        near = lines[held.start : held.stop]
        cells = _cells_of(near) if len(near) >= _LEAST_LINES else []
        stacks = [[(one.middle, one.height) for one in cell] for cell in cells]
        if _are_centred(stacks):
            whole = max(near, key=len)[0]
            found.append([_joined(cell, whole) for cell in cells])
        else:
            found += near
    return found


def without_edges(table: Table, lines: Mapping[int, Sequence[Sequence[CellPiece]]]) -> Table:
    """Return a table without edges through rows of which one cell stands in the middle of another."""
    rows = [row for found in lines.values() for row in _centred_rows(found)]
    within = [
        at
        for at, edge in enumerate(table.rows[1:-1], start=1)
        if any(top > edge > foot for top, foot in rows)
    ]
    if not within:
        return table
    moved = [band - sum(at <= band for at in within) for band in range(len(table.rows))]
    return replace(
        table,
        rows=tuple(edge for at, edge in enumerate(table.rows) if at not in within),
        open=frozenset((moved[band], column) for band, column in table.open if band not in within),
    )


def _centred_rows(lines: Sequence[Sequence[CellPiece]]) -> list[tuple[float, float]]:
    """Return the middles of the first and the last line of rows whose cells overlap so."""
    found = []
    for held in _overlapping([(line[0].middle, line[0].size) for line in lines]):
        near = lines[held.start : held.stop]
        cells: dict[int, list[tuple[float, float]]] = {}
        for piece in (piece for line in near for piece in line):
            cells.setdefault(piece.column, []).append((piece.middle, piece.size))
        if len(near) >= _LEAST_LINES and _are_centred([*cells.values()]):
            found.append((near[0][0].middle, near[-1][0].middle))
    return found


def _height(piece: Piece) -> float:
    return piece.height


def _overlapping(lines: Sequence[tuple[float, float]]) -> list[range]:
    """Return which lines, by middle and height from the top, overlap one another in a row."""
    starts = [0] if lines else []
    for at, (above, line) in enumerate(pairwise(lines), start=1):
        is_apart = above[0] - line[0] >= _OVERLAP * max(above[1], line[1])
        if is_apart or at - starts[-1] >= _MOST_LINES:
            starts.append(at)
    return [range(first, last) for first, last in pairwise([*starts, len(lines)])]


def _are_centred(cells: Sequence[Sequence[tuple[float, float]]]) -> bool:
    """Whether cells, by middle and height of their lines from the top, have one middle.

    The lines of each are below each other. Most are of one line: what stands in the middle beside
    several of more lines is what these rows are called by.
    """
    taller = sum(len(cell) > 1 for cell in cells)
    if not 0 < 2 * taller < len(cells):
        return False
    middles = [(cell[0][0] + cell[-1][0]) / 2 for cell in cells]
    height = max(height for cell in cells for _, height in cell)
    are_apart = all(
        one[0] - other[0] >= _OVERLAP * height for cell in cells for one, other in pairwise(cell)
    )
    return are_apart and max(middles) - min(middles) < _OVERLAP * height / 2


def _cells_of(lines: Sequence[Sequence[Piece]]) -> list[list[Piece]]:
    """Return what stands below each other in some lines, from the left."""
    cells: list[list[Piece]] = []
    edge = 0.0
    for piece in sorted((one for line in lines for one in line), key=lambda one: one.left):
        if cells and piece.left < edge + _GAP * piece.height:
            cells[-1].append(piece)
            edge = max(edge, piece.right)
        else:
            cells.append([piece])
            edge = piece.right
    return [sorted(cell, key=lambda piece: -piece.middle) for cell in cells]


def _joined(cell: Sequence[Piece], whole: Piece) -> Piece:
    """Return the lines of a cell as one, at the height of a line."""
    if len(cell) == 1:
        return cell[0]
    return replace(
        cell[0],
        left=min(one.left for one in cell),
        right=max(one.right for one in cell),
        bottom=whole.bottom,
        top=whole.top,
        text="".join(one.text for one in cell),
        signs=tuple(sign for one in cell for sign in one.signs),
    )

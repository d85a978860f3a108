"""Find the rows of a table beyond its outermost lines: a header above, and the last rows below."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

from services.ingest.parsers.pdf.cells import Piece, Table, lines_of, pieces_of
from services.ingest.parsers.pdf.flow import begins_caption
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.rivers import parts_of
from services.ingest.parsers.pdf.rules import Rule

_OVER, _UNDER = 2.2, 1.9
"""Of a letter's height: how far a header is above the first line, and a row below the last."""
_REACH = 2.0
_APART = 1.0
"""Points between two lines that are drawn as one, at most."""
_MOST_UNDER = 60
"""Rows below the last line."""
_SAME_LINE = 0.5


def with_outer_rows(table: Table, runs: Sequence[Sequence[Sign]], level: Sequence[Rule]) -> Table:
    """Return a table whose columns text parts, with what stands in them beyond its lines.

    `level` are the horizontal lines of the page: what another of them parts from it is of no row.
    """
    signs = [sign for run in runs for sign in run if sign[0].strip() and table.holds(sign)]
    if not (table.is_open and signs):
        return table
    height = max(sign[4] - sign[3] for sign in signs)
    rows = list(table.rows)
    edges = [
        rule.place
        for rule in level
        if rule.start < table.columns[-1] and rule.end > table.columns[0]
    ]
    over = _lines(replace(table, rows=(rows[0] + _OVER * height, rows[0] + 1)), runs)
    nearest = min((edge for edge in edges if edge > rows[0] + _APART), default=inf)
    if over and over[-1][0].base < nearest:
        is_row = _is_row(over[-1], table, runs)
        whole = table if is_row else _with_header(table, over[-1][0].middle, runs)
        if whole:
            table = whole
            rows.insert(0, max(piece.base + piece.size for piece in over[-1]))
    nearest = max((edge for edge in edges if edge < table.rows[-1] - _APART), default=-inf)
    rows += (edge for edge in _under(table, runs, height) if edge > nearest)
    return replace(table, rows=tuple(rows))


def _with_header(table: Table, middle: float, runs: Sequence[Sequence[Sign]]) -> Table | None:
    """Return a table whose columns have room for a header with a name over each; None without one.

    A name may be set left where what it is over is set right. `middle` is the height of the header.
    """
    texts = [*pieces_of(replace(table, open=frozenset()), runs)]
    whole = replace(table, rows=(middle, middle))
    signs = [sign for run in runs for sign in run if sign[0].strip() and whole.holds(sign)]
    # Letters of a line that rises stand above and below the middle of it.
    names = parts_of(signs) if signs else []
    held = [
        [(one.left, one.right) for one in texts if one.column == at] for at in range(len(names))
    ]
    if len(names) != len(table.columns) - 1 or not all(held):
        return None
    lefts = [min(name, *column)[0] for name, column in zip(names, held, strict=True)]
    rights = [
        max(one[1] for one in (name, *column)) for name, column in zip(names, held, strict=True)
    ]
    between = [*zip(rights, lefts[1:], strict=False)]
    if any(right >= left for right, left in between):
        return None
    edges = ((right + left) / 2 for right, left in between)
    return replace(table, columns=(table.columns[0], *edges, table.columns[-1]))


def _lines(table: Table, runs: Sequence[Sequence[Sign]]) -> list[list[Piece]]:
    return lines_of(list(pieces_of(replace(table, open=frozenset()), runs)))


def _under(table: Table, runs: Sequence[Sequence[Sign]], height: float) -> Iterator[float]:
    """Yield where the rows below the last line end."""
    foot = table.rows[-1]
    below = replace(table, rows=(foot - 1, foot - _MOST_UNDER * _UNDER * height))
    last, is_under = foot, False
    for line in _lines(below, runs):
        base = min(piece.base for piece in line)
        if last - base > _UNDER * height or not _is_row(line, table, runs):
            break
        if is_under:
            yield last - _SAME_LINE * height
        last, is_under = base, True
    if is_under:
        yield last - _SAME_LINE * height


def _is_row(line: Sequence[Piece], table: Table, runs: Sequence[Sequence[Sign]]) -> bool:
    """Whether a line has text in two columns at least, none across them, and none beside the table."""
    columns = {piece.column for piece in line}
    fits = all(
        piece.left > table.columns[piece.column] - _REACH
        and piece.right < table.columns[piece.column + 1] + _REACH
        for piece in line
    )
    first = min(line, key=lambda piece: piece.left)
    if len(columns) < max(2, len(line)) or not fits or begins_caption(first.text):
        return False
    middle, height = line[0].middle, line[0].size
    return not any(
        abs((sign[3] + sign[4]) / 2 - middle) < _SAME_LINE * height
        and not table.columns[0] - 1 < (sign[1] + sign[2]) / 2 < table.columns[-1] + 1
        for run in runs
        for sign in run
        if sign[0].strip()
    )

"""Join the rows of a table of which only some have a ground: every second one, or its header."""

from collections.abc import Sequence
from dataclasses import replace

from services.ingest.parsers.pdf.cells import Piece, Table, lines_of, pieces_of
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.outer_rows import with_outer_rows
from services.ingest.parsers.pdf.rules import Rule

_TOUCH = 3.0
_TALLEST = 60.0
"""Points between two rows with a ground at most."""
_BROKEN = 8.0
"""Points between two parts of an upright line that a level one and the space around it break."""
_REACH = 2.0


def with_stripes(
    grids: Sequence[Table], runs: Sequence[Sequence[Sign]], level: Sequence[Rule]
) -> list[Table]:
    """Return the grids of a page, those as one that only rows without a ground part.

    Rows of the same columns above and below are of them too, and those below a row that stands alone.
    `runs` are the characters of the page, `level` its horizontal lines.
    """
    found: list[Table] = []
    striped: set[Table] = set()
    for grid in sorted(grids, key=lambda one: (round(one.columns[0]), -one.rows[0])):
        whole = _joined(found[-1], grid, runs) if found else None
        if whole:
            striped = {*striped, whole}
            found[-1] = whole
        else:
            found.append(grid)
    return [
        _with_outer(_to_rules(one, runs, level), runs, level)
        if one in striped or len(one.rows) == 2
        else one
        for one in found
    ]


def _joined(above: Table, below: Table, runs: Sequence[Sequence[Sign]]) -> Table | None:
    """Return two grids as one; None if they are not of one table."""
    gap = above.rows[-1] - below.rows[0]
    if len(above.columns) != len(below.columns) or not -_TOUCH < gap < _TALLEST:
        return None
    if any(abs(x - y) > _TOUCH for x, y in zip(above.columns, below.columns, strict=True)):
        return None
    between = replace(above, rows=(above.rows[-1], below.rows[0]), open=frozenset(), gaps=())
    lines = lines_of([*pieces_of(replace(between, is_open=True), runs)])
    is_broken = not lines and gap < _BROKEN and (above.is_cut or below.is_cut)
    if not is_broken and not _are_rows(lines, between):
        return None
    rows = (*above.rows, *below.rows[is_broken:])
    first = len(rows) - len(below.rows)
    spanned = above.open | {(band + first, column) for band, column in below.open}
    return replace(above, rows=rows, open=spanned, gaps=(*above.gaps, *below.gaps), is_cut=False)


def _are_rows(lines: Sequence[Sequence[Piece]], table: Table) -> bool:
    """Whether the first of some lines has text in several columns, and none has any across them.

    Cells of the rows that they are of may go on in the next lines.
    """
    if not lines or not all(_is_within(line, table) for line in lines):
        return False
    columns = {piece.column for piece in lines[0]}
    return len(columns) > 1 and (0 in columns or all(len(line) > 1 for line in lines))


def _is_within(line: Sequence[Piece], table: Table) -> bool:
    return len({piece.column for piece in line}) == len(line) and all(
        table.columns[piece.column] - _REACH < piece.left
        and piece.right < table.columns[piece.column + 1] + _REACH
        for piece in line
    )


def _to_rules(table: Table, runs: Sequence[Sequence[Sign]], level: Sequence[Rule]) -> Table:
    """Return a table with the rows without a ground between it and lines as wide above and below."""
    whole = [
        rule.place
        for rule in level
        if abs(rule.start - table.columns[0]) <= _TOUCH
        and abs(rule.end - table.columns[-1]) <= _TOUCH
    ]
    top, foot = table.rows[0], table.rows[-1]
    above = min((place for place in whole if place > top + _TOUCH), default=top)
    below = max((place for place in whole if place < foot - _TOUCH), default=foot)
    if _has_rows(table, (above, top), runs):
        spanned = frozenset((band + 1, column) for band, column in table.open)
        table = replace(table, rows=(above, *table.rows), open=spanned)
    if _has_rows(table, (foot, below), runs):
        table = replace(table, rows=(*table.rows, below))
    return table


def _has_rows(table: Table, rows: tuple[float, float], runs: Sequence[Sequence[Sign]]) -> bool:
    """Whether rows of a table stand between two heights."""
    if not _TOUCH < rows[0] - rows[1] < _TALLEST:
        return False
    between = Table(table.columns, rows, is_open=True)
    return _are_rows(lines_of([*pieces_of(between, runs)]), between)


def _with_outer(table: Table, runs: Sequence[Sequence[Sign]], level: Sequence[Rule]) -> Table:
    whole = with_outer_rows(replace(table, is_open=True), runs, level)
    added = len(whole.rows) > len(table.rows) and whole.rows[0] > table.rows[0]
    spanned = frozenset((band + added, column) for band, column in table.open)
    return replace(table, rows=whole.rows, open=spanned)

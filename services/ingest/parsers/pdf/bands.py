"""Part the rows of a table that no line parts."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from services.ingest.parsers.pdf.cells import Piece, Table, lines_of, pieces_of
from services.ingest.parsers.pdf.centred_cells import without_edges
from services.ingest.parsers.pdf.line import HYPHEN, Sign
from services.ingest.parsers.pdf.lines_of_values import are_values
from services.ingest.parsers.pdf.row_pieces import (
    PiecesOfLine,
    by_column,
    had_room,
    is_mark,
    is_number,
)

_LEAST_LINES, _LEAST_OVER = 3, 4
"""Lines between two drawn ones that may be rows, and in the topmost of them, where a header stands."""
_FEW = 2
_FILLED = 0.8
"""Of them, that have a cell in every column."""
_BEGUN = 0.7
"""Of the lines between two drawn ones, that have a first cell if they are rows."""
_PARTED = 0.75
"""Of such lines, behind which there was room for the next word."""
_LEAST_HUNG = 2
"""Rows that begin below a line without a first cell, where most lines are such."""
_REACH = 2.0
_HOLE = 2.0
"""Of a letter's height, from one line of a cell to the next."""
_ROW_STEP = 1.2
"""Of the step between the lines of a row: what is farther below begins the next."""
_NEAR = 1.5
"""Of the step to the next line of a label: the least one to a row."""
_OFF = 0.05
"""Of a table's width: how far from its middle a title over its rows stands at most."""
_HANG = 0.5
"""Of a letter's height, that the next line of a label begins farther in."""


def with_rows(table: Table, runs: Sequence[Sequence[Sign]]) -> Table:
    """Return a table with an edge between any two of its rows."""
    bands: dict[int, list[Piece]] = defaultdict(list)
    for piece in pieces_of(table, runs):
        bands[piece.band].append(piece)
    lines = {band: lines_of(pieces) for band, pieces in bands.items()}
    body = {band: found for band, found in lines.items() if band} or lines
    widths = _widths(table, [piece for pieces in bands.values() for piece in pieces])
    single = sum(len(found) == 1 for found in body.values())
    is_loose = table.is_open and 2 * single <= len(body)
    parted = {
        band
        for band, found in lines.items()
        if (is_loose and band in body)
        or _may_be_rows(found, widths, is_header=band not in body, is_top=not band)
        or are_values(found, is_header=band not in body)
    }
    gaps = {} if is_loose or table.open else _all_gaps(body, parted, widths)
    rows, spanned = list(table.rows[:1]), set[tuple[int, int]]()
    for band, edge in enumerate(table.rows[1:]):
        spanned |= {(len(rows) - 1, column) for row, column in table.open if row == band}
        found = lines.get(band, [])
        if gaps.get(band):
            rows += gaps[band]
        elif band in parted:
            spaced = _edges_at_space(found, widths) if table.is_open else []
            first = len(rows) - 1
            rows += spaced or _edges(found, widths, table)
            spanned |= {(first + line, 0) for line in _label_lines(found, len(rows) - first)}
        rows.append(edge)
    return without_edges(replace(table, rows=tuple(rows), open=frozenset(spanned)), lines)


def _may_be_rows(
    lines: Sequence[Sequence[Piece]], widths: Mapping[int, float], *, is_header: bool, is_top: bool
) -> bool:
    """Whether lines are rows: names of a header have as few lines as those of a cell beside a label."""
    least = _LEAST_OVER if is_top else _LEAST_LINES
    return (not is_header or len(lines) >= _LEAST_OVER) and _are_rows(lines, widths, least)


def _all_gaps(
    body: Mapping[int, Sequence[Sequence[Piece]]], parted: set[int], widths: Mapping[int, float]
) -> Mapping[int, list[float]]:
    """Return where rows begin in the bands that are none yet: a cell has no line without text in it.

    Where one band of a table has several rows, others of it may have two.
    """
    left = {band: found for band, found in body.items() if band not in parted}
    gaps = {band: list(_edges_at_gaps(found, widths)) for band, found in left.items()}
    if parted & body.keys() or any(gaps.values()):
        for band, found in left.items():
            gaps[band] = gaps[band] or list(_edges_of_few(found, widths))
    return gaps


def _edges_at_gaps(
    lines: Sequence[Sequence[Piece]], widths: Mapping[int, float]
) -> Iterator[float]:
    """Yield where rows begin that leave cells empty, as where the one above says the same."""
    found = [by_column(line) for line in lines]
    columns = {column for line in found for column in line}
    if found[0].keys() != columns:
        return  # some of its cells stand in the middle of their row, or at its foot
    holed = {column for column in columns if _has_hole(column, found)}
    if not holed:
        return
    if any(" " in piece.text for line in lines for piece in line):
        begins = [at for at in range(1, len(found)) if holed & found[at].keys()]
        ended = sum(_has_ended(found[at - 1], found[at], widths) for at in begins)
        # Paragraphs of a cell leave such gaps too, beside text that goes on there.
        begins = begins if 2 * ended > len(begins) else []
    else:
        begins = list(range(1, len(found)))
    for at in begins:
        yield _between(lines[at - 1], lines[at])


def _has_hole(column: int, lines: Sequence[PiecesOfLine]) -> bool:
    """Whether a line is left out in a cell."""
    held = [line[column] for line in lines if column in line]
    return any(one.base - other.base > _HOLE * one.size for one, other in pairwise(held))


def _has_ended(above: PiecesOfLine, line: PiecesOfLine, widths: Mapping[int, float]) -> bool:
    """Whether none of the cells of a line goes on in the next: there was room for its first word."""
    both = [column for column in line if column in above]
    if any(is_mark(above[column]) and is_mark(line[column]) for column in both):
        return True
    return all(had_room(above[one], line[one], widths[one]) for one in both)


def _edges_of_few(lines: Sequence[Sequence[Piece]], widths: Mapping[int, float]) -> Iterator[float]:
    """Yield where rows begin as two of their cells show, behind which there was room."""
    for one, other in pairwise(lines):
        above, line = by_column(one), by_column(other)
        roomy = [at for at in line if at in above and had_room(above[at], line[at], widths[at])]
        if len(roomy) > 1 and min(line) in roomy:
            yield _between(one, other)


def _edges_at_space(lines: Sequence[Sequence[Piece]], widths: Mapping[int, float]) -> list[float]:
    """Return where rows begin that have more space between them than their lines; [] if none do."""
    steps = sorted(above[0].base - line[0].base for above, line in pairwise(lines))
    if len(steps) < _LEAST_LINES:
        return []
    within = _ROW_STEP * steps[len(steps) // 4]
    begins = [
        at
        for at in range(1, len(lines))
        if lines[at - 1][0].base - lines[at][0].base > within
        and any(piece.column == 0 for piece in lines[at])
    ]
    found = [by_column(line) for line in lines]
    rows = [found[first:last] for first, last in pairwise([0, *begins, len(found)])]
    several = [row for row in rows if len(row) > 1]
    if len(several) < _FEW or not all(_is_one_row(row, widths) for row in several):
        return []
    return [_between(lines[at - 1], lines[at]) for at in begins]


def _is_one_row(lines: Sequence[PiecesOfLine], widths: Mapping[int, float]) -> bool:
    """Whether lines that no space parts are of one row: its cells seldom have as many lines each."""
    first, *others = lines
    counts = Counter(column for line in lines for column in line)
    if 0 not in first or len(counts) == 1:
        return False
    if first.keys() == {0}:
        # Its cells stand in the middle of its height, beside a label of several lines.
        return any(0 not in line for line in others) and 1 < counts[0] == len(others)
    both = [(above[at], line[at]) for above, line in pairwise(lines) for at in line if at in above]
    if any(is_number(one) and is_number(other) for one, other in both):
        return False
    is_left = any(column and column not in line for column in first for line in others)
    apart = sum(_are_apart(above, line, widths) for above, line in pairwise(lines))
    full = sum(len(line) == len(counts) for line in lines)
    return (is_left and 2 * full <= len(lines)) or 2 * apart <= len(others)


def _between(above: Sequence[Piece], line: Sequence[Piece]) -> float:
    return (min(one.middle for one in above) + max(one.middle for one in line)) / 2


def _widths(table: Table, pieces: Sequence[Piece]) -> Mapping[int, float]:
    """Return how wide the text of each column is, but not what spans several."""
    widths: dict[int, float] = defaultdict(float)
    for piece in pieces:
        if piece.band or piece.right < table.columns[piece.column + 1] + _REACH:
            widths[piece.column] = max(widths[piece.column], piece.right - piece.left)
    return widths


def _label_lines(lines: Sequence[Sequence[Piece]], rows: int) -> Iterator[int]:
    """Yield which lines go on with a first cell that stands beside several rows, each a line."""
    found = [by_column(line) for line in lines]
    count = next((at for at, line in enumerate(found) if 0 not in line), len(found))
    is_label = rows == len(lines) and 1 < count < len(found)
    if is_label and not any(0 in line for line in found[count:]):
        yield from (at for at in range(1, count) if found[at][0].text[0].islower())


def _edges(
    lines: Sequence[Sequence[Piece]], widths: Mapping[int, float], table: Table
) -> Iterator[float]:
    """Yield where rows begin below the first of some lines."""
    wordy = {piece.column for line in lines for piece in line if " " in piece.text}
    all_rows = _are_full(lines, widths)
    found = [by_column(line) for line in lines]
    hung = _hung(found) | _near_above(lines) | _hanging(found)
    for at, (above, line) in enumerate(pairwise(found), start=1):
        is_row = all_rows or _is_title(line, table, found) or _begins(above, line, widths, wordy)
        if at not in hung and is_row:
            yield _between(lines[at - 1], lines[at])


def _is_title(line: PiecesOfLine, table: Table, lines: Sequence[PiecesOfLine]) -> bool:
    """Whether a line is one text over several columns, or in the middle of all, over some rows."""
    [piece, *others] = line.values()
    if others or not (table.is_open and piece.column):
        return False
    left, right = table.columns[piece.column : piece.column + 2]
    if piece.left < left - _REACH or piece.right > right + _REACH:
        return True
    off = abs(piece.left + piece.right - table.columns[0] - table.columns[-1]) / 2
    beside = [one[piece.column] for one in lines if piece.column in one and len(one) > 1]
    is_centred = off < _OFF * (table.columns[-1] - table.columns[0])
    return is_centred and not any(_is_under(one, piece) for one in beside)


def _is_under(one: Piece, other: Piece) -> bool:
    left, right = one.left - other.left, one.right - other.right
    return min(abs(left), abs(right), abs(left + right) / 2) <= _REACH


def _hung(lines: Sequence[PiecesOfLine]) -> set[int]:
    """Return which lines go on with the row above: small letters begin them, farther in than labels."""
    labels = {at: line[0] for at, line in enumerate(lines) if 0 in line}
    left = min((label.left for label in labels.values()), default=0.0)
    inner = {at for at, label in labels.items() if label.left > left + _HANG * label.size}
    small = {at for at, line in enumerate(lines) if all(map(_is_small, line.values()))}
    if 2 * len(inner) > len(labels):
        return set()  # they stand in the middle of their column
    hung = set[int]()
    for at in sorted(inner & small):
        if at - 1 in labels and (at - 1 in hung or not _is_small(labels[at - 1])):
            hung.add(at)
    return hung


def _hanging(lines: Sequence[PiecesOfLine]) -> set[int]:
    """Return which lines are the rest of a label that hangs below a row: the next is no farther in."""
    return {
        at
        for at, (above, line, below) in enumerate(
            zip(lines, lines[1:], lines[2:], strict=False), start=1
        )
        if line.keys() == {0}
        and 0 in above
        and 0 in below
        and min(len(above), len(below)) > 1
        and line[0].left > above[0].left + _HANG * line[0].size
        and abs(below[0].left - above[0].left) <= 1
    }


def _near_above(lines: Sequence[Sequence[Piece]]) -> set[int]:
    """Return which lines of one cell, no first one, are nearer to the line above than any row."""
    steps = [one[0].base - other[0].base for one, other in pairwise(lines)]
    labelled = [any(piece.column == 0 for piece in line) for line in lines[1:]]
    least = min((step for step, has in zip(steps, labelled, strict=True) if has), default=0.0)
    return {
        at
        for at, (step, has) in enumerate(zip(steps, labelled, strict=True), start=1)
        if not has and len(lines[at]) == 1 and _ROW_STEP * step < least
    }


def _is_small(piece: Piece) -> bool:
    return piece.text[0].islower()


def _are_full(lines: Sequence[Sequence[Piece]], widths: Mapping[int, float]) -> bool:
    """Whether all lines have all cells but the first, and most end before they are full."""
    found = [by_column(line) for line in lines]
    inner = {column for line in found for column in line if column}
    if len(found) < _LEAST_OVER or not inner or any(inner - line.keys() for line in found):
        return False
    unlabelled = [line for line in found if 0 not in line]
    if len(inner) == 1 and unlabelled and all(_is_small(*line.values()) for line in unlabelled):
        return False  # what begins small beside no label is the rest of a long cell
    apart = sum(_are_apart(*two, widths) for two in pairwise(found))
    return apart >= _PARTED * (len(found) - 1)


def _begins(
    above: PiecesOfLine, line: PiecesOfLine, widths: Mapping[int, float], wordy: set[int]
) -> bool:
    """Whether a row begins at a line, where most rows have something in their first column.

    `wordy` are the columns with cells of several words, which may go on in the next line.
    """
    both = [column for column in line if column in above]
    if 0 in line:
        is_end = len(line) == 1 and len(widths) > 1 and 0 in above and line[0].text[0].islower()
        return not is_end or 0 not in wordy or had_room(above[0], line[0], widths[0])
    if all(map(is_number, line.values())) and len(both) == len(line):
        return all(is_number(above[column]) for column in both)
    if len(line) == 1 and both and is_number(above[both[0]]):
        # Words in the middle of the table, over the rows that they name, or the rest of "80 N or more".
        return not line[both[0]].text[0].islower()
    single = [column for column in both if column not in wordy and not _is_cut(above[column])]
    is_wide = len(line) > _FEW or len(line) == len(widths) - 1
    return len(line) > 1 and ((is_wide and bool(single)) or _are_apart(above, line, widths))


def _is_cut(piece: Piece) -> bool:
    return piece.text.endswith((HYPHEN, "-"))


def _are_rows(lines: Sequence[Sequence[Piece]], widths: Mapping[int, float], least: int) -> bool:
    """Whether lines are rows: those of one cell fill its column, and seldom are as many in each.

    A row may go on in lines without a first cell: what begins behind two of them is rows.
    """
    found = [by_column(line) for line in lines]
    hung = _hung(found)
    found = [line for at, line in enumerate(found) if at not in hung]
    if _are_beside_label(found):
        return True
    columns = {column for line in found for column in line}
    first = min(columns, default=0)
    begun = [line for line in found if first in line]
    if begun and begun[0] is found[0] and found[0].keys() == {first}:
        del begun[0]  # what the rows below are of
    full = sum(len(line) == len(columns) for line in begun)
    hang = sum(first not in above and first in line for above, line in pairwise(found))
    if len(columns) < 2 or len(begun) < least or full < _FILLED * len(begun):
        return False
    if hang < _LEAST_HUNG and len(begun) < _BEGUN * len(found):
        return False
    both = [(above, line) for above, line in pairwise(found) if first in above and first in line]
    return 2 * sum(_are_apart(*two, widths) for two in both) >= len(both)


def _are_beside_label(lines: Sequence[PiecesOfLine]) -> bool:
    """Whether the first column names all rows at once, and the second has one word for each."""
    columns = sorted({column for line in lines for column in line})
    if len(columns) < _LEAST_LINES or columns[0] not in lines[0] or columns[1] not in lines[0]:
        return False
    label = sum(columns[0] in line for line in lines)
    names = [line[columns[1]] for line in lines if columns[1] in line]
    if any(columns[0] in line for line in lines[label:]) or label >= len(names):
        return False
    return 2 * len(names) > len(lines) and not any(" " in one.text or _is_cut(one) for one in names)


def _are_apart(above: PiecesOfLine, line: PiecesOfLine, widths: Mapping[int, float]) -> bool:
    both = [column for column in line if column in above]
    return any(
        (is_number(above[column]) and is_number(line[column]))
        or had_room(above[column], line[column], widths[column])
        for column in both
    )

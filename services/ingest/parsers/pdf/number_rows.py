"""Find lines of a page that end with numbers below each other, as those of accounts do."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from services.ingest.parsers.pdf.bare_pieces import Piece
from services.ingest.parsers.pdf.value_cells import Cell, cells_of_line

_ALIGNED = 3.0
"""Points that the edge of a number is away from that of those above at most."""
_HANGING = 1.6
"""Of a letter's height, that the sign of a share reaches out of its column at most."""
_HUNG = tuple("%)")
_NEXT_LINE, _NEXT_ROW = 3.5, 5.0
"""Of a letter's height: how far below the line above a line of labels alone, and a row, stands."""
_LEAST = 2
"""Numbers at the end of a line."""
_MOST_LABELS = 5
"""Lines of labels alone, one below the other."""
_FARTHEST_IN, _ENDS = 3.0, tuple(".;,。；，")
"""Of a letter's height: how far a label begins from others, and what a text ends with."""
_BETWEEN = re.compile(r"(?:\d\d){1,2}\s?[/-]\s?(?:\d\d){1,2}")
_OVER = 1.0
"""Points that a label may reach over the edge of the numbers."""


@dataclass(frozen=True)
class NumberLine:
    """A line of a page: what is said, and the numbers behind it."""

    cells: tuple[Cell, ...]
    pieces: tuple[Piece, ...]
    at: int
    """Which line of the page it is, from the top."""
    named: int = 0
    """How many of its first cells are labels, whatever they say."""
    counted: int = 0
    """How many of its last cells are numbers, whatever they say."""

    @property
    def values(self) -> tuple[Cell, ...]:
        return self.cells[self._first :]

    @property
    def labels(self) -> tuple[Cell, ...]:
        return self.cells[: self._first]

    @property
    def _first(self) -> int:
        first = len(self.cells) - self.counted
        while first > self.named and self.cells[first - 1].is_value:
            first -= 1
        return first

    @property
    def is_counted(self) -> bool:
        """Whether it ends with several numbers: most of them have digits, or the others are dashes."""
        values = self.values
        digits = sum(one.has_digit for one in values)
        return len(values) >= _LEAST and (2 * digits >= len(values) or self._has_dashes(digits))

    def _has_dashes(self, digits: int) -> bool:
        """Whether what has no digits is dashes behind a label, which stand for nothing."""
        dashes = sum(one.is_dash for one in self.values)
        return digits > 0 and digits + dashes == len(self.values) and bool(self.labels)

    @property
    def is_of_dates(self) -> bool:
        """Whether it has years or days alone, which name columns."""
        is_named = any(cell.has_digit for cell in self.labels)
        # Beside years "23/22" says of which two a change is.
        dates = [one for one in self.values if not _BETWEEN.fullmatch(one.text)]
        return not is_named and bool(dates) and all(one.is_date for one in dates)

    @property
    def top(self) -> float:
        return max(cell.top for cell in self.cells)

    @property
    def bottom(self) -> float:
        return min(cell.bottom for cell in self.cells)

    @property
    def middle(self) -> float:
        return self.cells[-1].middle

    @property
    def height(self) -> float:
        return self.cells[-1].height


@dataclass
class Column:
    """Numbers below each other: how far they reach, and the first and the last of them."""

    left: float
    right: float
    known: list[Cell] = field(default_factory=list)

    def fits(self, cell: Cell) -> bool:
        """Whether a number is set right, left or centred as one of the column is."""
        return any(
            min(
                abs(cell.right - one.right),
                abs(cell.left - one.left),
                abs(cell.left + cell.right - one.left - one.right) / 2,
            )
            <= _ALIGNED
            or _hangs(cell, one)
            for one in (self.known[0], self.known[-1])
        )

    def overlaps(self, cell: Cell) -> bool:
        return cell.left < self.right and cell.right > self.left

    def add(self, cell: Cell) -> None:
        self.left, self.right = min(self.left, cell.left), max(self.right, cell.right)
        self.known.append(cell)


def _hangs(cell: Cell, other: Cell) -> bool:
    """Whether two numbers are set right but for the sign of a share, or a bracket, behind one."""
    signed, plain = (other, cell) if cell.text[-1:].isdigit() else (cell, other)
    are_two = signed.text[-1:] in _HUNG and plain.text[-1:] not in _HUNG
    return are_two and 0 < signed.right - plain.right < _HANGING * signed.height


@dataclass
class Group:
    """Rows below each other: their columns of numbers, and between them lines of labels alone."""

    columns: list[Column]
    rows: list[NumberLine]
    labels: list[NumberLine] = field(default_factory=list)
    over: list[NumberLine] = field(default_factory=list)
    """Titles of rows, between the first row and the header."""

    @property
    def left(self) -> float:
        return self.columns[0].left

    @property
    def right(self) -> float:
        return self.columns[-1].right


def number_lines(lines: Sequence[Sequence[Piece]]) -> list[list[NumberLine]]:
    """Return the lines of a page, and those beside them where two tables stand side by side."""
    streams: list[list[NumberLine]] = [[], []]
    for at, line in enumerate(lines):
        parts = _sides(NumberLine(tuple(cells_of_line(line)), tuple(line), at))
        for stream, part in zip(streams, parts, strict=False):
            stream.append(part)
    return streams


def _sides(line: NumberLine) -> list[NumberLine]:
    """Return a line as two where something is said of several numbers, and again beside them."""
    for at, cell in enumerate(line.cells):
        before = NumberLine(line.cells[:at], line.pieces, line.at)
        behind = NumberLine(line.cells[at:], line.pieces, line.at)
        is_begin = at > 0 and not cell.is_value and before.is_counted and bool(before.labels)
        if is_begin and behind.is_counted and len(behind.values) == len(before.values):
            return [before, behind]
    return [line]


def groups_of(lines: Sequence[NumberLine]) -> Iterator[Group]:
    """Yield the rows that stand below each other, from the top."""
    at = 0
    while at < len(lines):
        if not lines[at].is_counted:
            at += 1
            continue
        group, last = _group_from(lines, at)
        yield group
        at = last + 1


def _group_from(lines: Sequence[NumberLine], first: int) -> tuple[Group, int]:
    """Return the rows from a line on, and which line is the last of them."""
    values = lines[first].values
    columns = [Column(cell.left, cell.right, [cell]) for cell in values]
    group = Group(columns, [lines[first]])
    last, waiting = first, list[NumberLine]()
    for at in range(first + 1, len(lines)):
        above, line = lines[at - 1], lines[at]
        step = above.middle - line.middle
        if line.is_of_dates and not line.labels and not group.rows[-1].is_of_dates:
            break  # the names of other columns
        if step < _NEXT_ROW * line.height and _add_row(group, line):
            group.labels += waiting
            last, waiting = at, []
        elif (
            step < _NEXT_LINE * line.height
            and len(waiting) < _MOST_LABELS
            and _may_be_label(group, line)
        ):
            waiting.append(line)
        else:
            break
    return group, last


def _may_be_label(group: Group, line: NumberLine) -> bool:
    """Whether a line stands left of the numbers, or is one text over the first of them, no sentence."""
    right = line.cells[-1].right
    if right < group.left + _OVER:
        return True
    [first, *others] = line.cells
    labels = [row.labels[0].left for row in group.rows if row.labels]
    begins = bool(labels) and abs(first.left - min(labels)) < _FARTHEST_IN * line.height
    is_text = others or first.text[-1:] in _ENDS or first.is_value
    return begins and not is_text and right < (group.left + group.right) / 2


def _add_row(group: Group, line: NumberLine) -> bool:
    """Add a line to the rows of a group, if its numbers stand below theirs."""
    line = _with_units(group, _with_label(group, line))
    values = line.values
    if not values or (len(values) < _LEAST and not line.labels):
        return False
    fitted = _fitted(group.columns, values)
    new = [cell for cell in values if not any(cell is one for _, one in fitted)]
    strong = sum(group.columns[at].fits(cell) for at, cell in fitted)
    if (
        2 * strong < len(fitted)
        or not fitted
        or (new and not (line.is_counted and _are_beside(group, new)))
    ):
        return False
    if any(below <= above for (above, _), (below, _) in pairwise(fitted)):
        return False
    for at, cell in fitted:
        group.columns[at].add(cell)
    for cell in new:
        group.columns.append(Column(cell.left, cell.right, [cell]))
    order = sorted(range(len(group.columns)), key=lambda at: group.columns[at].left)
    group.columns = [group.columns[at] for at in order]
    group.rows.append(line)
    if line.labels and len(group.columns) > _LEAST:
        _name_by_first(group, line.labels[0])
    return True


def _name_by_first(group: Group, label: Cell) -> None:
    """Take the first column of a group for labels, as years are, if a label stands below it."""
    first = group.columns[0]
    if not first.overlaps(label) or any(row.labels for row in group.rows[:-1]):
        return
    group.rows = [
        replace(row, named=1) if first.overlaps(row.cells[0]) else row for row in group.rows
    ]
    del group.columns[0]


def _with_label(group: Group, line: NumberLine) -> NumberLine:
    """Return a line, its first cells as what it is called by if those above have words there.

    So has a short word before the columns, as one of a note.
    """
    before = [cell for cell in line.cells if cell.right < group.left]
    if line.labels:
        are_words = not any(cell.has_digit for cell in before[len(line.labels) :])
        return replace(line, named=len(before)) if are_words else line
    first = line.cells[0]
    if not before:
        return line
    labels = [row.labels[0] for row in group.rows if row.labels]
    over = [one for one in labels if one.left < first.right and first.left < one.right]
    return replace(line, named=1) if 2 * len(over) > len(group.rows) else line


def _with_units(group: Group, line: NumberLine) -> NumberLine:
    """Return a line, its last cells as numbers if each has some in a column, as "34 days" has."""
    columns = group.columns
    if line.values or not _LEAST <= len(columns) < len(line.cells):
        return line
    last = line.cells[-len(columns) :]
    are_units = all(
        cell.has_digit and [one for one in columns if one.overlaps(cell)] == [column]
        for column, cell in zip(columns, last, strict=True)
    )
    return replace(line, counted=len(columns)) if are_units else line


def _fitted(columns: Sequence[Column], values: Sequence[Cell]) -> list[tuple[int, Cell]]:
    """Return the numbers that have a column, each with it."""
    found = []
    for cell in values:
        near = [at for at, column in enumerate(columns) if column.fits(cell)]
        under = [at for at, column in enumerate(columns) if column.overlaps(cell)]
        chosen = [at for at in near if at in under] or (under if len(under) == 1 else [])
        if len(chosen) > 1:
            middle = (cell.left + cell.right) / 2
            chosen.sort(key=lambda at: abs(columns[at].left + columns[at].right - 2 * middle))
        if chosen:
            found.append((chosen[0], cell))
    return found


def _are_beside(group: Group, cells: Sequence[Cell]) -> bool:
    """Whether numbers stand where no column is."""
    return not any(column.overlaps(cell) for column in group.columns for cell in cells)

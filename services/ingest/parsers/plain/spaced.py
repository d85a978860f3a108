"""Read tables whose columns are set apart by spaces or bars, where their lines leave no doubt."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from services.ingest.model.book import MarkupKind
from services.ingest.parsers.markup import TextWithMarkup, cell_with, join_lines, join_row
from services.ingest.parsers.wrapped import columns_of

_RULE = re.compile(r"\s*(?=[^\w]*[-=─━]{3})[-=─━+|┼│ ]+")
"""A line below names of columns: one across all of them, or one below each."""
_PART = re.compile(r"\S+(?: \S+)*")
_NUMERIC = re.compile(r"[^\w\s]*\d[\d.,:/×x%°'’+–-]*\s?[^\W\d_]{0,3}[%°.]?|[-–—]")
_LETTER = re.compile(r"[^\W\d_]")
_NO_WORDS = re.compile(r"[{}<>\\;=$]|^[-+/#@*]|\w\(|\.{3}")
_LEAST_ROWS, _LEAST_COLUMNS = 2, 3
"""Rows below the names of the columns; fewer columns need a line drawn below their names."""
_SENTENCE = re.compile(r"[.!?。！？][\"'”’»)]*$")
_LONGEST_NAME = 40
_YEAR = re.compile(r"(?:FY ?)?(?:1[5-9]|20)\d\d(?:[/–-]\d{2,4})?")
_MOST_EMPTY = 3
"""One of so many cells may be empty in a table that nothing is drawn in."""
_FILL = "\x00"
"""What stands in the second column of a letter that is as wide as two."""

Line = TypeVar("Line", bound=str)
Part = tuple[int, int, str]
"""Where something of a line stands, from its first column to behind its last, and what it says."""


@dataclass(frozen=True)
class SpacedTable:
    """The rows of a table, the first of which names its columns."""

    rows: Sequence[Sequence[str]]

    def show(self) -> TextWithMarkup:
        """Return its text as that of all tables, with its names marked as such."""
        names, *rows = self.rows
        named = [cell_with((name, ()), {MarkupKind.HEADER_CELL: ""}) for name in names]
        return join_lines(
            [join_row(named), *(join_row([(cell, ()) for cell in row]) for row in rows)]
        )


def find_spaced(lines: Sequence[Line]) -> tuple[int, SpacedTable] | None:
    """Return the table that a block of lines ends with, behind so many of its lines; None without one.

    Above it a line of what it is about may stand. Each row but one that goes on with a cell of the row
    above fills its columns, between which no line says anything, and the first names them: a line is
    drawn below it, or it has no number where all of a column below are.
    """
    lead = 1 if len(lines) > _LEAST_ROWS + 1 and len(_parts_of(lines[0])) == 1 else 0
    if lead and _RULE.fullmatch(lines[0]):
        lead = 0
    for start in sorted({0, lead}, reverse=True):
        rows = _read_barred(lines[start:]) or _read_spaced(lines[start:])
        if rows:
            return start, SpacedTable(rows)
    return None


def _read_barred(lines: Sequence[str]) -> list[list[str]]:
    """Return rows with bars between their cells, below the first of which a line is drawn."""
    if len(lines) < _LEAST_ROWS + 1 or "|" not in lines[0] or not _is_rule(lines[1]):
        return []
    rows = [line for line in lines if not _is_rule(line)]
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in rows]
    is_even = len({len(row) for row in cells}) == 1 and len(cells) > 1
    return cells if is_even and len(cells[0]) > 1 else []


def _read_spaced(lines: Sequence[str]) -> list[list[str]]:
    told = [line for line in lines if not _is_rule(line)]
    if len(told) < _LEAST_ROWS + 1 or any(map(_RULE.fullmatch, told)):
        return []
    parts = [_parts_of(line) for line in told]
    columns = _columns_of(parts)
    is_ruled = _is_drawn_below_first(lines)
    if len(columns) < (2 if is_ruled else _LEAST_COLUMNS):
        return []
    placed = [_place(row, columns) for row in parts]
    if any(row is None for row in placed):
        return []
    rows = list(_joined([row for row in placed if row is not None]))
    is_told = is_ruled or _names_columns(rows)
    is_even = _is_ruled_even(rows, lines) if is_ruled else _is_even(rows)
    return rows if len(rows) > _LEAST_ROWS and is_told and is_even else []


def _is_ruled_even(rows: Sequence[Sequence[str]], lines: Sequence[str]) -> bool:
    """Whether half of the rows are full, or a line of its own is drawn below each name."""
    full = sum(all(row) for row in rows)
    rules = [line.split() for line in lines if _is_rule(line)]
    is_drawn = all(rows[0]) and any(len(rule) == len(rows[0]) for rule in rules)
    return full * 2 >= len(rows) or is_drawn


def _is_even(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all rows are full, or of several few cells are empty and none of the first column.

    Above the names of rows may stand none.
    """
    names, *below = rows
    empty = sum(not cell for row in below for cell in row)
    if not all(names[1:]) or not all(row[0] for row in below):
        return False
    if not empty:
        return True
    filled = (sum(map(bool, column)) for column in zip(*below, strict=True))
    few = empty * _MOST_EMPTY <= len(below) * len(names)
    return len(below) > _LEAST_ROWS and few and min(filled) >= _LEAST_ROWS


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch(line) is not None


def _is_drawn_below_first(lines: Sequence[str]) -> bool:
    """Whether a line is drawn below the first row, and at most above it and at the end besides."""
    rules = [at for at, line in enumerate(lines) if _is_rule(line)]
    first = 1 if rules[:1] == [0] else 0
    return first + 1 in rules and set(rules) <= {0, first + 1, len(lines) - 1}


def _parts_of(line: str) -> list[Part]:
    wide = "".join(sign + _FILL * (columns_of(sign) - 1) for sign in line)
    return [
        (found.start(), found.end(), found[0].replace(_FILL, "")) for found in _PART.finditer(wide)
    ]


def _columns_of(parts: Sequence[Sequence[Part]]) -> list[tuple[int, int]]:
    """Return the ranges that what stands above each other takes, parted by two columns at least."""
    columns: list[tuple[int, int]] = []
    for start, end, _ in sorted(part for row in parts for part in row):
        if columns and start < columns[-1][1] + 2:
            columns[-1] = (columns[-1][0], max(end, columns[-1][1]))
        else:
            columns.append((start, end))
    return columns


def _place(row: Sequence[Part], columns: Sequence[tuple[int, int]]) -> list[str] | None:
    """Return the cells of a row; None where two parts of it stand in one column."""
    cells = [""] * len(columns)
    for start, _, text in row:
        at = next(at for at, (_, end) in enumerate(columns) if start < end)
        if cells[at]:
            return None
        cells[at] = text
    return cells


def _joined(rows: Sequence[list[str]]) -> Iterator[list[str]]:
    """Yield the rows, what goes on in the line below with the cell that it goes on with."""
    open_row: list[str] = []
    for row in rows:
        goes_on = open_row and not row[0] and not any(map(_NUMERIC.fullmatch, row))
        if goes_on and all(above for cell, above in zip(row, open_row, strict=True) if cell):
            open_row = [
                f"{above} {cell}".strip() for above, cell in zip(open_row, row, strict=True)
            ]
            continue
        if open_row:
            yield open_row
        open_row = row
    yield open_row


def _names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is names: no sentences, signs or numbers, and numbers stand below one."""
    names, *below = rows
    if any(_NO_WORDS.search(cell) for row in rows for cell in row):
        return False
    columns = [[cell for cell in column if cell] for column in zip(*below, strict=True)]
    numeric = [bool(column) and all(map(_NUMERIC.fullmatch, column)) for column in columns]
    if all(map(_YEAR.fullmatch, names[1:])) and not _YEAR.fullmatch(names[0]):
        return all(numeric[1:]) and not numeric[0]
    if not all(_LETTER.search(name) and len(name) <= _LONGEST_NAME for name in names):
        return False
    if any(_NUMERIC.fullmatch(name) or _SENTENCE.search(name) for name in names):
        return False
    return any(numeric)

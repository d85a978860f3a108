"""Tell which rows of a table are its header: its title, names of several columns, and of each."""

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from libs.table_rows import cells_of

_MOST_ROWS = 6
"""That are looked at below the first of several cells."""
_FEWER = 3
"""Times as many cells as a row of names over several columns, whatever stands in them."""
_MOSTLY = 0.8
"""Of the cells of a row, that say the same if it is the title of all columns."""
_VALUE = re.compile(r"\W?[$€£¥]?\W?\d")
_YEAR = re.compile(r"\W?(?:1[5-9]|20)\d\d(?!\d|[.,]\d)")


def count_header_rows(rows: Sequence[str]) -> int:
    """Return how many of the first rows are a header, 1 at least; the last of them names each column.

    Above it stand the title of the table and the names that several columns have.
    """
    several = (at for at, row in enumerate(rows) if _count(cells_of(row)) > 1)
    header = next(several, 0)
    cells = [cells_of(row) for row in rows[header : header + _MOST_ROWS + 1]]
    for over, names in pairwise(cells):
        if not _names_several(over, names):
            break
        header += 1
    return header + 1


def named_once(row: str) -> str:
    """Return what a row over a header says, a name of several columns once."""
    cells = [cell for cell, _ in groupby(filter(None, cells_of(row)))]
    return " | ".join(cells)


def shortened(row: str, most: int) -> str:
    """Return a row that names columns in `most` characters.

    Of a longer one the words that a cell begins with as the one before does are said once: a name of
    several columns stands with each of them.
    """
    if len(row) <= most:
        return row
    before: list[str] = []
    cells = []
    for cell in cells_of(row):
        words = cell.split()
        pairs = enumerate(zip(words[:-1], before, strict=False))
        same = next((at for at, (one, other) in pairs if one != other), None)
        if same is None:
            same = max(min(len(words) - 1, len(before)), 0)
        cells.append(" ".join(words[same:]))
        before = words
    return " | ".join(cells)[:most]


def _names_several(over: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a row names several columns at a time, and the next each of them."""
    named, filled = _count(over), _count(names)
    if filled < 2:
        return False
    repeated = [at for at, (one, other) in enumerate(pairwise(over), start=1) if one == other != ""]
    if repeated:
        same = max(map(over.count, {over[at] for at in repeated}))
        is_title = same >= _MOSTLY * named
        under = [cell for at, cell in enumerate(names) if {at, at + 1} & {*repeated}]
        return is_title or not _has_values(under)
    if over[0]:
        # What the rows are called by stands beside the name of the others.
        return not names[0] and len(over) == len(names) and named < filled
    return named + 1 < filled and (not _has_values(names) or _FEWER * named <= filled)


def _has_values(cells: Sequence[str]) -> bool:
    return any(_VALUE.match(cell) and not _YEAR.match(cell) for cell in cells)


def _count(cells: Sequence[str]) -> int:
    return sum(map(bool, cells))

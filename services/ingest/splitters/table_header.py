"""Tell which rows of a table are its header: its title, names of several columns, and of each."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from libs.table_rows import cells_of

_MOST_ROWS = 6
"""That are looked at below the first of several cells."""
_FEWER = 3
"""Times as many cells as a row of names over several columns, whatever stands in them."""
_MOSTLY = 0.8
"""Of the cells of a row, that say the same if it is the title of all columns."""
_LONGEST = 4000
"""Characters of a header that is made shorter by words and not cut."""
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

    Of a longer one what several cells side by side begin with is said once, as far as it takes: a name
    of several columns stands with each of them. That of the most columns goes first.
    """
    if not most < len(row) <= _LONGEST:
        return row[:most]
    cells = [cell.split() for cell in cells_of(row)]
    begins = [0] * len(cells)
    for _, _, held, count in sorted(_repeats(cells), key=itemgetter(0, 1), reverse=True):
        for at in held:
            begins[at] = max(begins[at], count)
        names = (" ".join(cell[begin:]) for cell, begin in zip(cells, begins, strict=True))
        row = " | ".join(names)
        if len(row) <= most:
            break
    return row[:most]


def _repeats(cells: Sequence[Sequence[str]]) -> Iterator[tuple[int, int, range, int]]:
    """Yield how many cells begin alike, with how many letters, which do so again, and the words.

    Of each cell a word is left.
    """
    for first, cell in enumerate(cells):
        last = first + 1
        for count in range(len(cell) - 1, 0, -1):
            start = cell[:count]
            while last < len(cells) and len(cells[last]) > count and cells[last][:count] == start:
                last += 1
            if last > first + 1:
                yield last - first, len(" ".join(start)), range(first + 1, last), count


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

"""Part what is drawn as one table and is several side by side: each has the same header again."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.line import Sign

_LEAST_COLUMNS = 2
"""Of each of the tables, with other names."""


def in_halves(table: Table, runs: Sequence[Sequence[Sign]]) -> list[Table]:
    """Return the tables that stand side by side in one, from the left; itself if it is one."""
    count = len(table.columns) - 1
    if count < 2 * _LEAST_COLUMNS:
        return [table]
    names = _names(table, runs)
    if not all(names):
        return [table]
    for width in range(_LEAST_COLUMNS, count // 2 + 1):
        first = names[:width]
        if count % width == 0 and names == first * (count // width):
            # A name that all columns have parts none of them.
            is_several = len(set(first)) == width
            starts = range(0, count, width) if is_several else ()
            return [_part(table, start, start + width) for start in starts] or [table]
    return [table]


def _names(table: Table, runs: Sequence[Sequence[Sign]]) -> list[str]:
    """Return what stands in the cells of the first row, without spaces."""
    names: dict[int, str] = defaultdict(str)
    top, foot = table.rows[:2]
    for run in runs:
        for sign in run:
            if foot < (sign[3] + sign[4]) / 2 < top and table.holds(sign):
                names[table.column_of(sign)] += sign[0].strip()
    return [names[column] for column in range(len(table.columns) - 1)]


def _part(table: Table, start: int, end: int) -> Table:
    columns = table.columns[start : end + 1]
    left, right = columns[0], columns[-1]
    return replace(
        table,
        columns=columns,
        open=frozenset((row, at - start) for row, at in table.open if start <= at < end),
        gaps=tuple(gap for gap in table.gaps if left < gap[0] < right),
        walls=tuple(wall for wall in table.walls if left < wall[0] < right),
        bars=tuple(bar for bar in table.bars if left - 1 < bar[1] < right),
    )

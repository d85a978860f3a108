"""Find the header of a table that stands in a frame of its own over it."""

from collections.abc import Sequence
from dataclasses import replace

from services.ingest.parsers.pdf.cells import Table
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.rivers import parts_of, sign_lines
from services.ingest.parsers.pdf.rules import Rule

_TOUCH, _PAIR = 3.0, 2
_APART, _TALLEST = 24.0, 80.0
"""Points between the frame and its table, and the height of the frame, at most."""


def with_framed_header(
    table: Table, runs: Sequence[Sequence[Sign]], level: Sequence[Rule]
) -> Table:
    """Return a grid with the header over it, if that stands between two lines as long as the grid.

    `level` are the horizontal lines of the page.
    """
    top = table.rows[0]
    places = sorted(
        rule.place
        for rule in level
        if top + _TOUCH < rule.place < top + _APART + _TALLEST
        and abs(rule.start - table.columns[0]) < _TOUCH
        and abs(rule.end - table.columns[-1]) < _TOUCH
    )
    places = [at for at in places if at - places[0] > _TOUCH or at == places[0]]
    if table.is_open or table.title or len(places) < _PAIR:
        return table
    foot, head = places[:2]
    whole = replace(table, rows=(head, top))
    signs = [sign for run in runs for sign in run if sign[0].strip() and whole.holds(sign)]
    is_apart = foot - top > _APART or any((sign[3] + sign[4]) / 2 < foot for sign in signs)
    if is_apart or not _are_names(signs, table):
        return table
    spanned = frozenset((band + 1, column) for band, column in table.open)
    return replace(table, rows=(head, *table.rows), open=spanned)


def _are_names(signs: Sequence[Sign], table: Table) -> bool:
    """Whether what stands over a table is within its columns, and most of these have something."""
    named = set[int]()
    for line in sign_lines(signs):
        for left, right in parts_of(line):
            at = table.column_at((left + right) / 2)
            named.add(at)
            if left < table.columns[at] - _TOUCH or right > table.columns[at + 1] + _TOUCH:
                return False
    return 2 * len(named) > len(table.columns) - 1

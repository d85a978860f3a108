"""Leave out the lines drawn between all rows of a table, as grounds of rows end, which part nothing."""

from collections.abc import Sequence
from itertools import pairwise

from services.ingest.parsers.pdf.bare_pieces import Lines
from services.ingest.parsers.pdf.rules import Rule

_WHOLE = 0.9
"""Of the width of a table: a line so long is drawn under all of a row."""
_MOST_ROWS, _LEAST_ROWS = 0.6, 2
"""Of the steps from row to row, those with such a line; and such steps."""
_NEXT_LINE = 2.6
"""Of a letter's height: how far above such a line the next one is drawn at most."""


def without_row_lines(
    level: Sequence[Rule], body: Lines, left: float, right: float
) -> Sequence[Rule]:
    """Return the horizontal lines of a page but for those of rows, where a table has one at each row.

    `body` are the rows of a table from the top, `left` and `right` its edges, in points. The topmost
    line that rows lie under stays: it is the edge of the table.
    """
    whole = [
        rule
        for rule in level
        if min(rule.end, right) - max(rule.start, left) >= _WHOLE * (right - left)
    ]
    steps = [(below[0].middle, above[0].middle) for above, below in pairwise(body)]
    ruled = sum(any(low < rule.place < high for rule in whole) for low, high in steps)
    if ruled < max(_LEAST_ROWS, _MOST_ROWS * len(steps)):
        return level
    reach = _NEXT_LINE * max(piece.height for line in body for piece in line)
    places = [rule.place for rule in whole]
    inner = {id(rule) for rule in whole if any(0 < place - rule.place <= reach for place in places)}
    return [rule for rule in level if id(rule) not in inner]

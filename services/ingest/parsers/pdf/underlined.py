"""Tell the lines of text that are underlined, but for the number before them."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from services.ingest.parsers.pdf.line import Line
from services.ingest.parsers.pdf.rules import Rule

_BELOW, _ABOVE = 4.0, 2.0
"""Points from the foot of a line of text to what underlines it, at most."""
_REACH = 3.0
"""Points that this begins before the text, or ends away from where that ends, at most."""
_SHARE = 0.6
"""Of the width of the text, that is underlined: a number may stand before it."""


def with_underlines(lines: Sequence[Line], level: Sequence[Rule]) -> list[Line]:
    """Return lines of a page, those told that a line is drawn under; `level` are those, by height."""
    places = [rule.place for rule in level]
    return [
        replace(line, is_underlined=True) if _is_underlined(line, level, places) else line
        for line in lines
    ]


def _is_underlined(line: Line, level: Sequence[Rule], places: Sequence[float]) -> bool:
    if line.table or line.is_steep:
        return False
    first, last = bisect_left(places, line.y - _BELOW), bisect_right(places, line.y + _ABOVE)
    return any(
        rule.start >= line.left - _REACH
        and abs(rule.end - line.right) <= _REACH
        and rule.end - rule.start >= _SHARE * (line.right - line.left)
        for rule in level[first:last]
    )

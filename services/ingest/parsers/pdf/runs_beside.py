"""Find what runs up or down beside the lines of a page: a mark over all its height, a page's number.

What stands so within a table has lines drawn around it, or others of its kind beside it: names of
columns, or of several rows.
"""

from collections.abc import Sequence
from itertools import pairwise

from services.ingest.parsers.pdf.line import HYPHEN, Sign
from services.ingest.parsers.pdf.rules import Rule

_LEAST_LETTERS = 3
_STEEP = 2.5
"""Times its tallest letter, that a line is high which runs up or down."""
_MOST = 60
"""Lines that run up or down; a page with more is a drawing, or its tables have such names."""
_TOUCH = 2.0
_WIDER = 2.0
"""Times its width: the lines of a frame that has nothing else are shorter."""


def runs_beside(runs: Sequence[Sequence[Sign]], level: Sequence[Rule]) -> list[Sequence[Sign]]:
    """Return the lines that run up or down and are of no table; `level` are the horizontal lines."""
    steep = [(run, edges) for run in runs if (edges := _edges_of_steep(run))]
    if len(steep) > _MOST:
        return []
    return [
        run
        for run, (left, bottom, right, top) in steep
        if not any(one is not run and bottom < other[3] and other[1] < top for one, other in steep)
        and not _is_within(left, bottom, right, top, level)
    ]


def _edges_of_steep(run: Sequence[Sign]) -> tuple[float, float, float, float] | None:
    """Return the edges of a line, from the left and the lowest on; None if it does not run up."""
    seen = [sign for sign in run if sign[0].strip() and sign[0] != HYPHEN]
    if len(seen) < _LEAST_LETTERS:
        return None
    bottom, top = min(sign[3] for sign in seen), max(sign[4] for sign in seen)
    if top - bottom < _STEEP * max(sign[4] - sign[3] for sign in seen):
        return None
    steps = [two[3] + two[4] - one[3] - one[4] for one, two in pairwise(seen)]
    if not (min(steps) > 0 or max(steps) < 0):
        return None
    return min(sign[1] for sign in seen), bottom, max(sign[2] for sign in seen), top


def _is_within(left: float, bottom: float, right: float, top: float, level: Sequence[Rule]) -> bool:
    """Whether lines over and under something reach over more than its width, as those of a table do."""
    across = [
        rule.place
        for rule in level
        if rule.start < left + _TOUCH
        and right - _TOUCH < rule.end
        and rule.end - rule.start > _WIDER * (right - left)
    ]
    return bool(across) and max(across) > top - _TOUCH and min(across) < bottom + _TOUCH

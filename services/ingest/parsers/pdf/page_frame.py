"""Leave out the frame of a page: lines around all of its text, which make no cell of it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from services.ingest.parsers.pdf.rules import Rule, Rules

_OF_PAGE = 0.85
"""Of the width and the height of a page, that a frame has at least."""
_EMPTY = 0.5
"""Of the height of a page, in which no line goes from one side of its frame to the other."""
_TOUCH = 4.0
"""Points from the end of a line to the one that it meets, at most."""


def without_page_frame(rules: Rules, size: tuple[float, float]) -> Rules:
    """Return the lines of a page, those of its frame only where they are around a table too.

    Drawings and papers by the norm have one, with a table of who made them at the foot of each page.
    """
    level, upright, is_crowded = rules
    width, height = size
    tall = [rule for rule in upright if rule.end - rule.start >= _OF_PAGE * height]
    wide = [rule for rule in level if rule.end - rule.start >= _OF_PAGE * width]
    if len(tall) < 2 or len(wide) < 2:
        return rules
    left, right = tall[0], tall[-1]
    whole = sorted(rule for rule in level if _meets(rule, left) and _meets(rule, right))
    for below, above in pairwise(whole):
        inner = [
            rule for rule in upright if left.place + _TOUCH < rule.place < right.place - _TOUCH
        ]
        if (
            above.place - below.place < _EMPTY * height
            or right.place - left.place < _OF_PAGE * width
        ):
            continue
        if any(_parts(rule, below, above) for rule in inner):
            continue
        return Rules(
            [rule for rule in level if rule not in _ends(whole, below, above)],
            [part for rule in upright for part in _outside(rule, (left, right), below, above)],
            is_crowded,
        )
    return rules


def _meets(level: Rule, upright: Rule) -> bool:
    return (
        level.start - _TOUCH <= upright.place <= level.end + _TOUCH
        and upright.start - _TOUCH <= level.place <= upright.end + _TOUCH
    )


def _parts(upright: Rule, below: Rule, above: Rule) -> bool:
    """Whether a line goes from the foot of a frame to its top, or so far as a table's columns do."""
    return min(upright.end, above.place) - max(upright.start, below.place) >= _EMPTY * (
        above.place - below.place
    )


def _ends(whole: Sequence[Rule], below: Rule, above: Rule) -> list[Rule]:
    """Return the lines over and under what a frame is around that have nothing beyond them."""
    return [rule for rule in (below, above) if rule in (whole[0], whole[-1])]


def _outside(upright: Rule, sides: Sequence[Rule], below: Rule, above: Rule) -> Iterator[Rule]:
    """Yield a line, but of the sides of a frame what is beside tables over and under its text."""
    if upright not in sides:
        yield upright
        return
    if below.place - upright.start > _TOUCH:
        yield upright._replace(end=below.place)
    if upright.end - above.place > _TOUCH:
        yield upright._replace(start=above.place)

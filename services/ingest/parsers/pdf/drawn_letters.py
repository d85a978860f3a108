"""Leave out the strokes of letters that are drawn as shapes over their text, to make them bold."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.rules import Rule, Rules

_LETTER = 14.0
"""Points: no stroke of a letter is longer."""
_BEYOND = 0.6
"""Points that a shape reaches beyond the letter it is drawn over, at most."""

_Boxes = dict[int, list[Sign]]


def without_drawn_letters(rules: Rules, runs: Sequence[Sequence[Sign]]) -> Rules:
    """Return the lines of a page that do not lie within a letter, whose characters are `runs`."""
    level, upright, is_crowded = rules
    if not any(_is_short(rule) for rule in chain(level, upright)):
        return rules
    boxes: _Boxes = defaultdict(list)
    for sign in chain.from_iterable(runs):
        for at in range(_column(sign[1] - _BEYOND), _column(sign[2] + _BEYOND) + 1):
            boxes[at].append(sign)
    return Rules(
        [one for one in level if not _is_stroke(one, boxes, is_level=True)],
        [one for one in upright if not _is_stroke(one, boxes, is_level=False)],
        is_crowded,
    )


def _is_short(rule: Rule) -> bool:
    return rule.end - rule.start < _LETTER


def _column(across: float) -> int:
    return int(across // _LETTER)


def _is_stroke(rule: Rule, boxes: _Boxes, *, is_level: bool) -> bool:
    if not _is_short(rule):
        return False
    left, right = (rule.start, rule.end) if is_level else (rule.place, rule.place)
    bottom, top = (rule.place, rule.place) if is_level else (rule.start, rule.end)
    return any(
        one[1] - _BEYOND <= left
        and right <= one[2] + _BEYOND
        and one[3] - _BEYOND <= bottom
        and top <= one[4] + _BEYOND
        for one in boxes.get(_column(left), ())
    )

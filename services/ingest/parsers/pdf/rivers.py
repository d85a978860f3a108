"""Tell the columns of a table that no line parts, by the stripes without a letter between them."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf

from services.ingest.parsers.pdf.cells import LEAST_GAP, reach
from services.ingest.parsers.pdf.line import Sign

_SAME_LINE = 0.35
"""Of a letter's height: how far apart letters of one line stand at most."""
_LEFT = 0.25
"""Of a table's width: what begins so far left and has no gap may be a title over some rows."""
_OFF = 0.03
"""Of the width of some columns: how far from their middle a title over their rows stands at most."""
_ALIGNED = 2.0
_LEAST_LINES = 3
_LEAST_ROWS = 4
_MANY = 5
"""Numbers in each of two lines, that are columns."""
_WIDE = 8.0
"""Points between two columns within what lines enclose."""
_NARROW, _MOST_CROSSED = 1.5, 0.1
"""Points between two columns of which few rows fill the first, and their share."""
_PARTED = 0.75
"""Of the lines there, that have text on both sides."""

_SPACE = 0.25
"""Of a letter's height, between two words."""
_WITHIN_NUMBER = 0.7
"""Of a letter's height, before the thousands of a number at most."""
_NUMBER = re.compile(r"[^\w\s]?\d[\d.,]*%?")
_THREE = re.compile(r"\d{3}")

_Part = tuple[float, float]
"""The left and right edge of what has no gap."""


def rivers(signs: Sequence[Sign], body: Sequence[Sign]) -> list[float]:
    """Return the middles of the stripes; `body` is what of the letters stands below the header.

    A header may span columns, and so may a line over some rows.
    """
    whole = _between((sign[1], reach(sign)) for sign in signs)
    lines = _lines(body)
    left, right = (
        min((sign[1] for sign in body), default=0),
        max((sign[2] for sign in body), default=0),
    )
    edge = left + _LEFT * (right - left)
    rows = [
        line
        for line in lines
        if len(line) > 1 or (line[0][0] > edge and not _is_title(line[0], lines))
    ]
    seen = set(map(id, body))
    header = _lines([sign for sign in signs if id(sign) not in seen])
    has_cells = any(len(line) > 1 for line in header)  # or it is the head of the page
    if len(header) > 1 and len(header[-1]) > 1 and len(rows) >= _LEAST_LINES:
        # Names over several columns stand between two of them.
        whole = _between(part for row in (*lines, header[-1]) for part in row) or whole
    if not has_cells or len(rows) < _LEAST_LINES or 2 * len(rows) < len(lines):
        return whole
    inner = _between(part for row in rows for part in row)
    narrow = _narrow(rows, body)
    return max(whole, inner, narrow, key=len)


def _narrow(rows: Sequence[Sequence[_Part]], body: Sequence[Sign]) -> list[float]:
    """Return the middles of the stripes where few rows have less than the least space.

    There are none if a column between two of them is empty in most rows.
    """
    lines = [[(left, right) for _, left, right in _words(line)] for line in sign_lines(body)]
    found = [
        place
        for place in _between((word for line in lines for word in line), _NARROW)
        if sum(_is_crossed(row, place) for row in rows) <= _MOST_CROSSED * len(rows)
    ]
    filled = (
        sum(any(left < word[0] < right for word in line) for line in lines)
        for left, right in pairwise([-inf, *found, inf])
    )
    return found if all(2 * count > len(lines) for count in filled) else []


def _is_crossed(row: Sequence[_Part], place: float) -> bool:
    return any(left < place < right for left, right in row)


def _is_title(part: _Part, lines: Sequence[Sequence[_Part]]) -> bool:
    """Whether what stands alone in its line is over some rows, in the middle of their columns."""
    rows = [line for line in lines if len(line) > 1]
    right = max((row[-1][1] for row in rows), default=0)
    # In the middle of all columns, or of those behind the first.
    lefts = [min((row[at][0] for row in rows), default=0) for at in (0, 1)]
    left, off = min(
        ((one, abs(sum(part) - one - right) / 2) for one in lefts), key=lambda two: two[1]
    )
    is_aligned = any(abs(one[0] - part[0]) < _ALIGNED for row in rows for one in row)
    return off < _OFF * (right - left) and not is_aligned


def inner_rivers(signs: Sequence[Sign]) -> list[float]:
    """Return the middles of the stripes within what lines enclose, if most of its lines are parted."""
    lines = _lines(signs)
    parted = sum(len(line) > 1 for line in lines)
    if parted < _LEAST_ROWS or parted < _PARTED * len(lines):
        return []
    return _between(((sign[1], reach(sign)) for sign in signs), _WIDE)


def number_rivers(signs: Sequence[Sign]) -> list[float]:
    """Return the middles of the stripes between columns of numbers, however near, that lines enclose.

    As many stand in each line. What follows in threes of digits alone is a part of a number.
    """
    lines = [_words(line) for line in sign_lines(signs)]
    rows = [line for line in lines if all(_NUMBER.fullmatch(text) for text, _, _ in line)]
    are_few = len(rows) < _LEAST_ROWS and not (len(rows) > 1 and len(rows[0]) >= _MANY)
    if are_few or len(rows) < _PARTED * len(lines):
        return []
    columns = [*zip(*rows, strict=False)]
    if any(len(row) != len(columns) for row in rows):
        return []
    near = _WITHIN_NUMBER * max(sign[4] - sign[3] for sign in signs)
    found: list[float] = []
    for before, column in pairwise(columns):
        edge, start = max(right for _, _, right in before), min(left for _, left, _ in column)
        are_parts = start - edge < near and all(_THREE.fullmatch(text) for text, _, _ in column)
        if start - edge < 1 or are_parts:
            return []
        found.append((edge + start) / 2)
    return found


def _words(line: Sequence[Sign]) -> list[tuple[str, float, float]]:
    """Return the words of a line, each with its left and right edge."""
    words: list[tuple[str, float, float]] = []
    for sign in sorted(line, key=lambda sign: sign[1]):
        text, left, right = words[-1] if words else ("", sign[1], sign[1])
        if text and sign[1] - right > _SPACE * (sign[4] - sign[3]):
            words.append((sign[0], sign[1], sign[2]))
        else:
            words[-1:] = [(text + sign[0], left, max(right, sign[2]))]
    return words


def _between(spans: Iterator[_Part], least: float = LEAST_GAP) -> list[float]:
    found: list[float] = []
    edge = float("inf")
    for left, right in sorted(spans):
        if left - edge > least:
            found.append((left + edge) / 2)
        edge = right if edge == float("inf") else max(edge, right)
    return found


def _lines(signs: Sequence[Sign]) -> list[list[_Part]]:
    """Return the parts without a gap of what stands at one height, from the top."""
    return [parts_of(line) for line in sign_lines(signs)]


def sign_lines(signs: Sequence[Sign]) -> list[list[Sign]]:
    lines: list[list[Sign]] = []
    for sign in sorted(signs, key=lambda sign: -sign[3] - sign[4]):
        first = lines[-1][0] if lines else sign
        height = max(sign[4] - sign[3], first[4] - first[3])
        if lines and (first[3] + first[4] - sign[3] - sign[4]) / 2 < _SAME_LINE * height:
            lines[-1].append(sign)
        else:
            lines.append([sign])
    return lines


def parts_of(line: Sequence[Sign]) -> list[_Part]:
    """Return the left and right edges of what has no gap in a line of letters, one at least."""
    ordered = sorted(line, key=lambda sign: sign[1])
    starts = [0]
    edge = reach(ordered[0])
    for at, sign in enumerate(ordered):
        if sign[1] - edge > LEAST_GAP:
            starts.append(at)
        edge = max(edge, reach(sign))
    return [
        (ordered[first][1], max(map(reach, ordered[first:last])))
        for first, last in pairwise([*starts, len(ordered)])
    ]

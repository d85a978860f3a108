"""Put the caption of a table that is drawn late before its rows."""

import re
from collections.abc import Sequence

from services.ingest.parsers.pdf.captions import OFF_CENTRE, OVER_TABLE, is_all_bold
from services.ingest.parsers.pdf.flow import begins_caption
from services.ingest.parsers.pdf.line import Line

_NEXT_LINE = 1.6
"""Of the size of its letters: how far above a line of a caption the one before stands at most."""
_OVER_TALL = 5.5
"""The same of a title in bold over a header whose cells are taller than what stands in them."""
_MOST_LINES = 4
_LARGER, _SAME_SIZE, _MOST_OF_TITLES = 1.25, 0.5, 3
"""Letters of a title beside those of the table under it, points that they differ from line to line, and
the lines of it and of the titles over it at most."""
_ENDS = re.compile(r"[.!?;:。！？；：।]\W*$")
_WORDS = re.compile(r"[^\W\d_]{2}")


def with_captions_first(lines: Sequence[Line]) -> list[Line]:
    """Return the lines of a page in reading order, captions and titles right above tables before these.

    A file may draw those of a page behind all else.
    """
    ordered = list(lines)
    for mark in dict.fromkeys(line.table for line in lines if line.table):
        start = next(at for at, line in enumerate(ordered) if mark in (line.table, line.titled))
        rows = [line for line in ordered if line.table == mark]
        if ordered[start].titled:
            continue
        over = _lines_over(rows, ordered[start:])
        late = _caption_over(rows, over) or _title_over(rows, over, ordered[:start])
        # What stands beside a table may be drawn between it and its caption.
        late = late or _caption_over(rows, _lines_over(rows, ordered))
        moved = {*map(id, late)}
        before, behind = (
            [line for line in part if id(line) not in moved]
            for part in (ordered[:start], ordered[start:])
        )
        ordered = [*before, *late, *behind]
    return ordered


def _lines_over(rows: Sequence[Line], lines: Sequence[Line]) -> list[Line]:
    """Return the lines that stand over some rows, the lowest first."""
    left, right = rows[0].left, rows[0].right
    over = [
        line
        for line in lines
        if not line.table and line.y > rows[0].y and line.left < right and line.right > left
    ]
    return sorted(over, key=lambda line: line.y)


def _caption_over(rows: Sequence[Line], over: Sequence[Line]) -> list[Line]:
    """Return the lines of a caption right above some rows; [] where there is none."""
    found: list[Line] = []
    edge, reach = rows[0].y, OVER_TABLE
    for line in over[:_MOST_LINES]:
        if line.y - edge > reach * line.size:
            break
        found.insert(0, line)
        if begins_caption(line.text):
            return found
        edge, reach = line.y, _NEXT_LINE
    return []


def _title_over(rows: Sequence[Line], over: Sequence[Line], before: Sequence[Line]) -> list[Line]:
    """Return the lines of titles right above some rows; [] if they are text, or others lie between.

    Their letters are larger than those of the rows, or bold, or they stand in the middle over these,
    and those of the upper ones are no smaller. `before` are the lines that stand before the rows.
    """
    found: list[Line] = []
    edge = rows[0].y
    for line in over:
        is_upper = bool(found) and line.size > found[0].size + _SAME_SIZE
        reach = OVER_TABLE if is_upper or not found else _NEXT_LINE
        reach = _OVER_TALL if not found and is_all_bold(line) else reach
        is_smaller = bool(found) and line.size < found[0].size - _SAME_SIZE
        if line.y - edge > reach * line.size or is_smaller:
            break
        found.insert(0, line)
        edge = line.y
    if not 0 < len(found) <= _MOST_OF_TITLES or not all(map(_is_of_words, found)):
        return []
    is_between = any(line.y < found[0].y for line in _lines_over(rows, before))
    is_larger = found[-1].size >= _LARGER * max(line.size for line in rows)
    is_set_apart = is_larger or all(is_all_bold(line) or _is_centred(line, rows) for line in found)
    return found if is_set_apart and not is_between else []


def _is_centred(line: Line, rows: Sequence[Line]) -> bool:
    """Whether a line stands in the middle over some rows, and reaches neither of their edges."""
    left, right = rows[0].left, rows[0].right
    is_within = line.left - left > line.size and right - line.right > line.size
    return is_within and abs(line.left + line.right - left - right) <= 2 * OFF_CENTRE * line.size


def _is_of_words(line: Line) -> bool:
    return bool(_WORDS.search(line.text)) and not _ENDS.search(line.text)

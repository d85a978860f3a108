"""Put the caption of a table that is drawn late before its rows."""

import re
from collections.abc import Sequence

from services.ingest.parsers.pdf.captions import OVER_TABLE
from services.ingest.parsers.pdf.flow import begins_caption
from services.ingest.parsers.pdf.line import Line

_NEXT_LINE, _NEXT_LINE_OF_TITLE = 1.6, 2.6
"""Of the size of its letters: how far above the next line of a caption, or of a title, one is."""
_MOST_LINES, _MOST_OF_TITLE = 4, 5
_ENDS = re.compile(r"[.!?;:。！？；：।]\W*$")


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
        # What stands beside a table may be drawn between it and its caption.
        over = _lines_over(rows, ordered)
        late = _caption_over(rows, over) or _title_over(rows, over, ordered[start:])
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


def _title_over(rows: Sequence[Line], over: Sequence[Line], behind: Sequence[Line]) -> list[Line]:
    """Return the few lines right above some rows; [] if they are text, or none is drawn behind them.

    `behind` are the rows and the lines that are drawn behind the first of them.
    """
    found: list[Line] = []
    edge, reach = rows[0].y, OVER_TABLE
    for line in over:
        if line.y - edge > reach * line.size or _ENDS.search(line.text):
            break
        found.insert(0, line)
        edge, reach = line.y, _NEXT_LINE_OF_TITLE
    drawn_behind = {*map(id, behind)}
    is_late = any(id(line) in drawn_behind for line in found)
    return found if is_late and len(found) <= _MOST_OF_TITLE else []

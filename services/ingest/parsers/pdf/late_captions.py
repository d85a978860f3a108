"""Put the caption of a table that is drawn late before its rows."""

from collections.abc import Sequence

from services.ingest.parsers.pdf.captions import OVER_TABLE
from services.ingest.parsers.pdf.flow import begins_caption
from services.ingest.parsers.pdf.line import Line

_NEXT_LINE = 1.6
"""Of the size of its letters: how far above a line of a caption the one before stands at most."""
_MOST_LINES = 4


def with_captions_first(lines: Sequence[Line]) -> list[Line]:
    """Return the lines of a page in reading order, the captions right above tables before these.

    A file may draw the captions of a page behind all else.
    """
    ordered = list(lines)
    for mark in dict.fromkeys(line.table for line in lines if line.table):
        start = next(at for at, line in enumerate(ordered) if mark in (line.table, line.titled))
        rows = [line for line in ordered if line.table == mark]
        if ordered[start].titled:
            continue
        late = _caption_over(rows, ordered[start:])
        moved = {*map(id, late)}
        rest = [line for line in ordered[start:] if id(line) not in moved]
        ordered[start:] = [*late, *rest]
    return ordered


def _caption_over(rows: Sequence[Line], behind: Sequence[Line]) -> list[Line]:
    """Return the lines of a caption right above some rows among those that stand behind them."""
    left, right = rows[0].left, rows[0].right
    over = [
        line
        for line in behind
        if not line.table and line.y > rows[0].y and line.left < right and line.right > left
    ]
    found: list[Line] = []
    edge, reach = rows[0].y, OVER_TABLE
    for line in sorted(over, key=lambda line: line.y)[:_MOST_LINES]:
        if line.y - edge > reach * line.size:
            break
        found.insert(0, line)
        if begins_caption(line.text):
            return found
        edge, reach = line.y, _NEXT_LINE
    return []

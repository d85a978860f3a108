"""Put a table that is drawn behind the text of its page where it stands in it."""

from collections.abc import Sequence

from services.ingest.parsers.pdf.line import Line


def with_tables_in_place(lines: Sequence[Line]) -> list[Line]:
    """Return the lines of a page, a table drawn behind lines that all stand under it before these.

    It is moved where what is drawn before that place stands over it, and all else under it: text in
    columns has no such place.
    """
    ordered = list(lines)
    heights = {line.table: line.y for line in reversed(ordered) if line.table}
    for mark in sorted(heights, key=heights.__getitem__, reverse=True):
        table = [line for line in ordered if mark in (line.table, line.titled)]
        others = [line for line in ordered if mark not in (line.table, line.titled)]
        top, foot = max(line.y for line in table), min(line.y for line in table)
        place = next((at for at, line in enumerate(others) if line.y < foot), len(others))
        start = next(at for at, line in enumerate(ordered) if line is table[0])
        is_between = all(line.y > top for line in others[:place])
        if place < start and is_between and all(line.y < foot for line in others[place:]):
            ordered = [*others[:place], *table, *others[place:]]
    return ordered

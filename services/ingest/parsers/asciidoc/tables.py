"""Rewrite tables of AsciiDoc as those of Markdown."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from services.ingest.parsers.asciidoc.inline import Inline

_CELL = re.compile(r"(?:(?<=\s)|\A)(?:(\d+)?(?:\.(\d+))?([+*]))?[<^>.]*[aehlmsdv]?\|")
_COLUMNS = re.compile(r"cols=\"?([^\"\]]+)\"?")
_REPEATED = re.compile(r"(\d+)\*")
_MOST_COLUMNS = 60


def rewrite_table(lines: Sequence[str], attributes: str, inline: Inline) -> list[str]:
    """Return the rows of a table, its delimiters among `lines`, in fewer lines than there are."""
    inner = lines[1:-1]
    if lines[0].startswith(",") or "csv" in attributes:
        rows = [
            [cell.strip().strip('"') for cell in line.split(",")] for line in inner if line.strip()
        ]
        return _drawn(rows, inline)
    separator = "!" if lines[0].startswith("!") else "|"
    first = next((line for line in inner if line.strip()), "")
    cells = list(_cells("\n".join(inner).replace(separator, "|")))
    width = _width(attributes) or len(list(_cells(first.replace(separator, "|")))) or 1
    return _drawn(list(_rows(cells, min(width, _MOST_COLUMNS))), inline)


def _width(attributes: str) -> int:
    found = _COLUMNS.search(attributes)
    if not found:
        return 0
    columns = [part for part in re.split(r"[,;]", found[1]) if part.strip() or "," in found[1]]
    repeated = [_REPEATED.match(part.strip()) for part in columns]
    return sum(int(times[1]) if times else 1 for times in repeated)


def _cells(text: str) -> Iterator[str]:
    """Yield the cells in order; one that spans or is repeated comes as often as it stands."""
    found = list(_CELL.finditer(text))
    for at, mark in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        cell = " ".join(text[mark.end() : end].split())
        times = int(mark[1] or 1) if mark[3] else 1
        yield cell
        yield from [cell if mark[3] == "*" else ""] * (min(times, _MOST_COLUMNS) - 1)


def _rows(cells: Sequence[str], width: int) -> Iterator[list[str]]:
    left = iter(cells)
    while row := list(islice(left, width)):
        yield row + [""] * (width - len(row))


def _drawn(rows: Sequence[Sequence[str]], inline: Inline) -> list[str]:
    if not rows:
        return []
    shown = [
        f"| {' | '.join(inline.rewrite(cell).replace('|', '&#124;') for cell in row)} |"
        for row in rows
    ]
    return [shown[0], f"|{'---|' * len(rows[0])}", *shown[1:]]

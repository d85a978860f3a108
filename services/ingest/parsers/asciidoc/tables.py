"""Rewrite tables of AsciiDoc as those of Markdown."""

import csv
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from services.ingest.parsers.asciidoc import lines as kinds
from services.ingest.parsers.asciidoc.inline import Inline

_CELL = re.compile(r"(?:(?:(?<=\s)|\A)(?:(\d+)?(?:\.(\d+))?([+*]))?[<^>.]*[aehlmsdv]?)?(?<!\\)\|")
_FORMAT = re.compile(r"format=\"?(csv|tsv|dsv)")
_SEPARATOR = re.compile(r"separator=\"?([^\s\",\]])")
_DELIMITERS = {"csv": ",", "tsv": "\t", "dsv": ":"}
_COLUMNS = re.compile(r"cols=\"?([^\"\]]+)\"?")
_REPEATED = re.compile(r"(\d+)\*")
_MOST_COLUMNS = 60
_MOST_ROWS = 1000
_MARKS = (kinds.DELIMITER, kinds.BLOCK_ATTRIBUTES, kinds.BLOCK_ANCHOR, kinds.ATTRIBUTE)


def rewrite_table(lines: Sequence[str], attributes: str, inline: Inline) -> list[str]:
    """Return the rows of a table, its delimiters among `lines`, in fewer lines than there are."""
    inner = lines[1:-1]
    own = _SEPARATOR.search(attributes)
    named = _FORMAT.search(attributes)
    written = named[1] if named else {",": "csv", ":": "dsv"}.get(lines[0][0], "")
    if written or re.search(r"(?:^|,)\s*csv\b", attributes):
        delimiter = own[1] if own else _DELIMITERS[written or "csv"]
        return _drawn(_values(inner, delimiter.replace("\\t", "\t")), inline)
    separator = own[1] if own else "!" if lines[0].startswith("!") else "|"
    first = next((line for line in inner if line.strip()), "")
    cells = list(_cells("\n".join(inner).replace(separator, "|")))
    width = _width(attributes)
    width = width or sum(cell.columns for cell in _cells(first.replace(separator, "|"))) or 1
    return _drawn(list(_rows(cells, min(width, _MOST_COLUMNS))), inline)


def _values(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the rows of values between delimiters; of what is no such thing each line is one."""
    try:
        rows = [
            *csv.reader([f"{line}\n" for line in lines], delimiter=delimiter, skipinitialspace=True)
        ]
    except (csv.Error, TypeError):
        rows = [[line] for line in lines]
    rows = [[" ".join(cell.split()) for cell in row[:_MOST_COLUMNS]] for row in rows]
    width = max(map(len, rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows if any(row)]


def _width(attributes: str) -> int:
    found = _COLUMNS.search(attributes)
    if not found:
        return 0
    columns = [part for part in re.split(r"[,;]", found[1]) if part.strip() or "," in found[1]]
    repeated = [_REPEATED.match(part.strip()) for part in columns]
    return sum(int(times[1]) if times else 1 for times in repeated)


class _Cell(NamedTuple):
    text: str
    columns: int = 1
    rows: int = 1


def _cells(text: str) -> Iterator[_Cell]:
    """Yield the cells in order; one that is repeated comes as often as it stands."""
    found = list(_CELL.finditer(text))
    for at, mark in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        cell = _plain(text[mark.end() : end].replace("\\|", "|"))
        times = min(int(mark[1] or 1), _MOST_COLUMNS) if mark[3] else 1
        if mark[3] == "+":
            yield _Cell(cell, times, min(int(mark[2] or 1), _MOST_ROWS))
        else:
            yield from [_Cell(cell)] * times


def _plain(text: str) -> str:
    """Return what a cell says in one line: of lists their items, of blocks what is in them."""
    shown = []
    for line in text.split("\n"):
        item = kinds.ITEM.fullmatch(line)
        if item and item[1][0] in "*-.":
            shown.append(f"{'•' if item[1][0] != '.' else '–'} {item[2]}")
        elif line.strip() != "+" and not any(kind.fullmatch(line) for kind in _MARKS):
            shown.append(line)
    return " ".join(" ".join(shown).split())


def _rows(cells: Sequence[_Cell], width: int) -> Iterator[list[str]]:
    """Yield rows of `width` cells: one that spans several rows is in each, empty ones beside it."""
    taken: dict[int, tuple[int, str]] = {}
    row: list[str] = []
    for cell in cells:
        _fill(row, taken, width)
        if len(row) == width:
            yield row
            row = []
            _fill(row, taken, width)
        columns = min(cell.columns, width - len(row))
        texts = [cell.text, *[""] * (columns - 1)] if columns else []
        taken |= {len(row) + at: (cell.rows - 1, text) for at, text in enumerate(texts)}
        row += texts
    _fill(row, taken, width)
    if row:
        yield row + [""] * (width - len(row))


def _fill(row: list[str], taken: dict[int, tuple[int, str]], width: int) -> None:
    while len(row) < width and taken.get(len(row), (0, ""))[0]:
        left, text = taken[len(row)]
        taken[len(row)] = left - 1, text
        row.append(text)


def _drawn(rows: Sequence[Sequence[str]], inline: Inline) -> list[str]:
    if not rows:
        return []
    shown = [[inline.rewrite(cell).replace("|", "\\|") for cell in row] for row in rows]
    header, *others = [f"| {' | '.join(row)} |" for row in shown]
    return [header, f"|{'---|' * len(rows[0])}", *others]

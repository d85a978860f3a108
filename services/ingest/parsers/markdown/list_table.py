"""Read the list in lists, or the values, of a table in MyST, and write it as a table of Markdown."""

import csv
import re
from collections.abc import Mapping, Sequence

_ROW = re.compile(r"([ \t]*)[*+-]([ \t]+)([*+-])(?:[ \t]+(.*))?")
_MOST_COLUMNS = 100
_BLOCK = re.compile(r"[ \t]*(?:`{3,}|~{3,}|:{3,}|\$\$)")


def write_table(lines: Sequence[str]) -> list[str]:
    """Return the lines of the table, its first row the header; none for what is no such list."""
    rows = _read_rows(lines)
    if not rows or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return []
    return _drawn(rows)


def write_csv_table(lines: Sequence[str], options: Mapping[str, str]) -> list[str]:
    """Return the lines of the table of a directive with such `options`, its first row the header."""
    named = options.get("delim", ",")
    delimiter = {"tab": "\t", "space": " "}.get(named, named)
    header = [options["header"]] if options.get("header") else []
    body = [f"{line}\n" for line in (*header, *lines)]
    try:
        rows = [*csv.reader(body, delimiter=delimiter, skipinitialspace=True)]
        rows = [row for row in rows if any(cell.strip() for cell in row)]
    except (csv.Error, TypeError):
        return []
    width = max(map(len, rows), default=0)
    if width > _MOST_COLUMNS:
        return []
    return _drawn([[*map(_cell, row), *[""] * (width - len(row))] for row in rows])


def _drawn(rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    header, *others = ["| " + " | ".join(row) + " |" for row in rows]
    return [header, "|" + " --- |" * len(rows[0]), *others]


def _read_rows(lines: Sequence[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    inner = re.compile("")
    margin = ""
    for line in lines:
        if not line.strip():
            continue
        begun = _ROW.fullmatch(line)
        if begun and (not rows or begun[1] == margin):
            margin = begun[1]
            inner = re.compile(rf"{margin}[ \t]{{{1 + len(begun[2])}}}[*+-](?:[ \t]+(.*))?")
            rows.append([_cell(begun[4])])
        elif rows and (cell := inner.fullmatch(line)):
            rows[-1].append(_cell(cell[1]))
        elif rows and len(line) - len(line.lstrip()) > len(margin) and not _BLOCK.match(line):
            rows[-1][-1] = f"{rows[-1][-1]} {_cell(line)}".strip()
        else:
            return []
    return rows


def _cell(text: str | None) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join((text or "").split()))

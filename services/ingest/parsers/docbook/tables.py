"""Write the tables of DocBook, which are CALS's or HTML's own, and its segmented lists."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lxml import etree

from services.ingest.parsers.docbook.tree import local
from services.ingest.parsers.docbook.writer import child_of, children_of

if TYPE_CHECKING:
    from services.ingest.parsers.docbook.writer import Writer

_MOST_SPANNED = 200
"""Rows or columns that one cell may take."""
_SPANS = ("rowspan", "colspan")


def write_cals(
    writer: "Writer",
    source: etree._Element,
    target: etree._Element,
    title: etree._Element | None,
) -> None:
    """Write a table; one of several groups becomes as many, of which the first has the title."""
    groups = children_of(source, "tgroup")
    for group in groups or [source]:
        made = writer.open(target, "table", source if group in (source, *groups[:1]) else group)
        if title is not None:
            writer.fill(title, writer.open(made, "caption", title))
            title = None
        if group is source:
            _write_own(writer, source, made)
            continue
        columns = _columns_of(group)
        for part in children_of(group, "thead", "tbody", "tfoot"):
            _write_part(writer, part, made, columns)


def _write_own(writer: "Writer", source: etree._Element, made: etree._Element) -> None:
    """Write the rows of a table as HTML has them."""
    for part in source:
        name = local(part)
        if name == "caption":
            writer.fill(part, writer.open(made, "caption", part))
        elif name in ("thead", "tbody", "tfoot"):
            inner = writer.open(made, name, part)
            for row in children_of(part, "tr"):
                _write_row(writer, row, inner)
        elif name == "tr":
            _write_row(writer, part, made)
        elif name in ("mediaobject", "textobject"):
            writer.put(part, made)


def _write_row(writer: "Writer", row: etree._Element, target: etree._Element) -> None:
    made = writer.open(target, "tr", row)
    for cell in children_of(row, "td", "th"):
        written = writer.open(made, local(cell), cell)
        for name in _SPANS:
            if cell.get(name):
                written.set(name, str(cell.get(name)))
        writer.fill(cell, written)


def _write_part(
    writer: "Writer", part: etree._Element, target: etree._Element, columns: Mapping[str, int]
) -> None:
    made = writer.open(target, local(part), part)
    kind = "th" if local(part) == "thead" else "td"
    for row in children_of(part, "row"):
        line = writer.open(made, "tr", row)
        for cell in children_of(row, "entry", "entrytbl"):
            written = writer.open(line, kind, cell)
            _span(cell, written, columns)
            if local(cell) == "entry":
                writer.fill(cell, written)
            else:
                _write_inner(writer, cell, written)


def _write_inner(writer: "Writer", source: etree._Element, target: etree._Element) -> None:
    made, columns = writer.open(target, "table"), _columns_of(source)
    for part in children_of(source, "thead", "tbody"):
        _write_part(writer, part, made, columns)


def _span(cell: etree._Element, made: etree._Element, columns: Mapping[str, int]) -> None:
    more = cell.get("morerows") or ""
    if more.isdecimal() and 0 < int(more[:4]) < _MOST_SPANNED:
        made.set("rowspan", str(int(more[:4]) + 1))
    named = (cell.get("spanname") or "", cell.get("namest") or "", cell.get("nameend") or "")
    width = columns.get(f"span {named[0]}", 0)
    if named[1] in columns and named[2] in columns:
        width = columns[named[2]] - columns[named[1]] + 1
    if 1 < width < _MOST_SPANNED:
        made.set("colspan", str(width))


def _columns_of(group: etree._Element) -> dict[str, int]:
    """Return the numbers of the columns by their names, and by "span …" how many a span takes."""
    columns = dict[str, int]()
    for number, one in enumerate(children_of(group, "colspec"), start=1):
        stated = one.get("colnum") or ""
        columns[one.get("colname") or f"c{number}"] = (
            int(stated[:4]) if stated.isdecimal() else number
        )
    for one in children_of(group, "spanspec"):
        first, last = one.get("namest") or "", one.get("nameend") or ""
        if first in columns and last in columns:
            columns[f"span {one.get('spanname')}"] = columns[last] - columns[first] + 1
    return columns


def write_segments(writer: "Writer", source: etree._Element, target: etree._Element) -> None:
    """Write a segmented list as the table that it is."""
    title = child_of(source, "title")
    made = writer.open(target, "table", source)
    if title is not None:
        writer.fill(title, writer.open(made, "caption", title))
    head = writer.open(writer.open(made, "thead"), "tr")
    for one in children_of(source, "segtitle"):
        writer.fill(one, writer.open(head, "th", one))
    for item in children_of(source, "seglistitem"):
        row = writer.open(made, "tr", item)
        for one in children_of(item, "seg"):
            writer.fill(one, writer.open(row, "td", one))

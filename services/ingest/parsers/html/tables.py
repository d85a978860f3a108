"""Read a table element as its caption and one line per row."""

from collections.abc import Iterator

from lxml import etree

from services.ingest.parsers.html.marks import classes_of, is_hidden, is_reference, roles_of

_LAYOUT_CLASSES = frozenset(("highlighttable", "rouge-table", "layout"))
_INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "font", "i", "ins"),
        *("kbd", "label", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup"),
        *("time", "tt", "u", "var", "wbr"),
    )
)


def is_layout(table: etree._Element) -> bool:
    """Whether a table only places text: it holds tables, headings or code, or one cell a row."""
    if roles_of(table) & {"presentation", "none"} or classes_of(table) & _LAYOUT_CLASSES:
        return True
    if any(True for _ in table.iter("h1", "h2", "h3", "pre")):
        return True
    return next((one for one in table.iter("table") if one is not table), None) is not None


def read_table(table: etree._Element) -> tuple[str, list[str], list[str]]:
    """Return the caption, the rows as lines, and the ids of the footnotes they refer to."""
    references: list[str] = []
    caption = table.find("caption")
    rows = []
    for row in table.iter("tr"):
        cells = [_text_of(cell, references) for cell in row if cell.tag in ("td", "th")]
        line = " | ".join(cells).strip()
        if line.strip(" |"):
            rows.append(line)
    return "" if caption is None else _text_of(caption, references), rows, references


def _text_of(element: etree._Element, references: list[str]) -> str:
    if len(element) == 0:
        return " ".join((element.text or "").split())
    return " ".join("".join(_parts(element, references)).split())


def _parts(cell: etree._Element, references: list[str]) -> Iterator[str]:
    walk = etree.iterwalk(cell, events=("start", "end"))
    for event, element in walk:
        apart = isinstance(element.tag, str) and element.tag not in _INLINE
        if event == "end":
            if apart:
                yield " "
            if element is not cell:
                yield element.tail or ""
        elif element is not cell and is_reference(element):
            references.append((element.get("href") or "").removeprefix("#"))
            walk.skip_subtree()
        elif element is not cell and (not isinstance(element.tag, str) or is_hidden(element)):
            walk.skip_subtree()
        else:
            yield (" " if apart else "") + (element.text or "")
            if element.tag == "img":
                yield element.get("alt") or ""

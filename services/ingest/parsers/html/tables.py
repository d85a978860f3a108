"""Read a table element as its caption and one line per row."""

import re
from collections.abc import Mapping

from lxml import etree

from services.ingest.model.book import MarkupKind
from services.ingest.parsers.html.formulas import Formula, inline_tex, read_formula
from services.ingest.parsers.html.hidden import is_hidden
from services.ingest.parsers.html.line import Line
from services.ingest.parsers.html.marks import (
    address_of,
    admonition_of,
    classes_of,
    description_of,
    is_note,
    is_reference,
    note_of,
    roles_of,
    text_of,
)
from services.ingest.parsers.html.navigation import is_only_row
from services.ingest.parsers.markup import (
    TextWithMarkup,
    cell_with,
    join_lines,
    join_row,
    place,
    spans,
)
from services.ingest.parsers.wrapped import without_unspaced_breaks

_LAYOUT_CLASSES = frozenset(("highlighttable", "rouge-table", "layout"))
_ALIGNED = re.compile(r"text-align\s*:\s*(left|center|right)\b", re.IGNORECASE)
_ROWS_OF_BOX = 2
_PIECES = ("p", "ul", "ol", "dl", "blockquote")
"""What the one row of a table of values does not have."""
_PARTS = frozenset(
    ("caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "td", "th", "script", "style")
)
"""What may stand in a table, its groups of rows and columns, and its rows."""
_HOLDERS = ("colgroup", "thead", "tbody", "tfoot", "tr")
_INLINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn"),
        *("em", "font", "i", "ins", "nobr", "output", "rb", "ruby", "strike"),
        *("kbd", "label", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup"),
        *("time", "tt", "u", "var", "wbr"),
    )
)


def is_layout(table: etree._Element) -> bool:
    """Whether a table only places text: it holds tables, headings or code, or pieces side by side."""
    if roles_of(table) & {"presentation", "none"} or classes_of(table) & _LAYOUT_CLASSES:
        return True
    if any(True for _ in table.iter("h1", "h2", "h3", "pre")) or _asks(table) or _is_box(table):
        return True
    row = next(table.iter("tr"), None)
    if row is not None and is_only_row(row) and any(True for _ in row.iter(*_PIECES)):
        return True
    return next((one for one in table.iter("table") if one is not table), None) is not None


def _is_box(table: etree._Element) -> bool:
    """Whether it lays out a note: its picture, its title, and its text in the only other cell."""
    around = table.getparent()
    if around is None or not admonition_of(around):
        return False
    if "admonitionblock" in classes_of(around):
        return True
    cells = [
        cell for cell in table.iter("td") if any(True for _ in cell.iter("p", "ul", "ol", "dl"))
    ]
    has_picture = any(True for _ in table.iter("img"))
    return has_picture and len(cells) == 1 and sum(1 for _ in table.iter("tr")) <= _ROWS_OF_BOX


def prepare_tables(root: etree._Element) -> None:
    """Put footnotes behind their tables, and the numbers of questions before their words.

    What stands in a table but in none of its cells comes before it, as browsers read HTML.
    """
    if isinstance(root.getroottree().parser, etree.HTMLParser):
        for table in [*root.iter("table")]:
            _lift_strays(table)
    _lift_notes(root)
    _number_questions(root)


def _asks(table: etree._Element) -> bool:
    """Whether its rows are questions and answers in turn, as DocBook's pages have them."""
    found = {name for row in table.iter("tr") for name in classes_of(row)}
    return found >= {"question", "answer"}


def _number_questions(root: etree._Element) -> None:
    """Put the number of a question, which has a cell of its own, before its words."""
    for table in root.iter("table"):
        if not _asks(table):
            continue
        for row in table.iter("tr"):
            cells = [cell for cell in row if cell.tag == "td"]
            if len(cells) != 2 or not classes_of(row) & {"question", "answer"}:
                continue
            number = " ".join("".join(map(str, cells[0].itertext())).split())
            for part in cells[0].iter():
                part.text = part.tail = None
            first = next(cells[1].iter("p"), cells[1])
            first.text = f"{number} {first.text or ''}".lstrip()


def _lift_strays(table: etree._Element) -> None:
    groups = [one for one in table if one.tag in _HOLDERS]
    rows = [one for group in groups for one in group if one.tag == "tr"]
    before = etree.Element("div")
    for holder in (table, *groups, *rows):
        _append(before, holder.text)
        holder.text = None if holder.text and holder.text.strip() else holder.text
        for part in list(holder):
            tail, part.tail = part.tail, None
            if part.tag not in _PARTS and next(part.iter("tr", "td", "th"), None) is None:
                before.append(part)
            _append(before, tail)
    if (len(before) or before.text) and table.getparent() is not None:
        table.addprevious(before)


def _append(element: etree._Element, text: str | None) -> None:
    if not text or not text.strip():
        return
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def _lift_notes(root: etree._Element) -> None:
    """Put the footnotes that stand as the last rows of a table behind it."""
    for body in [*root.iter("tbody")]:
        table = next(body.iterancestors("table"), None)
        if table is None or "footnotes" not in classes_of(body):
            continue
        notes = [note for cell in body.iter("td") for note in cell if is_note(note)]
        for note in reversed(notes):
            note.tail = None
            table.addnext(note)


def read_table(
    table: etree._Element, written: Mapping[etree._Element, str]
) -> tuple[TextWithMarkup, TextWithMarkup, list[tuple[str, str]]]:
    """Return the caption, the rows as lines, and the ids and marks of the footnotes they refer to.

    `written` is what stands around raised and lowered elements.
    """
    reader = _Cells(written)
    caption = table.find("caption")
    rows: list[TextWithMarkup] = []
    for row in table.iter("tr"):
        cells = [cell for cell in row if cell.tag in ("td", "th")]
        line = join_row(
            [cell_with(reader.read(cell), _marks_of(cell, is_first=not rows)) for cell in cells]
        )
        if line[0].strip(" |"):
            rows.append(line)
    around = ("", ()) if caption is None else reader.read(caption)
    return around, join_lines(rows), reader.references


def _marks_of(cell: etree._Element, *, is_first: bool) -> dict[MarkupKind, str]:
    """Return what is said of a cell as a whole; the first row is one of headers anyway."""
    marks = {}
    attributes = cell.attrib
    if attributes:
        marks = spans(attributes.get("colspan"), attributes.get("rowspan"))
        aligned = _ALIGNED.search(attributes.get("style", "")) or _ALIGNED.search(
            f"text-align:{attributes.get('align', '')}"
        )
        if aligned:
            marks[MarkupKind.ALIGNMENT] = aligned[1].lower()
    if cell.tag == "th" and not is_first:
        marks[MarkupKind.HEADER_CELL] = ""
    return marks


class _Cells:
    """Reads cells, and keeps the ids of the footnotes that they refer to, with their marks."""

    def __init__(self, written: Mapping[etree._Element, str]) -> None:
        self.references: list[tuple[str, str]] = []
        self._written = written

    def read(self, cell: etree._Element) -> TextWithMarkup:
        if len(cell) == 0:
            return " ".join(without_unspaced_breaks(cell.text or "").split()), ()
        line = Line(self._written)
        self._fill(line, cell)
        raw, markup = line.take()
        text = " ".join(without_unspaced_breaks(raw).split())
        return text, place(raw, text, markup)

    def _fill(self, line: Line, cell: etree._Element) -> None:
        walk = etree.iterwalk(cell, events=("start", "end"))
        for event, element in walk:
            apart = isinstance(element.tag, str) and element.tag not in _INLINE
            if event == "end":
                line.close(element)
                if apart:
                    line.add(" ")
                if element is not cell:
                    line.add(element.tail or "")
            elif element is not cell and is_reference(element):
                mark = text_of(element).strip().strip("[]()")
                self.references.append((note_of(element), mark))
                line.refer(element, mark)
                walk.skip_subtree()
            elif tex := inline_tex(element):
                _add_formula(line, Formula(tex, is_tex=True))
                walk.skip_subtree()
            elif element.tag == "math" and (formula := read_formula(element)).is_apart:
                _add_formula(line, formula)
                walk.skip_subtree()
            elif element is not cell and (not isinstance(element.tag, str) or is_hidden(element)):
                walk.skip_subtree()
            else:
                line.open(element)
                line.add((" " if apart else "") + (element.text or ""))
                if element.tag == "img":
                    _add_picture(line, element)


def _add_formula(line: Line, formula: Formula) -> None:
    if formula.is_tex:
        line.add_marked(MarkupKind.FORMULA, f"${formula.text}$")
    else:
        line.add(formula.text)


def _add_picture(line: Line, image: etree._Element) -> None:
    words, address = description_of(image), address_of(image)
    if words and address:
        line.add_marked(MarkupKind.IMAGE, words, address)
    elif address:
        line.note(MarkupKind.IMAGE, address)
    else:
        line.add(words)

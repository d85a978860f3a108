"""Tell white words that stand on white: no reader of the document sees them."""

from itertools import islice

from docx.oxml.ns import qn
from lxml import etree

_NEARLY_WHITE = 0xFF - 20
_LEAST_HALF_POINTS = 4
"""Letters below two points are no text to any eye."""
_UNPAINTED = ("", "auto")
_NEAR = 20
"""Paragraphs before and after one in which a drawing may lie behind it."""
_DRAWINGS = (qn("w:drawing"), qn("w:pict"))


def is_white(colour: etree._Element) -> bool:
    theme = colour.get(qn("w:themeColor"), "background1")
    return _is_near_white(colour.get(qn("w:val"), "")) and theme == "background1"


def is_tiny(size: etree._Element) -> bool:
    """Whether letters are of a size that nobody reads, by what is said in half points."""
    value = size.get(qn("w:val"), "")
    return value.isdecimal() and int(value) < _LEAST_HALF_POINTS


def _is_near_white(value: str) -> bool:
    try:
        parts = bytes.fromhex(value)
    except ValueError:
        return False
    return len(parts) == 3 and min(parts) >= _NEARLY_WHITE


def is_paint(shading: etree._Element) -> bool:
    """Whether a shading gives another ground than the page's."""
    fill = shading.get(qn("w:fill"), "")
    plain = fill in _UNPAINTED or _is_near_white(fill)
    pattern = shading.get(qn("w:val"), "clear")
    return (
        not plain or shading.get(qn("w:themeFill")) is not None or pattern not in ("clear", "nil")
    )


def stands_on_paint(paragraph: etree._Element) -> bool:
    """Whether something around a paragraph may paint its ground: page, cell, table's style, drawing."""
    top = paragraph
    for above in paragraph.iterancestors():
        if above.tag == qn("w:txbxContent"):
            return True
        if above.tag == qn("w:tc") and any(map(is_paint, above.iterfind(_IN_CELL))):
            return True
        if above.tag == qn("w:tbl") and _is_painted_table(above):
            return True
        if above.tag == qn("w:document") and above.find(qn("w:background")) is not None:
            return True
        if above.tag not in (qn("w:body"), qn("w:document")):
            top = above
    beside = top.itersiblings
    near = [*islice(beside(preceding=True), _NEAR), top, *islice(beside(), _NEAR)]
    return any(True for one in near for _ in one.iter(*_DRAWINGS))


_IN_CELL = f"{qn('w:tcPr')}/{qn('w:shd')}"


def _is_painted_table(table: etree._Element) -> bool:
    marks = table.find(qn("w:tblPr"))
    if marks is None:
        return False
    styled = marks.find(qn("w:tblStyle")) is not None
    return styled or any(map(is_paint, marks.iterfind(qn("w:shd"))))

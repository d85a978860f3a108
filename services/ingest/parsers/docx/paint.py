"""Tell white words that stand on white: no reader of the document sees them."""

from itertools import islice

from docx.oxml.ns import qn
from lxml import etree

_WHITE = "FFFFFF"
_UNPAINTED = ("", "auto", _WHITE)
_NEAR = 20
"""Paragraphs before and after one in which a drawing may lie behind it."""
_DRAWINGS = (qn("w:drawing"), qn("w:pict"))


def is_white(colour: etree._Element) -> bool:
    theme = colour.get(qn("w:themeColor"), "background1")
    return colour.get(qn("w:val"), "").upper() == _WHITE and theme == "background1"


def is_paint(shading: etree._Element) -> bool:
    """Whether a shading gives another ground than the page's."""
    fill = shading.get(qn("w:fill"), "")
    plain = fill in _UNPAINTED or fill.upper() == _WHITE
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

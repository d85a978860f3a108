"""Tell words in the colour of the ground that they stand on: no reader of the document sees them."""

from collections.abc import Iterable
from itertools import islice

from docx.oxml.ns import qn
from lxml import etree

_ALIKE = 20
"""Steps of 255 in each of red, green and blue, within which nobody tells a colour from another."""
_LEAST_HALF_POINTS = 4
"""Letters below two points are no text to any eye."""
_UNPAINTED = ("", "auto")
_PAPER = "FFFFFF"
UNKNOWN = "?"
"""A colour or a ground that something else decides than what is read here."""
_THEME = {
    **dict.fromkeys(("background1", "light1"), _PAPER),
    **dict.fromkeys(("text1", "dark1"), "000000"),
}
_HIGHLIGHTS = {
    "black": "000000",
    "blue": "0000FF",
    "cyan": "00FFFF",
    "green": "00FF00",
    "magenta": "FF00FF",
    "red": "FF0000",
    "yellow": "FFFF00",
    "white": "FFFFFF",
    "darkBlue": "000080",
    "darkCyan": "008080",
    "darkGreen": "008000",
    "darkMagenta": "800080",
    "darkRed": "800000",
    "darkYellow": "808000",
    "darkGray": "808080",
    "lightGray": "C0C0C0",
}
_NEAR = 20
"""Paragraphs before and after one in which a drawing may lie behind it."""
_DRAWINGS = (qn("w:drawing"), qn("w:pict"))
_IN_CELL = f"{qn('w:tcPr')}/{qn('w:shd')}"


def colour_of(mark: etree._Element) -> str:
    """Return the colour that letters are given, as six digits; `UNKNOWN` for one that is not told.

    What is set to be seen on any ground is so too.
    """
    return _told(mark, "w:val", "w:themeColor", "w:theme") or UNKNOWN


def ground_of(mark: etree._Element) -> str:
    """Return the ground that a shading or a highlight gives; "" for none, `UNKNOWN` for a pattern."""
    if mark.tag == qn("w:highlight"):
        name = mark.get(qn("w:val"), "")
        return "" if name == "none" else _HIGHLIGHTS.get(name, UNKNOWN)
    pattern = mark.get(qn("w:val"), "clear")
    if pattern == "solid":
        return _told(mark, "w:color", "w:themeColor", "w:theme") or UNKNOWN
    if pattern not in ("clear", "nil"):
        return UNKNOWN
    return _told(mark, "w:fill", "w:themeFill", "w:themeFill")


def _told(mark: etree._Element, plain: str, theme: str, change: str) -> str:
    """Return the colour of an attribute, or of the theme's that goes before it; "" for none.

    A theme's colour that is made lighter or darker is the one that stands beside its name.
    """
    value, name = mark.get(qn(plain), ""), mark.get(qn(theme))
    is_changed = any(mark.get(qn(f"{change}{end}")) for end in ("Tint", "Shade"))
    if name is not None and name not in _THEME:
        return UNKNOWN
    if name is not None and not is_changed:
        return _THEME[name]
    if value in _UNPAINTED:
        return ""
    return UNKNOWN if _parts(value) is None else value


def _parts(value: str) -> bytes | None:
    try:
        parts = bytes.fromhex(value)
    except ValueError:
        return None
    return parts if len(parts) == 3 else None


def are_alike(colour: str, ground: str) -> bool:
    """Whether nobody tells one from the other, as far as both are known."""
    one, other = _parts(colour), _parts(ground)
    if one is None or other is None:
        return False
    return all(abs(a - b) <= _ALIKE for a, b in zip(one, other, strict=True))


def is_tiny(size: etree._Element) -> bool:
    """Whether letters are of a size that nobody reads, by what is said in half points."""
    value = size.get(qn("w:val"), "")
    return value.isdecimal() and int(value) < _LEAST_HALF_POINTS


def ground_under(paragraph: etree._Element) -> str:
    """Return what a paragraph without a ground of its own stands on: its cell's shading, or the paper.

    What may be painted by the table's style, the page or a drawing nearby is `UNKNOWN`.
    """
    top = paragraph
    for above in paragraph.iterancestors():
        if above.tag == qn("w:txbxContent"):
            return UNKNOWN
        if above.tag == qn("w:tc") and (ground := _first(above.iterfind(_IN_CELL))):
            return ground
        if above.tag == qn("w:tbl") and (ground := _ground_of_table(above)):
            return ground
        if above.tag == qn("w:document") and above.find(qn("w:background")) is not None:
            return UNKNOWN
        if above.tag not in (qn("w:body"), qn("w:document")):
            top = above
    beside = top.itersiblings
    near = [*islice(beside(preceding=True), _NEAR), top, *islice(beside(), _NEAR)]
    return UNKNOWN if any(True for one in near for _ in one.iter(*_DRAWINGS)) else _PAPER


def _first(shadings: Iterable[etree._Element]) -> str:
    return next(filter(None, map(ground_of, shadings)), "")


def _ground_of_table(table: etree._Element) -> str:
    marks = table.find(qn("w:tblPr"))
    if marks is None:
        return ""
    own = _first(marks.iterfind(qn("w:shd")))
    return own or (UNKNOWN if marks.find(qn("w:tblStyle")) is not None else "")

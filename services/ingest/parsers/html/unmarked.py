"""Give headings and code their tags where a page marks them by roles and classes alone."""

import re

from lxml import etree

from services.ingest.parsers.html.marks import classes_of, roles_of, text_of, whole_number

_DEFAULT_LEVEL, _DEEPEST = 2, 6
"""Of a heading whose page does not say how deep it is (WAI-ARIA 1.2, "heading"); and of HTML."""
_TITLE, _AROUND_TITLE = "title", "headertitle"
"""Classes by which Doxygen marks the title of a page, which is no heading there."""
_CODE, _LINE, _TOOLTIP = "fragment", "line", "ttc"
"""Classes by which Doxygen marks a listing, each line of it, and what it shows of a name in it."""


_AS_IT_STANDS = ("xmp", "listing", "plaintext")
"""What HTML had beside <pre> before version 4, and browsers show so."""
_WORD_TITLE = "msotitle"
_WORD_LIST = re.compile("msolist(?:paragraph|bullet).*")
_BULLET = re.compile(r"[·•§o\uf0a7\uf0b7▪-]\s*[\xa0 ]{2,}\s*")
"""How Word writes lists and titles of a text that it saves as HTML."""


def mark_unmarked(root: etree._Element) -> None:
    """Make headings of what has the role of one, or is a page's title, and code of a box of lines.

    Paragraphs that Word begins with a bullet become lists.
    """
    for one in root.iter(*_AS_IT_STANDS):
        one.tag = "pre"
    _mark_word(root)
    for one in [*root.iter("div", "p", "span")]:
        if "heading" in roles_of(one):
            level = whole_number(one.get("aria-level"), _DEFAULT_LEVEL)
            one.tag = f"h{min(max(level, 1), _DEEPEST)}"
            one.attrib.pop("role")
    for one in [*root.iter("div")]:
        found = classes_of(one)
        if _TITLE in found and _AROUND_TITLE in classes_of(one.getparent()):
            _make_title(root, one)
        elif _CODE in found and _has_lines(one):
            _make_code(one)


def _make_title(root: etree._Element, title: etree._Element) -> None:
    """Make it the topmost heading: those that are as high already are of parts of the page.

    A box in it, of the groups that the page is in, stands behind it.
    """
    for box in reversed([*title.iter("div")][1:]):
        if box.getparent() is title and not (box.tail or "").strip():
            title.addnext(box)
    if next(root.iter("h1"), None) is not None:
        for level in range(_DEEPEST - 1, 0, -1):
            for heading in [*root.iter(f"h{level}")]:
                heading.tag = f"h{level + 1}"
    title.tag = "h1"


def _mark_word(root: etree._Element) -> None:
    titles = 0
    for one in [*root.iter("p")]:
        found = classes_of(one)
        if _WORD_TITLE in found and not titles and text_of(one).strip():
            titles += 1
            _make_title(root, one)
        elif any(map(_WORD_LIST.fullmatch, found)):
            _make_item(one)


def _make_item(paragraph: etree._Element) -> None:
    """Make a list of one item of a paragraph that begins with a bullet, without that."""
    mark = next(paragraph.iter("span"), None)
    if mark is None or not _BULLET.fullmatch(text_of(mark)) or _says_before(paragraph, mark):
        return
    around = mark.getparent()
    assert around is not None
    at, tail = around.index(mark), mark.tail or ""
    around.remove(mark)
    if at:
        around[at - 1].tail = (around[at - 1].tail or "") + tail
    else:
        around.text = (around.text or "") + tail
    paragraph.tag = "ul"
    item = etree.Element("li")
    item.text, paragraph.text = paragraph.text, None
    item.extend([*paragraph])
    paragraph.append(item)


def _says_before(paragraph: etree._Element, mark: etree._Element) -> bool:
    own, first = text_of(paragraph).strip(), text_of(mark).strip()
    return not own.startswith(first)


def _has_lines(box: etree._Element) -> bool:
    marks = [classes_of(one) & {_LINE, _TOOLTIP} for one in box]
    return any(_LINE in one for one in marks) and all(marks)


def _make_code(box: etree._Element) -> None:
    """Make text as it stands of a box whose every line is a box, which no browser joins."""
    for one in [*box]:
        if _TOOLTIP in classes_of(one):
            box.remove(one)
            continue
        one.tag = "span"
        one.tail = "\n"
    box.tag, box.text = "pre", ""

"""Give headings and code their tags where a page marks them by roles and classes alone."""

from lxml import etree

from services.ingest.parsers.html.marks import classes_of, roles_of, whole_number

_DEFAULT_LEVEL, _DEEPEST = 2, 6
"""Of a heading whose page does not say how deep it is (WAI-ARIA 1.2, "heading"); and of HTML."""
_TITLE, _AROUND_TITLE = "title", "headertitle"
"""Classes by which Doxygen marks the title of a page, which is no heading there."""
_CODE, _LINE, _TOOLTIP = "fragment", "line", "ttc"
"""Classes by which Doxygen marks a listing, each line of it, and what it shows of a name in it."""


def mark_unmarked(root: etree._Element) -> None:
    """Make headings of what has the role of one, or is a page's title, and code of a box of lines."""
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

"""Tell white words that stand on a white page: no reader of it sees them."""

import re

from lxml import etree

from services.ingest.parsers.html.marks import classes_of
from services.ingest.parsers.invisible import ground_of, is_white

_MOST_STYLE = 200_000
_PAINTS = re.compile(r"background|color-scheme", re.IGNORECASE)


def is_white_on_white(element: etree._Element, root: etree._Element) -> bool:
    """Whether an element is white by its own style, and nothing in its page may be another ground.

    What a style sheet paints is not known: one that is linked, or says so of tags, may paint any of it,
    and one in the page whatever has a class below the body.
    """
    if not is_white(element.get("style") or ""):
        return False
    return not any(map(_is_painted, (element, *element.iterancestors()))) and not _is_styled(root)


def _is_painted(element: etree._Element) -> bool:
    ground = ground_of(element.get("style") or "") or (element.get("bgcolor") or "").strip()
    if ground and not is_white(f"color:{ground}"):
        return True
    if element.get("background") is not None:
        return True
    return element.tag not in ("html", "body") and bool(classes_of(element))


def _is_styled(root: etree._Element) -> bool:
    if any("stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link")):
        return True
    sheets = "".join(sheet.text or "" for sheet in root.iter("style"))[:_MOST_STYLE]
    rules = (rule.rpartition("{") for rule in sheets.split("}"))
    selectors = (
        selector.strip()
        for before, _, style in rules
        if _PAINTS.search(style)
        for selector in before.rpartition("{")[2].split(",")
    )
    return any(selector and not selector.startswith(".") for selector in selectors)

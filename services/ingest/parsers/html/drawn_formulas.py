"""Write the formulas that a page shows as pictures as the TeX that they are drawn from."""

import re
from itertools import islice

from lxml import etree

from services.ingest.parsers.html.formulas import bare_tex, is_delimited
from services.ingest.parsers.html.marks import classes_of

_CLASSES = frozenset(
    (
        *("math", "tex", "latex", "formulainl", "formuladsp"),
        *(f"mwe-math-fallback-image-{where}" for where in ("inline", "display")),
    )
)
"""Of such pictures by Sphinx, LaTeX2HTML, Doxygen and MediaWiki, in small letters."""
_HIDING = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_HOLDERS = 2
"""Elements around a picture of which one may say by its class that it is a formula."""


def drop_doubled(root: etree._Element) -> None:
    """Drop the MathML that MediaWiki hides before the picture of the same formula."""
    for image in [*root.iter("img")]:
        around, before, tex = image.getparent(), image.getprevious(), _tex_of(image)
        if (
            not tex
            or around is None
            or before is None
            or not _HIDING.search(before.get("style") or "")
        ):
            continue
        math = before.find(".//math")
        is_same = math is not None and bare_tex(math.get("alttext") or "") == tex
        if is_same and not (before.tail or "").strip():
            around.remove(before)


def write_drawn(root: etree._Element) -> None:
    """Replace pictures of formulas by spans of TeX. What is hidden has to be gone from the page."""
    for image in [*root.iter("img")]:
        tex, around = _tex_of(image), image.getparent()
        if tex and around is not None:
            span = etree.Element("span", {"class": "math"})
            span.text, span.tail = rf"\({tex}\)", image.tail
            around.replace(image, span)


def _tex_of(image: etree._Element) -> str:
    """Return the TeX of a picture: of its class, or with the signs around it; "" for any other."""
    words = image.get("alt") or ""
    if is_delimited(words):
        return bare_tex(words)
    holders = (image, *islice(image.iterancestors("div", "p", "span"), _HOLDERS))
    named = {name.lower() for one in holders for name in classes_of(one)} & _CLASSES
    return bare_tex(words) if named else ""

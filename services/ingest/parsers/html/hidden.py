"""An element that is no part of the text in, what a reader of the page sees of it out."""

from collections.abc import Collection

from lxml import etree

from services.ingest.model import Loss
from services.ingest.parsers.html.marks import classes_of, roles_of
from services.ingest.parsers.losses import CONTENTS, visible

_UNSEEN_TAGS = frozenset(
    ("script", "style", "noscript", "template", "head", "map", "rp", "input", "link", "meta")
)
_UNSEEN_CLASSES = frozenset(
    (
        *("headerlink", "hash-link", "anchorjs-link", "header-anchor", "heading-anchor"),
        *("fn-backref", "footnote-backref", "copybtn", "skip-link", "visually-hidden", "sr-only"),
    )
)
_PAGE_MARKS = frozenset(("pagebreak", "doc-pagebreak"))
_EMBEDDED = ("svg", "iframe", "object", "audio", "video", "canvas")
_AROUND = "it leads through the site and is no part of the text"

_Rule = tuple[Collection[str], Collection[str], str, str]
_RULES: tuple[_Rule, ...] = (
    (_EMBEDDED, (), "", "what it shows is no text"),
    (
        (),
        ("toctree-wrapper", "toc", "table-of-contents", "doc-toc"),
        CONTENTS.kind,
        CONTENTS.reason,
    ),
    (("form", "button", "select", "textarea", "dialog"), (), "", "it is there to be filled in"),
    ((), ("linenos", "lineno", "linenodiv"), "line numbers", "they are no part of the code"),
    (("rt",), (), "reading", "it says how to read the word beside it"),
    (("nav", "header", "footer", "aside"), (), "", _AROUND),
)
"""Tags, classes and roles; what such an element is called, its tag if nothing, and why it is left."""


def seen_in(element: etree._Element, without: etree._Element | None = None) -> int:
    """Return the characters that a reader sees of an element, but not those of `without`."""
    count = 0
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, one in walk:
        if event == "end":
            count += visible(one.tail or "") if one is not element else 0
        elif one is without or not isinstance(one.tag, str) or _is_unseen(one):
            walk.skip_subtree()
        else:
            count += visible(one.text or "")
    return count


def loss_of(element: etree._Element) -> Loss | None:
    """Return what a hidden element is to a reader of the page; None where they don't see it."""
    if _is_unseen(element) or roles_of(element) & _PAGE_MARKS:
        return None
    characters = seen_in(element)
    if not characters and element.tag not in _EMBEDDED:
        return None
    kind, reason = _name(element)
    return Loss(kind, f"line {element.sourceline}", reason, characters)


def _is_unseen(element: etree._Element) -> bool:
    if element.tag in _UNSEEN_TAGS or element.get("hidden") is not None:
        return True
    return element.get("aria-hidden") == "true" or bool(classes_of(element) & _UNSEEN_CLASSES)


def _name(element: etree._Element) -> tuple[str, str]:
    marks = classes_of(element) | roles_of(element)
    for tags, names, kind, reason in _RULES:
        if element.tag in tags or marks.intersection(names):
            return kind or str(element.tag), reason
    return "navigation", _AROUND

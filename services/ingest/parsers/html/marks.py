"""Map HTML elements to the markup of their text: emphasis, code, links, raised text."""

import re
from functools import lru_cache
from urllib.parse import unquote

from lxml import etree

from libs.language.layout import load_layout
from services.ingest.parsers.admonitions import KINDS, kind_of

_LAYOUT = load_layout()
_NONE: frozenset[str] = frozenset()
_NOT_WRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_BELOW_TITLE = frozenset(
    ("subtitle", "author", "corpauthor", "editor", "othercredit", "releaseinfo")
)
"""What DocBook sets as a title on the page of titles, though no section is named so."""
_TITLE_BLOCK = frozenset(("author", "date", "titlerest"))
"""The same of LaTeX and pandoc, whose title block need not be a part of the page."""
_BOXES = frozenset(
    ("admonition", "admonitionblock", "alert", "callout", "theme-admonition", "markdown-alert")
)
_OF_BOX = re.compile(r"(?:.*--|theme-admonition-|markdown-alert-|alert-|callout-)")
_LANGUAGE = re.compile(r"(?:language|lang|highlight(?:-source)?|brush:?)-([\w+#.-]+)")
_SHOWS_WORDS = re.compile(r"[^\W_]")
_DRAWN = re.compile(
    r"(?:katex|mjx|mathjax)(?:[-_].*)?|(?:.*[-_])?(?:icons?|glyphicon|octicon)(?:[-_].*)?"
    r"|material-(?:icons|symbols)(?:[-_].*)?|fa[bsrl]?(?:-.*)?"
)
"""Classes of words that name a drawing, and of formulas as drawn, beside which they stand as text."""
_OVER_CLASSES = frozenset(
    ("modal", "offcanvas", "drawer", "lightbox", "popover", "popup", "tooltip", "backdrop")
)
_OVER_ROLES = frozenset(("dialog", "alertdialog", "menu", "tooltip"))

_REFERENCE_CLASSES = frozenset(("footnote-reference", "footnote-ref", "footnote-anchor"))
_REPEATED_REFERENCE = "footnoteref"
"""DocBook's class of a link that names a footnote once more, with the name of its own page."""
_PICTURE_FILE = re.compile(r"\S+\.(?:png|jpe?g|gif|svg|webp|avif)", re.IGNORECASE)
_ENDING_SIGNS = ".,;:!?)]”"
_NOTE_LIST_CLASSES = frozenset(("footnotes", "footnote-list", "endnotes"))


def writable(text: str | None) -> str:
    """Return the text without what a page may have and its tree takes back from nobody."""
    return _NOT_WRITABLE.sub("", text or "")


def text_of(element: etree._Element) -> str:
    return "".join(str(part) for part in element.itertext())


def address_of(image: etree._Element) -> str:
    """Return the address of the picture that an element shows; "" where a script is to set it."""
    return (image.get("src") or image.get("data-src") or "").strip()


def description_of(image: etree._Element) -> str:
    """Return what a picture's element says of it; "" where it says that nobody did, or what is beside.

    Sphinx gives it the name of its file where nobody described it, DocBook puts one called "[Tip]" into
    the cell before the title of the box, in any language. LaTeX2HTML draws a link as "[*]",
    and a picture with areas to choose from leads elsewhere.
    """
    words = " ".join((image.get("alt") or "").split())
    around = image.getparent()
    is_sign = words.isascii() and not _SHOWS_WORDS.search(words)
    if image.get("usemap") or (is_sign and around is not None and around.tag == "a"):
        return ""
    is_file = _PICTURE_FILE.fullmatch(words) and words.split("/")[-1] in unquote(address_of(image))
    if words.casefold().strip("()[]") in _LAYOUT.undescribed or is_file:
        return ""
    cell = image.getparent()
    beside = cell.getnext() if cell is not None and cell.tag == "td" else None
    named = beside is not None and " ".join(text_of(beside).split()) == words.strip("[] ")
    return "" if named else words


def classes_of(element: etree._Element | None) -> frozenset[str]:
    named = None if element is None else element.get("class")
    # DocBook's older style sheets name theirs in capitals.
    return _words(named.lower()) if named else _NONE


# A page says the same few things of its elements, and is asked of each several times.
@lru_cache(4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def roles_of(element: etree._Element) -> frozenset[str]:
    """Return the ARIA roles and the EPUB types, which say the same things."""
    kinds = element.get("{http://www.idpf.org/2007/ops}type") or element.get("epub:type")
    role = element.get("role")
    return _words(f"{role or ''} {kinds or ''}") if role or kinds else _NONE


def is_decoration(element: etree._Element) -> bool:
    """Whether it shows no words of its own, and is marked as not to be read aloud.

    So are signs, icons and formulas as drawn. Whatever else is marked so is seen as any text is.
    """
    if element.get("aria-hidden") != "true" or element.tag == "img":
        return False
    if not any(_SHOWS_WORDS.search(str(part)) for part in element.itertext()):
        return True
    return any(_DRAWN.fullmatch(name) for name in classes_of(element))


def opens_over(element: etree._Element) -> bool:
    """Whether it is a box that opens over the page, as dialogs do, marked as not to be read aloud."""
    if element.get("aria-hidden") != "true":
        return False
    return bool(classes_of(element) & _OVER_CLASSES or roles_of(element) & _OVER_ROLES)


def is_before_sign(element: etree._Element) -> bool:
    """Whether what a line goes on with behind an element is a sign: a full stop, a bracket."""
    while not element.tail and element.getnext() is None:
        around = element.getparent()
        if around is None or around.tag not in ("sup", "span", "a"):
            return False
        element = around
    return (element.tail or " ")[0] in _ENDING_SIGNS


def is_reference(element: etree._Element) -> bool:
    """Whether a link is the mark of a footnote, such as a raised 1."""
    link = element.get("href") or ""
    if element.tag != "a" or "#" not in link:
        return False
    if roles_of(element) & {"doc-noteref", "noteref"}:
        return True
    if _REPEATED_REFERENCE in classes_of(element):
        return True
    if not link.startswith("#"):
        return False
    if classes_of(element) & _REFERENCE_CLASSES:
        return True
    parent = element.getparent()
    raised = (parent is not None and parent.tag == "sup") or element.find("sup") is not None
    return raised and bool(re.fullmatch(r"\W*\w{1,4}\W*", text_of(element).strip()))


def note_of(reference: etree._Element) -> str:
    """Return the id of the footnote that a mark leads to."""
    link = reference.get("href") or ""
    is_repeated = _REPEATED_REFERENCE in classes_of(reference)
    return link.rpartition("#")[2] if is_repeated else link.removeprefix("#")


def is_note(element: etree._Element) -> bool:
    """Whether the text of a footnote is what the element holds."""
    roles = roles_of(element)
    if roles & {"doc-footnote", "doc-endnote", "footnote", "endnote", "rearnote"}:
        return True
    found = classes_of(element)
    if element.tag in ("aside", "div") and "footnote" in found and element.get("id"):
        return True
    if element.tag == "li":
        for above in element.iterancestors("ol", "ul", "section", "div"):
            if classes_of(above) & _NOTE_LIST_CLASSES:
                return True
            if above.tag in ("section", "div"):
                return False
    return False


def holds_notes(element: etree._Element) -> bool:
    return is_note(element) or bool(classes_of(element) & _NOTE_LIST_CLASSES)


def is_label_of_note(element: etree._Element) -> bool:
    """Whether an element is the number of the footnote that it begins, as newer docutils has it."""
    parent = element.getparent()
    is_label = element.tag == "span" and "label" in classes_of(element)
    return is_label and parent is not None and is_note(parent)


def admonition_of(element: etree._Element) -> str:
    """Return the type of an admonition, such as "note"; "" for any other element."""
    found = classes_of(element)
    is_box = found & _BOXES or (
        element.tag in ("div", "aside", "section") and found and found <= KINDS
    )
    if not is_box or element.tag in ("body", "p", "span"):
        return ""
    return kind_of(sorted(_OF_BOX.sub("", name, count=1).lower() for name in found))


def language_of(element: etree._Element) -> str:
    """Return the language that a code block names, on itself or around it; "" for none."""
    code = element.find("code")
    around = [element, *element.iterancestors()][:4]
    for holder in ([code] if code is not None else []) + around:
        for name in sorted(classes_of(holder)):
            match = _LANGUAGE.fullmatch(name)
            if match and match[1] not in ("default", "none", "text"):
                return match[1]
    return ""


_TOP, _TITLE = "top", "settitle"


def is_below_title(element: etree._Element) -> bool:
    if classes_of(element) & _TITLE_BLOCK and element.tag in ("h2", "h3", "h4"):
        return True
    pages = (classes_of(outer) for outer in element.iterancestors("div"))
    return bool(classes_of(element) & _BELOW_TITLE) and any("titlepage" in page for page in pages)


def is_first_of_texinfo(heading: etree._Element) -> bool:
    """Whether it is over the opening of a manual of Texinfo, which its chapters stand beside.

    It is as high as the title of the manual over it, and higher than the chapters.
    """
    if heading.tag != "h1" or _TOP not in classes_of(heading):
        return False
    return any(_TITLE in classes_of(one) for one in heading.getroottree().iter("h1"))


def anchor_of(heading: etree._Element) -> str:
    """Return the id that leads to a heading: its own, or that of the section it opens."""
    own = heading.get("id")
    if own:
        return own
    parent = heading.getparent()
    before = heading.getprevious()
    while before is not None and before.tag == "span":
        before = before.getprevious()
    opens = parent is not None and parent.tag in ("section", "div") and before is None
    if parent is not None and opens and parent.get("id"):
        return str(parent.get("id"))
    inner = next((one.get("id") for one in heading.iter("a", "span") if one.get("id")), None)
    return inner or ""


def clear_line_numbers(code: etree._Element) -> None:
    for element in code.iter():
        if classes_of(element) & {"linenos", "lineno"}:
            for inner in element.iter():
                inner.text = None
                inner.tail = inner.tail if inner is element else None


def whole_number(text: str | None, fallback: int) -> int:
    return int(text) if text and re.fullmatch(r"-?\d{1,9}", text) else fallback

"""Map HTML elements to the markup of their text: emphasis, code, links, raised text."""

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import unquote

from lxml import etree

from libs.language.lexicon import load_layout
from services.ingest.parsers.admonitions import KINDS, kind_of

_LAYOUT = load_layout()
_NONE: frozenset[str] = frozenset()
_HIDDEN_TAGS = frozenset(
    (
        *("script", "style", "noscript", "template", "nav", "footer", "head", "form", "button"),
        *("select", "textarea", "svg", "iframe", "object", "audio", "video", "canvas", "map"),
        *(
            "dialog",
            "rp",
            "rt",
            "input",
            "link",
            "meta",
            "datalist",
            "noembed",
            "noframes",
            "title",
        ),
    )
)
_HIDDEN_ROLES = frozenset(
    ("navigation", "banner", "contentinfo", "search", "complementary", "doc-toc", "menu")
)
_HIDDEN_CLASSES = frozenset(
    (
        *("headerlink", "hash-link", "anchorjs-link", "header-anchor", "heading-anchor"),
        *("copiable-anchor", "copiable-link", "contents-heading", "shortcontents-heading"),
        *(
            "navheader",
            "navfooter",
            "footer",
            "toctree-wrapper",
            "toc",
            "toc2",
            *(
                f"list-of-{kind}"
                for kind in ("titles", "tables", "figures", "examples", "equations")
            ),
            "table-of-contents",
            "mini-toc",
            "section-toc",
            "breadcrumbs",
        ),
        *("sphinxsidebar", "docnav", "related", "navbar", "linenos", "lineno", "linenodiv"),
        *("fn-backref", "footnote-backref", "copybtn", "skip-link", "theme-doc-breadcrumbs"),
        *(
            "footer",
            "pagination-nav",
            "edit-this-page",
            "longdesc-link",
            "visually-hidden",
            "sr-only",
            "mw-editsection",
        ),
    )
)
_BESIDE = "sidebar"
"""A class of both: the menu of a site, and DocBook's and docutils' boxes of text beside the text."""
_LEAST_OF_PROSE = 80
"""Letters outside of links, from which on what stands beside the text is text."""
_MOST_WALKED = 500
"""Elements that are looked at for it: boxes in boxes are each looked at."""
_AROUND = frozenset(("next", "prev", "previous", "up", "contents", "start", "index"))
"""Relations of a page to those around it, as links name them."""
_LEAST_AROUND = 2
_STEP_LABELS = re.compile(r"\W*(?:\w+:\W*)+")
_ARROWS = frozenset("<>«»‹›←→↑⇐⇒⇑◀▶^")
_LEAST_OF_ARROWS = 2
_MOST_WORDS_OF_STEP = 3
"""Of a cell that leads elsewhere: "Up", "Table of contents"."""
_STEP_KEYS, _MOST_WORDS_OF_ROW = frozenset("pnuh"), 16
"""Keys by which DocBook's pages lead to those around them: previous, next, up, home."""
_LEAST_OF_CONTENTS = 2
_MENU = "menu"
_LEAST_OF_INDEX = 3
_NOT_WRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LETTERS = re.compile(r"[^\W\d_]")
_BELOW_TITLE = frozenset(
    ("subtitle", "author", "corpauthor", "editor", "othercredit", "releaseinfo")
)
"""What DocBook sets as a title on the page of titles, though no section is named so."""
_INDEX_CLASSES = frozenset(("genindextable", "printindex", "indexdiv", "summary-letter"))
_INDEX_TABLE = re.compile(r"index-[a-z]{2}")
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
    the cell before the title of the box, in any language.
    """
    words = " ".join((image.get("alt") or "").split())
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


def is_hidden(element: etree._Element) -> bool:
    tag = element.tag
    if tag in _HIDDEN_TAGS or element.get("hidden") is not None:
        return not (tag == "footer" and next(element.iterancestors("blockquote"), None) is not None)
    if is_label_of_note(element) or is_decoration(element) or opens_over(element):
        return True
    roles = roles_of(element)
    if roles & _HIDDEN_ROLES or "toc" in roles or "pagebreak" in roles:
        return True
    if tag == "header":
        return element.find(".//h1") is None
    if tag == "aside" or _BESIDE in classes_of(element) or element.get("id") == "banner":
        is_told = tag == "aside" and (_holds_notes(element) or admonition_of(element) or roles)
        return not (is_told or _is_prose(element))
    told = classes_of(element) & _HIDDEN_CLASSES or leads_around(element) or is_index(element)
    told = told or numbers_next(element)
    told = told or is_row_of_steps(element) or is_row_of_logos(element)
    return bool(told or is_contents(element)) and tag not in ("body", "main", "article")


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


def _is_prose(element: etree._Element) -> bool:
    """Whether what stands beside the text says more than its links do."""
    in_links = outside = depth = 0
    walk = etree.iterwalk(element, events=("start", "end"))
    for _, (event, one) in zip(range(2 * _MOST_WALKED), walk, strict=False):
        depth += (one.tag == "a") * (1 if event == "start" else -1)
        said = one.text if event == "start" else one.tail if one is not element else None
        letters = len(_LETTERS.findall(said)) if said else 0
        if depth:
            in_links += letters
        else:
            outside += letters
    return outside >= _LEAST_OF_PROSE and outside > in_links


def leads_around(element: etree._Element) -> bool:
    """Whether a line is links to the pages before, after and above, as GNU's manuals have.

    A link alone that says so by its title is one too.
    """
    if element.tag not in ("p", "div"):
        return False
    links = element.findall("a")
    if len(links) == 1 and _is_step(links[0]):
        return text_of(element).strip() == text_of(links[0]).strip()
    relations = [set((link.get("rel") or "").split()) for link in links]
    if sum(bool(named & _AROUND) for named in relations) < _LEAST_AROUND:
        return False
    # GNU's lower line says of some links in words alone where they lead: "Next: …, Up: …".
    said = "".join((element.text or "", *(link.tail or "" for link in links)))
    return all(named & _AROUND for named in relations) or (
        len(links) == len(element)
        and not any(relations[0])
        and _STEP_LABELS.fullmatch(said) is not None
    )


def numbers_next(element: etree._Element) -> bool:
    """Whether an element is nothing but a number that links to the paragraph right behind it."""
    if len(element) != 1 or element[0].tag != "a":
        return False
    target = element[0].get("href") or ""
    behind = element.getnext()
    return (
        target.startswith("#")
        and behind is not None
        and behind.get("id") == target[1:]
        and text_of(element).strip().isdecimal()
    )


def is_row_of_logos(element: etree._Element) -> bool:
    """Whether an element is the line above each page by Publican: pictures that lead to sites."""
    links = element.findall("a")
    return (
        element.get("id") == "title"
        and len(links) == len(element) > 0
        and not text_of(element).strip()
    )


def _is_step(link: etree._Element) -> bool:
    title = " ".join((link.get("title") or "").lower().split())
    return bool(title) and title.startswith(tuple(_LAYOUT.steps))


def is_row_of_steps(element: etree._Element) -> bool:
    """Whether a table is one row of arrows and short names that lead to other pages: texi2html's.

    DocBook's has keys to lead on by, and the name of the book in between.
    """
    if (
        element.tag != "table"
        or element.find(".//table") is not None  # also so that tables in tables are walked once
        or len(element.findall(".//tr")) != 1
    ):
        return False
    keys = _STEP_KEYS.intersection(link.get("accesskey") for link in element.iter("a"))
    if len(keys) >= _LEAST_AROUND and len(text_of(element).split()) <= _MOST_WORDS_OF_ROW:
        return True
    if element.find(".//th") is not None:
        return False
    cells = [text_of(cell).strip("[]|\xa0 \t\r\n").strip() for cell in element.iter("td")]
    arrows = sum(bool(cell) and _ARROWS.issuperset(cell) for cell in cells)
    return (
        arrows >= _LEAST_OF_ARROWS
        and len(element.findall(".//td//a")) >= _LEAST_OF_ARROWS
        and all(len(cell.split()) <= _MOST_WORDS_OF_STEP for cell in cells)
    )


def is_contents(element: etree._Element) -> bool:
    """Whether a list is links to places of its own page and nothing else: its contents.

    A list within another is part of that one, so that lists in lists are walked once. GNU's manuals
    have menus besides, tables of which the links may lead to other pages; one that says more stays.
    """
    around = element.getparent()
    if element.tag == "table":
        return _is_menu(element)
    if element.tag not in ("ul", "ol") or (around is not None and around.tag in ("li", "ul", "ol")):
        return False
    links = _links_alone(element, lambda said: not said.strip())
    return len(links) >= _LEAST_OF_CONTENTS and all(link.startswith("#") for link in links)


def _is_menu(table: etree._Element) -> bool:
    if _MENU not in classes_of(table) or table.find(".//table") is not None:
        return False
    return bool(_links_alone(table, lambda said: not _LETTERS.search(said)))


def _links_alone(element: etree._Element, is_nothing: Callable[[str], bool]) -> list[str]:
    """Return where the links of an element lead; none where other text than `is_nothing` is in it."""
    links: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, one in walk:
        if event == "start" and one.tag == "a":
            links.append(one.get("href") or "")
            walk.skip_subtree()
        said = one.tail if event == "end" else one.text if one.tag != "a" else None
        if (one is not element or event == "start") and said and not is_nothing(said):
            return []
    return links


def is_index(element: etree._Element) -> bool:
    """Whether an element is an index, or the row of letters that leads into one."""
    found = classes_of(element)
    if found & _INDEX_CLASSES or "doc-index" in roles_of(element):
        return True
    if element.tag == "dl":
        return _is_list_of_links(element)
    if element.tag != "table":
        return False
    letters = next(element.iter("a"), None)
    return "summary-letter" in classes_of(letters) or any(map(_INDEX_TABLE.fullmatch, found))


def _is_list_of_links(terms: etree._Element) -> bool:
    """Whether what stands for each term is links, and signs and page numbers between them.

    A list within another is part of that one, so that lists in lists are walked once.
    """
    around = terms.getparent()
    if around is not None and around.tag in ("dd", "li"):
        return False
    links = 0
    walk = etree.iterwalk(terms, events=("start", "end"))
    for event, one in walk:
        if event == "start" and one.tag in ("a", "dt"):
            links += one.tag == "a" and bool(one.get("href"))
            walk.skip_subtree()
        said = one.tail if event == "end" else one.text if one.tag not in ("a", "dt") else None
        if (one is not terms or event == "start") and said and _LETTERS.search(said):
            return False
    return links >= _LEAST_OF_INDEX


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


def _holds_notes(element: etree._Element) -> bool:
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


def is_below_title(element: etree._Element) -> bool:
    pages = (classes_of(outer) for outer in element.iterancestors("div"))
    return bool(classes_of(element) & _BELOW_TITLE) and any("titlepage" in page for page in pages)


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

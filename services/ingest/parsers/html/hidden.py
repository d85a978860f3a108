"""Say what a reader of the page sees of an element that is no part of the text."""

import re
from collections.abc import Collection, Iterator

from lxml import etree

from libs.text import collapse_space
from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import CONTENTS, INDEX, visible_in
from services.ingest.parsers.html.marks import (
    admonition_of,
    classes_of,
    holds_notes,
    is_decoration,
    is_label_of_note,
    opens_over,
    roles_of,
)
from services.ingest.parsers.html.navigation import (
    is_called_navigation,
    is_contents,
    is_index,
    is_only_row,
    is_row_of_logos,
    is_row_of_steps,
    leads_around,
    names_pointers,
    numbers_next,
)

_HIDDEN_TAGS = frozenset(
    (
        *("script", "style", "noscript", "template", "nav", "footer", "head", "form", "button"),
        *("select", "textarea", "svg", "iframe", "object", "audio", "video", "canvas", "map"),
        *("dialog", "rp", "rt", "input", "link", "meta", "datalist", "noembed", "noframes"),
        "title",
    )
)
_HIDDEN_ROLES = frozenset(
    ("navigation", "banner", "contentinfo", "search", "complementary", "doc-toc", "menu")
)
_LISTS_OF = ("titles", "tables", "figures", "examples", "equations")
_CONTENTS_CLASSES = frozenset(
    ("toctree-wrapper", "toc", "toc2", "table-of-contents", "mini-toc", "section-toc", "childlinks")
)
"""Of contents, or of what stands in their place: all of a book that Sphinx makes one page of."""
_HIDDEN_CLASSES = frozenset(
    (
        *("headerlink", "hash-link", "anchorjs-link", "header-anchor", "heading-anchor"),
        *("copiable-anchor", "copiable-link", "contents-heading", "shortcontents-heading"),
        *("navheader", "navfooter", "footer", "breadcrumbs"),
        *(f"list-of-{kind}" for kind in _LISTS_OF),
        *("sphinxsidebar", "docnav", "related", "navbar", "linenos", "lineno", "linenodiv"),
        *("navigation", "pagination-nav", "theme-doc-breadcrumbs"),
        "printfooter",
        *("fn-backref", "footnote-backref", "copybtn", "skip-link", "edit-this-page"),
        *("longdesc-link", "visually-hidden", "sr-only", "mw-editsection"),
    )
)
_HIDDEN_IDS = frozenset(("siteSub", "contentSub", "jump-to-nav", "catlinks"))
"""What MediaWiki has around an article: where it is from, and in which categories."""
_BESIDE = "sidebar"
"""A class of both: the menu of a site, and DocBook's and docutils' boxes of text beside the text."""
_LEAST_OF_PROSE = 80
"""Letters outside of links, from which on what stands beside the text is text."""
_LEAST_OF_MENU, _MOST_OUTSIDE = 5, 0.25
"""Links of a menu beside the text, and letters between them, of those in them."""
_MOST_WALKED = 500
"""Elements that are looked at for it: boxes in boxes are each looked at."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_PARTS = ("section", "article", "main")
_OPENED = ("div", "section")
_LEAST_OF_PAGE = 1000
"""Letters outside of links, more than the foot of a site has."""
_LETTERS = re.compile(r"[^\W\d_]")
_UNSEEN_TAGS = frozenset(
    (
        *("script", "style", "noscript", "template", "head", "map", "rp", "input", "link", "meta"),
        *("datalist", "noembed", "noframes", "title"),
    )
)
_UNSEEN_CLASSES = frozenset(
    (
        *("headerlink", "hash-link", "anchorjs-link", "header-anchor", "heading-anchor"),
        *("fn-backref", "footnote-backref", "copybtn", "skip-link"),
        *("copiable-anchor", "copiable-link"),
    )
)
_CONTENTS_HEADINGS = ("contents-heading", "shortcontents-heading")
_PAGE_MARKS = frozenset(("pagebreak", "doc-pagebreak"))
_EMBEDDED = ("svg", "iframe", "object", "audio", "video", "canvas")
_AROUND = "it leads through the site and is no part of the text"

_Rule = tuple[Collection[str], Collection[str], str, str]
_RULES: tuple[_Rule, ...] = (
    (_EMBEDDED, (), "", "what it shows is no text"),
    (
        (),
        (*_CONTENTS_CLASSES, "doc-toc", *_CONTENTS_HEADINGS),
        CONTENTS.kind,
        CONTENTS.reason,
    ),
    (("form", "button", "select", "textarea", "dialog"), (), "", "it is there to be filled in"),
    ((), ("linenos", "lineno", "linenodiv"), "line numbers", "they are no part of the code"),
    (("rt",), (), "reading", "it says how to read the word beside it"),
    (("nav", "header", "footer", "aside"), (), "", _AROUND),
)
"""Tags, classes and roles; what such an element is called, its tag if nothing, and why it is left."""


_TOLD_BY_TAG = _HIDDEN_TAGS | frozenset(
    ("header", "aside", "p", "div", "td", "table", "ul", "ol", "dl")
)
"""What may be hidden with nothing said of it, by what it holds."""


def is_hidden(element: etree._Element) -> bool:
    # Of most elements nothing is said, and each is asked several times; what holds one may number it.
    if element.tag not in _TOLD_BY_TAG and len(element) != 1 and not element.keys():
        return False
    return _is_hidden(element)


def _is_hidden(element: etree._Element) -> bool:
    tag = element.tag
    if element.get("hidden") is not None or tag in _HIDDEN_TAGS:
        return element.get("hidden") is not None or not _is_text_in(element)
    if is_label_of_note(element) or is_decoration(element) or opens_over(element):
        return True
    roles = roles_of(element)
    if roles & _HIDDEN_ROLES or "toc" in roles or "pagebreak" in roles:
        return not _holds_page(element)
    if tag == "header":
        return not _heads_text(element)
    if tag == "aside" or _BESIDE in classes_of(element) or element.get("id") == "banner":
        is_told = tag == "aside" and (holds_notes(element) or admonition_of(element) or roles)
        return not (is_told or _is_prose(element))
    told = element.keys() and _is_called_hidden(element)
    told = told or leads_around(element) or is_index(element) or numbers_next(element)
    told = told or _is_column_of_links(element) or is_row_of_steps(element) or is_contents(element)
    return bool(told) and tag not in ("body", "main", "article") and not _holds_page(element)


def _is_called_hidden(element: etree._Element) -> bool:
    """Whether it has a class or a name of what is no part of the text."""
    classes = classes_of(element)
    if classes & _HIDDEN_CLASSES or element.get("id") in _HIDDEN_IDS:
        return True
    if classes & _CONTENTS_CLASSES and not (_holds_sections(element) or _lists_text(element)):
        return True
    return is_called_navigation(element) or is_row_of_logos(element) or names_pointers(element)


def _is_text_in(element: etree._Element) -> bool:
    """Whether what stands around pages, or is to be filled in, is what the page is about.

    Some pages are one form, some titles are buttons that open what they stand over, and a foot of a
    quotation or a part says where that is from.
    """
    if element.tag == "footer":
        if next(element.iterancestors("blockquote"), None) is not None:
            return True
        return next(element.iterancestors("section", "article"), None) is not None and _is_prose(
            element
        )
    if element.tag == "button":
        below = element.getnext()
        opens = below is not None and below.tag in _OPENED and _is_prose(below)
        return opens or next(element.iterancestors(*_HEADINGS, "dt", "summary"), None) is not None
    if element.tag == "form":
        is_long = _count_letters(element)[1] >= _LEAST_OF_PAGE
        return is_long or _holds_sections(element)
    return element.tag == "nav" and _holds_page(element)


def _holds_page(element: etree._Element) -> bool:
    """Whether it is all of a page, whatever it is called: its title, or several, over much prose."""
    titles = [one.tag for _, one in zip(range(2), element.iter(*_HEADINGS), strict=False)]
    if not titles or not _is_prose(element):
        return False
    return "h1" in titles or (len(titles) > 1 and _count_letters(element)[1] >= _LEAST_OF_PAGE)


def _heads_text(header: etree._Element) -> bool:
    """Whether it has the title of the page, or of a part of the text: RDoc's sections have each one."""
    if header.find(".//h1") is not None:
        return True
    is_of_part = next(header.iterancestors(*_PARTS), None) is not None
    return is_of_part and next(header.iter(*_HEADINGS), None) is not None


def _is_column_of_links(cell: etree._Element) -> bool:
    """Whether a cell is the menu beside the text, where a table of one row places both."""
    row = cell.getparent()
    if cell.tag != "td" or row is None or len(row) == 1 or not is_only_row(row):
        return False
    in_links, outside = _count_letters(cell)
    is_menu = outside <= _MOST_OUTSIDE * in_links and len(cell.findall(".//a")) >= _LEAST_OF_MENU
    return is_menu and any(_is_prose(one) for one in row if one is not cell)


def _holds_sections(element: etree._Element) -> bool:
    """Whether it has titles and prose below them: what lists titles is nothing but links."""
    return next(element.iter(*_HEADINGS), None) is not None and _is_prose(element)


def _lists_text(element: etree._Element) -> bool:
    """Whether most entries of what calls itself contents are neither links nor titles of the page.

    Some lists of steps look like contents, and lead to the few that need more words.
    """
    entries = element.findall("li")
    plain = [one for one in entries if one.find(".//a[@href]") is None]
    if element.tag not in ("ul", "ol") or 2 * len(plain) <= len(entries):
        return False
    titles = {collapse_space(seen_text(one)) for one in element.getroottree().iter(*_HEADINGS)}
    new = [one for one in plain if collapse_space(seen_text(one)) not in titles]
    return 2 * len(new) > len(entries)


def _is_prose(element: etree._Element) -> bool:
    """Whether what stands beside the text says more than its links do."""
    in_links, outside = _count_letters(element)
    return outside >= _LEAST_OF_PROSE and outside > in_links


def _count_letters(element: etree._Element) -> tuple[int, int]:
    """Return how many letters are in links, and how many outside of them."""
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
    return in_links, outside


def seen_in(element: etree._Element, without: etree._Element | None = None) -> int:
    """Return how many characters a reader sees of an element, but not those of `without`."""
    return visible_in(_seen_parts(element, without))


def seen_text(element: etree._Element) -> str:
    """Return what a reader sees of an element."""
    return "".join(_seen_parts(element, None))


def _seen_parts(element: etree._Element, without: etree._Element | None) -> Iterator[str]:
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, one in walk:
        if event == "end":
            yield (one.tail or "") if one is not element else ""
        elif one is without or not isinstance(one.tag, str) or _is_unseen(one):
            walk.skip_subtree()
        else:
            yield one.text or ""


def describe_dropped(element: etree._Element) -> DroppedContent | None:
    """Return what a hidden element is to a reader of the page; None where they don't see it."""
    if element.tag == "noscript":
        characters = visible_in(map(seen_text, element)) + visible_in([element.text or ""])
        return _noscript(element, characters) if characters else None
    if _is_unseen(element) or roles_of(element) & _PAGE_MARKS:
        return None
    characters = seen_in(element)
    if not characters and element.tag not in _EMBEDDED:
        return None
    kind, reason = _name(element)
    return DroppedContent(kind, f"line {element.sourceline}", reason, characters)


def _noscript(element: etree._Element, characters: int) -> DroppedContent:
    reason = "only a browser that runs no scripts shows it"
    return DroppedContent("noscript", f"line {element.sourceline}", reason, characters)


def _is_unseen(element: etree._Element) -> bool:
    if element.tag in _UNSEEN_TAGS or element.get("hidden") is not None:
        return True
    if is_decoration(element) or is_label_of_note(element):
        return True
    return bool(classes_of(element) & _UNSEEN_CLASSES)


def _name(element: etree._Element) -> tuple[str, str]:
    if is_index(element):
        return INDEX.kind, INDEX.reason
    if is_contents(element):
        return CONTENTS.kind, CONTENTS.reason
    if opens_over(element):
        return "dialog", "it opens over the page and is no part of the text"
    marks = classes_of(element) | roles_of(element)
    for tags, names, kind, reason in _RULES:
        if element.tag in tags or marks.intersection(names):
            return kind or str(element.tag), reason
    return "navigation", _AROUND

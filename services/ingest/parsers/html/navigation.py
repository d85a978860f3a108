"""Tell what leads through the pages of a book from its text: steps, contents, menus, indexes."""

import re
from collections.abc import Callable, Iterator

from lxml import etree

from libs.language.layout import load_layout
from services.ingest.parsers.admonitions import POINTERS
from services.ingest.parsers.html.marks import admonition_of, classes_of, roles_of, text_of

_LAYOUT = load_layout()
_AROUND = frozenset(("next", "prev", "previous", "up", "contents", "start", "index"))
"""Relations of a page to those around it, as links name them."""
_LEAST_AROUND = 2
_IN_HEAD = _AROUND | {"home", "top", "first", "last", "begin", "end", "toc", "chapter", "parent"}
_BLOCKS = (
    "p",
    "div",
    "table",
    "ul",
    "ol",
    "dl",
    "center",
    "td",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
)
_NAV_CLASS = re.compile(
    r"(?:.*[-_])?(?:(?:site|page|top|bottom|head(?:er)?|foot(?:er)?|main)?nav(?:bar|igation|links?|panel)?"
    r"|pager|pagination|prev-?next|breadcrumbs?|crumbs?|navpath|tablist)(?:[-_].*)?"
)
"""Classes by which those who make pages call what leads through them."""
_STEP_LABELS = re.compile(r"\W*(?:\w+:\W*)+")
_ARROWS = frozenset("<>«»‹›←→↑⇐⇒⇑◀▶^")
_LEAST_OF_ARROWS = 2
_MOST_WORDS_OF_STEP = 3
"""Of a cell that leads elsewhere: "Up", "Table of contents"."""
_STEP_KEYS, _MOST_WORDS_OF_ROW, _MOST_ROWS_OF_STEPS = frozenset("pnuh"), 16, 2
"""Keys by which DocBook's pages lead to those around them: previous, next, up, home."""
_LEAST_OF_BAR, _MOST_BEHIND = 3, 2
_BETWEEN = re.compile(r"[|>»›→]")
_IN_BARS = frozenset(("a", "span", "img"))
_LEAST_OF_CONTENTS = 2
_LISTS, _WITHIN_LISTS = ("ul", "ol", "dl"), ("li", "ul", "ol", "dd", "dl")
_NUMBERS = re.compile(r"[\s\d.]*")
"""What stands before a title in a table of contents: "1.2."."""
_PAGE = re.compile(r"(?!\w+:|//|#).+\.x?html?(?:#.*)?", re.IGNORECASE)
"""The address of another page of a book."""
_ARROW_FILE = re.compile(
    r"(?:^|[^a-z])(?:next|prev(?:ious)?|up|home|top|back|forward|left|right|contents|toc|index|arrow)"
    r"(?:[^a-z].*)?\.\w+$",
    re.IGNORECASE,
)
"""How those who draw steps name their files, in any language."""
_SIGN = re.compile(r"\[\W\]|[¶↗⇗]")
"""What says of the words before it that more is elsewhere, as copies of MediaWiki's pages have it."""
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_TO_TOP = frozenset(("#", "#top"))
_LINES = frozenset(("p", "div", "td", "li", "center"))
_MENU = "menu"
_LEAST_OF_INDEX, _MOST_SAID_IN_INDEX = 3, 0.1
_TITLE_OF_BOX = "admonition-title"
_LETTERS = re.compile(r"[^\W\d_]")
_INDEX_CLASSES = frozenset(("genindextable", "printindex", "indexdiv", "summary-letter"))
_INDEX_TABLE = re.compile(r"index-[a-z]{2}")


def leads_around(element: etree._Element) -> bool:
    """Whether a line is links to the pages before, after and above, as GNU's manuals have.

    A link alone that says so by its title is one too, and so is a bar of links, or the way down to
    the page: "Home | News | Help", "Home > Manual > Copies".
    """
    if element.tag not in ("p", "div"):
        return False
    links = element.findall("a")
    if len(links) == 1 and _is_step(links[0]):
        return text_of(element).strip() == text_of(links[0]).strip()
    if len(links) >= _LEAST_OF_BAR and _is_bar(element):
        return True
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


def _is_bar(line: etree._Element) -> bool:
    """Whether a line is links with bars or arrows between them, the last of which may be no link."""
    parts = [line.text or "", *(one.tail or "" for one in line)]
    if any(one.tag not in _IN_BARS for one in line):
        return False
    between, last = "".join(parts[:-1]), parts[-1]
    ends = _BETWEEN.split(last)
    return (
        bool(_BETWEEN.search(between))
        and not _LETTERS.search(between)
        and len(ends) <= _MOST_BEHIND
        and len(last.split()) <= _MOST_WORDS_OF_STEP + 1
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
        and target[1:] in (behind.get("id"), behind[0].get("id") if len(behind) else None)
        and text_of(element).strip().isdecimal()
    )


def names_pointers(element: etree._Element) -> bool:
    """Whether an element only says, in any language, that what is in its box leads elsewhere."""
    around = element.getparent()
    is_title = _TITLE_OF_BOX in classes_of(element)
    return is_title and around is not None and admonition_of(around) == POINTERS


def is_row_of_logos(element: etree._Element) -> bool:
    """Whether an element is the line above each page by Publican: pictures that lead to sites."""
    if element.get("id") != "title":
        return False
    links = element.findall("a")
    return len(links) == len(element) > 0 and not text_of(element).strip()


def _is_step(link: etree._Element) -> bool:
    title = " ".join((link.get("title") or "").lower().split())
    return bool(title) and title.startswith(tuple(_LAYOUT.steps))


def is_only_row(row: etree._Element) -> bool:
    """Whether a table has but this row."""
    around = row.getparent()
    parts = (row,) if around is None or around.tag == "table" else (row, around)
    rows = ("tr", "thead", "tbody", "tfoot")
    return row.tag == "tr" and not any(
        True
        for part in parts
        for beside in (False, True)
        for _ in part.itersiblings(*rows, preceding=beside)
    )


def is_row_of_steps(element: etree._Element) -> bool:
    """Whether a table is one row of arrows and short names that lead to other pages: texi2html's.

    DocBook's has keys to lead on by, the name of the book in between, and "Home" perhaps below "Up".
    """
    # A table in a table is looked at itself: each is walked once.
    if element.tag != "table" or element.find(".//table") is not None:
        return False
    rows = len(element.findall(".//tr"))
    if rows > _MOST_ROWS_OF_STEPS:
        return False
    keys = _STEP_KEYS.intersection(link.get("accesskey") for link in element.iter("a"))
    outside = " ".join(_said_outside(element)).split() if len(keys) >= _LEAST_AROUND else ()
    if len(keys) >= _LEAST_AROUND and len(outside) <= _MOST_WORDS_OF_ROW:
        return True
    if rows != 1 or element.find(".//th") is not None:
        return False
    if _has_steps_drawn(element):
        return True
    cells = [text_of(cell).strip("[]|\xa0 \t\r\n").strip() for cell in element.iter("td")]
    arrows = sum(bool(cell) and _ARROWS.issuperset(cell) for cell in cells)
    return (
        arrows >= _LEAST_OF_ARROWS
        and len(element.findall(".//td//a")) >= _LEAST_OF_ARROWS
        and all(len(cell.split()) <= _MOST_WORDS_OF_STEP for cell in cells)
    )


def _has_steps_drawn(row: etree._Element) -> bool:
    """Whether a row has pictures that lead to other pages, and a title at most: Hyperlatex's."""
    drawn = [cell for cell in row.iter("td") if _is_step_drawn(cell)]
    return len(drawn) >= _LEAST_AROUND and len(text_of(row).split()) <= _MOST_WORDS_OF_ROW


def _is_step_drawn(cell: etree._Element) -> bool:
    links = cell.findall("a")
    if len(links) != 1 or text_of(cell).strip() or links[0].find("img") is None:
        return False
    return _PAGE.fullmatch(links[0].get("href") or "") is not None


def is_called_navigation(element: etree._Element) -> bool:
    """Whether an element has a class for what leads through pages, and little but links in it."""
    if not any(map(_NAV_CLASS.fullmatch, classes_of(element))):
        return False
    if next(element.iter("a"), None) is None:
        return False
    outside = " ".join(_said_outside(element))
    return len(outside.split()) <= _MOST_WORDS_OF_ROW


def _said_outside(element: etree._Element) -> Iterator[str]:
    """Yield what an element says outside of its links."""
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, one in walk:
        if event == "start" and one.tag == "a":
            walk.skip_subtree()
        said = one.tail if event == "end" else one.text if one.tag != "a" else None
        if said and (one is not element or event == "start"):
            yield said


def _mark_rows_to_neighbours(root: etree._Element) -> None:
    """Mark what is links alone that lead to the pages which the head names as those around this one."""
    around = {
        link.get("href")
        for link in root.iter("link")
        if link.get("href") and _IN_HEAD & set((link.get("rel") or "").lower().split())
    }
    if len(around) < _LEAST_AROUND:
        return
    for block in [*root.iter(*_BLOCKS)]:
        leads = _links_alone(block, lambda said: not _LETTERS.search(said))
        if len(leads) >= _LEAST_AROUND and around.issuperset(leads) and len(set(leads)) > 1:
            block.set("role", "navigation")


def mark_ways(root: etree._Element) -> None:
    """Mark links as navigation: signs, drawn steps, and what leads alone to the top of its own page.

    So are rows of links to the pages that the head says are around this one.
    """
    _mark_rows_to_neighbours(root)
    top = {*_TO_TOP, *_names_before_text(root)}
    for link in [*root.iter("a")]:
        if link.get("role"):
            continue
        if _is_arrow(link) or (len(link) == 0 and _SIGN.fullmatch((link.text or "").strip())):
            link.set("role", "navigation")
        if link.get("href") not in top:
            continue
        line = next((one for one in link.iterancestors() if one.tag in _LINES), None)
        if line is not None and text_of(line).strip() == text_of(link).strip():
            link.set("role", "navigation")


def _is_arrow(link: etree._Element) -> bool:
    """Whether a link to another page is nothing but the picture of a step, by the name of its file."""
    if len(link) != 1 or link[0].tag != "img" or text_of(link).strip():
        return False
    named = _ARROW_FILE.search((link[0].get("src") or "").rpartition("/")[2])
    return named is not None and _PAGE.fullmatch(link.get("href") or "") is not None


def _names_before_text(root: etree._Element) -> Iterator[str]:
    """Yield the addresses of places of the page that stand before its first heading."""
    for one in root.iter():
        if one.tag in _HEADINGS:
            return
        yield from (f"#{name}" for name in (one.get("id"), one.get("name")) if name)


def is_contents(element: etree._Element) -> bool:
    """Whether a list is links to places of its own page and nothing else: its contents.

    Numbers may stand before them, and names of parts that lead nowhere. A list within another is part
    of that one, so that lists in lists are walked once. GNU's manuals have menus besides, tables of
    which the links may lead to other pages; one that says more stays.
    """
    around = element.getparent()
    if element.tag == "table":
        return _is_menu(element)
    if element.tag not in _LISTS or (around is not None and around.tag in _WITHIN_LISTS):
        return False
    links = _links_alone(element, lambda said: not said.strip(), _NUMBERS)
    within = sum(link.startswith("#") for link in links)
    return within >= _LEAST_OF_CONTENTS and within > links.count("") == len(links) - within


def _is_menu(table: etree._Element) -> bool:
    if _MENU not in classes_of(table) or table.find(".//table") is not None:
        return False
    return bool(_links_alone(table, lambda said: not _LETTERS.search(said)))


def _links_alone(
    element: etree._Element,
    is_nothing: Callable[[str], bool],
    before: re.Pattern[str] | None = None,
) -> list[str]:
    """Return where the links of an element lead; none where other text than `is_nothing` is in it.

    What parts begin with may also be all `before`.
    """
    links: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, one in walk:
        if event == "start" and one.tag == "a":
            links.append(one.get("href") or "")
            walk.skip_subtree()
        said = one.tail if event == "end" else one.text if one.tag != "a" else None
        if event == "start" and said and before is not None and before.fullmatch(said):
            continue
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
    """Whether what stands for the terms is links, signs and page numbers, and rarely "see also".

    A list within another is part of that one, so that lists in lists are walked once.
    """
    around = terms.getparent()
    if around is not None and around.tag in ("dd", "li"):
        return False
    links = linked = outside = 0
    walk = etree.iterwalk(terms, events=("start", "end"))
    for event, one in walk:
        if event == "start" and one.tag in ("a", "dt"):
            is_link = one.tag == "a" and bool(one.get("href"))
            links += is_link
            linked += is_link and len(_LETTERS.findall(text_of(one)))
            walk.skip_subtree()
        said = one.tail if event == "end" else one.text if one.tag not in ("a", "dt") else None
        if (one is not terms or event == "start") and said:
            outside += len(_LETTERS.findall(said))
    return links >= _LEAST_OF_INDEX and outside <= _MOST_SAID_IN_INDEX * linked

"""Read where the links of a page lead: what it lists as its contents, and what it only mentions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from services.ingest.parsers.html.main_content import main_of
from services.ingest.parsers.html.marks import classes_of, roles_of
from services.ingest.parsers.html.parser import parse_tree

Link = tuple[str, int]
"""An address, and how many items of lists its own is below."""

_LISTS = ("ul", "ol", "dl")
_ENTRIES = frozenset(("li", "dt"))
_CELLS = frozenset(("td", "th"))
_LINES = frozenset(
    (
        *("p", "div", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "body", "main", "article", "html"),
        *("section", "nav", "header", "footer", "aside", "blockquote", "center", "pre", "address"),
    )
)
_BLOCKS = _ENTRIES | _CELLS | _LINES | {*_LISTS, "table", "tbody", "thead", "tr", "hr"}
_CONTENTS = frozenset(
    (
        *("toctree-wrapper", "toc", "table-of-contents", "contents", "shortcontents", "menu"),
        *("mini-toc", "section-toc"),
    )
)
"""Classes of what holds the contents of a page."""
_WORD = re.compile(r"[^\W\d_]")
_NUMBER = re.compile(r"\W*(?:\w+\s+)?(?:\d+|[IVXLCDM]+|[A-Z])(?:\.\w+)*\W*")
"""What stands before a title in a table of contents: "1.2", "Chapter 3.", "Appendix A:"."""


@dataclass(frozen=True)
class PageLinks:
    """Where the links of a page lead, in their order.

    `listed` are those that are a line of a list, of a menu, or of nothing but links; `mentioned` are
    the others, which stand in sentences or lead through the pages.
    """

    listed: list[Link]
    mentioned: list[Link]


def read_links(source: str) -> PageLinks:
    """Read the links of a page, those of its main content first."""
    root = parse_tree(source)
    listed: list[Link] = []
    mentioned: list[Link] = []
    for part in (main_of(root), root):
        entries = _Entries()
        for link, depth in _links_below(part):
            kept = listed if entries.has(link) else mentioned
            kept.append((link.get("href", ""), depth))
    return PageLinks(listed, mentioned)


def read_contents(source: str) -> list[Link]:
    """Return where the entries lead of what calls itself the contents of a page."""
    found: list[Link] = []
    entries = _Entries()
    for part in main_of(parse_tree(source)).iter("div", "ul", "ol", "dl", "table", "nav"):
        named = classes_of(part) | roles_of(part)
        if named & _CONTENTS or "doc-toc" in named:
            links = [
                (one.get("href", ""), depth)
                for one, depth in _links_below(part)
                if entries.has(one)
            ]
            found += links
    return found


def _links_below(root: etree._Element) -> Iterator[tuple[etree._Element, int]]:
    depth = 0
    for event, element in etree.iterwalk(root, events=("start", "end"), tag=(*_LISTS, "a")):
        if element.tag != "a":
            depth += 1 if event == "start" else -1
        elif event == "start" and element.get("href"):
            yield element, max(0, depth - 1)


class _Entries:
    """Tells links that are entries of a list from those in sentences; looks at a line once."""

    def __init__(self) -> None:
        self._known: dict[etree._Element, frozenset[etree._Element]] = {}

    def has(self, link: etree._Element) -> bool:
        around = next((one for one in link.iterancestors() if one.tag in _BLOCKS), None)
        if around is None:
            return False
        if around not in self._known:
            self._known[around] = frozenset(_entries_of(around))
        return link in self._known[around]


def _entries_of(line: etree._Element) -> list[etree._Element]:
    """Return the links of a line that are entries: its first, or all where it is nothing but links."""
    links, before, around = _read_line(line)
    if line.tag in _ENTRIES:
        return links[:1] if not _WORD.search(before) or _NUMBER.fullmatch(before) else []
    if line.tag in _CELLS:
        row = line.getparent()
        alone = row is None or sum(1 for one in row.iter("a") if one.get("href")) == 1
        return links if alone else []
    return links if not _WORD.search(around) else []


def _read_line(line: etree._Element) -> tuple[list[etree._Element], str, str]:
    """Return the links of a line, the words before the first, and all words outside of links."""
    links: list[etree._Element] = []
    said: list[str] = []
    before: str | None = None
    walk = etree.iterwalk(line, events=("start", "end"))
    for event, one in walk:
        if one is line:
            said.append((one.text or "") if event == "start" else "")
        elif event == "end":
            said.append(one.tail or "")
        elif one.tag in _BLOCKS:
            walk.skip_subtree()
        elif one.tag == "a" and one.get("href"):
            before = "".join(said) if before is None else before
            links.append(one)
            walk.skip_subtree()
        else:
            said.append(one.text or "")
    return links, "".join(said) if before is None else before, "".join(said)

"""Parse an HTML file into canonical text with blocks and sections."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from lxml import etree

from libs.errors import InvalidInput
from services.ingest.model.book import BlockKind, ParsedText
from services.ingest.parsers.html.byline import byline_of, lines_of_head
from services.ingest.parsers.html.linked import take_in_sheets
from services.ingest.parsers.html.listed import drop_listed, join_numbers
from services.ingest.parsers.html.marks import text_of
from services.ingest.parsers.html.reader import Page, read_page
from services.ingest.parsers.outline import (
    Item,
    assemble,
    find_heading,
    place_footnotes,
    warn_of_anchors,
    warn_of_footnotes,
)
from services.ingest.parsers.running import without_running

_LONG_TAG = re.compile(r"<[a-zA-Z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_MOST_ATTRIBUTES = 2000
"""The library compares each with all before it."""
_TOP_OF_TEXINFO = re.compile(r"Top \((.+)\)")
"""How the first page of a manual of Texinfo is called, by its node and the manual."""

_SITE_SEPARATOR = re.compile(r"\s(?:[—–|·»-]|::)\s\Z")
_FALLBACK = "<html><body></body></html>"


def parse_html(
    source: str,
    fallback_title: str,
    path: str = "",
    sheets: Mapping[str, str] = MappingProxyType({}),
    running: Collection[int] = (),
    *,
    site_title: str = "",
    opens_book: bool = False,
) -> ParsedText:
    """Parse a page at `path`; `sheets` are the style sheets of its source by their paths.

    `running` are numbers of texts that are no part of it at its beginning and its end, `site_title`
    is the name of the whole, which is no part of the page's own title. Of the page that `opens_book`
    what only its head says, who wrote it and when, stands below the title as lines of their own.
    Raises InvalidInput for one nested too deep to be read whole.
    """
    root = parse_tree(source)
    take_in_sheets(root, path, sheets.get)
    page = read_page(root)
    pieces, repeated = without_running(page.items, running)
    pieces, listed = drop_listed(join_numbers(pieces))
    title = _own_title(root, site_title) or fallback_title
    parsed = _assemble(root, page, pieces, title, opens_book=opens_book)
    dropped = (*parsed.dropped_content, *repeated, *listed)
    return replace(parsed, dropped_content=dropped)


def parse_written(root: etree._Element, fallback_title: str) -> ParsedText:
    """Parse the tree of a page that was written from another format, all of which is text."""
    page = read_page(root, is_all_text=True)
    return _assemble(root, page, page.items, fallback_title)


def _assemble(
    root: etree._Element,
    page: Page,
    pieces: Sequence[Item],
    title: str,
    *,
    opens_book: bool = False,
) -> ParsedText:
    items = list(place_footnotes(pieces, page.footnotes, page.numbers))
    name, index = find_heading(items, title)
    if opens_book:
        said = lines_of_head(root, "\n".join(item.text for item in items))
        items[index + 1 : index + 1] = [Item(BlockKind.PARAGRAPH, line) for line in said]
    warnings = [
        *warn_of_footnotes(page.items, page.footnotes, page.numbers, _ids_of(root)),
        *warn_of_anchors(items),
    ]
    parsed = assemble(name, index, items, warnings, page.dropped_content)
    return replace(parsed, byline=byline_of(root))


def _ids_of(root: etree._Element) -> list[str]:
    return [name for element in root.iter() if (name := element.get("id"))]


def read_title(source: str) -> str:
    """Return what the page's head calls it; "" where it says nothing."""
    return _title_of(parse_tree(source))


def _own_title(root: etree._Element, site_title: str) -> str:
    title = _title_of(root)
    own = title.removesuffix(site_title)
    parted = _SITE_SEPARATOR.search(own) if own != title else None
    return own[: parted.start()] if parted else title


def _title_of(root: etree._Element) -> str:
    title = " ".join((root.findtext(".//title") or "").split())
    top = _TOP_OF_TEXINFO.fullmatch(title)
    return top[1] if top else title


def parse_tree(source: str, *, xml: bool = False) -> etree._Element:
    """Return the root element. Names of XHTML lose their namespace.

    Nothing is fetched, no entity but those of HTML itself is resolved. Raises InvalidInput.
    """
    _check_attributes(source)
    data = source.encode("utf-8", "replace")
    if xml:
        parser = etree.XMLParser(
            encoding="utf-8",
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            return _with_hidden_columns(_without_namespaces(etree.fromstring(data, parser)))
        except etree.XMLSyntaxError:
            pass  # many books claim to be XHTML: what is not well-formed is read as HTML
    lenient = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True
    )
    try:
        root = etree.fromstring(data, lenient)
    except etree.XMLSyntaxError:  # no element at all
        root = None
    if _is_too_deep(lenient):
        raise InvalidInput("it is nested too deep to be read")
    return etree.fromstring(_FALLBACK) if root is None else root


def _with_hidden_columns(root: etree._Element) -> etree._Element:
    """Mark what stands in columns, which only XML can have there: browsers do not draw it."""
    for one in root.iter("col", "colgroup"):
        if text_of(one).strip() and next(one.iterancestors("colgroup"), None) is None:
            one.set("hidden", "")
    return root


def _check_attributes(source: str) -> None:
    for tag in _LONG_TAG.finditer(source):
        if (
            len(tag[0]) > 2 * _MOST_ATTRIBUTES
            and len(_QUOTED.sub("", tag[0]).split()) > _MOST_ATTRIBUTES
        ):
            raise InvalidInput(f"one of its tags has more than {_MOST_ATTRIBUTES} attributes")


def _is_too_deep(parser: etree.HTMLParser) -> bool:
    return any("depth" in entry.message for entry in parser.error_log)


def _without_namespaces(root: etree._Element) -> etree._Element:
    for element in root.iter():
        if isinstance(element.tag, str) and "}" in element.tag:
            element.tag = element.tag.split("}", 1)[1]
    return root

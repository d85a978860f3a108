"""Find who wrote an HTML page and when, in its title block and its head."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lxml import etree

from services.ingest.model.byline import Byline, read_byline
from services.ingest.parsers.html.marks import text_of
from services.ingest.parsers.said_of_itself import lines_of

_AUTHORS = ("author", "dc.creator", "dcterms.creator", "citation_author", "article:author")
_DATES = (
    *("dcterms.created", "dc.date.created", "datecreated"),
    *("dcterms.issued", "dc.date.issued", "datepublished", "article:published_time"),
    *("book:release_date", "citation_publication_date", "citation_date"),
    *("dcterms.date", "dc.date", "publication_date", "pubdate", "date"),
)
"""Names in a page's head for when a text was made, the plainest first; none for when it was changed."""
_TITLES = ("h1", "h2", "h3", "h4", "h5", "h6")
_BY_CLASS = frozenset(("author", "authors", "ltx_personname"))
_BESIDE = frozenset(("subtitle", "date", "pubdate", "edition"))
"""Classes of other lines of a title block, which makers write as titles."""
_PREFIX = re.compile("^(dc|dcterms):")


class HeadByline(NamedTuple):
    """Names of authors and the date that the head of a page says, as it says them."""

    authors: tuple[str, ...] = ()
    date: str = ""


def byline_in_head(root: etree._Element) -> HeadByline:
    said = [*_said_in_head(root)]
    dates = (text for name in _DATES for key, text in said if key == name)
    date = next((one for one in dates if read_byline((), one).year), "")
    return HeadByline(read_byline(_names_in(said)).authors, date)


def lines_of_head(root: etree._Element, text: str) -> list[str]:
    """Return lines that say who wrote a page and when, where only its head does and not its `text`.

    They are in the language that the page says, or else is found to be in.
    """
    head = byline_in_head(root)
    return lines_of(head.authors, head.date, text, _declared(root))


def _declared(root: etree._Element) -> str:
    said = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    return said.partition("-")[0].lower()


def _names_in(said: Sequence[tuple[str, str]]) -> list[str]:
    """Return who the head says wrote the page; some put the version there, some their address."""
    named = ([text for key, text in said if key == name] for name in _AUTHORS)
    return [one for one in next(filter(None, named), []) if _is_name(one)]


def _is_name(text: str) -> bool:
    return "/" not in text and not any(map(str.isdecimal, text))


def byline_of(root: etree._Element) -> Byline:
    """Return whom the title page names, as DocBook does, else the page's head, and the year there."""
    titled = list(map(text_of, _title_block(root)))
    head = byline_in_head(root)
    authors = read_byline(filter(_is_name, titled)).authors if titled else head.authors
    return Byline(authors, read_byline((), head.date).year)


def _title_block(root: etree._Element) -> Iterator[etree._Element]:
    """Yield what says by its class who wrote the page, from its beginning to its second title.

    So do pages that LaTeX, Texinfo, DocBook and pandoc were made into.
    """
    titles = 0
    for one in root.iter(*_TITLES, "p", "div", "span", "strong"):
        classes = frozenset((one.get("class") or "").split())
        if classes & _BY_CLASS:
            inner = (
                frozenset((other.get("class") or "").split()) for other in one.iterdescendants()
            )
            if not any(_BY_CLASS & other for other in inner):
                yield one
        elif one.tag in _TITLES and not classes & _BESIDE:
            titles += 1
            if titles > 1:
                return


def _said_in_head(root: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield the names of what the page says of itself, in lower case, and what it says."""
    for one in root.iter("meta"):
        for kind in ("name", "property", "itemprop"):
            if key := one.get(kind):
                yield _PREFIX.sub(r"\1.", key.strip().lower()), one.get("content") or ""

"""Find who wrote an HTML page and when, in its title block and its head."""

import re
from collections.abc import Iterator

from lxml import etree

from services.ingest.model.byline import Byline, read_byline
from services.ingest.parsers.html.marks import text_of

_AUTHORS = ("author", "dc.creator", "dcterms.creator", "citation_author", "article:author")
_DATES = (
    *("dcterms.created", "dc.date.created", "datecreated"),
    *("dcterms.issued", "dc.date.issued", "datepublished", "article:published_time"),
    *("book:release_date", "citation_publication_date", "citation_date"),
    *("dcterms.date", "dc.date", "publication_date", "pubdate", "date"),
)
"""Names in a page's head for when a text was made, the plainest first; none for when it was changed."""
_PREFIX = re.compile("^(dc|dcterms):")


def byline_of(root: etree._Element) -> Byline:
    """Return whom the title page names, as DocBook does, else the page's head, and the year there."""
    titled = [
        text_of(one) for level in (2, 3, 4) for one in root.findall(f".//h{level}[@class='author']")
    ]
    said = [*_said_in_head(root)]
    headed = next(
        (texts for name in _AUTHORS if (texts := [text for key, text in said if key == name])), []
    )
    # Some put the version there, some the address of who wrote it.
    names = [one for one in titled or headed if "/" not in one and not any(map(str.isdecimal, one))]
    dates = (text for name in _DATES for key, text in said if key == name)
    years = (year for date in dates if (year := read_byline((), date).year))
    return Byline(read_byline(names).authors, next(years, 0))


def _said_in_head(root: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield the names of what the page says of itself, in lower case, and what it says."""
    for one in root.iter("meta"):
        for kind in ("name", "property", "itemprop"):
            if key := one.get(kind):
                yield _PREFIX.sub(r"\1.", key.strip().lower()), one.get("content") or ""

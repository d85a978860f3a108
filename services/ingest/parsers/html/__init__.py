"""Parse HTML and XHTML."""

from services.ingest.parsers.html.hidden import seen_in
from services.ingest.parsers.html.linked import take_in_sheets
from services.ingest.parsers.html.links import PageLinks, read_contents, read_links
from services.ingest.parsers.html.listed import join_numbers
from services.ingest.parsers.html.marks import writable
from services.ingest.parsers.html.parser import (
    parse_html,
    parse_tree,
    parse_written,
    read_title,
)
from services.ingest.parsers.html.reader import Page, read_page
from services.ingest.parsers.html.tags_alone import Around, hides_tags

__all__ = [
    "Around",
    "Page",
    "PageLinks",
    "hides_tags",
    "join_numbers",
    "parse_html",
    "parse_tree",
    "parse_written",
    "read_contents",
    "read_links",
    "read_page",
    "read_title",
    "seen_in",
    "take_in_sheets",
    "writable",
]

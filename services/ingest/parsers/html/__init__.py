"""Parse HTML and XHTML."""

from services.ingest.parsers.html.hidden import seen_in
from services.ingest.parsers.html.linked import take_in_sheets
from services.ingest.parsers.html.links import PageLinks, read_contents, read_links
from services.ingest.parsers.html.marks import writable
from services.ingest.parsers.html.parser import parse_html, parse_tree, read_title
from services.ingest.parsers.html.reader import Page, read_page

__all__ = [
    "Page",
    "PageLinks",
    "parse_html",
    "parse_tree",
    "read_contents",
    "read_links",
    "read_page",
    "read_title",
    "seen_in",
    "take_in_sheets",
    "writable",
]

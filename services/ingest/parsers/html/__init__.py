"""Parse HTML and XHTML."""

from services.ingest.parsers.html.hidden import seen_in
from services.ingest.parsers.html.parser import parse_html, parse_tree, read_links, read_title
from services.ingest.parsers.html.reader import Page, read_page

__all__ = [
    "Page",
    "parse_html",
    "parse_tree",
    "read_links",
    "read_page",
    "read_title",
    "seen_in",
]

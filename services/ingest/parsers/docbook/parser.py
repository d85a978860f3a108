"""Parse a DocBook document, which its parts have been put into, into canonical text."""

from dataclasses import replace

from services.ingest.model.book import ParsedText
from services.ingest.parsers.docbook.page import Page
from services.ingest.parsers.docbook.tree import read_tree
from services.ingest.parsers.html import parse_written


def parse_docbook(source: str, fallback_title: str, path: str = "") -> ParsedText:
    """Parse versions 3 to 5; no file but this one is looked at, whatever its entities name.

    Raises InvalidInput for what is no well-formed XML, is nested too deep, or has entities that grow
    without bounds.
    """
    writer = Page(read_tree(source, path))
    parsed = parse_written(writer.write(), fallback_title)
    return replace(
        parsed,
        warnings=(*writer.warnings(), *parsed.warnings),
        dropped_content=(*writer.dropped, *parsed.dropped_content),
    )

"""AsciiDoc: the markup that manuals use of it is rewritten as Markdown, and read as that."""

from services.ingest.parsers.asciidoc.parser import parse_asciidoc

__all__ = ["parse_asciidoc"]

"""AsciiDoc: the markup that manuals use of it is rewritten as Markdown, and read as that."""

from services.ingest.parsers.asciidoc.others import names_of, read_names, refers
from services.ingest.parsers.asciidoc.parser import parse_asciidoc

__all__ = ["names_of", "parse_asciidoc", "read_names", "refers"]

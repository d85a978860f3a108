"""Parse DocBook, versions 3 to 5, as XML."""

from services.ingest.parsers.docbook.books import Books, find_books
from services.ingest.parsers.docbook.parser import parse_docbook

__all__ = ["Books", "find_books", "parse_docbook"]

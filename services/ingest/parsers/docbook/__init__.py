"""Parse DocBook, versions 3 to 5, as XML; its parser is loaded when a document needs it."""

from services.ingest.parsers.docbook.books import Books, find_books

__all__ = ["Books", "find_books"]

"""Parse pages of Mallard, which GNOME's help is written in; the parser is loaded when one needs it."""

from services.ingest.parsers.mallard.head import Head, read_head

__all__ = ["Head", "read_head"]

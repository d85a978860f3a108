"""Parse pages of Mallard, which GNOME's help is written in."""

from services.ingest.parsers.mallard.head import Head, read_head
from services.ingest.parsers.mallard.parser import parse_mallard

__all__ = ["Head", "parse_mallard", "read_head"]

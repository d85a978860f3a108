"""Parse plain text, whose structure is inferred."""

from services.ingest.parsers.plain.parser import parse_plain, read_layout

__all__ = ["parse_plain", "read_layout"]

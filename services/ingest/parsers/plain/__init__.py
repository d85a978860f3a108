"""Parse plain text, whose structure is inferred."""

from services.ingest.parsers.plain.parser import parse_plain

__all__ = ["parse_plain"]

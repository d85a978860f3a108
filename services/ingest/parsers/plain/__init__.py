"""Plain text in; canonical text, blocks and sections out, its structure inferred."""

from services.ingest.parsers.plain.parser import parse_plain

__all__ = ["parse_plain"]

"""Parse DOCX."""

from services.ingest.parsers.docx.parser import parse_docx

__all__ = ["parse_docx"]

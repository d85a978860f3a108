"""Parse PDF."""

from services.ingest.parsers.pdf.parser import parse_pdf

__all__ = ["parse_pdf"]

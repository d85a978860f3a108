"""DOCX in; canonical text, blocks and sections out."""

from services.ingest.parsers.docx.parser import parse_docx

__all__ = ["parse_docx"]

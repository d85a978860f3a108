"""Parse reStructuredText."""

from services.ingest.parsers.rst.names import read_names, read_toctrees
from services.ingest.parsers.rst.parser import parse_rst, read_pieces

__all__ = ["parse_rst", "read_names", "read_pieces", "read_toctrees"]

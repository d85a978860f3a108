"""Markdown and MDX in; canonical text, blocks and sections out."""

from services.ingest.parsers.markdown.front_matter import FrontMatter, read_front_matter
from services.ingest.parsers.markdown.parser import VERSION, parse_markdown

__all__ = ["VERSION", "FrontMatter", "parse_markdown", "read_front_matter"]

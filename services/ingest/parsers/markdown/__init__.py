"""Parse Markdown and MDX."""

from services.ingest.parsers.markdown.front_matter import (
    FrontMatter,
    front_matter_of,
    read_front_matter,
)
from services.ingest.parsers.markdown.items import DEFINED_TERM, TERM
from services.ingest.parsers.markdown.parser import VERSION, parse_markdown

__all__ = [
    "DEFINED_TERM",
    "TERM",
    "VERSION",
    "FrontMatter",
    "front_matter_of",
    "parse_markdown",
    "read_front_matter",
]

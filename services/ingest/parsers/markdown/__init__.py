"""Parse Markdown and MDX."""

from services.ingest.parsers.markdown.front_matter import (
    FrontMatter,
    Position,
    front_matter_of,
    names_in,
    read_front_matter,
)
from services.ingest.parsers.markdown.items import DEFINED_TERM, TERM
from services.ingest.parsers.markdown.nested import EVAL_HTML
from services.ingest.parsers.markdown.parser import VERSION, parse_markdown
from services.ingest.parsers.markdown.quarto import ENDINGS as QUARTO_ENDINGS
from services.ingest.parsers.markdown.quarto import rewrite_quarto
from services.ingest.parsers.markdown.titles import (
    heads_of,
    read_titles,
    read_toctrees,
    read_whole_title,
    refers,
)

__all__ = [
    "DEFINED_TERM",
    "EVAL_HTML",
    "QUARTO_ENDINGS",
    "TERM",
    "VERSION",
    "FrontMatter",
    "Position",
    "front_matter_of",
    "heads_of",
    "names_in",
    "parse_markdown",
    "read_front_matter",
    "read_titles",
    "read_toctrees",
    "read_whole_title",
    "refers",
    "rewrite_quarto",
]

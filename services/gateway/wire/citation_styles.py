"""Write a citation in one of the three styles of the profiles."""

import re
from functools import cache

from libs.errors import NotFound
from libs.profiles import load_profile
from services.gateway.model.answers import Citation

_LEAST_WORDS, _EXCERPT_WORDS = 30, 50
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


@cache
def style_of(profile: str) -> str:
    """Return a profile's citation style; "number" for a profile that only generation knows."""
    try:
        return load_profile(profile).generation.citation_style
    except NotFound:
        return "number"


def write_marker(citation: Citation, style: str) -> str:
    """Return a marker for text: `[Source 2]`, title, page and excerpt, or a linked section."""
    path = citation.section_path or [citation.document]
    if style == "section":
        section = " > ".join(path)
        return f"[Section: {section}]" + (f"({citation.url})" if citation.url else "")
    if style == "excerpt":
        number = citation.page_label or citation.page
        page = f" (Page {number})" if number else ""
        return f'[Source: {path[-1]}{page} - "{cut_excerpt(citation.quote)}"]'
    return f"[Source {citation.n}]"


def cut_excerpt(quote: str) -> str:
    """Return a quote of up to 50 words whole; of a longer one its first sentences, 30 to 50 words.

    Where no sentence ends there, its first 50 words.
    """
    words = quote.split()
    if len(words) <= _EXCERPT_WORDS:
        return quote
    ends = [found.end() for found in _SENTENCE_END.finditer(quote)]
    sizes = {end: len(quote[:end].split()) for end in ends}
    fitting = [end for end in ends if _LEAST_WORDS <= sizes[end] <= _EXCERPT_WORDS]
    return quote[: fitting[-1]] if fitting else " ".join(words[:_EXCERPT_WORDS])

"""Write blocks of AsciiDoc as fences of Markdown: code, formulas, and HTML that is passed through."""

import re
from collections.abc import Sequence

from services.ingest.parsers.asciidoc import lines as kinds
from services.ingest.parsers.asciidoc.inline import Inline
from services.ingest.parsers.markdown import EVAL_HTML

_LANGUAGE = re.compile(r"(?:source|,)\s*%?\w*,?\s*([\w+-]+)")
_FORMULAS = ("stem", "latexmath", "asciimath")
_TAG = re.compile(r"</?[A-Za-z][\w:-]{0,40}(?:\s[^<>]{0,2000})?/?>")
_INDEX_TERM = re.compile(r"\(\(\([^()\n]{1,300}(?:\([^()\n]{0,300}\)[^()\n]{0,300})*\)\)\)")
_BARE_LINK = re.compile(r"(<a\s[^<>]{0,500}>)#([\w:.-]{1,200})(?=</a>)")
"""A link that shows the id that it leads to: makers of pages write there what has that id."""
_SUBSTITUTED = re.compile(r"subs=\"?[^\"\]]*\b(?:attributes|normal)\b")


def fence_code(lines: Sequence[str], attributes: str, title: str) -> list[str]:
    """Return code with its language and its title between two lines."""
    language = _LANGUAGE.search(attributes) if "source" in attributes else None
    named = f' title="{title}"' if title else ""
    fence = _fence_of("\n".join(lines))
    shown = [kinds.without_callout(line) for line in lines]
    return [f"{fence}{language[1] if language else ''}{named}", *shown, fence]


def fence_passed(lines: Sequence[str], attributes: str, inline: Inline) -> list[str] | None:
    """Return formulas or HTML between two lines; None for what is neither."""
    style = kinds.style_of(attributes)
    if style in _FORMULAS:
        fences = ("$$", "$$") if inline.is_tex(style) else ("```asciimath", "```")
        return [fences[0], *lines, fences[1]]
    text = "\n".join(lines)
    if not _TAG.search(text):
        return None
    text = _INDEX_TERM.sub("", text)
    text = _BARE_LINK.sub(lambda found: found[1] + inline.title_of(found[2]), text)
    text = inline.known(text) if _SUBSTITUTED.search(attributes) else text
    fence = _fence_of(text)
    return [f"{fence}{EVAL_HTML}", *text.split("\n"), fence]


def _fence_of(text: str) -> str:
    longest = max((len(found) for found in re.findall(r"`{3,}", text)), default=2)
    return "`" * (longest + 1)

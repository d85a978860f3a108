"""Find the sections of a manual page: titles in capitals at the margin, with all the rest deeper."""

import re
from collections.abc import Sequence

from services.ingest.parsers.plain.headings import Heading
from services.ingest.parsers.plain.lines import indent_of

_TITLE = re.compile(r"[^\W\d_][^a-z|=<>{}\\;$]{1,58}(?<![.,:;!?\s])")
_LEAST = 3
_LEAST_INDENT = 2
_MOST_MARGINAL = 2
"""Other lines at the margin: those at the top and the foot of the page."""


def find_sections(blocks: Sequence[Sequence[str]]) -> dict[int, Heading]:
    """Return the titles by the index of the block that each begins; none where it is no such page."""
    found = {at: lines[0] for at, lines in enumerate(blocks) if _is_title(at, blocks)}
    marginal = sum(indent_of(line) == 0 for lines in blocks for line in lines) - len(found)
    is_page = len(found) >= _LEAST and marginal <= _MOST_MARGINAL
    # Those who speak in a play have a line of theirs too, and speak again.
    if not is_page or len(set(found.values())) < len(found):
        return {}
    return {at: Heading(" ".join(title.split()), "manual", 1) for at, title in found.items()}


def _is_title(at: int, blocks: Sequence[Sequence[str]]) -> bool:
    line, *rest = blocks[at]
    if not _TITLE.fullmatch(line) or not line.isupper() or "  " in line:
        return False
    below = rest or (blocks[at + 1] if at + 1 < len(blocks) else [])
    return bool(below) and indent_of(below[0]) >= _LEAST_INDENT

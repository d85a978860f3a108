"""A unit in; whether it only points to where something would be said, out.

A list of links, of literature or of what a lesson will teach names everything and tells nothing.
"""

import re

from services.generation.adapters.quotable import Quotable, distinct_terms
from services.generation.model import BlockKind

_READING = re.compile(
    r"^[\w ]{0,30}\b(references?|citations?|bibliography|literature|reading|resources|see also"
    r"|learn more|tutorials|documentation|courses|papers|objectives|goals|outcomes)\b[\w ()]{0,12}:?$",
    re.IGNORECASE,
)
"""A title of such a list, or what introduces it."""

_TEACHES = re.compile(
    r"\b((?:you(?: will|[’']ll)|be able to|ability to)\b[^.]*):\W*$", re.IGNORECASE
)


def is_aside(item: Quotable, asked: frozenset[str]) -> bool:
    """Whether the unit is of such a list, and the question, whose terms are `asked`, wants none."""
    if item.unit.kind is not BlockKind.LIST_ITEM:
        return False
    titles = (item.heading, *item.passage.locator.section_path[1:])
    found = [_READING.search(text) for text in (*titles, item.lead_text)]
    found.append(_TEACHES.search(item.lead_text))
    kinds = [distinct_terms(match[1]) for match in found if match is not None]
    return bool(kinds) and not any(kind & asked for kind in kinds)

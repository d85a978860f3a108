"""A unit in; whether it only points to where something would be said, out.

A list of links, of literature or of what a lesson will teach names everything and tells nothing; nor
does a caption, what introduces a list that is not there, or a sentence by which a book leads on ("In
this chapter, we'll talk about …") or elsewhere ("For more information see …").
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

_LEADS_ON = re.compile(
    r"\b(?:we|you)(?:[’']ll| will|[’']re going to| are going to)(?: \w+){0,2}? (?:learn|talk|discuss"
    r"|explore|cover|look at|look into|review|examine|return to|introduce|dive)\b"
    r"|\blet[’']s (?:\w+ )?(?:look|review|explore|talk|discuss|examine|return|turn|dive|get started)\b"
    r"|^\W*(?:this|the next|the following) (?:chapter|section|lesson|module|part) (?:\w+ )?(?:covers"
    r"|describes|explains|distinguishes|introduces|discusses|explores|shows|provides)\b",
    re.IGNORECASE,
)
_LED_ON = re.compile(rf"({_LEADS_ON.pattern}|you[’']ve (?:now )?learned)[^.]*:\W*$", re.IGNORECASE)
"""What introduces a list of what a part of the book is about."""

_NAMED = re.compile(
    r"\b(?:listing|figure|fig|table|picture|image|diagram|chart|caption)s?\b", re.IGNORECASE
)
"""What a caption stands under: alone it tells nothing."""

_POINTS = re.compile(
    r"^(?:please )?(?:see(?: also)?|refer to|read)\b(?! if| whether| that| how| what)"
    r"|\bfor (?:more|additional|further) (?:information|details?)\b|\b(?:see|read|refer to)\b"
    r"[^.]{0,60}\bfor (?:more|additional|further) ",
    re.IGNORECASE,
)
"""What only says where to read on."""

_WHERE = re.compile(
    r"\b(?:where|which|links?|more|read|information|documentation|guide|page)\b",
    re.IGNORECASE,
)
"""A question that may want just that."""

_OF_BOOK = re.compile(
    r"\b(?:book|chapter|course|lesson|module|part|section|tutorial)s?\b", re.IGNORECASE
)


def is_aside(item: Quotable, question: str) -> bool:
    """Whether the unit is such a one, and `question` wants none."""
    if item.unit.kind is BlockKind.CAPTION:
        return not _NAMED.search(question)
    if item.text.rstrip().endswith(":"):
        return True
    if item.unit.kind is BlockKind.PARAGRAPH:
        leads_on = _LEADS_ON.search(item.text) is not None and not _OF_BOOK.search(question)
        return leads_on or (_POINTS.search(item.text) is not None and not _WHERE.search(question))
    return item.unit.kind is BlockKind.LIST_ITEM and _is_of_list(item, distinct_terms(question))


def _is_of_list(item: Quotable, asked: frozenset[str]) -> bool:
    titles = (item.heading, *item.passage.locator.section_path[1:])
    found = [_READING.search(text) for text in (*titles, item.lead_text)]
    found.append(_TEACHES.search(item.lead_text))
    found.append(_LED_ON.search(item.lead_text))
    kinds = [distinct_terms(match[1]) for match in found if match is not None]
    return bool(kinds) and not any(kind & asked for kind in kinds)

"""Tell what a textbook says to whoever is to draw its pictures, and to no reader.

Below "Diagram: Cost Curves" stand what it is to show, in which colours, and what students are to
learn of it: "Visual elements: …". What the book itself goes on with there is prose or a table.
"""

import re

from libs.text import COLONS
from services.generation.extractive.candidates import CandidateSpan
from services.generation.extractive.places import follow_each_other
from services.generation.model import BlockKind

_LABEL = re.compile(r"^\W*[^\W\d_][^.!?:]{1,50}:(?:\s|$)")
_SENTENCE_END = re.compile(r"[.!?…]\W*$")


def is_specification(item: CandidateSpan, question: str) -> bool:
    """Whether the span specifies a picture, and `question` asks for none."""
    rules = item.rules
    if rules.specifies.search(item.heading) is None or rules.picture_asked.search(question):
        return False
    if item.span.kind is BlockKind.TABLE:
        return False
    return item.span.kind is not BlockKind.PARAGRAPH or _is_labelled(item)


def _is_labelled(item: CandidateSpan) -> bool:
    """Whether the line that the span is of begins with a label, or ends in no sentence."""
    first = item.index
    while first and follow_each_other(item.passage, first - 1):
        first -= 1
    begun = item.passage.text_of(item.passage.spans[first])
    is_open = not _SENTENCE_END.search(item.text) and not item.text.rstrip().endswith(COLONS)
    return _LABEL.match(begun) is not None or is_open

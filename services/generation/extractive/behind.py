"""Show with a lead the sentence behind it in its line, where only that has what is asked.

"Set it to 0, and no entry is kept. We recommend no more than 10." says by its second sentence how many
are recommended, and "It is off in Wayland. To use it there, you must set …" how to use it.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from libs.question.expected import AnswerKind
from libs.question.synonyms import said_of
from services.generation.extractive.candidates import CandidateSpan
from services.generation.extractive.features import Asked
from services.generation.extractive.places import Place, is_new_line, joined_with
from services.generation.model import BlockKind

_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.ADMONITION)
_FIGURE = re.compile(r"\d")


def with_behind(asked: Asked, item: CandidateSpan, lead: Sequence[Place]) -> list[Place]:
    """Return what leads, the span last, with the sentence behind that, if it tells what is asked."""
    passage = item.passage
    if asked.own or asked.selection is not None or not lead or lead[-1].source != item.source:
        return list(lead)
    at = next((at for at, one in enumerate(passage.spans, 1) if one.end == lead[-1].span.end), 0)
    kinds = [one.kind for one in passage.spans[at - 1 : at + 1]] if at else []
    if len(kinds) < 2 or kinds[0] not in _PROSE or kinds[0] is not kinds[1]:
        return list(lead)
    behind = replace(item, index=at, intro=None)
    if is_new_line(passage, at) or not _tells(asked, item, behind):
        return list(lead)
    return joined_with(lead, passage.spans[at])


def _tells(asked: Asked, item: CandidateSpan, behind: CandidateSpan) -> bool:
    """Whether the sentence behind has a number of what the lead says little of, or the way."""
    said = _said(asked, f"{item.text}\n{item.over}\n{item.titles_text}")
    told = _said(asked, behind.text)
    if asked.expects(AnswerKind.QUANTITY):
        is_told = 2 * len(said) >= len(asked.words) and _FIGURE.search(item.text) is not None
        return not is_told and bool(told - said) and _FIGURE.search(behind.text) is not None
    if not asked.expects(AnswerKind.PROCEDURE) or item.tells_how:
        return False
    return behind.tells_how and 2 * len(told) > len(asked.words)


def _said(asked: Asked, text: str) -> frozenset[str]:
    return said_of(asked.words, text, asked.lexicon, asked.analysis.language)

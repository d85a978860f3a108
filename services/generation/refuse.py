"""What was found, or what is left of a draft, in; a refusal in the profile's words out."""

import re

from libs.profiles import Refusals
from services.generation.address import lacks_price, unknown_names
from services.generation.model import Question, Refusal, RefusalCode, SearchResult

_RELATED = "{related}"
_NAMES_RELATED = re.compile(r" ?[^.]*\{related\}[^.]*\.?")
"""A sentence that names the nearest sections."""


def refuse_unwritten(search: SearchResult, question: Question, texts: Refusals) -> Refusal | None:
    """Return why nothing is to be written of what was found; None when it covers the question."""
    if search.passages and is_covered(search, question):
        return None
    if search.passages:
        return _refuse(RefusalCode.NOT_COVERED, texts.not_covered, search, question)
    return _refuse(RefusalCode.NOTHING_FOUND, texts.nothing_found, search, question)


def refuse_empty(
    search: SearchResult, question: Question, texts: Refusals, *, withheld: bool
) -> Refusal:
    """Return why no sentence is left: all were withheld, or the draft had none and says so by that."""
    if withheld:
        return _refuse(RefusalCode.NOT_VERIFIED, texts.not_verified, search, question)
    return _refuse(RefusalCode.NOT_COVERED, texts.declined, search, question)


def is_covered(search: SearchResult, question: Question) -> bool:
    """Whether the gate let the question pass, and its names, years and price are in the passages.

    The gate judges whether passages answer a question; marked text alone asks none.
    """
    if not question.text:
        return True
    if question.selection is not None or not search.gate.passed:
        return search.gate.passed
    lacks = lacks_price(question.text, search.passages)
    return not lacks and not unknown_names(question.text, search.passages)


def _refuse(code: RefusalCode, text: str, search: SearchResult, question: Question) -> Refusal:
    related = search.related_sections
    if not related:
        text = _NAMES_RELATED.sub("", text)
    title = question.title.partition(": ")[0] or question.book  # without its subtitle
    text = text.replace("{title}", title)
    return Refusal(code, text.replace(_RELATED, ", ".join(related)), related)

"""What stands before an item and denies or qualifies it: "Never do any of these:"."""

from libs.text import words
from services.generation.checks.normal_forms import is_negation, rules_of
from services.generation.model import BlockKind, Passage, Span

_INTRODUCES = (":", "：")


def list_lead_ins(passage: Passage, span: Span, language: str = "") -> list[Span]:
    """Return what must be shown before the span, in the book's order.

    Behind an item that introduces others nobody tells which are its own: all up to the span are.
    """
    at = passage.spans.index(span)
    while (before := _find_lead_in(passage, at)) is not None:
        if _qualifies(passage.text_of(passage.spans[before]), language):
            is_item = passage.spans[before].kind is BlockKind.LIST_ITEM
            last = passage.spans.index(span) if is_item else before + 1
            outer = list_lead_ins(passage, passage.spans[before], language)
            return [*outer, *passage.spans[before:last]]
        at = before
    return []


def _find_lead_in(passage: Passage, at: int) -> int | None:
    """Return the place of what ends in a colon before the list, or right before another span.

    A row of a table is shown with its header.
    """
    spans, kind = passage.spans, passage.spans[at].kind
    before = at - 1
    while (
        kind is BlockKind.LIST_ITEM
        and before >= 0
        and spans[before].kind is kind
        and not _introduces(passage, spans[before])
    ):
        before -= 1
    if before < 0 or {kind, spans[before].kind} & {BlockKind.HEADING, BlockKind.TABLE}:
        return None
    return before if _introduces(passage, spans[before]) else None


def _introduces(passage: Passage, span: Span) -> bool:
    return passage.text_of(span).rstrip().endswith(_INTRODUCES)


def _qualifies(text: str, language: str) -> bool:
    qualifying = rules_of(language).clauses.qualifying
    return any(word in qualifying or is_negation(word, language) for word in words(text))

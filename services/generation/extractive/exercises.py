"""Recognise what readers are to work out for themselves: it asks, and tells nothing.

"Test your understanding:" stands over tasks and questions, and a question over the answers of a quiz,
of which most are wrong. An item that ends in a question only gives what that is about: "Prices rise
by 4 % in a year. What was real growth?"
"""

from libs.text import is_question
from services.generation.extractive.candidates import (
    CandidateSpan,
    distinct_terms,
    without_number,
)
from services.generation.extractive.places import is_new_line
from services.generation.model import BlockKind

_LEAST = 0.5
"""Share of the terms of a question from which one in the book, with a list below it, is the same."""


def is_exercise(item: CandidateSpan, question: str) -> bool:
    """Whether the span is of such a list, and `question` wants none of it.

    A paragraph below such a title is an answer that the book gives.
    """
    rules = item.rules
    if item.span.kind is not BlockKind.LIST_ITEM or rules.exercise_asked.search(question):
        return False
    titles = (without_number(item.heading), item.intro_text)
    if any(map(rules.sets_exercises.search, titles)):
        return True
    return _is_of_quiz(item, distinct_terms(question)) or _leads_to_question(item)


def _is_of_quiz(item: CandidateSpan, asked: frozenset[str]) -> bool:
    """Whether a question stands over the list, and it is another than the reader's."""
    spans, at = item.passage.spans, item.index
    while at and spans[at].kind is BlockKind.LIST_ITEM:
        at -= 1
    over = item.passage.text_of(spans[at])
    if spans[at].kind is not BlockKind.PARAGRAPH or not is_question(over):
        return False
    return len(asked & distinct_terms(over)) < _LEAST * len(asked)


def _leads_to_question(item: CandidateSpan) -> bool:
    """Whether the item that the span is a sentence of ends in a question, and begins with none."""
    passage, first, last = item.passage, item.index, item.index
    while first and _is_one_item(item, first):
        first -= 1
    while last + 1 < len(passage.spans) and _is_one_item(item, last + 1):
        last += 1
    texts = (passage.text_of(passage.spans[at]) for at in (first, last))
    return first < last and [is_question(text) for text in texts] == [False, True]


def _is_one_item(item: CandidateSpan, at: int) -> bool:
    """Whether span `at` goes on with the item of the one before it."""
    both = item.passage.spans[at - 1 : at + 1]
    are_items = all(span.kind is BlockKind.LIST_ITEM for span in both)
    return are_items and not is_new_line(item.passage, at)

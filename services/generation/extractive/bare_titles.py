"""Recognise the title of a picture or a window that is left among the sentences of a book.

"Gate Keeper Settings" below a window names the gate keeper and says nothing of it. Who asks who, where
or how many may be answered by a name; what a thing is, or how, none tells.
"""

from libs.question.expected import AnswerKind
from libs.question.said import shares_word
from services.generation.extractive.candidates import CandidateSpan, is_label
from services.generation.extractive.features import Asked
from services.generation.extractive.places import follow_each_other, is_new_line
from services.generation.model import BlockKind

_NOT_NAMED = (AnswerKind.DEFINITION, AnswerKind.CAUSE, AnswerKind.PROCEDURE, AnswerKind.YES_NO)
"""Kinds of answers that no name is."""

_LEAST = 2
"""Words of a title: one alone may be a value."""

_SMALL = 3
"""Letters up to which a word of a title may have no capital: "of", "and"."""


def is_bare_title(asked: Asked, item: CandidateSpan) -> bool:
    """Whether a line is but the title of something, has a word of the question, and is no answer.

    What stands below a term may be a name: "NaN", "Not a Number".
    """
    if not asked.expects(*_NOT_NAMED) or item.span.kind is not BlockKind.PARAGRAPH:
        return False
    if item.intro is not None or not _is_title(item.text) or not _is_alone(item):
        return False
    return shares_word(asked.analysis.question, item.text, asked.lexicon)


def _is_title(text: str) -> bool:
    """Whether it is some words of which each longer one begins with a capital, and no sentence."""
    said = text.split()
    if len(said) < _LEAST or not is_label(text) or not all(one.isalpha() for one in said):
        return False
    return all(one[0].isupper() for one in said if len(one) > _SMALL)


def _is_alone(item: CandidateSpan) -> bool:
    """Whether the span is all of its line."""
    begins = not item.index or is_new_line(item.passage, item.index)
    return begins and not follow_each_other(item.passage, item.index)

"""Lead with the sentence beside the likeliest one as well, where that may well be the answer."""

from collections.abc import Sequence

from libs.question.expected import AnswerKind, says_required
from libs.question.said import share_of_words
from libs.text import words
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.extractive.intro import with_intro
from services.generation.extractive.places import (
    JOINED_CHARACTERS,
    Place,
    follow_each_other,
    place_of,
)
from services.generation.model import BlockKind

_GOES_ON = 0.1
"""Share of the lead's odds from which its neighbour in the paragraph leads together with it."""

_OF_A_VALUE = (AnswerKind.DATE, AnswerKind.PERSON, AnswerKind.PLACE, AnswerKind.QUANTITY)

_SUBJECT_WORDS = 4
"""First words of a sentence, of which a pronoun points back: "his" behind a name does not."""


def with_neighbour(asked: Asked, fit: Sequence[Ranked], item: CandidateSpan) -> list[Place]:
    """Return a sentence with the likelier of those beside it, if that may well be the answer; else [].

    What is asked about is often named in one sentence and told in the next, which says "it". One that
    has no word of the question, and no such link, tells of something else.
    """
    if item.span.kind is not BlockKind.PARAGRAPH or with_intro(item) != [place_of(item)]:
        return []
    if _tells_alone(asked, item):
        return []
    near = [one for one in fit if one.item.passage is item.passage]
    odds = {one.item.index: one.odds for one in near if _is_linked(asked, item, one.item)}
    beside = [
        (odds[at], min(item.index, at))
        for at in (item.index - 1, item.index + 1)
        if at in odds and follow_each_other(item.passage, min(item.index, at))
    ]
    likelier, first = max(beside, default=(0.0, item.index))
    if likelier < _GOES_ON * next(one.odds for one in near if one.item is item):
        return []
    whole = place_of(item, first, first + 1)
    return [whole] if whole.length <= JOINED_CHARACTERS else []


def _is_linked(asked: Asked, item: CandidateSpan, other: CandidateSpan) -> bool:
    """Whether the other sentence has a word of the question, or the later one points to the earlier."""
    later = max(item, other, key=lambda one: one.index)
    rules, begun = asked.lexicon.checks.clauses, words(later.text)[:_SUBJECT_WORDS]
    if not rules.pronouns or later.before is not None or not rules.pronouns.isdisjoint(begun):
        return True
    if asked.lexicon.values.drops_subject and rules.articles.isdisjoint(begun[:1]):
        return True
    return share_of_words(asked.analysis.question, other.text, asked.lexicon) > 0


def _tells_alone(asked: Asked, item: CandidateSpan) -> bool:
    """Whether a sentence has all words of the question with the value, the name or the meaning asked.

    What stands beside it would only make the answer longer.
    """
    expected = asked.analysis.expected
    if share_of_words(asked.analysis.question, item.text, asked.lexicon) < 1.0:
        return False
    if expected.kind is AnswerKind.DEFINITION:
        return asked.defined_by(item) == 1.0
    if expected.kind not in _OF_A_VALUE or not expected.required:
        return False
    return says_required(expected, item.text, asked.lexicon, question=asked.analysis.question)

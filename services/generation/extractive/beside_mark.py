"""Choose among the spans that a question about marked text may mean: it, or what explains it.

"Explain this" is of the marked text, however like the question what is around it may be. But the reader
has read that: where its meaning or a reason is asked for, the sentence that gives it often stands right
behind the mark, and to show the mark again would be no answer.
"""

from collections.abc import Sequence

from libs.question.expected import AnswerKind
from libs.question.said import asked_words
from libs.text import terms
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.definitions import definition_fit
from services.generation.extractive.features import Asked
from services.generation.model import BlockKind, Selection

_LIKELIER = 5.0
"""Times the odds of the first marked sentence from which on another one leads."""

_EXPLAINS = 4.0
"""Times the odds of the likeliest marked one from which on a sentence beside the mark leads."""

_BEFORE, _BEHIND = 1, 3
"""Sentences beside the mark that may explain it."""

_FEW_TERMS = 6
"""Terms of a mark of which one may be the word that is to be explained."""


def asked_of_mark(asked: Asked, fit: Sequence[Ranked]) -> list[Ranked]:
    """Return the spans that may answer what is asked of the mark, first what leads; all if none may."""
    marked = [one for one in fit if is_selected(asked.selection, one.item)]
    if not marked and len(asked.words) <= 1:
        # "If these cost too much, what else is there?" is not answered by the words it points at.
        marked = [one for one in fit if _holds_mark(asked.selection, one.item)]
    if not marked:
        return list(fit)
    in_order = sorted(marked, key=lambda one: one.item.span.start)
    likeliest = max(marked, key=lambda one: one.odds)
    if _wants_explained(asked):
        beside = [one for one in fit if _explains(asked, one.item, in_order)]
        nearest = max(
            beside, key=lambda one: one.odds / _away(one.item, in_order), default=likeliest
        )
        if nearest.odds >= _EXPLAINS * likeliest.odds:
            return [nearest, *in_order]
    if _says_what(asked) and likeliest.odds >= _LIKELIER * in_order[0].odds:
        in_order.remove(likeliest)
        return [likeliest, *in_order]
    return in_order


def is_selected(selection: Selection | None, item: CandidateSpan) -> bool:
    """Whether all of the span is marked."""
    return selection is not None and selection.covers(item.key[0], item.span.start, item.span.end)


def _holds_mark(selection: Selection | None, item: CandidateSpan) -> bool:
    """Whether some of the span is marked: a word of a sentence, or a cell of a row."""
    return selection is not None and selection.touches(item.key[0], item.span.start, item.span.end)


def _wants_explained(asked: Asked) -> bool:
    """Whether no more than the meaning of the mark is asked, or a reason, or what to do."""
    if asked.expects(AnswerKind.CAUSE, AnswerKind.PROCEDURE):
        return True
    unsaid = asked.lexicon.selections.unsaid | asked.lexicon.selections.bare
    said = asked_words(asked.analysis.question, asked.lexicon)
    return asked.expects(AnswerKind.DEFINITION) and said <= unsaid


def _explains(asked: Asked, item: CandidateSpan, marked: Sequence[Ranked]) -> bool:
    """Whether an unmarked span stands beside the mark, or says what a word of a short one is."""
    if is_selected(asked.selection, item):
        return False
    if asked.expects(AnswerKind.PROCEDURE) and not item.tells_how:
        return False
    told = frozenset[str]().union(*(one.item.terms for one in marked))
    if asked.expects(AnswerKind.DEFINITION) and len(told) <= _FEW_TERMS:
        named = told & item.terms
        if named.intersection(terms(item.text)[:1]):
            return True
        if any(definition_fit(item, frozenset((term,))) == 1.0 for term in named):
            return True
    return _stands_beside(item, marked)


def _stands_beside(item: CandidateSpan, marked: Sequence[Ranked]) -> bool:
    """Whether the span stands a sentence before the marked ones or a few behind, no title between."""
    first, last = marked[0].item, marked[-1].item
    if item.passage not in (first.passage, last.passage):
        return False
    before = first.index - item.index if item.passage is first.passage else 0
    behind = item.index - last.index if item.passage is last.passage else 0
    if not (0 < before <= _BEFORE or 0 < behind <= _BEHIND):
        return False
    ends = sorted((item.index, first.index if before > 0 else last.index))
    return all(span.kind is not BlockKind.HEADING for span in item.passage.spans[slice(*ends)])


def _away(item: CandidateSpan, marked: Sequence[Ranked]) -> int:
    """Return how many sentences behind the mark the span stands, farthest before it; 1 if elsewhere."""
    apart = [item.index - one.item.index for one in marked if item.passage is one.item.passage]
    return _BEHIND if max(apart, default=1) < 0 else max(1, min(apart, default=1))


def _says_what(asked: Asked) -> bool:
    """Whether the question says what it wants of the mark: "explain this" does not."""
    bare = asked.lexicon.selections.bare
    return bool(asked_words(asked.analysis.question, asked.lexicon) - bare)

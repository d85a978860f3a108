"""Leave out what says of another thing what a question asks.

That is another by its name, by what tells it from others of its kind, or a counterpart.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from libs.language.lexicon import Lexicon
from libs.question.entities import list_capitalised, names_missing
from libs.question.expected import AnswerKind, may_hold
from libs.question.said import share_of_words
from libs.text import words
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.counterparts import Counterparts
from services.generation.extractive.features import Asked
from services.generation.extractive.kinds import is_of_other_kind
from services.generation.model import BlockKind

_OF_ONE_THING = (AnswerKind.DATE, AnswerKind.QUANTITY)
"""Values that are no names themselves: a sentence with another name says them of that."""

_OF_ONE_KIND = (*_OF_ONE_THING, AnswerKind.PERSON, AnswerKind.PLACE)

_AMONG = 8
"""Likeliest spans of which one leads."""


_SAME_BUT_FOR_IT = 0.5
"""Share of the question's words from which a sentence about a counterpart says that nothing is said
of the thing itself."""


def leave_out_others(asked: Asked, fit: list[Ranked]) -> list[Ranked]:
    """Return the spans that may say it of the thing itself; none where the best say it of another."""
    if not fit:
        return fit
    fit = _of_what_is_named(asked, _without_other_kinds(asked, fit))
    return _without_counterparts(asked, fit) if fit else fit


def _without_other_kinds(asked: Asked, fit: list[Ranked]) -> list[Ranked]:
    """Leave out what says a value of another thing of the same kind: of the large kiln."""
    expected, question = replace(asked.analysis.expected, required=True), asked.analysis.question
    lexicon, language = asked.lexicon, asked.analysis.language
    if expected.kind not in _OF_ONE_KIND:
        return fit
    others = {
        one.item.key
        for one in fit
        if may_hold(expected, one.item.text, one.item.over, lexicon, question=question)
        and is_of_other_kind(question, one.item, lexicon, language)
    }
    return _without(others, _shares(asked, fit), fit)


def is_row_of_other(question: str, item: CandidateSpan, lexicon: Lexicon) -> bool:
    """Whether the span is a row of a table that has no word of the question."""
    if item.span.kind is not BlockKind.TABLE:
        return False
    return not share_of_words(question, item.text, lexicon)


def _of_what_is_named(asked: Asked, fit: list[Ranked]) -> list[Ranked]:
    """Leave out what says the date or the quantity that is asked for of another name."""
    expected, question = replace(asked.analysis.expected, required=True), asked.analysis.question
    names = list_capitalised(question, asked.lexicon)
    if expected.kind not in _OF_ONE_THING or not names:
        return fit
    holding = {
        one.item.key
        for one in fit
        if may_hold(expected, one.item.text, one.item.over, asked.lexicon, question=question)
    }
    sections = _sections_naming(names, fit, asked.lexicon)
    kept = [
        one
        for one in fit
        if one.item.key not in holding
        or not (
            _says_of_another(one.item, names, asked.lexicon)
            or (sections and one.item.section not in sections)
        )
    ]
    # Where all that tell one tell another's, the rest tells none.
    is_told = len(kept) == len(fit) or any(one.item.key in holding for one in kept)
    return kept if is_told else []


def _sections_naming(
    names: Sequence[str], fit: Sequence[Ranked], lexicon: Lexicon
) -> frozenset[tuple[str, str]]:
    """Return the sections that have all of `names`; none where a title of the book has one.

    What a section without the name counts is of something else: "the works has thirty people".
    """
    items = [one.item for one in fit]
    title = items[0].titles_text.split("\n")[:1] if items else []
    if len(names_missing(names, title, lexicon)) < len(names):
        return frozenset()
    return frozenset(
        one.section
        for one in items
        if not names_missing(names, (one.passage.text, one.titles_text), lexicon)
    )


def _says_of_another(item: CandidateSpan, names: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether the span has a name, and neither it nor what it may speak of has one of `names`.

    That is what stands over it, and the sentence before it where it has a pronoun.
    """
    if lexicon.names.capital.search(item.text) is None:
        return False
    near = [item.text, item.over, item.titles_text]
    if not lexicon.checks.clauses.pronouns.isdisjoint(words(item.text)):
        near += item.around[: min(item.index, 1)]
    return len(names_missing(names, near, lexicon)) == len(names)


def _without_counterparts(asked: Asked, fit: list[Ranked]) -> list[Ranked]:
    """Leave out what says of a counterpart what is asked; all, where nothing else says as much.

    Whether something is so is answered by its contrary as well, and a comparison by both.
    """
    if asked.expects(AnswerKind.YES_NO, AnswerKind.COMPARISON):
        return fit
    question = asked.analysis.question
    counterparts = Counterparts(question, asked.analysis.language)
    shares = _shares(asked, fit)
    others = {
        one.item.key
        for one in fit[:_AMONG]
        if shares[one.item.key] >= _SAME_BUT_FOR_IT
        and counterparts.speak_in(one.item.text, _around(one.item))
    }
    return _without(others, shares, fit)


def _shares(asked: Asked, fit: Sequence[Ranked]) -> dict[tuple[str, int], float]:
    """Return the share of the question's words that each of the likeliest spans has."""
    question, likeliest = asked.analysis.question, fit[:_AMONG]
    return {
        one.item.key: share_of_words(question, one.item.text, asked.lexicon) for one in likeliest
    }


def _without(
    others: Collection[tuple[str, int]],
    shares: Mapping[tuple[str, int], float],
    fit: list[Ranked],
) -> list[Ranked]:
    """Leave out what speaks of another; all, where that is likeliest and nothing else says as much."""
    if not others:
        return fit
    kept = [one for one in fit if one.item.key not in others]
    most = max((share for key, share in shares.items() if key not in others), default=0.0)
    first = fit[0].item.key
    return kept if first not in others or shares[first] < most else []


def _around(item: CandidateSpan) -> str:
    """Return what a span need not say again: all that stands over it, and the sentence before it."""
    return "\n".join((item.over, item.titles_text, *item.around[: min(item.index, 1)]))

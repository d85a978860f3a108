"""Answer what tells two things apart by two sentences side by side that begin with one each.

"Security is … Safety means …": however like the question a sentence is that only names both, what
stands so tells each.
"""

from collections.abc import Sequence
from itertools import pairwise

from libs.text import words
from services.generation.extractive.candidates import CandidateSpan, Ranked, distinct_terms
from services.generation.extractive.places import Place, place_of
from services.generation.extractive.sub_questions import SubQuestionTerms
from services.generation.model import BlockKind

_AMONG = 12
"""Likeliest spans of which one is of the pair."""

_BEFORE = 2
"""Words that may stand before the name of what a sentence begins with: "In the first"."""

_SHORT = 250
"""Characters of a labelled line up to which it is shown with the sentence behind it."""

_TOLD = 4
"""Words that a sentence has at least beside that name."""


def told_side_by_side(things: Sequence[SubQuestionTerms], fit: Sequence[Ranked]) -> list[Place]:
    """Return the first such pair of which one sentence is likely; [] where none is."""
    if len(things) != 2 or not all(one.part.plain and one.own for one in things):
        return []
    likely = {one.item.key for one in fit[:_AMONG]}
    if labelled := _labelled_pair(things, fit):
        return [_with_next(one) for one in labelled]
    begun = {
        one.item.key: (at, one.item) for one in fit if (at := _begins_with(things, one.item)) >= 0
    }
    items = sorted((item for _, item in begun.values()), key=lambda item: (item.source, item.index))
    for first, second in pairwise(items):
        is_pair = first.source == second.source and first.index + 1 == second.index
        is_pair = is_pair and begun[first.key][0] != begun[second.key][0]
        if is_pair and not likely.isdisjoint((first.key, second.key)):
            return [place_of(first), place_of(second)]
    return []


def _labelled_pair(
    things: Sequence[SubQuestionTerms], fit: Sequence[Ranked]
) -> list[CandidateSpan]:
    """Return two lines of a passage that begin with the name of one thing each, and a colon."""
    lines = [(one.item, at) for one in fit if (at := _labelled_as(things, one.item)) >= 0]
    for first, at in lines:
        beside = (it for it, other in lines if it.source == first.source and other != at)
        if (other := next(beside, None)) is not None:
            return sorted((first, other), key=lambda item: item.index)
    return []


def _labelled_as(things: Sequence[SubQuestionTerms], item: CandidateSpan) -> int:
    """Return the place of the thing whose name and a colon begin the line, or the term over it."""
    is_below = item.intro is not None and item.intro == item.index - 1
    line = item.intro_text if is_below else item.text
    label, colon, told = line.lstrip("-*• ").partition(":")
    if not colon or not (is_below or told.strip()):
        return -1
    held = (at for at, one in enumerate(things) if distinct_terms(label) == _terms_of(one))
    return next(held, -1)


def _terms_of(thing: SubQuestionTerms) -> frozenset[str]:
    return distinct_terms(thing.part.name)


def _with_next(item: CandidateSpan) -> Place:
    """Return a line with the sentence behind it, which tells more of what the label names."""
    if item.intro is not None and item.intro == item.index - 1:
        return place_of(item, item.intro)
    spans, after = item.passage.spans, item.index + 1
    if after >= len(spans) or spans[after].kind is not BlockKind.PARAGRAPH:
        return place_of(item)
    whole = place_of(item, item.index, after)
    is_other = ":" in item.passage.text_of(spans[after])
    return place_of(item) if is_other or whole.length > _SHORT else whole


def _begins_with(things: Sequence[SubQuestionTerms], item: CandidateSpan) -> int:
    """Return the place of the thing that a sentence begins with, if it names no other; else -1."""
    said = words(item.text)
    for at, thing in enumerate(things):
        others = (other.own for other in things if other is not thing)
        begun = " ".join(said[: len(words(thing.part.name)) + _BEFORE])
        if not thing.own <= distinct_terms(begun) or any(one <= item.terms for one in others):
            continue
        return at if len(said) >= len(words(thing.part.name)) + _TOLD else -1
    return -1

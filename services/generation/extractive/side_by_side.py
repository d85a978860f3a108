"""Answer what tells two things apart by two sentences side by side that begin with one each.

"Security is … Safety means …": however like the question a sentence is that only names both, what
stands so tells each; so do labelled lines, "Security: …".
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


def told_by_labels(things: Sequence[SubQuestionTerms], fit: Sequence[Ranked]) -> list[Place]:
    """Return two lines of a passage that begin with the name of one thing each, and a colon; or []."""
    if not _are_two(things):
        return []
    lines = [(one.item, found) for one in fit if (found := _labelled_as(things, one.item))]
    for first, (at, line) in lines:
        for other, (second, below) in lines:
            if other.source == first.source and second != at:
                both = sorted(((line, first), (below, other)), key=lambda one: one[0])
                return [_with_next(item, start) for start, item in both]
    return []


def told_side_by_side(things: Sequence[SubQuestionTerms], fit: Sequence[Ranked]) -> list[Place]:
    """Return two sentences, of which one is likely, that begin with one thing each; [] for none."""
    if not _are_two(things):
        return []
    likely = {one.item.key for one in fit[:_AMONG]}
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


def _are_two(things: Sequence[SubQuestionTerms]) -> bool:
    return len(things) == 2 and all(one.part.plain and one.own for one in things)


def _labelled_as(things: Sequence[SubQuestionTerms], item: CandidateSpan) -> tuple[int, int] | None:
    """Return the place of the thing whose name and a colon begin the line, or the term over it.

    With that the place of the line in its passage.
    """
    over = [] if item.intro is None or item.intro != item.index - 1 else [item.intro]
    for line in (item.index, *over):
        text = item.passage.text_of(item.passage.spans[line])
        label, colon, _ = text.lstrip("-*• ").partition(":")
        for at, one in enumerate(things):
            if colon and distinct_terms(label) == distinct_terms(one.part.name):
                return at, line
    return None


def _with_next(item: CandidateSpan, line: int) -> Place:
    """Return a labelled line with the sentence behind it, which tells more of what that names."""
    spans, after = item.passage.spans, line + 1
    if after >= len(spans) or spans[after].kind is not BlockKind.PARAGRAPH:
        return place_of(item, line, line)
    whole = place_of(item, line, after)
    is_other = ":" in item.passage.text_of(spans[after])
    return place_of(item, line, line) if is_other or whole.length > _SHORT else whole


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

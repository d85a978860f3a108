"""Passages in, the sentences of the book that answer out, word for word: no language model."""

import itertools
import re
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, replace

from libs.text import terms
from services.generation.model import (
    BlockKind,
    Claim,
    DraftSentence,
    Passage,
    Prompt,
    Selection,
    Transcript,
    Unit,
)

_WEAKEST = 0.6
"""Share of the best unit's score below which a unit is left out."""

_ALIKE = 0.8
"""Share of common terms from which two units count as one."""

_LIST_ITEMS = 10
"""Items shown of one list at most."""

_LIST = re.compile(
    r"\b(?:list|enumerate|all of them|every|everything|steps?|types?|kinds?|fields?|parts|phases"
    r"|what are|which (?:are|\w+s)\b|name (?:all|the|every|some)|examples)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\b(?:how (?:many|much|long|often|heavy|fast|far|big|large|high|old|tall|wide)|when|what year"
    r"|number of|rate|percentage|cost|price|size|value|weight|length|maximum|minimum)\b",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"^(?:what(?:'s| is| are| does)|define|explain|who (?:is|are)|meaning of)\b", re.IGNORECASE
)
_DEFINES = re.compile(
    r"\b(?:is|are|means?|refers? to|describes?|denotes?|stands? for|called|defined as)\b|:",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\b(?:code|commands?|syntax|snippet|script|functions?|call|run|export|variable|install"
    r"|write|compile|configur\w+)\b|\w_\w|--\w|\w/\w|\(\)|`",
    re.IGNORECASE,
)
_COMPARISON = re.compile(
    r"\b(?:compare[ds]?|comparison|differ\w*|versus|vs|than|both|each|agree|whereas|stack up)\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class _Candidate:
    """A unit that may be shown. `source` counts from 1, `place` is its index in the passage."""

    source: int
    place: int
    unit: Unit
    text: str
    terms: frozenset[str]
    score: float


class ExtractiveAnswerer:
    """Shows the units of the passages that match the question best, in reading order."""

    async def write(
        self,
        prompt: Prompt,
        transcript: Transcript,  # noqa: ARG002 - there is no model to talk to
        allowed_s: float,  # noqa: ARG002 - a millisecond's work
    ) -> AsyncGenerator[DraftSentence, None]:
        for chosen in choose_units(prompt):
            start = chosen.unit.start - prompt.passages[chosen.source - 1].locator.start
            yield DraftSentence(chosen.text, (Claim(chosen.source, chosen.text, start),))


def choose_units(prompt: Prompt) -> list[_Candidate]:
    """Return the units to show, in reading order; at most the profile's number, or one list."""
    candidates = [
        replace(item, score=item.score * _fitness(item, prompt.question))
        for item in _candidates(prompt.passages, prompt.explain)
    ]
    candidates.sort(key=lambda item: -item.score)  # stable: equal scores stay in passage order
    if not candidates:
        return []
    limit = prompt.settings.max_sentences
    chosen = _choose(candidates, limit)
    if _LIST.search(prompt.question):
        best = chosen[0]
        chosen = _with_its_list(best, prompt.passages[best.source - 1]) or chosen
    return _in_reading_order(chosen)


def _candidates(passages: tuple[Passage, ...], explain: Selection | None) -> Iterable[_Candidate]:
    seen = set()
    for source, passage in enumerate(passages, 1):
        for place, unit in enumerate(passage.units):
            key = (passage.locator.document, unit.start, unit.end)
            item = _candidate(source, place, passage)
            if unit.kind is BlockKind.HEADING or key in seen or not item.text.strip():
                continue
            if explain and explain.covers(*key):
                continue
            seen.add(key)
            yield item


def _candidate(source: int, place: int, passage: Passage) -> _Candidate:
    unit = passage.units[place]
    text = passage.text_of(unit)
    return _Candidate(source, place, unit, text, frozenset(terms(text)), unit.score)


def _fitness(item: _Candidate, question: str) -> float:
    """Return how well the form of a unit suits the form of the question; 1.0 is neutral."""
    fitness = 1.0
    if item.unit.kind in (BlockKind.CODE, BlockKind.MATH) and not _CODE.search(question):
        fitness *= 0.7
    if item.text.rstrip().endswith((":", "?")):
        fitness *= 0.8  # leads to the answer, or asks for it
    if _AMOUNT.search(question) and not _DIGIT.search(item.text):
        fitness *= 0.9
    if _DEFINITION.match(question) and _DEFINES.search(item.text):
        fitness *= 1.05
    return fitness


def _choose(candidates: list[_Candidate], limit: int) -> list[_Candidate]:
    least = candidates[0].score * _WEAKEST
    chosen: list[_Candidate] = []
    for item in candidates:
        if len(chosen) == limit or item.score < least:
            break
        if not any(_alike(item, other) for other in chosen):
            chosen.append(item)
    return chosen


def _alike(one: _Candidate, other: _Candidate) -> bool:
    both = len(one.terms & other.terms)
    either = len(one.terms | other.terms)
    return one.text == other.text or (either > 0 and both / either >= _ALIKE)


def _with_its_list(best: _Candidate, passage: Passage) -> list[_Candidate]:
    """Return the list that `best` is an item of or leads to, lead-in first; [] if there is none."""
    units = passage.units
    first = best.place
    while first and units[first].kind is BlockKind.LIST_ITEM:
        first -= 1
    after = itertools.takewhile(
        lambda place: units[place].kind is BlockKind.LIST_ITEM, range(first + 1, len(units))
    )
    items = list(after)[:_LIST_ITEMS]
    places = items if units[first].kind is BlockKind.HEADING else [first, *items]
    return [_candidate(best.source, place, passage) for place in places] if items else []


def _in_reading_order(chosen: list[_Candidate]) -> list[_Candidate]:
    return sorted(chosen, key=lambda item: (item.source, item.place))

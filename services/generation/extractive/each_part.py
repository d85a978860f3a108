"""Answer from each of several parts of the book that a question names."""

from collections.abc import Sequence
from itertools import chain

from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.extractive.intro import with_intro
from services.generation.extractive.lead import choose_lead
from services.generation.extractive.places import Place

_MOST_EACH = 3
"""Sentences or rows of a part that lead: its own list would push the other parts out of sight."""

_ALIKE, _LEAST_SHARED = 0.5, 3
"""Share of the terms of the shorter of two spans, and how many, from which they say the same of two
parts: "the arm project counts for 15 %"."""


def lead_each_part(
    asked: Asked, ranked: Sequence[Ranked], parts: Sequence[frozenset[str]]
) -> list[Place]:
    """Return what leads in each part, part by part; [] where fewer than two have anything that can.

    `parts` are the ids of the chunks of each. Where none of a part's spans can lead, one does that says
    in the same words what leads in another part: parts of a book are often built alike.
    """
    within = [[one for one in ranked if one.item.passage.chunk_id in part] for part in parts]
    leads = [choose_lead(asked, spans, ())[:_MOST_EACH] for spans in within if spans]
    known = [one.item for one in ranked if any(place.covers(one.item) for place in chain(*leads))]
    told = [
        lead or _alike(spans, known)
        for lead, spans in zip(leads, (spans for spans in within if spans), strict=True)
    ]
    told = [lead for lead in told if lead]
    return list(dict.fromkeys(chain.from_iterable(told))) if len(told) > 1 else []


def _alike(spans: Sequence[Ranked], known: Sequence[CandidateSpan]) -> list[Place]:
    """Return the span of a part that is most alike to one that leads in another; [] for none near."""
    shares = [
        (_share_alike(one.item, other), -place, one.item)
        for place, one in enumerate(spans)
        for other in known
    ]
    share, _, item = max(shares, key=lambda one: one[:2], default=(0.0, 0, None))
    return with_intro(item) if item is not None and share >= _ALIKE else []


def _share_alike(item: CandidateSpan, other: CandidateSpan) -> float:
    shared = len(item.terms & other.terms)
    shorter = min(len(item.terms), len(other.terms))
    return shared / shorter if shared >= _LEAST_SHARED else 0.0

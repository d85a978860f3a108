"""Choose what supports a lead: the pieces that likely help beside it, the likeliest first.

How likely a piece helps is told by one table of features, whose weights are fitted together to what
judges said of pieces that were shown (support.json names them). A feature stays in the table while it
helps on books left out.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, zip_longest
from pathlib import Path

from libs.ml import LogisticModel, load_model
from services.generation.extractive.beside_mark import is_selected
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.extractive.intro import with_intro
from services.generation.extractive.lead import (
    LedAnswer,
    fit_to_lead,
    is_repeated,
    is_said_again,
)
from services.generation.extractive.places import Place, place_of, place_of_block
from services.generation.extractive.shown import Shown
from services.generation.model import BlockKind, SentenceRole

SUPPORT = Path(__file__).with_name("support.json")

MOST_SUPPORT = 3
_SUPPORT_CHARACTERS = 400
"""Of all that supports a lead, with what the book must be shown with."""

_BLOCK_CHARACTERS = 150
"""Up to which a list or paragraph is shown whole in support of a lead."""

_CLOSE = 0.03
"""Share of the lead's odds from which a span is asked whether it supports it."""

_LENGTH_COST = 0.6
"""Power of its length by which a span's odds count less in support: it is as much more to read."""

_LEAST_CHARACTERS = 40
"""Below which to be shorter is no gain."""

_LEAST_SHARE = 1e-6


@dataclass(frozen=True)
class Offer:
    """A span that may support a lead."""

    asked: Asked
    one: Ranked
    lead: Ranked
    """The likeliest span of the lead."""

    share: float
    """Of the odds of all spans."""

    in_parts: bool = False
    """Whether the question has several sub-questions."""

    is_due: bool = False
    """Whether it is the likeliest of what is selected: the question is about that."""

    @property
    def item(self) -> CandidateSpan:
        return self.one.item

    @property
    def is_of_section(self) -> bool:
        one, lead = self.item, self.lead.item
        return one.key[0] == lead.key[0] and one.heading == lead.heading


Feature = Callable[[Offer], float]

FEATURES: dict[str, Feature] = {
    # How likely it answers, by itself and beside the lead.
    "log_share_of_odds": lambda offer: math.log(max(offer.share, _LEAST_SHARE)),
    "log_odds_to_lead": lambda offer: math.log(
        max(offer.one.odds, _LEAST_SHARE) / max(offer.lead.odds, _LEAST_SHARE)
    ),
    "passage_score": lambda offer: offer.item.passage.scores.fused,
    "same_section": lambda offer: float(offer.is_of_section),
    # How much of the question it names, and how much the lead does.
    "asked_share": lambda offer: _share_asked(offer.asked, offer.item),
    "asked_share_of_lead": lambda offer: _share_asked(offer.asked, offer.lead.item),
    "in_parts": lambda offer: float(offer.in_parts),
}


def _share_asked(asked: Asked, item: CandidateSpan) -> float:
    return asked.importance.share_in(item.text, item.intro_text)


def describe_offer(offer: Offer) -> dict[str, float]:
    """Return the features of a span beside a lead."""
    return {name: feature(offer) for name, feature in FEATURES.items()}


@cache
def shipped_support() -> LogisticModel:
    return load_model(SUPPORT)


def choose_support(answer: LedAnswer, most: int, model: LogisticModel) -> list[Place]:
    """Return the pieces that help beside the lead as likely as the model's threshold asks, if any.

    The likeliest for their length come first, of several sub-questions those of each in turn; with the
    lead they are `most` at most. What is due is shown however little it helps.
    """
    asked, lead = answer.asked, answer.lead
    passages = {one.item.source: one.item.passage for one in answer.ranked}
    shown = Shown(passages, asked.analysis.language)
    for place in lead:
        shown.add(place)
    items = leading = [one.item for one in answer.ranked if _is_shown(one.item, lead)]
    left, found = _SUPPORT_CHARACTERS, list[Place]()
    for offer in _likeliest_first(list_offers(answer)):
        if len(found) >= min(MOST_SUPPORT, most - 1):
            break
        item = offer.item
        place = piece_around(item, [*lead, *found])
        if _is_shown(item, [*lead, *found]) or is_repeated(item, items) or place.length > left:
            continue
        if _goes_back(item, leading):
            continue
        more = shown.count_more(place)
        if not 0 < more <= left or not (offer.is_due or _helps(offer, model)):
            continue
        found.append(replace(place, role=SentenceRole.SUPPORT))
        items = [*items, item]
        shown.add(place)
        left -= more
    return _without_repeats(_in_their_lists_order(found, items[len(leading) :]), shown)


def _goes_back(item: CandidateSpan, lead: Sequence[CandidateSpan]) -> bool:
    """Whether its list has it before what leads: behind that it would turn steps around."""
    listed = _list_of(item)
    return any(listed == _list_of(one) and item.index < one.index for one in lead if listed)


def _list_of(item: CandidateSpan) -> tuple[int, int | None, str] | None:
    is_listed = item.span.kind is BlockKind.LIST_ITEM
    return (item.source, item.intro, item.heading) if is_listed else None


def _in_their_lists_order(places: Sequence[Place], items: Sequence[CandidateSpan]) -> list[Place]:
    """Return the places of items of one list in the order of that, where one of them has its turn."""
    ordered = list(places)
    for listed in {_list_of(item) for item in items} - {None}:
        turns = [at for at, item in enumerate(items) if _list_of(item) == listed]
        in_order = sorted(turns, key=lambda at: items[at].index)
        for turn, at in zip(turns, in_order, strict=True):
            ordered[turn] = places[at]
    return ordered


def list_offers(answer: LedAnswer) -> list[Offer]:
    """Return what may support a lead.

    Of one question the likeliest spans in their order, of several sub-questions those of each in turn.
    """
    lead, parts = answer.lead, answer.sub_questions
    leading = [one for one in answer.ranked if _is_shown(one.item, lead)]
    if not leading:
        return []
    order = _of_each(answer) if parts else _close(answer)
    selection = answer.asked.selection
    due = next((one.item.key for one in order if is_selected(selection, one.item)), None)
    # Odds are those of the whole question, whichever part a span is likely for.
    whole = {one.item.key: one for one in answer.ranked}
    total = math.fsum(one.odds for one in answer.ranked)
    offered = dict.fromkeys(one.item.key for one in order if not _is_shown(one.item, lead))
    return [
        Offer(
            answer.asked,
            one := whole[key],
            leading[0],
            one.odds / total,
            in_parts=bool(parts),
            is_due=key == due,
        )
        for key in offered
    ]


def _helps(offer: Offer, model: LogisticModel) -> bool:
    return model.probability(describe_offer(offer)) >= model.threshold


def _likeliest_first(offers: list[Offer]) -> list[Offer]:
    """Return what is due, and then the others by their odds for what it takes to read them.

    Those of several sub-questions stay as they are.
    """
    if any(offer.in_parts for offer in offers):
        return offers
    return sorted(offers, key=_turn_of)


def _turn_of(offer: Offer) -> tuple[bool, bool, float]:
    characters = max(_LEAST_CHARACTERS, len(offer.item.text))
    again = is_said_again(offer.asked, offer.item)
    return not offer.is_due, again, -offer.one.odds / characters**_LENGTH_COST


def _close(answer: LedAnswer) -> list[Ranked]:
    """Return the likeliest selected span, and those that are not far less likely than the best."""
    fit = fit_to_lead(answer.asked, answer.ranked)
    selected = (one for one in fit if is_selected(answer.asked.selection, one.item))
    return [*islice(selected, 1), *(one for one in fit if one.odds >= _CLOSE * fit[0].odds)]


def _of_each(answer: LedAnswer) -> list[Ranked]:
    """Return spans of several sub-questions, then those of each in turn."""
    parts = answer.sub_questions
    both = [one for one in answer.ranked if sum(part.terms.is_of(one.item) for part in parts) > 1]
    orders = [
        fit_to_lead(answer.asked, order) for order in (both, *(part.ranked for part in parts))
    ]
    return [one for turn in zip_longest(*orders) for one in turn if one is not None]


def _without_repeats(found: Sequence[Place], shown: Shown) -> list[Place]:
    """Return the places without what another one shows too, as what it needs; that takes its turn."""
    kept: list[Place] = []
    for place in found:
        held = [at for at, other in enumerate(kept) if shown.holds(place, other)]
        if held:
            kept[held[0]] = place
            kept = [one for at, one in enumerate(kept) if at not in held[1:]]
        else:
            kept.append(place)
    return kept


def piece_around(item: CandidateSpan, shown: Sequence[Place]) -> Place:
    """Return the short list or paragraph of the span, or else the span with what introduces it.

    Where that is shown in part, it is the span alone.
    """
    whole = place_of_block(item)
    if whole.length > _BLOCK_CHARACTERS:
        *_, whole = with_intro(item)
    return place_of(item) if any(map(whole.overlaps, shown)) else whole


def _is_shown(item: CandidateSpan, places: Sequence[Place]) -> bool:
    return any(place.covers(item) for place in places)

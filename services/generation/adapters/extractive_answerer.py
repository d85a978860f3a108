"""Passages in, the words of the book that answer out, as they are: no language model.

Which units are shown is decided by a ranking learnt on labelled questions (unit_ranking.json says on
which); how many, by measuring what more text would still have answered.
"""

import math
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path

from libs.calibration import Calibration, load_calibration
from libs.sides import split_question
from services.generation.adapters.asides import is_aside
from services.generation.adapters.blocks import Group, group_units
from services.generation.adapters.conversation import turn_to_follow_up
from services.generation.adapters.definitions import asked_thing, defines
from services.generation.adapters.question_form import QuestionForm, literal_names, read_form
from services.generation.adapters.quotable import Quotable, distinct_terms, list_quotables
from services.generation.adapters.side_terms import SideTerms, list_side_terms
from services.generation.adapters.unit_features import describe_units
from services.generation.model import (
    BlockKind,
    Claim,
    DraftSentence,
    Prompt,
    Selection,
    Transcript,
    Unit,
)

RANKING = Path(__file__).with_name("unit_ranking.json")

_LEAST_GAIN = 0.012
"""Share of all odds that 100 characters more must add: less is not worth a reader's time."""

_ALIKE = 0.8
"""Share of common terms from which two units count as one."""

_CHARACTERS = 800
_COUNTED_CHARACTERS = 300
"""Of one unit: a long listing is shown whole, and still leaves room for what explains it."""

_CHARACTERS_OF_MANY = 1200
"""For lists and comparisons, which need more room."""

_CHARACTERS_A_PIECE = 100
"""More room for each piece more than the profile says."""

_CLOSE = 0.3
"""Share of the best unit's odds from which a unit is worth a piece of its own beyond the usual ones."""

_NAMED = 1.0
"""What a term of a list's title that the question names is worth in the logarithm of odds."""

_SPELT = 2.0
"""What the names that only code has are worth, when all that the question spells stand in the unit."""

_TITLED = 2.0
_LEAST_TITLE = 2
"""What standing under a title that is the question is worth; of fewer terms it names a subject."""

_DEFINED = 3.0
"""What saying what the thing is that the question wants explained is worth."""

_ASIDE = 3.0
"""What is taken from a unit that only points elsewhere or says what will be learnt."""

_SIDE = 3.0
"""What naming one side of a comparison is worth for that side, and costs under another one's title."""

_TOGETHER = 2
"""Groups of what says something of several sides at once: it comes first, and leaves room for each."""

_GROUPS_A_SIDE = 4
"""Of each thing compared, where nothing else is asked: what it is, what is for it and against it."""

_DEFINING_AMONG = 8
"""Likeliest groups of which one that says what the thing is comes first."""

_GROUPS_A_THING = 3
"""Where it is asked what something is: a handful of sentences about it."""

_NEAR = 3.0
_NEAR_CHARACTERS = 300.0
"""What standing in marked text is worth in the logarithm of odds, and how fast that fades beside it."""


class ExtractiveAnswerer:
    """Shows the units of the passages that answer the question best, in reading order."""

    def __init__(self, ranking: Calibration | None = None) -> None:
        self._ranking = ranking

    async def write(
        self,
        prompt: Prompt,
        transcript: Transcript,  # noqa: ARG002 - there is no model to talk to
        allowed_s: float,  # noqa: ARG002 - a few milliseconds' work
    ) -> AsyncGenerator[DraftSentence, None]:
        for place in choose_places(prompt, self._ranking):
            passage = prompt.passages[place.source - 1]
            text = passage.text_of(place.unit)
            claim = Claim(place.source, text, place.unit.start - passage.locator.start)
            yield DraftSentence(text, (claim,))


@dataclass(frozen=True)
class Place:
    """A unit to show, of source `source` (from 1)."""

    source: int
    document: str
    unit: Unit


def choose_places(prompt: Prompt, ranking: Calibration | None = None) -> list[Place]:
    """Return what to show, in reading order, in as many pieces as the profile says.

    There are up to a third more for lists and comparisons, and when that many units are about as good.
    `ranking` is the shipped one when it is not given.
    """
    form = read_form(prompt.question)
    items = _outside(prompt.explain, list_quotables(prompt.passages))
    ranked = rank_units(prompt.question, form, items, prompt.marked, ranking)
    if prompt.follow_up:
        ranked = turn_to_follow_up(prompt, ranked)
    sides = () if prompt.marked else split_question(prompt.question)
    many = form.list_of_things or form.comparison or bool(sides)
    shelf = _Shelf(*_room(prompt.settings.max_sentences, ranked, many=many))
    if form.list_of_things:
        shelf.add(_asked_list(prompt.question, ranked))
    if sides:
        orders = _by_sides(list_side_terms(sides), ranked, form, items, ranking)
    else:
        orders = _whole(prompt, form, group_units(ranked))
    for turn in zip_longest(*orders):
        for group in turn:
            if group is not None:
                shelf.add(group.items)
    return _in_reading_order(shelf.places())


def _room(usual: int, ranked: Sequence[tuple[float, Quotable]], *, many: bool) -> tuple[int, int]:
    """Return how many pieces, and how many characters, an answer may have."""
    most = usual + usual // 3
    if many:
        return most, _CHARACTERS_OF_MANY
    close = sum(odds >= _CLOSE * ranked[0][0] for odds, _ in ranked)
    pieces = min(most, max(usual, close))
    return pieces, _CHARACTERS + _CHARACTERS_A_PIECE * (pieces - usual)


def _likely(groups: Sequence[Group]) -> list[Group]:
    """Return the groups, in order, that add enough for their length; the first one always does."""
    least = _LEAST_GAIN * sum(group.odds for group in groups) / 100
    return [group for at, group in enumerate(groups) if not at or group.density >= least]


def rank_units(
    question: str,
    form: QuestionForm,
    items: Sequence[Quotable],
    marked: Selection | None = None,
    ranking: Calibration | None = None,
) -> list[tuple[float, Quotable]]:
    """Return the units with their odds of being the answer, best first; equals stay in order."""
    ranking = ranking or shipped_ranking()
    names, thing = literal_names(question), asked_thing(question)
    asked = distinct_terms(question)
    ranked = []
    for item, features in zip(items, describe_units(question, form, items), strict=True):
        chance = min(ranking.probability(features), 1 - 1e-9)
        known = _nearness(item, marked) + _spelling(item, names)
        known += _DEFINED * defines(item, thing) - _ASIDE * is_aside(item, question)
        known += _TITLED * _is_titled(item, asked)
        ranked.append((chance / (1 - chance) * math.exp(known), item))
    return sorted(ranked, key=lambda pair: -pair[0])


@cache
def shipped_ranking() -> Calibration:
    return load_calibration(RANKING)


def _nearness(item: Quotable, marked: Selection | None) -> float:
    if marked is None or marked.start < 0 or marked.document != item.passage.locator.document:
        return 0.0
    away = max(0, marked.start - item.unit.end, item.unit.start - marked.end)
    return _NEAR * math.exp(-away / _NEAR_CHARACTERS)


def _spelling(item: Quotable, names: Sequence[str]) -> float:
    return _SPELT * sum(name in item.text for name in names) / max(1, len(names))


def _is_titled(item: Quotable, asked: frozenset[str]) -> bool:
    """Whether the unit stands under a title that is the question, as in a list of questions."""
    title = frozenset(term for term in distinct_terms(item.heading) if not term.isdigit())
    return len(title & asked) >= max(_LEAST_TITLE, _ALIKE * len(title | asked))


def _outside(explain: Selection | None, items: list[Quotable]) -> list[Quotable]:
    """Return the units that explain marked text: those beside it, or all when there are none."""
    if explain is None:
        return items
    beside = [
        item
        for item in items
        if not explain.covers(item.passage.locator.document, item.unit.start, item.unit.end)
    ]
    return beside or items


def _asked_list(question: str, ranked: Sequence[tuple[float, Quotable]]) -> list[Quotable]:
    """Return the list or table whose title and lead the question names best; [] when none is near."""
    asked = distinct_terms(question)
    lists: dict[tuple[int, int | None, str, BlockKind], list[tuple[float, Quotable]]] = {}
    for odds, item in ranked:
        if item.unit.kind in (BlockKind.LIST_ITEM, BlockKind.TABLE):
            key = (item.source, item.lead, item.heading, item.unit.kind)
            lists.setdefault(key, []).append((odds, item))

    def fit(held: list[tuple[float, Quotable]]) -> float:
        item = held[0][1]
        over = distinct_terms(item.lead_text) | distinct_terms(item.heading)
        named = len(asked & over) + 0.5 * len(asked & (item.titles - over))
        named += len(asked & distinct_terms(item.caption))
        return named * _NAMED + math.log(held[0][0])

    fitting = [held for held in lists.values() if len(held) > 1]
    if not fitting:
        return []
    best = max(fitting, key=fit)
    return sorted((item for _, item in best), key=lambda item: item.index)


def _defining(question: str, groups: Sequence[Group]) -> Group | None:
    """Return the likeliest group that says just what `question` wants explained, if one is near."""
    thing = asked_thing(question)
    for group in groups[:_DEFINING_AMONG]:
        if any(defines(item, thing) == 1.0 for item in group.items):
            return group
    return None


def _by_sides(
    sides: Sequence[SideTerms],
    ranked: Sequence[tuple[float, Quotable]],
    form: QuestionForm,
    items: Sequence[Quotable],
    ranking: Calibration | None,
) -> list[list[Group]]:
    """Return what says something of several sides, and what answers for each of them."""
    orders = [_of_several(sides, ranked)]
    for side in sides:
        alone = rank_units(side.question, form, items, None, ranking)
        groups = group_units(_about(side, sides, alone))
        orders.append(_of_thing(side, groups) if side.plain else _likely(groups))
    return orders


def _of_several(
    sides: Sequence[SideTerms], ranked: Sequence[tuple[float, Quotable]]
) -> list[Group]:
    """Return what names several sides: a table with a column for each, and the likeliest sentences."""
    together = [(odds, item) for odds, item in ranked if sum(s.is_of(item) for s in sides) > 1]
    table = _table_of(sides, together)
    if not table:
        return _likely(group_units(together))[:_TOGETHER]
    prose = [(odds, item) for odds, item in together if item.unit.kind is not BlockKind.TABLE]
    return [*table, *_likely(group_units(prose))[:1]]


def _table_of(
    sides: Sequence[SideTerms], together: Sequence[tuple[float, Quotable]]
) -> list[Group]:
    """Return the best table that has a column for several sides, whole; [] when there is none."""
    rows = [
        (odds, item)
        for odds, item in together
        if item.unit.kind is BlockKind.TABLE and sum(side.leads(item) for side in sides) > 1
    ]
    if not rows or not all(side.plain for side in sides):
        return []
    _, best = rows[0]
    held = [
        (odds, item) for odds, item in rows if (item.source, item.lead) == (best.source, best.lead)
    ]
    whole = sorted((item for _, item in held), key=lambda item: item.index)
    return [Group(sum(odds for odds, _ in held), tuple(whole))]


def _of_thing(side: SideTerms, groups: Sequence[Group]) -> list[Group]:
    """Return what the thing is, what speaks for and against it, and then what else is likely."""
    likely = _likely(groups)
    weighing = [group for group in groups if side.weighs(group.items[0])]
    first = [*likely[:1], *weighing]
    return [*first, *(group for group in likely if group not in first)][:_GROUPS_A_SIDE]


def _about(
    side: SideTerms, sides: Sequence[SideTerms], ranked: Sequence[tuple[float, Quotable]]
) -> list[tuple[float, Quotable]]:
    """Return the units with the odds raised of those that name what `side` alone is about."""

    def raised(odds: float, item: Quotable) -> float:
        told = _SIDE * side.share_in(item)
        if any(other.titles(item) for other in sides) and not side.titles(item):
            told -= _SIDE
        return odds * math.exp(told + (_DEFINED * defines(item, side.own) if side.plain else 0.0))

    return sorted(((raised(*pair), pair[1]) for pair in ranked), key=lambda pair: -pair[0])


def _whole(prompt: Prompt, form: QuestionForm, groups: list[Group]) -> list[list[Group]]:
    """Return what answers a question that is not split, by what it compares where titles say so."""
    if form.comparison:
        return [_likely(order) for order in (groups, *_by_titles(prompt.question, groups))]
    told = bool(prompt.follow_up) or form.list_of_things
    first = None if told else _defining(prompt.question, groups)
    if first is None:
        return [_likely(groups)]
    others = [group for group in groups if group is not first]
    return [_likely([first, *others])[:_GROUPS_A_THING]]


def _by_titles(question: str, groups: Sequence[Group]) -> list[list[Group]]:
    """Return the groups under each title that the question names: what it compares, as likely."""
    asked = distinct_terms(question)
    sides: dict[frozenset[str], list[Group]] = {}
    for group in groups:
        title = distinct_terms(group.items[0].heading)
        if title and title <= asked:
            sides.setdefault(title, []).append(Group(1.0, group.items))
    return list(sides.values())


class _Shelf:
    """Takes units, with what introduces them, while there is room for more pieces and characters."""

    def __init__(self, pieces: int, characters: int) -> None:
        self._pieces = pieces
        self._left = characters
        self._held: dict[tuple[str, int], tuple[int, Quotable]] = {}
        self._items: list[Quotable] = []
        self._groups = 0

    def add(self, items: Sequence[Quotable]) -> bool:
        """Take all of `items` or, when there is no room for them, none. The first ones always fit."""
        new = [item for item in items if not self._is_repeated(item)]
        if not new:
            return False
        group = 0 if any(self._continues(item) for item in new) else 1
        wanted = {place: held for item in new for place, held in _with_lead(item)}
        length = sum(_counted(wanted[place]) for place in wanted.keys() - self._held.keys())
        if self._items and (length > self._left or self._groups + group > self._pieces):
            return False
        if not self._items and len(new) > 1 and length > self._left:
            return False
        self._held |= wanted
        self._items += new
        self._left -= length
        self._groups += group
        return True

    def places(self) -> list[Place]:
        return [
            Place(item.source, item.passage.locator.document, item.passage.units[index])
            for index, item in self._held.values()
        ]

    def _is_repeated(self, item: Quotable) -> bool:
        return any(
            len(item.terms & other.terms) >= _ALIKE * len(item.terms | other.terms)
            for other in self._items
        )

    def _continues(self, item: Quotable) -> bool:
        """Whether the unit stands beside one that is shown, or under the same lead."""
        return any(
            other.source == item.source
            and (
                abs(other.index - item.index) == 1
                or (item.lead is not None and item.lead in (other.lead, other.index))
            )
            for other in self._items
        )


def _with_lead(item: Quotable) -> Iterator[tuple[tuple[str, int], tuple[int, Quotable]]]:
    document = item.passage.locator.document
    for index in (item.lead, item.before, item.index):
        if index is not None:
            yield (document, item.passage.units[index].start), (index, item)


def _counted(held: tuple[int, Quotable]) -> int:
    index, item = held
    unit = item.passage.units[index]
    return min(_COUNTED_CHARACTERS, unit.end - unit.start)


def _in_reading_order(places: list[Place]) -> list[Place]:
    """Order by document, the one with the best passage first, and by place inside it."""
    best: dict[str, int] = {}
    for place in places:
        best[place.document] = min(place.source, best.get(place.document, place.source))
    return sorted(places, key=lambda place: (best[place.document], place.unit.start))

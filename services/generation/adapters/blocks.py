"""Ranked units in, groups of those that are shown together out: a short list or paragraph whole."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.generation.adapters.quotable import Quotable
from services.generation.model import BlockKind

_SHORT = 150
"""Characters up to which a list or a paragraph is shown whole."""

_LEAST_COUNTED, _MOST_COUNTED = 40, 300
_BREVITY = 0.75
"""How much being short is worth: of two that are as likely, the shorter leaves room for more."""


@dataclass(frozen=True)
class Group:
    """Units that stand beside each other, in order, and their odds of holding the answer."""

    odds: float
    items: tuple[Quotable, ...]

    @property
    def worth(self) -> float:
        return float(self.odds / self._counted**_BREVITY)

    @property
    def density(self) -> float:
        """The odds that each of its characters brings."""
        return self.odds / self._counted

    @property
    def _counted(self) -> int:
        length = sum(len(item.text) for item in self.items)
        return min(_MOST_COUNTED, max(_LEAST_COUNTED, length))


def group_units(ranked: Sequence[tuple[float, Quotable]]) -> list[Group]:
    """Return the units in groups, the one first that is worth most for its length."""
    places = {(item.source, item.index): (odds, item) for odds, item in ranked}
    groups = []
    for odds, item in ranked:
        if (item.source, item.index) not in places:
            continue
        block = [
            *reversed(list(_beside(item, places, -1))),
            (odds, item),
            *_beside(item, places, 1),
        ]
        if sum(len(other.text) for _, other in block) > _SHORT:
            block = [(odds, item)]
        for _, other in block:
            del places[other.source, other.index]
        groups.append(Group(sum(one for one, _ in block), tuple(other for _, other in block)))
    return sorted(groups, key=lambda group: -group.worth)


def _beside(
    item: Quotable, places: dict[tuple[int, int], tuple[float, Quotable]], step: int
) -> Iterator[tuple[float, Quotable]]:
    """Yield the units of the same list or paragraph on one side, the nearest first."""
    last = item
    while (found := places.get((last.source, last.index + step))) is not None:
        if not _is_one_block(*sorted((last, found[1]), key=lambda one: one.index)):
            return
        yield found
        last = found[1]


def _is_one_block(first: Quotable, second: Quotable) -> bool:
    if first.unit.kind is not second.unit.kind:
        return False
    if first.unit.kind is BlockKind.LIST_ITEM:
        return first.lead == second.lead
    start = first.passage.locator.start
    gap = first.passage.text[first.unit.end - start : second.unit.start - start]
    return first.unit.kind is BlockKind.PARAGRAPH and "\n\n" not in gap

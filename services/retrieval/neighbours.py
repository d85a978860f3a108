"""Gather the ranked passages that continue one another: each group is shown as one."""

from collections import defaultdict
from collections.abc import Sequence

from services.retrieval.model import Passage

MOST_CHARACTERS = 4000
"""A passage does not grow beyond this: a reader, and a model, can take in only so much."""

REACH = 4
"""So many times the wanted passages are looked through for what continues one of them."""


def gather_neighbours(passages: Sequence[Passage], limit: int) -> list[list[Passage]]:
    """Return groups of passages that are one: the `limit` best, and those that continue one of them.

    The passages of a group are of one section, and overlap or have only white space between them. The
    best comes first, of groups and in each of them.
    """
    groups: list[list[Passage]] = []
    of_sections = defaultdict[tuple[str, tuple[str, ...]], list[list[Passage]]](list)
    for rank, passage in enumerate(passages):
        near = of_sections[passage.chunk.document, passage.chunk.section_path]
        beside = [group for group in near if _continues(group, passage)]
        if beside:
            _extend(beside, passage)
        elif rank < limit:
            groups.append([passage])
            near.append(groups[-1])
    return [group for group in groups if group]


def _extend(beside: Sequence[list[Passage]], passage: Passage) -> None:
    """Add the passage to the best group beside it, and all of the groups that it connects to that."""
    best = beside[0]
    best.append(passage)
    for other in beside[1:]:
        if _is_short([*best, *other]):
            best += other
            other.clear()


def _continues(group: Sequence[Passage], passage: Passage) -> bool:
    """Whether a passage of the group's section goes on with one of it."""
    chunk = passage.chunk
    touches = any(chunk.touches(other.chunk) for other in group)
    return touches and _is_short([*group, passage])


def _is_short(passages: Sequence[Passage]) -> bool:
    chunks = [passage.chunk for passage in passages]
    first, last = min(chunk.start for chunk in chunks), max(chunk.end for chunk in chunks)
    return last - first <= MOST_CHARACTERS

"""Find what tables are called: the captions above or below them."""

from collections.abc import Mapping, Sequence

from services.ingest.model.book import Block, BlockKind


def captions_of(blocks: Sequence[Block]) -> Mapping[int, Block]:
    """Return the captions of tables by where the tables start.

    A caption between two tables belongs to the one with which most tables have one, of two such ways
    to the one on whose side most captions stand. Tables one right below the other share theirs.
    """
    tables = [at for at, block in enumerate(blocks) if block.kind is BlockKind.TABLE]
    sides = ({at: at + step for at in tables if _is_caption(blocks, at + step)} for step in (-1, 1))
    more, fewer = sorted(sides, key=len, reverse=True)
    first, second = _joined(more, fewer), _joined(fewer, more)
    found = {**(first if len(first) >= len(second) else second)}
    for at in [*tables, *reversed(tables)]:
        for beside in (at - 1, at + 1):
            if at not in found and beside in found:
                found[at] = found[beside]
    return {blocks[at].start: blocks[place] for at, place in found.items()}


def _joined(usual: Mapping[int, int], other: Mapping[int, int]) -> Mapping[int, int]:
    taken = set(usual.values())
    return {**{at: place for at, place in other.items() if place not in taken}, **usual}


def _is_caption(blocks: Sequence[Block], at: int) -> bool:
    return 0 <= at < len(blocks) and blocks[at].kind is BlockKind.CAPTION

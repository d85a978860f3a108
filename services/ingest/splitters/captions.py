"""Find what tables are called: the captions above or below them."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from services.ingest.model.book import Block, BlockKind, Document

_KIND = re.compile(r"\W*([^\W\d_]{1,20})\.?\s?\d")
"""What a caption calls its thing, before the number: "Table 3", "图 12"."""


def captions_of(document: Document) -> Mapping[int, Block]:
    """Return the captions of tables by where the tables start.

    Of two captions, above a table and below it, it has the one of the kind that more seldom stands
    elsewhere: that of a figure may end right above. A caption between two tables belongs to the one
    with which most tables have one, of two such ways to the one on whose side most captions stand.
    Tables one right below the other share theirs.
    """
    blocks = document.blocks
    tables = [at for at, block in enumerate(blocks) if block.kind is BlockKind.TABLE]
    above, below = (
        {at: at + step for at in tables if _is_caption(blocks, at + step)} for step in (-1, 1)
    )
    shares = _shares_beside_tables(document, {*above.values(), *below.values()})
    for at in above.keys() & below.keys():
        upper, lower = shares[above[at]], shares[below[at]]
        if upper != lower:
            del (below if upper > lower else above)[at]
    more, fewer = sorted((above, below), key=len, reverse=True)
    first, second = _joined(more, fewer), _joined(fewer, more)
    found = {**(first if len(first) >= len(second) else second)}
    for at in [*tables, *reversed(tables)]:
        for beside in (at - 1, at + 1):
            if at not in found and beside in found:
                found[at] = found[beside]
    return {blocks[at].start: blocks[place] for at, place in found.items()}


def _shares_beside_tables(document: Document, beside: Collection[int]) -> Mapping[int, float]:
    """Return for each caption beside a table what share of its kind stands beside tables, 0 to 1."""
    kinds = {
        at: _kind_of(document.text[block.start : block.end])
        for at, block in enumerate(document.blocks)
        if block.kind is BlockKind.CAPTION
    }
    every = Counter(kinds.values())
    near = Counter(kinds[at] for at in beside)
    return {at: near[kinds[at]] / every[kinds[at]] for at in beside}


def _kind_of(caption: str) -> str:
    named = _KIND.match(caption)
    return named[1].casefold() if named else ""


def _joined(usual: Mapping[int, int], other: Mapping[int, int]) -> Mapping[int, int]:
    taken = set(usual.values())
    return {**{at: place for at, place in other.items() if place not in taken}, **usual}


def _is_caption(blocks: Sequence[Block], at: int) -> bool:
    return 0 <= at < len(blocks) and blocks[at].kind is BlockKind.CAPTION

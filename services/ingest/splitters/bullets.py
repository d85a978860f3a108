"""Tell which items of lists stand in no order."""

import re
from collections.abc import Iterable, Iterator

from services.ingest.model.book import Block, BlockKind

_BULLET = "-"
"""The label of an item without a number; parsers give it whatever sign the source has."""

_COUNTS = re.compile(r"(?:[^\W\d]+\s+)?\(?(?:\d{1,3}|[a-zA-Z])\s*[.):]")
"""How the text of an item begins that counts all the same: "1.", "Step 2:", "b)"."""


def find_bullets(text: str, blocks: Iterable[Block]) -> Iterator[int]:
    """Yield where the blocks of such items start.

    A block without a label belongs to the item before it of its level. The items of a task list are
    not among them: their box stands where a number may have stood.
    """
    levels: dict[int, bool] = {}
    for block in blocks:
        if block.kind is not BlockKind.LIST_ITEM:
            if not block.level:
                levels.clear()
            continue
        if block.label:
            counts = _COUNTS.match(text, block.start, block.end)
            levels[block.level] = block.label == _BULLET and not counts
        if levels.get(block.level):
            yield block.start

"""Leave out running heads and feet: text with which nearly all pages of a book begin or end."""

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence

from services.ingest.model.book import BlockKind, DroppedContent
from services.ingest.parsers.dropped import visible_in
from services.ingest.parsers.outline import Item

_DIGITS = re.compile(r"\d+")
_LONGEST = 200
_LEAST_LETTERS = 3
"""Of a text that is told from others: shorter ones are numbers and signs."""
_NEVER = frozenset((BlockKind.CODE, BlockKind.MATH, BlockKind.TABLE))
_TELLING = _NEVER | {BlockKind.HEADING}
_REASON = "nearly all pages of the book have the same there; it is kept on the first of them"


def number_of(text: str) -> int:
    """Return what pages with the same text have in common, whatever their dates; 0 for a short one."""
    plain = _DIGITS.sub("0", "".join(text.split()).casefold())[:_LONGEST]
    if sum(map(str.isalpha, plain)) < _LEAST_LETTERS:
        return 0
    digest = hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def without_running(
    items: Sequence[Item], running: Collection[int]
) -> tuple[list[Item], list[DroppedContent]]:
    """Return the pieces without those at the beginning and the end that are `running`, and these."""
    if not running:
        return list(items), []
    first, behind = _edge(items, running), _edge(items[::-1], running)
    last = max(first, len(items) - behind)
    titles, heads = list[Item](), list[Item]()
    for one in items[:first]:
        # The title of a book stands above each of its pages, too.
        (titles if one.kind is BlockKind.HEADING else heads).append(one)
    kept = [*titles, *items[first:last]]
    if all(one.kind is BlockKind.HEADING for one in kept):
        return list(items), []  # a page that says nothing else
    named = (("the beginning", heads), ("the end", items[last:]))
    return kept, [_describe(place, gone) for place, gone in named if gone]


def _edge(items: Sequence[Item], running: Collection[int]) -> int:
    """Return how many of the first pieces are running.

    Words too short to tell, and what pictures show, are if such pieces follow them.
    """
    found = 0
    for at, one in enumerate(items):
        if _repeats(one, running):
            found = at + 1
        elif one.kind is not BlockKind.CAPTION and (one.kind in _TELLING or number_of(one.text)):
            break
    return found


def _repeats(item: Item, running: Collection[int]) -> bool:
    if item.kind in _NEVER or item.footnotes:
        return False
    if item.kind is BlockKind.HEADING and _DIGITS.search(item.text):
        return False  # "Chapter 2" is not "Chapter 1"
    return number_of(item.text) in running


def _describe(place: str, gone: Iterable[Item]) -> DroppedContent:
    texts = [one.text for one in gone]
    pieces = "piece" if len(texts) == 1 else "pieces"
    where = f"{len(texts)} {pieces} at {place}"
    return DroppedContent("running head or foot", where, _REASON, visible_in(texts))

"""Assemble canonical text, blocks and sections from the pieces of a document."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from libs.text import heading_anchor
from services.ingest.model.book import (
    Block,
    BlockKind,
    DroppedContent,
    LeadIn,
    Markup,
    MarkupKind,
    Note,
    ParsedText,
    Section,
)
from services.ingest.parsers.admonitions import POINTERS
from services.ingest.parsers.dropped import UNSAFE_LINK, visible_in
from services.ingest.parsers.invisible import drop_shapeless, list_shapeless, shapeless
from services.ingest.parsers.markup import MAY_BE_EMPTY, is_safe
from services.ingest.parsers.turned import in_shown_order, turned

_SHOWN = 60
_TARGET = re.compile(r"\]\([^)\n]*\)")
"""What Markdown writes behind the words of a link."""
_ELSEWHERE = "it only names other places of the book"


@dataclass(frozen=True)
class Item:
    """A piece with the footnotes it refers to; `anchor` is a heading's own id."""

    kind: BlockKind
    text: str
    level: int = 0
    label: str = ""
    anchor: str = ""
    footnotes: tuple[str, ...] = ()
    page: int = 0
    page_breaks: tuple[tuple[int, int], ...] = ()
    """Offsets in `text` where a new page begins, with its number."""
    markup: tuple[Markup, ...] = ()
    """Of ranges of `text`, outer ones first."""
    note: str = ""
    """The label by which `footnotes` of others name it; empty for what is no footnote."""
    definitions: int = 0
    """How many definitions it stands in, one in another; of a term that of its own counts."""
    is_term: bool = False
    """Whether it is what a definition defines, or begins with that."""
    is_defined: bool = False
    """Whether a term's definition is in the same piece."""


def assemble(
    title: str,
    title_index: int,
    items: Sequence[Item],
    warnings: Sequence[str] = (),
    dropped_content: Sequence[DroppedContent] = (),
) -> ParsedText:
    """Make the document of its pieces; `title_index` is the heading that shows it, or -1.

    Characters that nobody sees are in none of its texts, and the report says how many there were.
    """
    dropped_content = (*dropped_content, *turned([item.text for item in items]))
    there = sum(len(item.text) for item in items)
    items, title_index = _all_without_shapeless(items, title_index)
    if unseen := there - sum(len(item.text) for item in items):
        dropped_content = (*dropped_content, shapeless(unseen))
    dropped_content = (*dropped_content, *_unsafe_links(items))
    pointers = {at for at, item in enumerate(items) if _only_points(item)}
    dropped_content = (*dropped_content, *_leading_elsewhere([items[at] for at in pointers]))
    items, title_index = _all_without(pointers, items, title_index)
    title = drop_shapeless(in_shown_order(title))
    text, blocks = _join(items)
    sections = _outline(title, title_index, items, blocks, len(text))
    notes = list(_notes(items, blocks))
    return ParsedText(
        title,
        text,
        blocks,
        sections,
        tuple(warnings),
        list(_breaks(items, blocks)),
        notes=notes,
        lead_ins=sorted(_lead_ins(items, blocks)),
        dropped_content=tuple(dropped_content),
        markup=list(_markup(items, blocks, {section.anchor for section in sections})),
    )


def _breaks(items: Sequence[Item], blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """Yield where new pages begin, with their numbers."""
    for item, block in zip(items, blocks, strict=True):
        length = block.end - block.start
        yield from ((block.start + at, page) for at, page in item.page_breaks if at < length)


def with_last_pictures(items: list[Item], addresses: Sequence[str]) -> None:
    """Put pictures behind the last of the pieces, to which no other follows."""
    if items and addresses:
        at = len(items[-1].text.rstrip())
        behind = (Markup(MarkupKind.IMAGE, at, at, address) for address in addresses)
        items[-1] = replace(items[-1], markup=(*items[-1].markup, *behind))


def _only_points(item: Item) -> bool:
    """Whether a piece of a box that leads elsewhere is nothing but links, and signs between them."""
    if item.kind is not BlockKind.ADMONITION or item.label != POINTERS or item.footnotes:
        return False
    links = [one for one in item.markup if one.kind is MarkupKind.LINK]
    outside = list(item.text)
    for one in links:
        outside[one.start : one.end] = " " * (min(one.end, len(outside)) - one.start)
    between = _TARGET.sub("", "".join(outside))
    return bool(links) and not any(map(str.isalnum, between))


def _leading_elsewhere(pointers: Sequence[Item]) -> Iterator[DroppedContent]:
    if pointers:
        boxes = "box" if len(pointers) == 1 else "boxes"
        seen = visible_in(item.text for item in pointers)
        yield DroppedContent("navigation", f"{len(pointers)} {boxes}", _ELSEWHERE, seen)


def _all_without(
    gone: Set[int], items: Sequence[Item], title_index: int
) -> tuple[Sequence[Item], int]:
    """Return the pieces but those at the places `gone`, and which of them is the title."""
    kept = [at for at in range(len(items)) if at not in gone]
    return [items[at] for at in kept], kept.index(title_index) if title_index in kept else -1


def _all_without_shapeless(items: Sequence[Item], title_index: int) -> tuple[Sequence[Item], int]:
    """Return the pieces that something is left of, and which of them is the title."""
    shown = [_without_shapeless(item) for item in items]
    gone = {at for at, item in enumerate(shown) if not item.text.strip() and items[at].text.strip()}
    return _all_without(gone, shown, title_index)


def _without_shapeless(item: Item) -> Item:
    text = drop_shapeless(in_shown_order(item.text))
    if text == item.text:
        return item
    unseen = list_shapeless(item.text)
    breaks = tuple(
        (offset - bisect_left(unseen, offset), page) for offset, page in item.page_breaks
    )
    markup = tuple(
        one._replace(
            start=one.start - bisect_left(unseen, one.start),
            end=one.end - bisect_left(unseen, one.end),
        )
        for one in item.markup
    )
    return replace(item, text=text, page_breaks=breaks, markup=markup)


def _markup(items: Sequence[Item], blocks: Sequence[Block], anchors: Set[str]) -> Iterator[Markup]:
    """Yield the markup of all pieces, without links that may run something and sections' `anchors`."""
    for item, block in zip(items, blocks, strict=True):
        length = block.end - block.start
        pages = (Markup(MarkupKind.PAGE, at, at, str(page)) for at, page in item.page_breaks)
        for kind, start, stop, value in _with_pages(item.markup, list(pages)):
            if kind is MarkupKind.LINK and not is_safe(value):
                continue
            if kind is MarkupKind.ANCHOR and value in anchors:
                continue
            end = min(stop, length)
            if start < end or (start == end and kind in MAY_BE_EMPTY):
                yield Markup(kind, block.start + start, block.start + end, value)


def _unsafe_links(items: Sequence[Item]) -> Iterator[DroppedContent]:
    """Yield the links that are left out because they may run something, by their words."""
    for item in items:
        for one in item.markup:
            if one.kind is MarkupKind.LINK and not is_safe(one.value):
                words = item.text[one.start : one.end]
                shown = words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…"
                yield replace(UNSAFE_LINK, place=f"“{shown}”")


def _with_pages(markup: Sequence[Markup], pages: Sequence[Markup]) -> Sequence[Markup]:
    """Return markup in order with the beginnings of pages in it."""
    if not pages:
        return markup
    return sorted((*markup, *pages), key=lambda one: (one.start, -one.end))


def _notes(items: Sequence[Item], blocks: Sequence[Block]) -> Iterator[Note]:
    """Yield where footnotes stand, with the pieces that refer to them, in the order of these."""
    placed: dict[str, list[Block]] = {}
    for item, block in zip(items, blocks, strict=True):
        if item.note:
            placed.setdefault(item.note, []).append(block)
    for item, block in zip(items, blocks, strict=True):
        for label in dict.fromkeys(item.footnotes):
            for note in placed.get(label, ()):
                yield Note(block.start, block.end, note.start, note.end)


def _lead_ins(items: Sequence[Item], blocks: Sequence[Block]) -> Iterator[LeadIn]:
    """Yield the terms of definitions, and the blocks that lists of such stand behind."""
    waiting: list[tuple[int, Block, bool]] = []
    for at, (item, block) in enumerate(zip(items, blocks, strict=True)):
        depth, before = item.definitions, items[max(0, at - 1)]
        follows_term = at > 0 and before.is_term and not before.is_defined
        ends = item.is_term and not (follows_term and before.definitions == depth)
        while waiting and (waiting[-1][0] > depth or (waiting[-1][::2] == (depth, True) and ends)):
            _, led_by, is_term = waiting.pop()
            yield LeadIn(led_by.start, led_by.end, blocks[at - 1].end, is_term)
        if item.is_term:
            if at and not follows_term and (not waiting or waiting[-1][0] < depth):
                waiting.append((depth, blocks[at - 1], False))
            waiting.append((depth, block, True))
    for _, led_by, is_term in waiting:
        yield LeadIn(led_by.start, led_by.end, blocks[-1].end, is_term)


def warn_of_footnotes(
    body: Sequence[Item],
    footnotes: Mapping[str, Sequence[Item]],
    numbers: Mapping[str, str],
    places: Collection[str] = (),
) -> Iterator[str]:
    """Say which references have no footnote and which footnotes are not referred to.

    `places` are other ids of the text that references may lead to.
    """
    wanted = dict.fromkeys(label for item in body for label in item.footnotes)
    known = {*footnotes, *places}
    missing = [numbers.get(label) or label for label in wanted if label not in known]
    unused = [numbers.get(label) or label for label in footnotes if label not in wanted]
    if missing:
        yield f"it refers to a footnote that is not there: {_shown(missing)}"
    if unused:
        yield f"nothing refers to its footnote {_shown(unused)}"


def warn_of_anchors(items: Sequence[Item]) -> Iterator[str]:
    """Say which anchors several headings of one page have."""
    counts = Counter(item.anchor for item in items if item.anchor)
    twice = [anchor for anchor, count in counts.items() if count > 1]
    if twice:
        yield f"several of its headings have the anchor {_shown(twice)}: links lead to the first"


def _shown(names: Sequence[str]) -> str:
    listed = ", ".join(f'"{name[:60]}"' for name in names[:5])
    return f"{listed} and {len(names) - 5} more" if len(names) > 5 else listed


def find_heading(items: Sequence[Item], fallback: str) -> tuple[str, int]:
    """Return title and index of the only heading of the highest level; the fallback and -1."""
    headings = [index for index, item in enumerate(items) if item.kind is BlockKind.HEADING]
    if not headings:
        return fallback, -1
    top = min(items[index].level for index in headings)
    highest = [index for index in headings if items[index].level == top]
    return (items[highest[0]].text, highest[0]) if len(highest) == 1 else (fallback, -1)


def find_heading_of(items: Sequence[Item], title: str) -> int:
    """Return the index of the first heading, where that says what the document is called; or -1."""
    headings = (index for index, item in enumerate(items) if item.kind is BlockKind.HEADING)
    first = next(headings, -1)
    is_same = first >= 0 and items[first].text.casefold() == title.casefold()
    return first if is_same else -1


def place_footnotes(
    body: Sequence[Item], footnotes: Mapping[str, Sequence[Item]], numbers: Mapping[str, str]
) -> Iterator[Item]:
    """Yield the pieces with each footnote at the end of the section that first refers to it.

    So what a reader reads in one piece stays in one; chunks name their footnotes wherever those are.
    `numbers` are the labels that readers see; a footnote without one keeps its own.
    """
    waiting: list[str] = []
    left = dict(footnotes)
    for item in body:
        if item.kind is BlockKind.HEADING:
            yield from _take_footnotes(waiting, left, numbers)
            waiting = []
        yield item
        waiting += item.footnotes
    yield from _take_footnotes([*waiting, *left], left, numbers)


def _take_footnotes(
    labels: Sequence[str], left: dict[str, Sequence[Item]], numbers: Mapping[str, str]
) -> Iterator[Item]:
    for label in labels:
        for item in left.pop(label, []):
            number = numbers.get(label) if item.kind is BlockKind.FOOTNOTE else None
            yield replace(item, label=number or item.label, note=label)


def _join(items: Sequence[Item]) -> tuple[str, list[Block]]:
    parts: list[str] = []
    blocks: list[Block] = []
    offset = 0
    for item in items:
        if blocks:
            both = item.kind is blocks[-1].kind is BlockKind.LIST_ITEM
            parts.append("\n" if both else "\n\n")
            offset += len(parts[-1])
        text = item.text.rstrip()
        parts.append(text)
        blocks.append(
            Block(item.kind, offset, offset + len(text), item.level, item.label, item.page)
        )
        offset += len(text)
    return "".join(parts), blocks


@dataclass
class _Open:
    path: tuple[str, ...]
    anchor: str
    level: int
    rank: int
    start: int


class _Anchors:
    """Names headings as `heading_anchor` does, in time that does not grow with equal titles."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._next: dict[str, int] = {}

    def name(self, title: str) -> str:
        base = heading_anchor(title, set())
        number = self._next.get(base, 0)
        while (anchor := f"{base}-{number}" if number else base) in self._taken:
            number += 1
        self._next[base] = number + 1
        self._taken.add(anchor)
        return anchor


def _outline(
    title: str, title_index: int, items: Sequence[Item], blocks: Sequence[Block], length: int
) -> list[Section]:
    """Return the heading tree; text above the first heading belongs to a section of its own."""
    nodes = list(_headings(title, title_index, items, blocks))
    if not nodes or (blocks and nodes[0].start > 0):
        rank = 0 if title_index < 0 else 1
        nodes.insert(0, _Open((title,), "", 1, rank, 0))
    if not blocks:
        return []
    starts = [node.start for node in nodes]
    ends = _ends_of(nodes, length)
    return [
        Section(
            node.path,
            node.anchor,
            node.level,
            node.start,
            starts[index + 1] if index + 1 < len(nodes) else length,
            ends[index],
        )
        for index, node in enumerate(nodes)
    ]


def _ends_of(nodes: Sequence[_Open], length: int) -> list[int]:
    """Return where each node ends: where the next one of its rank or above it starts."""
    ends = [length] * len(nodes)
    waiting: list[int] = []
    for index, node in enumerate(nodes):
        while waiting and nodes[waiting[-1]].rank >= node.rank:
            ends[waiting.pop()] = node.start
        waiting.append(index)
    return ends


def _headings(
    title: str, title_index: int, items: Sequence[Item], blocks: Sequence[Block]
) -> Iterator[_Open]:
    anchors = _Anchors({item.anchor for item in items if item.anchor})
    above: list[_Open] = []
    for index, (item, block) in enumerate(zip(items, blocks, strict=True)):
        if item.kind is not BlockKind.HEADING:
            continue
        anchor = item.anchor or anchors.name(item.text)
        if index == title_index:
            node = _Open((title,), anchor, item.level, 0, block.start)
            above = []
        else:
            above = [node for node in above if node.level < item.level]
            parent = above[-1].path if above else (title,)
            node = _Open((*parent, item.text), anchor, item.level, item.level, block.start)
            above.append(node)
        yield node

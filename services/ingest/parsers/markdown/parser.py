"""A Markdown file's text in; canonical text with blocks and sections out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from libs.text import heading_anchor
from services.ingest.model import Block, BlockKind, ParsedText, Section
from services.ingest.parsers.markdown.front_matter import FrontMatter, read_front_matter
from services.ingest.parsers.markdown.grammar import grammar
from services.ingest.parsers.markdown.items import Item, Items, read_items

VERSION = "markdown 1"
"""Part of a book's fingerprint: raised whenever the same file gives another text or outline."""


def parse_markdown(source: str, mdx: bool, fallback_title: str) -> ParsedText:
    """Parse a file; `fallback_title` names a document that has no title of its own."""
    source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    front = read_front_matter(source)
    # The lines of the front matter stay as empty ones, so that line numbers are the file's.
    blank = "\n" * source.count("\n", 0, front.length)
    environment: dict[str, Any] = {}
    items = read_items(grammar(mdx).parse(blank + source[front.length :], environment))
    ordered = list(_place_footnotes(items, environment.get("footnotes", {}).get("refs", {})))
    title, heading = _find_title(ordered, front, fallback_title)
    if front.title and heading < 0:
        ordered.insert(0, Item(BlockKind.HEADING, front.title, 1))
        heading = 0
    text, blocks = _assemble(ordered)
    sections = _outline(title, heading, ordered, blocks, len(text))
    warnings = tuple(_warnings(front, items, environment.get("long_lines", [])))
    return ParsedText(title, text, blocks, sections, warnings)


def _place_footnotes(items: Items, references: Mapping[str, int]) -> Iterator[Item]:
    """Yield the pieces with each footnote at the end of the section that first refers to it."""
    waiting: list[str] = []
    left = dict(items.footnotes)
    for item in items.body:
        if item.kind is BlockKind.HEADING:
            yield from _take_footnotes(waiting, left, references)
            waiting = []
        yield item
        waiting += item.footnotes
    yield from _take_footnotes([*waiting, *left], left, references)


def _take_footnotes(
    labels: Sequence[str], left: dict[str, list[Item]], references: Mapping[str, int]
) -> Iterator[Item]:
    for label in labels:
        number = references.get(f":{label}", -1) + 1
        for item in left.pop(label, []):
            is_note = item.kind is BlockKind.FOOTNOTE and number > 0
            yield replace(item, label=str(number)) if is_note else item


def _find_title(items: Sequence[Item], front: FrontMatter, fallback: str) -> tuple[str, int]:
    """Return the document's title and the index of the heading that shows it, or -1."""
    headings = [index for index, item in enumerate(items) if item.kind is BlockKind.HEADING]
    for index in headings:
        if items[index].level == 1:
            return items[index].text, index
    if front.title:
        return front.title, -1
    levels = [items[index].level for index in headings]
    if headings[:1] == [0] and levels[0] == min(levels) and levels.count(levels[0]) == 1:
        return items[0].text, 0
    return fallback, -1


def _assemble(items: Sequence[Item]) -> tuple[str, list[Block]]:
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
        blocks.append(Block(item.kind, offset, offset + len(text), item.level, item.label))
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
    return [
        Section(
            node.path,
            node.anchor,
            node.level,
            node.start,
            starts[index + 1] if index + 1 < len(nodes) else length,
            next((other.start for other in nodes[index + 1 :] if other.rank <= node.rank), length),
        )
        for index, node in enumerate(nodes)
    ]


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


def _warnings(front: FrontMatter, items: Items, long_lines: Sequence[int]) -> Iterator[str]:
    if not front.readable:
        yield "its front matter is not valid YAML and was not read"
    if items.expressions:
        yield f"{items.expressions} expressions in braces were left out"
    if items.directives:
        yield f"{items.directives} includes of other files ({{{{#…}}}}) were left out"
    for number in long_lines[:3]:
        yield f"the paragraph at line {number} is too long to be read as Markdown: taken as it is"

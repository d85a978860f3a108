"""Put the table of contents of an EPUB into its text: what it names is a section, with its level."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from services.ingest.model.book import BlockKind, DroppedContent, MarkupKind
from services.ingest.parsers.dropped import visible
from services.ingest.parsers.outline import Item

_NEAR = 3
"""Pieces behind the place that an entry leads to, in which its heading may stand."""

_LEAST_OF_CHAPTER = 0.25
"""Share of the text of an average chapter that a title page, or a manual's welcome, does not have."""


@dataclass(frozen=True)
class Entry:
    """A line of the book's table of contents."""

    title: str
    target: str
    depth: int

    @property
    def anchor(self) -> str:
        """Return the id in a document to which it leads; "" for the document's beginning."""
        return self.target.partition("#")[2]


@dataclass
class Titled:
    """The pieces of a document with the sections of its entries, and the entries that have no place."""

    items: list[Item]
    lost: list[Entry]


def letters_of(text: str) -> str:
    """Return what two spellings of a title have in common."""
    return "".join(character for character in text.casefold() if character.isalnum())


def place_entries(items: Sequence[Item], entries: Sequence[Entry]) -> Titled:
    """Begin a section where an entry leads to text that no heading of its own stands above."""
    places = _places_of(items)
    headings = Counter(letters_of(one.text) for one in items if _is_heading(one))
    is_bare = not headings
    before: dict[int, list[Item]] = {}
    lost: list[Entry] = []
    placed = [*items]
    for entry in entries if items else ():
        at = places.get(entry.anchor)
        if is_bare and entry is entries[0] and at is None:
            at = 0
        if _takes(headings, entry) or (at is not None and _is_titled(items, at, entry, entries)):
            continue
        if at is None or not letters_of(entry.title):
            lost.append(entry)
        elif _is_its_title(items[at], entry):
            placed[at] = replace(items[at], kind=BlockKind.HEADING, level=entry.depth)
        else:
            title = Item(BlockKind.HEADING, entry.title, entry.depth, page=items[at].page)
            before.setdefault(at, []).append(title)
    whole = (one for at, item in enumerate(placed) for one in (*before.get(at, ()), item))
    return Titled([*whole], lost)


def is_chapter(items: Sequence[Item], entries: Sequence[Entry]) -> bool:
    """Whether the heading that the book begins with, though its title's words, is that of a chapter.

    The table of contents names it beside others, and it has as much text as one of these.
    """
    letters = letters_of(items[0].text)
    own = next((entry for entry in entries if letters_of(entry.title) == letters), None)
    beside = sum(entry.depth == own.depth for entry in entries) if own else 0
    if beside <= 1:
        return False
    below = takewhile(lambda item: not _is_heading(item), items[1:])
    average = sum(len(item.text) for item in items) / beside
    return sum(len(item.text) for item in below) >= _LEAST_OF_CHAPTER * average


def describe_lost(entry: Entry) -> DroppedContent:
    """Return what the report says of an entry that leads to no text."""
    reason = f'"{entry.title}" leads to a place where no text stands'
    return DroppedContent("entry of the contents", entry.target, reason, visible(entry.title))


def level_headings(items: Sequence[Item], entries: Sequence[Entry]) -> Iterator[Item]:
    """Yield the pieces with the levels that the table of contents gives their headings."""
    first = next((item for item in items if _is_heading(item)), None)
    if first is None:
        yield from items
        return
    named: Mapping[str, int] = {letters_of(one.title): one.depth for one in reversed(entries)}
    begins = next((entry.depth for entry in entries if not entry.anchor), first.level)
    shift = named.get(letters_of(first.text), begins) - first.level
    for item in items:
        if _is_heading(item):
            # Converters write chapters and their sections at one level: what is named lies as named,
            # and what is not lies below that as in its page.
            shift = named.get(letters_of(item.text), item.level + shift) - item.level
            yield replace(item, level=max(1, item.level + shift))
        else:
            yield item


def _is_heading(item: Item) -> bool:
    return item.kind is BlockKind.HEADING


def _is_its_title(item: Item, entry: Entry) -> bool:
    """Whether a paragraph is set as a title, and not marked as one."""
    is_alone = item.kind is BlockKind.PARAGRAPH and not item.definitions
    return is_alone and letters_of(item.text) == letters_of(entry.title)


def _places_of(items: Sequence[Item]) -> dict[str, int]:
    """Return the numbers of the pieces to which ids lead."""
    places = {"": 0}
    for at, item in enumerate(items):
        for one in item.markup:
            if one.kind is MarkupKind.ANCHOR:
                places.setdefault(one.value, at)
        if item.anchor:
            places.setdefault(item.anchor, at)
    return places


def _takes(headings: Counter[str], entry: Entry) -> bool:
    """Whether a heading says what an entry does, one for each."""
    letters = letters_of(entry.title)
    if not headings[letters]:
        return False
    headings[letters] -= 1
    return True


def _is_titled(items: Sequence[Item], at: int, entry: Entry, entries: Sequence[Entry]) -> bool:
    """Whether the heading at a place is that of an entry, in other words."""
    near = items[at : at + _NEAR + 1]
    heading = next((one for one in near if _is_heading(one)), None)
    if heading is None:
        return False
    between = near[: near.index(heading)]
    if entry.anchor and any(one.kind is not BlockKind.CAPTION for one in between):
        own, said = letters_of(entry.title), letters_of(heading.text)
        if not said or not (said in own or own in said):
            return False
    others = (one for one in entries if one is not entry)
    return letters_of(heading.text) not in {letters_of(one.title) for one in others}

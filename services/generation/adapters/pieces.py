"""Passages in; the pieces that can be shown alone out: a sentence, a table row, code, a short list."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from libs.text import terms
from services.generation.model import BlockKind, Passage, Unit


@dataclass(frozen=True)
class Piece:
    """Units `first` to `last`, both included, of source `source` (from 1), next to each other."""

    source: int
    passage: Passage
    first: int
    last: int
    above: frozenset[str]
    """Terms of the heading that the piece stands under."""

    @property
    def units(self) -> tuple[Unit, ...]:
        return self.passage.units[self.first : self.last + 1]

    @property
    def text(self) -> str:
        offset = self.passage.locator.start
        return self.passage.text[self.units[0].start - offset : self.units[-1].end - offset]

    @property
    def kind(self) -> BlockKind:
        return self.units[-1].kind

    @property
    def opens_table(self) -> bool:
        """Whether it is the first row of a table, as a rule its header."""
        return self.kind is BlockKind.TABLE and (
            self.first == 0 or self.passage.units[self.first - 1].kind is not BlockKind.TABLE
        )


def cut_pieces(passages: Sequence[Passage], list_characters: int) -> Iterator[Piece]:
    """Yield the pieces of all passages, each text once. Headings are no pieces.

    A list is one piece with the sentence that leads to it; of one longer than `list_characters`, the
    items around the best one.
    """
    seen = set()
    for source, passage in enumerate(passages, 1):
        for first, last, above in _runs(passage):
            first, last = _around_best(passage.units, first, last, list_characters)  # noqa: PLW2901
            key = (passage.locator.document, passage.units[first].start)
            piece = Piece(source, passage, first, last, above)
            if key not in seen and piece.text.strip():
                seen.add(key)
                yield piece


def _runs(passage: Passage) -> Iterator[tuple[int, int, frozenset[str]]]:
    units = passage.units
    above = frozenset(terms(" ".join(passage.locator.section_path[-1:])))
    first = 0
    while first < len(units):
        if units[first].kind is BlockKind.HEADING:
            above = frozenset(terms(passage.text_of(units[first])))
            first += 1
            continue
        last = first
        if units[first].kind is BlockKind.LIST_ITEM or _leads_to_list(passage, first):
            while last + 1 < len(units) and units[last + 1].kind is BlockKind.LIST_ITEM:
                last += 1
        yield first, last, above
        first = last + 1


def _leads_to_list(passage: Passage, index: int) -> bool:
    followed = passage.units[index + 1 : index + 2]
    is_list = bool(followed) and followed[0].kind is BlockKind.LIST_ITEM
    return is_list and passage.text_of(passage.units[index]).rstrip().endswith(":")


def _around_best(units: Sequence[Unit], first: int, last: int, limit: int) -> tuple[int, int]:
    """Return the widest run around the best unit that is at most `limit` characters long."""
    if units[last].end - units[first].start <= limit:
        return first, last
    best = max(range(first, last + 1), key=lambda index: units[index].score)
    low = high = best
    grown = True
    while grown:
        grown = False
        if high < last and units[high + 1].end - units[low].start <= limit:
            high, grown = high + 1, True
        if low > first and units[high].end - units[low - 1].start <= limit:
            low, grown = low - 1, True
    return low, high


def table_header(piece: Piece) -> int | None:
    """Return the index of the first row of the table that `piece` is a row of."""
    if piece.kind is not BlockKind.TABLE:
        return None
    index = piece.first
    while index and piece.passage.units[index - 1].kind is BlockKind.TABLE:
        index -= 1
    return index

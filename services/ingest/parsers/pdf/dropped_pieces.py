"""Name what is lost of a page beside its letters: piece by piece, and from some on together."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import name_pages

_MOST_NAMED = 20
"""Pieces of one kind and reason that are named one by one."""
_MOST_PAGES = 40
_SHOWN = 60


@dataclass(frozen=True)
class DroppedPiece:
    """One piece of a page, counted from 1, that is not in the text or not as it was.

    `words` say which piece it is: what stands in it, or beside it.
    """

    what: DroppedContent
    page: int
    words: str = ""
    characters: int = 0


def changed(kind: str, reason: str) -> DroppedContent:
    """Return what the report says of a kind of content whose letters are in the text all the same."""
    return DroppedContent(kind, "", reason, dropped=False)


def left_out(kind: str, reason: str) -> DroppedContent:
    """Return what the report says of a kind of content that is not in the text."""
    return DroppedContent(kind, "", reason)


class DroppedPieces:
    """Notes what is lost of one page, whoever finds it out."""

    def __init__(self, page: int) -> None:
        self.page = page
        self.found: list[DroppedPiece] = []

    def note(self, what: DroppedContent, words: str = "", characters: int = 0) -> None:
        self.found.append(DroppedPiece(what, self.page, words, characters))


def name_pieces(dropped: Iterable[DroppedPiece]) -> Iterator[DroppedContent]:
    """Yield the first pieces of each kind that have words by these, the others of it in one line."""
    alike: dict[DroppedContent, list[DroppedPiece]] = defaultdict(list)
    for piece in dropped:
        alike[piece.what].append(piece)
    for what, pieces in alike.items():
        worded = [piece for piece in pieces if piece.words.strip()]
        wordless = [piece for piece in pieces if not piece.words.strip()]
        named = worded[:_MOST_NAMED]
        for piece in named:
            yield replace(what, place=_place_of(piece), characters=piece.characters)
        if rest := [*worded[_MOST_NAMED:], *wordless]:
            count = f" ({len(rest)} {'more' if named else 'times'})" if len(rest) > 1 else ""
            yield replace(
                what,
                place=_pages_of(rest),
                reason=f"{what.reason}{count}",
                characters=sum(piece.characters for piece in rest),
            )


def _place_of(piece: DroppedPiece) -> str:
    words = " ".join(piece.words.split())
    if len(words) > _SHOWN:
        words = words[: _SHOWN - 1] + "…"
    return f"page {piece.page}, “{words}”"


def _pages_of(pieces: Sequence[DroppedPiece]) -> str:
    pages = sorted({piece.page for piece in pieces})
    if len(pages) <= _MOST_PAGES:
        return name_pages(pages)
    return f"{len(pages)} pages from {pages[0]} to {pages[-1]}"

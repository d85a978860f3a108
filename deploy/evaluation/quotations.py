"""Find quotations, with or without markup, in canonical text.

Only letters and digits are compared, in lower case: a quotation of the source carries markup that
the canonical text does not have.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

Range = tuple[int, int]

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"</?[A-Za-z][^>]*>")
_ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|\w+);")
_NUMBER = re.compile(r"(?:(?<=\s)|^)\d{1,3}[.)]\s")
_FENCE = re.compile(r"(?:```|:::)[\w+-]*")

_ANCHOR = 30
_BEGINNING = 60
"""Letters that have to agree."""


def squeeze(text: str) -> str:
    """Return the letters and digits of `text`, compatibility forms unified, in lower case."""
    return "".join(piece for character in text for piece in _squeezed(character))


def _squeezed(character: str) -> str:
    if character.isascii():
        return character.lower() if character.isalnum() else ""
    folded = unicodedata.normalize("NFKC", character).lower()
    return "".join(piece for piece in folded if piece.isalnum())


@dataclass(frozen=True)
class Text:
    """A document's canonical text, ready to have quotations looked for."""

    text: str

    @cached_property
    def _reduced(self) -> tuple[str, list[int]]:
        pieces: list[str] = []
        origins: list[int] = []
        for index, character in enumerate(self.text):
            found = _squeezed(character)
            pieces.append(found)
            origins.extend([index] * len(found))
        return "".join(pieces), origins

    @property
    def squeezed(self) -> str:
        return self._reduced[0]

    def holds(self, quote: str) -> bool:
        """Whether the letters and digits of `quote`, as it is, stand in the text."""
        return bool(squeezed := squeeze(quote)) and squeezed in self.squeezed

    def find(self, quote: str) -> list[Range]:
        """Return every place of a quotation from the source; empty when it can't be located.

        Markup that is not part of the canonical text (link targets, tags, list numbers) may be
        part of the quotation. A quotation that differs in the middle is found by its ends, and one
        that runs on into what is no text of the document, a page's navigation say, by its beginning.
        """
        for spelling in _spellings(quote):
            found = list(self._exactly(squeeze(spelling)))
            if found:
                return found
        needle = squeeze(_plain(quote))
        return list(self._by_ends(needle)) or list(self._by_beginning(needle))

    def _exactly(self, needle: str) -> Iterator[Range]:
        at = self.squeezed.find(needle) if needle else -1
        while at >= 0:
            yield self._original(at, at + len(needle))
            at = self.squeezed.find(needle, at + 1)

    def _by_ends(self, needle: str) -> Iterator[Range]:
        if len(needle) < 3 * _ANCHOR:
            return
        start = self.squeezed.find(needle[:_ANCHOR])
        end = self.squeezed.find(needle[-_ANCHOR:], start + _ANCHOR) + _ANCHOR
        if start >= 0 and end - _ANCHOR > 0 and end - start <= 1.5 * len(needle):
            yield self._original(start, end)

    def _by_beginning(self, needle: str) -> Iterator[Range]:
        start = self.squeezed.find(needle[:_BEGINNING])
        if len(needle) < _BEGINNING or start < 0:
            return
        pairs = zip(needle, self.squeezed[start:], strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        yield self._original(start, start + shared)

    def _original(self, start: int, end: int) -> Range:
        origins = self._reduced[1]
        return origins[start], origins[end - 1] + 1


def _spellings(quote: str) -> Iterator[str]:
    yield quote
    plain = _plain(quote)
    yield plain
    yield _NUMBER.sub(" ", plain)
    yield _FENCE.sub(" ", _NUMBER.sub(" ", plain))


def _plain(quote: str) -> str:
    return _ENTITY.sub(" ", _TAG.sub(" ", _LINK.sub(r"\1", quote)))


def overlaps(one: Range, other: Range) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def match_path(wanted: str, paths: Iterable[str]) -> str | None:
    """Return the document that `wanted` names: the same path, or one that ends in the other."""
    parts = wanted.strip("/").split("/")

    def shared(path: str) -> int:
        others = path.split("/")
        shorter = min(len(parts), len(others))
        return shorter if parts[-shorter:] == others[-shorter:] else 0

    ranked = sorted(paths, key=lambda path: (-shared(path), path != wanted, path))
    return ranked[0] if ranked and shared(ranked[0]) else None


@dataclass(frozen=True)
class Alignment:
    """Offsets of an ingested text brought back to the text it was made from.

    Both have the same visible characters where nothing was lost; `share` says how many were found.
    """

    _places: list[int]
    _origins: list[int]
    share: float

    def back(self, start: int, end: int) -> Range:
        """Return the range of the original that holds what [start, end) of the ingested text holds."""
        first, last = bisect_left(self._places, start), bisect_left(self._places, end) - 1
        if first > last:
            edge = self._origins[min(first, len(self._origins) - 1)] if self._origins else 0
            return edge, edge
        return self._origins[first], self._origins[last] + 1


def align(original: str, ingested: str) -> Alignment:
    """Match the visible characters of two spellings of one text, in order."""
    left = [(index, piece) for index, piece in enumerate(original) if not piece.isspace()]
    right = [(index, piece) for index, piece in enumerate(ingested) if not piece.isspace()]
    places: list[int] = []
    origins: list[int] = []
    here = there = 0
    while here < len(left) and there < len(right):
        if left[here][1] != right[there][1]:
            here, there = _resume(left, right, here, there)
            continue
        origins.append(left[here][0])
        places.append(right[there][0])
        here, there = here + 1, there + 1
    return Alignment(places, origins, len(origins) / len(left) if left else 1.0)


_WINDOW = 400
_AGREED = 3


def _resume(
    left: list[tuple[int, str]], right: list[tuple[int, str]], here: int, there: int
) -> tuple[int, int]:
    """Return where both sides go on alike, dropping as little as possible."""
    ahead = "".join(piece for _, piece in left[here : here + _WINDOW + _AGREED])
    behind = "".join(piece for _, piece in right[there : there + _WINDOW + _AGREED])
    best: tuple[int, int] | None = None
    for skip in range(len(behind) - _AGREED + 1):
        if best is not None and skip >= sum(best):
            break
        at = ahead.find(behind[skip : skip + _AGREED])
        if at >= 0 and (best is None or at + skip < sum(best)):
            best = (at, skip)
    if best is None:
        return here + 1, there + 1
    return here + best[0], there + best[1]

"""Make a book's outline of what its points say of themselves, and keep it for a while."""

import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence

from libs.vectors.sections import SECTION_SEPARATOR
from services.retrieval.model import NOT_LISTED, Heading, Listed

KEPT_BYTES = 60_000_000
"""Of all outlines that are kept."""
_BYTES_EACH = 200
KEPT_S = 60.0
"""A book that is deleted and put in again may have another outline with the same edition."""

_NOTHING_LISTED: Mapping[str, Listed] = {}

Placed = tuple[str, int, Sequence[str]]
"""A chunk's document, where it begins, and the keys of the sections that it has text of."""


def read_outline(
    placed: Iterable[Placed],
    positions: Mapping[str, int],
    listed: Mapping[str, Listed] = _NOTHING_LISTED,
) -> tuple[Heading, ...]:
    """Return each section once, where it begins; `positions` say in which order documents are read.

    A document without a position comes last. `listed` says where a table of contents puts documents.
    """
    last = max(positions.values(), default=0) + 1
    found: dict[tuple[str, str], Heading] = {}
    for document, start, keys in sorted(
        placed, key=lambda chunk: (positions.get(chunk[0], last), chunk[0], chunk[1])
    ):
        for key in keys:
            path = tuple(key.split(SECTION_SEPARATOR))
            place = listed.get(document, NOT_LISTED) if len(path) == 1 else NOT_LISTED
            found.setdefault((document, key), Heading(document, start, path, place))
    return tuple(found.values())


class OutlineCache:
    """Outlines of the editions asked for last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[tuple[str, int], tuple[Sequence[Heading], float]] = OrderedDict()
        self._sizes: dict[tuple[str, int], int] = {}

    def find(self, book: str, edition: int) -> Sequence[Heading] | None:
        kept = self._kept.get((book, edition))
        return kept[0] if kept is not None and self._clock() < kept[1] else None

    def add(self, book: str, edition: int, outline: Sequence[Heading]) -> None:
        self._kept[book, edition] = outline, self._clock() + KEPT_S
        self._kept.move_to_end((book, edition))
        self._sizes[book, edition] = _size_of(outline)
        while len(self._kept) > 1 and sum(self._sizes.values()) > KEPT_BYTES:
            del self._sizes[self._kept.popitem(last=False)[0]]


def _size_of(outline: Sequence[Heading]) -> int:
    """Return about how many bytes an outline takes, whose documents have their names in common."""
    titles = (title for one in outline for title in (*one.path, *one.listed.part_titles))
    return _BYTES_EACH * (1 + len(outline)) + sum(map(sys.getsizeof, titles))

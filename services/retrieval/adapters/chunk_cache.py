"""Keep chunks that were read before, by point id and version."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from services.retrieval.model import Chunk, FoundChunk

Kept = Chunk | FoundChunk

KEPT_BYTES = 40_000_000
_BYTES_EACH = 1000
_BYTES_A_TERM = 100
_BYTES_A_LETTER = 2
_BYTES_A_SPAN = 100

KEPT_S = 60.0
"""A collection that is deleted and made again counts its versions anew: what is older is forgotten."""


class ChunkCache:
    """Chunks that stay decoded, those used last of about `capacity` bytes, each for `kept_s` seconds.

    A point's version changes with every write to it, so a chunk is never older than its point.
    """

    def __init__(
        self,
        capacity: int = KEPT_BYTES,
        kept_s: float = KEPT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._capacity = capacity
        self._kept_s = kept_s
        self._clock = clock
        self._chunks: OrderedDict[str, tuple[int, float, Kept]] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._bytes = 0

    def find(self, versions: Mapping[str, int]) -> dict[str, Kept]:
        """Return those that are known of the points in `versions`, by their ids."""
        now_s, found = self._clock(), {}
        for point_id, version in versions.items():
            kept = self._chunks.get(point_id)
            if kept is not None and kept[0] == version and now_s < kept[1]:
                found[point_id] = kept[2]
                self._chunks.move_to_end(point_id)
        return found

    def add(self, chunks: Mapping[str, Kept], versions: Mapping[str, int]) -> None:
        """Keep what was read just after the points had these versions."""
        until_s = self._clock() + self._kept_s
        for point_id, chunk in chunks.items():
            self._chunks[point_id] = versions[point_id], until_s, chunk
            self._chunks.move_to_end(point_id)
            self._resize(point_id, size_of(chunk))
        while self._bytes > self._capacity:
            self._resize(self._chunks.popitem(last=False)[0], 0)

    def _resize(self, point_id: str, size: int) -> None:
        self._bytes += size - self._sizes.pop(point_id, 0)
        if size:
            self._sizes[point_id] = size


def size_of(kept: Kept) -> int:
    """Return about how many bytes a chunk takes; of one that was not read its terms tell."""
    size = _BYTES_EACH + _BYTES_A_TERM * len(kept.terms)
    if isinstance(kept, FoundChunk):
        return 2 * size
    beside = (one.text for one in kept.neighbours)
    parts = (kept.text, kept.table_header, *kept.footnotes, *beside)
    letters = sum(map(len, parts))
    return (
        size + _BYTES_A_LETTER * letters + len(kept.span_vectors) + _BYTES_A_SPAN * len(kept.spans)
    )

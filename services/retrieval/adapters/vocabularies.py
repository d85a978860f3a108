"""Keep the vocabularies of the books that were asked last, and read each once however many ask."""

import asyncio
import sys
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from services.retrieval.vocabulary import Vocabulary

KEPT_BYTES = 60_000_000
"""Of all vocabularies that are kept."""
_BYTES_EACH = 100

KEPT_S = 900.0
"""A book that is deleted and put in again may have other words with the same edition."""

Edition = tuple[str, int]
Read = Callable[[str, int], Awaitable[Vocabulary]]


class VocabularyCache:
    """Vocabularies that are read by `read`, which goes on when who asked can wait no longer."""

    def __init__(self, read: Read, clock: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._clock = clock
        self._kept: OrderedDict[Edition, tuple[Vocabulary, float]] = OrderedDict()
        self._sizes: dict[Edition, int] = {}
        self._reading: dict[Edition, asyncio.Task[Vocabulary]] = {}

    async def find(self, book: str, edition: int, *, timeout_s: float) -> Vocabulary:
        """Raise TimeoutError when it is not there in time, and what `read` raises."""
        asked = book, edition
        kept = self._kept.get(asked)
        if kept is not None and self._clock() < kept[1]:
            self._kept.move_to_end(asked)
            return kept[0]
        if asked not in self._reading:
            task = asyncio.create_task(self._fill(asked))
            self._reading[asked] = task
            task.add_done_callback(lambda done: self._finish(asked, done))
        async with asyncio.timeout(timeout_s):
            return await asyncio.shield(self._reading[asked])

    async def _fill(self, asked: Edition) -> Vocabulary:
        vocabulary = await self._read(*asked)
        self._kept[asked] = vocabulary, self._clock() + KEPT_S
        self._kept.move_to_end(asked)
        self._sizes[asked] = _size_of(vocabulary)
        while len(self._kept) > 1 and sum(self._sizes.values()) > KEPT_BYTES:
            del self._sizes[self._kept.popitem(last=False)[0]]
        return vocabulary

    def _finish(self, asked: Edition, task: "asyncio.Task[Vocabulary]") -> None:
        del self._reading[asked]
        if not task.cancelled():
            # Who waited has been told; nobody may have.
            task.exception()


def _size_of(vocabulary: Vocabulary) -> int:
    """Return about how many bytes a vocabulary takes, with the terms that are made of its words."""
    return sum(_BYTES_EACH + sys.getsizeof(word) for word in vocabulary.counts)

"""Remember for a while in which languages the points of an edition are."""

import time
from collections.abc import Awaitable, Callable, Sequence

_MOST_KEPT = 4096
_KEPT_S = 60.0
"""A book that is deleted and put in again may have another language with the same edition."""


class LanguageCache:
    """The languages of editions; `read` takes book, edition and the time there is."""

    def __init__(self, read: Callable[[str, int, float], Awaitable[Sequence[str]]]) -> None:
        self._read = read
        self._kept: dict[tuple[str, int], tuple[Sequence[str], float]] = {}

    async def find(self, book: str, edition: int, *, timeout_s: float) -> Sequence[str]:
        known = self._kept.get((book, edition))
        if known is not None and time.monotonic() < known[1]:
            return known[0]
        spoken = await self._read(book, edition, timeout_s)
        # An edition without a point may be one that is about to come.
        if spoken:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[book, edition] = spoken, time.monotonic() + _KEPT_S
        return spoken

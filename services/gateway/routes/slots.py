"""Limit how many long requests run at once, so that asking and reading always find room."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from libs.errors import Overloaded


class Slots:
    """At most so many at once, of one client `most_each`; who finds none is told at once."""

    def __init__(self, most: int, busy: str, most_each: int = 0) -> None:
        self._most = most
        self._most_each = most_each or most
        self._busy = busy
        self._taken: Counter[str] = Counter()

    @contextmanager
    def take(self, client: str = "") -> Iterator[None]:
        """Hold a slot while the block runs. Raises Overloaded."""
        if self._taken.total() >= self._most or self._taken[client] >= self._most_each:
            raise Overloaded(self._busy)
        self._taken[client] += 1
        try:
            yield
        finally:
            self._taken[client] -= 1
            self._taken += Counter()  # forgets clients that hold none

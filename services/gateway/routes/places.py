"""Limit how many long requests run at once, so that asking and reading always find room."""

from collections.abc import Iterator
from contextlib import contextmanager

from libs.errors import Overloaded


class Places:
    """At most so many at once; who finds none is told at once."""

    def __init__(self, most: int, busy: str) -> None:
        self._most = most
        self._busy = busy
        self._taken = 0

    @contextmanager
    def take(self) -> Iterator[None]:
        """Hold a place while the block runs. Raises Overloaded."""
        if self._taken >= self._most:
            raise Overloaded(self._busy)
        self._taken += 1
        try:
            yield
        finally:
            self._taken -= 1

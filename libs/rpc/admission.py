"""Refuse calls that can't be done in the time that their callers have left.

A queue that is longer than its callers' patience does work that nobody waits for any more. Refused at
once, a caller still has the time to ask another replica.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from libs.errors import Overloaded

_SHARE = 1 / 16
"""Weight of the newest call in the average."""


_MARGIN = 2.0
"""Safety factor on the expected wait: calls differ, and a result that is just too late is lost."""


class Admission:
    """Refuses what can't be finished: calls ahead × seconds a call × margin > seconds left.

    For a service that works off its calls one after the other. Seconds a call are measured as time
    between the ends of calls while there is something to do, so that waiting for one another is not
    counted twice. With nothing else running, a call is always let in.

    The first call of all is not measured: it loads what the others find loaded, and by its time a
    service that is idle but for one call would refuse the second.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._running = 0
        self._last_end = 0.0
        self._call_s = 0.0
        self._is_warm = False

    def wait_s(self) -> float:
        """Seconds until a call that comes in now will be done; 0.0 while nothing runs."""
        return (self._running + 1) * self._call_s if self._running else 0.0

    @contextmanager
    def admit(self, left_s: float) -> Iterator[None]:
        """Run the block as a call with `left_s` seconds left. Raises Overloaded."""
        if self.wait_s() * _MARGIN > left_s:
            raise Overloaded("Too many requests at once. Try again in a moment.")
        if not self._running:
            self._last_end = self._clock()
        self._running += 1
        try:
            yield
            self._note_end()
        finally:
            self._running -= 1

    def _note_end(self) -> None:
        """Learn from a call that was done; what failed took less time, or all of it."""
        now = self._clock()
        took_s, self._last_end = now - self._last_end, now
        if not self._is_warm:
            self._is_warm = True
            return
        share = _SHARE if self._call_s else 1.0
        self._call_s += share * (took_s - self._call_s)

"""Decide how long to wait before a dead child is started again, or to give up."""

import time
from collections.abc import Callable

FIRST_DELAY_S = 0.2
LONGEST_DELAY_S = 5.0
STEADY_S = 30.0
"""A child that was ready this long has put its past deaths behind it."""
ATTEMPTS = 5
"""Deaths before the first readiness that are taken as final."""
BAD_SETTINGS = 2
"""Exit status of a process that says that it can't work with what it was given."""


class RestartPolicy:
    """Whether and when to start one child again: at once, then later and later."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._deaths = 0
        self._ready_since: float | None = None
        self._was_ready = False

    def note_ready(self) -> None:
        self._ready_since = self._clock()
        self._was_ready = True

    def delay_after_death(self, status: int) -> float | None:
        """Return the seconds to wait before the next start; None means give up."""
        ready_s = 0.0 if self._ready_since is None else self._clock() - self._ready_since
        self._ready_since = None
        if ready_s >= STEADY_S:
            self._deaths = 0
        self._deaths += 1
        if not self._was_ready and (status == BAD_SETTINGS or self._deaths >= ATTEMPTS):
            return None
        if self._deaths == 1:
            return 0.0
        # The exponent is bounded: a child may die for weeks.
        return min(FIRST_DELAY_S * 2.0 ** min(self._deaths - 2, 10), LONGEST_DELAY_S)

"""Leave a provider alone for as long as it asks to be."""

import math
import time
from collections.abc import Callable

from libs.errors import QuothError, Unavailable

LONGEST_S = 60.0
"""A provider that asks for more is asked again after this: its word may be wrong, or old by then."""


class Pause:
    """The time in which a provider is asked nothing, since it said when it takes requests again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends_s = -math.inf
        self._said = Unavailable("")

    def heed(self, error: QuothError) -> None:
        """Begin, if `error` tells when to come back; what was said last counts."""
        if isinstance(error, Unavailable) and error.retry_after_s:
            self._ends_s = self._clock() + min(LONGEST_S, error.retry_after_s)
            self._said = error

    @property
    def left_s(self) -> float:
        """Seconds until the provider may be asked again; 0 when it may be now."""
        return max(0.0, self._ends_s - self._clock())

    def require_end(self, within_s: float = 0.0) -> None:
        """Raise the error that the pause began with, with what is left, if more than `within_s` is."""
        left_s = self.left_s
        if left_s > max(0.0, within_s):
            raise type(self._said)(self._said.message, left_s)

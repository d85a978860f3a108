"""How fast a model writes, and how long an answer of it may be within the time there is."""

import time
from collections.abc import Callable

FIRST_TOKENS_PER_S = 150.0
"""What is assumed of a model that has not been seen writing."""
LEAST_TOKENS = 256
"""What one answer needs: three sentences with their quotations, as JSON."""
_FASTEST = 1000.0
_TELLING_TOKENS = 24
"""Fewer tell of the network, not of the model."""
_TELLING_S = 0.05
_WEIGHT = 0.2
_FORGET_S = 60.0
"""Half of what was learnt is forgotten in this time: a machine that was busy is so no longer."""


class WritingSpeed:
    """A running mean of tokens per second, of writing alone; what it learnt fades."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tokens_per_s = FIRST_TOKENS_PER_S
        self._seen_at = clock()

    def fitting_tokens(self, wanted: int, allowed_s: float) -> int:
        """Return `wanted`, cut to what is written in `allowed_s`, to no less than an answer."""
        return min(wanted, max(LEAST_TOKENS, int(allowed_s * self._now())))

    def measure(self, tokens: float, took_s: float) -> None:
        """Learn from `tokens` written in `took_s` seconds after the first ones; few tell nothing."""
        if tokens < _TELLING_TOKENS or took_s < _TELLING_S:
            return
        seen = min(tokens / took_s, _FASTEST)
        self._tokens_per_s = (1 - _WEIGHT) * self._now() + _WEIGHT * seen
        self._seen_at = self._clock()

    def forget(self) -> None:
        """Begin anew, since what was learnt cut an answer short."""
        self._tokens_per_s = FIRST_TOKENS_PER_S

    def _now(self) -> float:
        kept: float = 0.5 ** ((self._clock() - self._seen_at) / _FORGET_S)
        return FIRST_TOKENS_PER_S + kept * (self._tokens_per_s - FIRST_TOKENS_PER_S)

"""A circuit breaker: stop calling what keeps failing, and try again after a while."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from libs.errors import Unavailable
from libs.telemetry.metrics import current_metrics

_LOG = logging.getLogger(__name__)

MOST_FAILURES = 5
"""Failures in a row that are bad luck no more."""


class CircuitBreaker:
    """Stops calls to what failed five times in a row, for `wait_s` seconds at first.

    After that one call at a time is let through to see; when it fails too, the wait doubles, up to
    `longest_wait_s`. `name` says in log and metrics what is called, `refuse` makes the error of a call
    that is stopped, given the seconds left to wait, and `changed` is told of each opening (True) and
    closing.
    """

    def __init__(
        self,
        name: str,
        refuse: Callable[[float], Unavailable],
        *,
        wait_s: float,
        longest_wait_s: float,
        changed: Callable[[bool], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._refuse = refuse
        self._first_wait_s = self._wait_s = wait_s
        self._longest_wait_s = longest_wait_s
        self._changed = changed
        self._clock = clock
        self._failed = 0
        self._ends_s = 0.0
        self._probing = False
        if (metrics := current_metrics()) is not None:
            metrics.begin_circuit(name)

    @property
    def is_open(self) -> bool:
        """Whether calls are stopped, but for one that is to see."""
        return self._failed >= MOST_FAILURES

    @contextmanager
    def watch(self, is_failure: Callable[[BaseException], bool]) -> Iterator[None]:
        """Run the block as one call; what it raises counts if `is_failure`, else says nothing.

        Raises what `refuse` makes, and does not run the block, while open.
        """
        probe = self.is_open
        left_s = max(0.0, self._ends_s - self._clock())
        if probe and (self._probing or left_s):
            raise self._refuse(left_s)
        self._probing = probe
        try:
            yield
        except BaseException as error:
            if is_failure(error):
                self._fail(probe=probe)
            raise
        else:
            self._succeed()
        finally:
            if probe:
                self._probing = False

    def _fail(self, *, probe: bool) -> None:
        if probe:
            self._wait_s = min(self._longest_wait_s, 2 * self._wait_s)
        elif self.is_open:
            return  # begun before it opened: no news
        self._failed += 1
        if self.is_open:
            self._ends_s = self._clock() + self._wait_s
        if self._failed == MOST_FAILURES:
            _LOG.warning("%s failed %d times in a row: no more calls", self._name, MOST_FAILURES)
            self._tell(is_open=True)

    def _succeed(self) -> None:
        was_open, self._failed, self._wait_s = self.is_open, 0, self._first_wait_s
        if was_open:
            _LOG.warning("%s answers again", self._name)
            self._tell(is_open=False)

    def _tell(self, *, is_open: bool) -> None:
        metrics = current_metrics()
        if metrics is not None:
            metrics.count_circuit(self._name, "open" if is_open else "closed")
        self._changed(is_open)

"""Leave a provider alone for as long as it asks to be."""

import asyncio
import math
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from libs.errors import QuothError, Unavailable

LONGEST_S = 60.0
"""A provider that asks for more is asked again after this: its word may be wrong, or old by then."""

LEAST_S = 0.3
"""What a request needs of its time after waiting."""

_ASKS_TO_WAIT = (429, 503, 529)
"""Statuses with which a Retry-After is of the provider and not of one request; 529 is Anthropic's."""


def asked_wait_s(status: int, headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a response asks to wait, by a number or a date; None when it doesn't.

    One that is refused for what is in it may be answered at once when it is asked otherwise.
    """
    if status not in _ASKS_TO_WAIT:
        return None
    told = {name.lower(): value for name, value in headers.items()}
    wait_s = _read_number(told.get("retry-after-ms", "")) / 1000
    if math.isnan(wait_s):
        wait_s = _read_number(told.get("retry-after", ""))
    if math.isnan(wait_s):
        wait_s = _read_date(told.get("retry-after", ""))
    return max(0.0, wait_s) if math.isfinite(wait_s) else None


def _read_number(told: str) -> float:
    try:
        return float(told)
    except ValueError:
        return math.nan


def _read_date(told: str) -> float:
    """Return the seconds until a date; not a number for what is none."""
    try:
        at = parsedate_to_datetime(told)
    except (ValueError, OverflowError):
        return math.nan
    return (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


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

    async def wait(self, left_s: float) -> None:
        """Wait for its end; raise as `require_end` where no request is done in what `left_s` leaves."""
        self.require_end(within_s=left_s - LEAST_S)
        await asyncio.sleep(self.left_s)

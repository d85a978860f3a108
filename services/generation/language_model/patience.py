"""Wait for a model up to its time limit, and decide whether it or the caller was too slow."""

import asyncio
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from libs.budget.budget import TIMED_OUT
from libs.budget.stages import COMPLETE
from libs.errors import DeadlineExceeded, QuothError
from services.generation.transcript import Transcript

T = TypeVar("T")

TOO_SLOW = f"{TIMED_OUT}. Try a simpler question."
"""What helps where a model was writing, and nowhere else."""

SILENT = f"{TIMED_OUT}: the language model did not begin to answer. Ask again in a moment."
"""Of a model that wrote nothing: no question would have been simple enough."""

_MARGIN_S = 0.02
"""Kept back, so that a model is found too slow here and not where its answer is waited for."""
_FAIR_S = 0.3
"""A model that was given less did not fail."""


@contextmanager
def telling_silence(transcript: Transcript) -> Iterator[None]:
    """Say of a model that was too slow, and of which nothing is in `transcript`, that it was silent."""
    try:
        yield
    except DeadlineExceeded as error:
        if transcript.response:
            raise
        raise DeadlineExceeded(SILENT, stage=error.stage) from error


class Patience:
    """The time that one exchange may spend waiting; what is done with what came costs nothing of it."""

    def __init__(self, allowed_s: float) -> None:
        self._allowed_s = allowed_s - _MARGIN_S
        self.waited_s = 0.0

    @property
    def was_fair(self) -> bool:
        """Whether there was time enough to call a model too slow."""
        return self._allowed_s >= _FAIR_S

    async def wait_for(self, coming: Awaitable[T]) -> T:
        """Return what comes. Raises DeadlineExceeded when all the time was spent waiting."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(max(0.0, self._allowed_s - self.waited_s)) as limit:
                return await coming
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise DeadlineExceeded(TOO_SLOW, stage=COMPLETE.name) from error
        finally:
            self.waited_s += time.monotonic() - began

    def is_to_blame(self, error: BaseException) -> bool:
        """Whether an error of ours that ended the exchange is the model's fault."""
        if isinstance(error, DeadlineExceeded):
            return self.was_fair
        return isinstance(error, QuothError)

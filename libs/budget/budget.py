"""A deadline in, an allowance for each stage and a record of what it took out."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import Enum

from libs.budget.stages import TOTAL_S, Stage
from libs.errors import DeadlineExceeded
from libs.telemetry.tracing import stage_span

TIMED_OUT = "Query processing timed out. Try a simpler question."


class Outcome(Enum):
    """How a stage ended."""

    OK = "ok"
    CAPPED = "capped"
    NOT_STARTED = "not_started"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True)
class StageTiming:
    """What a stage was allowed when it first began, and what all its parts together took."""

    stage: str
    allowed_ms: float
    used_ms: float
    outcome: Outcome


class Budget:
    """The deadline of one request, by the monotonic clock.

    `stages` is the service's pipeline in order; a stage may be entered more than once, and its parts
    share its cap. `timings` lists the stages entered so far.
    """

    def __init__(
        self,
        left_s: float,
        stages: Sequence[Stage],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._end = clock() + min(left_s, TOTAL_S)
        self._stages = stages
        self._timings: dict[str, StageTiming] = {}
        self._foreign: list[StageTiming] = []

    @property
    def timings(self) -> list[StageTiming]:
        return [*self._timings.values(), *self._foreign]

    def add_timings(self, timings: Sequence[StageTiming]) -> None:
        """Take over the timings that a called service reported."""
        self._foreign.extend(timings)

    def left_s(self) -> float:
        return self._end - self._clock()

    def allowance_s(self, stage: Stage) -> float:
        """Seconds `stage` may take now; below its floor, or negative, it must not start."""
        later = self._stages[self._stages.index(stage) + 1 :]
        used_s = self._used_ms(stage) / 1000
        return min(stage.cap_s - used_s, self.left_s() - sum(other.floor_s for other in later))

    @asynccontextmanager
    async def stage(self, stage: Stage) -> AsyncIterator[float]:
        """Run the block as `stage`, within its allowance, in a span of its own.

        Yields the allowance in seconds. Raises DeadlineExceeded, naming the stage, when the block is
        not started or is stopped.
        """
        allowed_s = self.allowance_s(stage)
        if allowed_s < stage.floor_s:
            self._note(stage, allowed_s, 0.0, Outcome.NOT_STARTED)
            raise DeadlineExceeded(TIMED_OUT, stage=stage.name)
        began, outcome = self._clock(), Outcome.FAILED
        with stage_span(stage.name) as span:
            try:
                async with asyncio.timeout(allowed_s) as timer:
                    yield allowed_s
                outcome = Outcome.OK
            except TimeoutError as error:
                if not timer.expired():
                    raise
                outcome = Outcome.CAPPED
                raise DeadlineExceeded(TIMED_OUT, stage=stage.name) from error
            except DeadlineExceeded:
                outcome = Outcome.CAPPED
                raise
            except (asyncio.CancelledError, GeneratorExit):
                outcome = Outcome.CANCELLED
                raise
            finally:
                used_s = self._clock() - began
                self._note(stage, allowed_s, used_s, outcome)
                span.set_attributes(
                    {
                        "quoth.budget.allowed_ms": allowed_s * 1000,
                        "quoth.budget.used_ms": used_s * 1000,
                        "quoth.budget.left_ms": self.left_s() * 1000,
                        "quoth.budget.outcome": outcome.value,
                    }
                )

    def _used_ms(self, stage: Stage) -> float:
        timing = self._timings.get(stage.name)
        return timing.used_ms if timing else 0.0

    def _note(self, stage: Stage, allowed_s: float, used_s: float, outcome: Outcome) -> None:
        before = self._timings.get(stage.name)
        if before is None:
            before = StageTiming(stage.name, max(0.0, allowed_s * 1000), 0.0, outcome)
        self._timings[stage.name] = replace(
            before, used_ms=before.used_ms + used_s * 1000, outcome=outcome
        )


_budget: ContextVar[Budget] = ContextVar("budget")


def current_budget() -> Budget:
    """Return the budget of the request being served; LookupError outside of one."""
    return _budget.get()


def set_current_budget(budget: Budget) -> None:
    _budget.set(budget)

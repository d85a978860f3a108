"""Divide a deadline among the stages, and record what each took."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from types import TracebackType

from libs.budget.stages import TOTAL_S, Stage
from libs.errors import DeadlineExceeded, QuothError, Unavailable
from libs.telemetry.metrics import current_metrics
from libs.telemetry.tracing import StageSpan, open_stage_span

TIMED_OUT = "Query processing timed out"
_AGAIN = "in a moment."
_FAIR = 0.5
"""Share of its cap that a stage has to have had before what it waits for is said not to answer."""


def out_of_time(stage: Stage, given_s: float) -> QuothError:
    """Return what it is to who asked that `stage` did not end in the `given_s` seconds it had.

    Where it waited for a part that had time enough, that part does not answer: Unavailable. All else
    is DeadlineExceeded.
    """
    if stage.awaits and given_s >= _FAIR * stage.cap_s:
        return Unavailable(f"{stage.awaits} does not answer. Try again {_AGAIN}")
    return DeadlineExceeded(_timed_out_in(stage), stage=stage.name)


def _timed_out_in(stage: Stage) -> str:
    return f"{TIMED_OUT} while {stage.during or 'it was answered'}. Ask again {_AGAIN}"


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
        # Seconds that the stages after each one need at least.
        self._later_s: dict[str, float] = {}
        later_s = 0.0
        for stage in reversed(stages):
            self._later_s[stage.name] = later_s
            later_s += stage.floor_s
        self._entered: dict[str, Stage] = {}
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
        used_s = self._used_ms(stage) / 1000
        return min(stage.cap_s - used_s, self.left_s() - self._later_s[stage.name])

    def stage(self, stage: Stage) -> AbstractAsyncContextManager[float]:
        """Run the block as `stage`, within its allowance, in a span of its own.

        Yields the allowance in seconds. Raises what `out_of_time` makes of it when the block is stopped
        or its cap is spent, and DeadlineExceeded when too little is left of the whole for it to start.
        """
        return _Part(self, stage)

    def stopped(self, stage: Stage) -> QuothError:
        """Return what it means that `stage` was stopped, after all its parts took."""
        return out_of_time(stage, self._used_ms(stage) / 1000)

    def refuse_start(self, stage: Stage) -> QuothError:
        """Return why `stage` can't start: its own cap is spent, or what another stage took."""
        spent_s = self._used_ms(stage) / 1000
        if stage.cap_s - spent_s < stage.floor_s:
            return out_of_time(stage, spent_s)
        if not self._entered:
            message = f"{TIMED_OUT} before it began. Allow it more time."
        else:
            message = _timed_out_in(max(self._entered.values(), key=self._used_ms))
        return DeadlineExceeded(message, stage=stage.name)

    def now_s(self) -> float:
        return self._clock()

    def note(self, stage: Stage, allowed_s: float, used_s: float, outcome: Outcome) -> None:
        """Add a part of `stage` to its timing."""
        if outcome is not Outcome.NOT_STARTED:
            self._entered[stage.name] = stage
        before = self._timings.get(stage.name)
        self._timings[stage.name] = StageTiming(
            stage.name,
            before.allowed_ms if before else max(0.0, allowed_s * 1000),
            (before.used_ms if before else 0.0) + used_s * 1000,
            outcome,
        )

    def _used_ms(self, stage: Stage) -> float:
        timing = self._timings.get(stage.name)
        return timing.used_ms if timing else 0.0


class _Part:
    """One run of a stage. A class of its own: an answer has twenty, and generators cost twice this."""

    __slots__ = ("_allowed_s", "_began_s", "_budget", "_span", "_stage", "_timer")

    def __init__(self, budget: Budget, stage: Stage) -> None:
        self._budget = budget
        self._stage = stage

    async def __aenter__(self) -> float:
        budget, stage = self._budget, self._stage
        self._allowed_s = allowed_s = budget.allowance_s(stage)
        if allowed_s < stage.floor_s:
            refused = budget.refuse_start(stage)
            budget.note(stage, allowed_s, 0.0, Outcome.NOT_STARTED)
            raise refused
        self._began_s = budget.now_s()
        self._span = open_stage_span(stage.name)
        self._timer = asyncio.timeout(allowed_s)
        await self._timer.__aenter__()
        return allowed_s

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            await self._timer.__aexit__(kind, error, traceback)
        except TimeoutError as expired:  # the timer makes it of a cancellation that was its own
            error = expired
        outcome = self._outcome(error)
        used_s = self._budget.now_s() - self._began_s
        self._budget.note(self._stage, self._allowed_s, used_s, outcome)
        named = isinstance(error, DeadlineExceeded) and error.stage
        late = outcome is Outcome.CAPPED and not named
        raised = self._budget.stopped(self._stage) if late else error
        if self._span is not None:
            self._close_span(self._span, used_s, outcome, raised)
        if late and raised is not None:
            raise raised from error

    def _outcome(self, error: BaseException | None) -> Outcome:
        if error is None:
            return Outcome.OK
        if isinstance(error, DeadlineExceeded):
            return Outcome.CAPPED
        if isinstance(error, TimeoutError) and self._timer.expired():
            return Outcome.CAPPED
        if isinstance(error, asyncio.CancelledError | GeneratorExit):
            return Outcome.CANCELLED
        return Outcome.FAILED

    def _close_span(
        self, span: StageSpan, used_s: float, outcome: Outcome, error: BaseException | None
    ) -> None:
        attributes = {
            "quoth.budget.allowed_ms": self._allowed_s * 1000,
            "quoth.budget.used_ms": used_s * 1000,
            "quoth.budget.left_ms": self._budget.left_s() * 1000,
            "quoth.budget.outcome": outcome.value,
        }
        span.close(attributes, error)


def measure_stages(timings: Iterable[StageTiming]) -> None:
    """Record what stages of a request took, and were allowed, when metrics are on."""
    if (metrics := current_metrics()) is not None:
        for one in timings:
            used_s, allowed_s = one.used_ms / 1000, one.allowed_ms / 1000
            metrics.measure_stage(one.stage, one.outcome.value, used_s, allowed_s)


_budget: ContextVar[Budget] = ContextVar("budget")


def current_budget() -> Budget:
    """Return the budget of the request being served; LookupError outside of one."""
    return _budget.get()


def set_current_budget(budget: Budget) -> None:
    _budget.set(budget)

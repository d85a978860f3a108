"""What every answerer that calls a model keeps to, whoever its provider is."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from types import SimpleNamespace

import pytest

from libs.circuit import CircuitBreaker
from libs.errors import DeadlineExceeded, ModelUnavailable
from libs.failure_log import FailureLog
from services.generation.language_model import patience
from services.generation.language_model.calls import (
    ModelCaller,
    SdkErrors,
    Unfinished,
    blames,
)
from services.generation.language_model.patience import Patience
from services.generation.model import DraftSentence
from services.generation.transcript import Transcript


@pytest.fixture
def breaker() -> CircuitBreaker:
    return ModelCaller(
        SdkErrors("openai", Exception, TimeoutError, KeyError, (), FailureLog("model"))
    ).breaker


ENOUGH = blames(Patience(2.5))


def fail(
    breaker: CircuitBreaker,
    error: DeadlineExceeded | ModelUnavailable,
    counts: Callable[[BaseException], bool] = ENOUGH,
) -> None:
    for _ in range(5):
        with suppress(type(error)), breaker.watch(counts):
            raise error


def test_a_model_that_talks_too_long_is_there(breaker: CircuitBreaker) -> None:
    fail(breaker, Unfinished())
    assert not breaker.is_open


@pytest.mark.parametrize("error", [ModelUnavailable("down"), DeadlineExceeded("late")])
def test_a_provider_that_fails_again_and_again_is_left_alone_and_says_so(
    breaker: CircuitBreaker, error: DeadlineExceeded | ModelUnavailable
) -> None:
    fail(breaker, error)
    with pytest.raises(ModelUnavailable) as caught, breaker.watch(ENOUGH):
        pass
    assert caught.value.retry_after_s is not None
    assert 0 < caught.value.retry_after_s <= 10


def test_a_provider_that_says_when_to_come_back_is_not_broken(breaker: CircuitBreaker) -> None:
    fail(breaker, ModelUnavailable("later", 3.0))
    assert not breaker.is_open


def test_a_model_that_was_given_no_time_did_not_fail(breaker: CircuitBreaker) -> None:
    fail(breaker, DeadlineExceeded("late"), blames(Patience(0.1)))
    assert not breaker.is_open


class Written:
    """A stream of 400 tokens a second, the first of which comes after `waits_s`, as read."""

    def __init__(self, clock: list[float], waits_s: float) -> None:
        self.transcript = Transcript()
        self.is_whole = True
        self._clock, self._waits_s = clock, waits_s

    async def close(self) -> None:
        pass

    async def read(self, stream: object) -> AsyncGenerator[Sequence[DraftSentence], None]:
        for passes_s in (self._waits_s, *[0.25] * 8):
            self._clock[0] += passes_s
            self.transcript.response += "word" * 100
            yield ()

    def take_rest(self) -> Sequence[DraftSentence]:
        return ()


@pytest.mark.parametrize("waits_s", [0.0, 30.0])
async def test_a_model_is_as_fast_as_it_writes_however_long_it_was_waited_for(
    waits_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    caller = ModelCaller(
        SdkErrors("openai", Exception, TimeoutError, KeyError, (), FailureLog("model"))
    )
    monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    written = Written(clock, waits_s)

    async def begin(max_tokens: int, end: float) -> Written:
        return written

    async for _ in caller.draft(begin, written, wanted=2000, allowed_s=60.0):
        pass
    # From 150 a second, one answer teaches a fifth of the way to 400.
    assert caller.speed.fitting_tokens(2000, 2.0) in range(399, 402)

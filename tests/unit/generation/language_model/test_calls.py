"""What every answerer that calls a model keeps to, whoever its provider is."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from libs.circuit import CircuitBreaker
from libs.errors import DeadlineExceeded, ModelUnavailable
from services.generation.language_model.calls import (
    ModelCaller,
    SdkErrors,
    Unfinished,
    asked_wait_s,
    blames,
)
from services.generation.language_model.patience import Patience


@pytest.fixture
def breaker() -> CircuitBreaker:
    return ModelCaller(SdkErrors("openai", Exception, TimeoutError, KeyError, ())).breaker


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


def test_a_model_that_was_given_no_time_did_not_fail(breaker: CircuitBreaker) -> None:
    fail(breaker, DeadlineExceeded("late"), blames(Patience(0.1)))
    assert not breaker.is_open


def asking(after: str | None) -> ModelUnavailable:
    error = ModelUnavailable("busy")
    response = httpx2.Response(429, headers={} if after is None else {"retry-after": after})
    vars(error)["response"] = response
    return error


@pytest.mark.parametrize(
    ("after", "wait_s"),
    [("7", 7), ("0.5", 0.5), ("-3", 0), ("soon", None), ("", None), ("nan", None), ("inf", None)],
)
def test_a_provider_may_say_when_to_come_back(after: str, wait_s: float | None) -> None:
    assert asked_wait_s(asking(after)) == wait_s


def test_a_provider_may_say_nothing_or_have_said_nothing() -> None:
    assert asked_wait_s(asking(None)) is None
    assert asked_wait_s(ModelUnavailable("no response")) is None


def test_a_provider_may_name_a_date() -> None:
    later = datetime.now(UTC) + timedelta(seconds=30)
    assert asked_wait_s(asking(format_datetime(later, usegmt=True))) == pytest.approx(30, abs=5)
    assert asked_wait_s(asking("Wed, 21 Oct 2015 07:28:00 GMT")) == 0

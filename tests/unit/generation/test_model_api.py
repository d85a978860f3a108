"""A provider that fails again and again is left alone for a while, and then tried by one call."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from libs.errors import ModelUnavailable
from services.generation.adapters.model_api import (
    CircuitBreaker,
    ModelCaller,
    SdkErrors,
    Unfinished,
    asked_wait_s,
)


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def breaker(clock):
    return CircuitBreaker(clock)


def fail(breaker, times=1):
    for _ in range(times):
        with pytest.raises(ModelUnavailable, match="itself"), breaker.watch():
            raise ModelUnavailable("itself")


def is_open(breaker):
    try:
        with breaker.watch():
            return False
    except ModelUnavailable:
        return True


def test_four_failures_in_a_row_are_bad_luck(breaker):
    fail(breaker, 4)
    assert not is_open(breaker)


def test_an_answer_starts_the_count_again(breaker):
    fail(breaker, 4)
    assert not is_open(breaker)
    fail(breaker, 4)
    assert not is_open(breaker)


def test_five_failures_in_a_row_stop_all_calls_for_ten_seconds(breaker, clock):
    fail(breaker, 5)
    assert is_open(breaker)
    clock.now += 9.9
    assert is_open(breaker)
    clock.now += 0.2
    assert not is_open(breaker)


def test_one_call_at_a_time_is_a_probe(breaker, clock):
    fail(breaker, 5)
    clock.now += 11
    with breaker.watch():
        assert is_open(breaker)
    assert not is_open(breaker)


def test_a_probe_that_fails_doubles_the_wait_up_to_a_minute(breaker, clock):
    fail(breaker, 5)
    clock.now += 11
    fail(breaker)
    clock.now += 19
    assert is_open(breaker)
    for _ in range(5):
        clock.now += 61
        fail(breaker)
    clock.now += 61
    assert not is_open(breaker)


def test_a_probe_that_is_cancelled_says_nothing_and_the_next_may_try(breaker, clock):
    fail(breaker, 5)
    clock.now += 11
    with pytest.raises(asyncio.CancelledError), breaker.watch():
        raise asyncio.CancelledError
    assert not is_open(breaker)


def test_a_model_that_talks_too_long_is_there(breaker):
    for _ in range(9):
        with pytest.raises(Unfinished), breaker.watch():
            raise Unfinished
    assert not is_open(breaker)


def test_tokens_follow_the_speed_that_was_seen():
    caller = ModelCaller(SdkErrors("openai", Exception, TimeoutError, KeyError, ()))
    assert caller.fitting_tokens(800, 2.0) == 300
    for _ in range(40):
        caller.measure(20, 1.0)
    assert caller.fitting_tokens(800, 2.0) in range(38, 45)
    assert caller.fitting_tokens(800, 0.1) == 32


def asking(after):
    error = ModelUnavailable("busy")
    error.response = httpx2.Response(429, headers={} if after is None else {"retry-after": after})
    return error


@pytest.mark.parametrize(
    ("after", "wait_s"),
    [("7", 7), ("0.5", 0.5), ("-3", 0), ("soon", None), ("", None), ("nan", None), ("inf", None)],
)
def test_a_provider_may_say_when_to_come_back(after, wait_s):
    assert asked_wait_s(asking(after)) == wait_s


def test_a_provider_may_say_nothing_or_have_said_nothing():
    assert asked_wait_s(asking(None)) is None
    assert asked_wait_s(ModelUnavailable("no response")) is None


def test_a_provider_may_name_a_date():
    later = datetime.now(UTC) + timedelta(seconds=30)
    assert asked_wait_s(asking(format_datetime(later, usegmt=True))) == pytest.approx(30, abs=5)
    assert asked_wait_s(asking("Wed, 21 Oct 2015 07:28:00 GMT")) == 0


def test_an_open_breaker_says_when_it_tries_again(breaker, clock):
    fail(breaker, 5)
    clock.now += 4
    with pytest.raises(ModelUnavailable) as caught, breaker.watch():
        pass
    assert caught.value.retry_after_s == 6

"""What fails again and again is left alone for a while, and then tried by one call."""

import asyncio
from contextlib import _GeneratorContextManager
from functools import partial
from typing import Any

import pytest

from libs.circuit import CircuitBreaker
from libs.errors import Unavailable
from tests.support.telemetry import Recorded


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def changes() -> list[Any]:
    return []


@pytest.fixture
def breaker(clock: Clock, changes: list[Any]) -> CircuitBreaker:
    refuse = partial(Unavailable, "refused")
    return CircuitBreaker(
        "store", refuse, wait_s=10, longest_wait_s=60, changed=changes.append, clock=clock
    )


def call(breaker: CircuitBreaker) -> _GeneratorContextManager:
    return breaker.watch(lambda error: isinstance(error, Unavailable))


def fail(breaker: CircuitBreaker, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(Unavailable, match="itself"), call(breaker):
            raise Unavailable("itself")


def refuses(breaker: CircuitBreaker) -> bool:
    try:
        with call(breaker):
            return False
    except Unavailable:
        return True


def test_four_failures_in_a_row_are_bad_luck(breaker: CircuitBreaker) -> None:
    fail(breaker, 4)
    assert not refuses(breaker)


def test_a_success_resets_the_count_of_failures(breaker: CircuitBreaker) -> None:
    fail(breaker, 4)
    assert not refuses(breaker)
    fail(breaker, 4)
    assert not refuses(breaker)


def test_five_failures_in_a_row_stop_all_calls_for_ten_seconds(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    fail(breaker, 5)
    assert refuses(breaker)
    clock.now += 9.9
    assert refuses(breaker)
    clock.now += 0.2
    assert not refuses(breaker)


def test_one_call_at_a_time_is_a_probe(breaker: CircuitBreaker, clock: Clock) -> None:
    fail(breaker, 5)
    clock.now += 11
    with call(breaker):
        assert refuses(breaker)
    assert not refuses(breaker)


def test_a_probe_that_fails_doubles_the_wait_up_to_a_minute(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    fail(breaker, 5)
    clock.now += 11
    fail(breaker)
    clock.now += 19
    assert refuses(breaker)
    for _ in range(5):
        clock.now += 61
        fail(breaker)
    clock.now += 61
    assert not refuses(breaker)


def test_calls_that_began_before_it_opened_do_not_lengthen_the_wait(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    late = call(breaker)
    late.__enter__()
    fail(breaker, 5)
    clock.now += 9
    error = Unavailable("late")
    assert not late.__exit__(Unavailable, error, None)
    clock.now += 2
    assert not refuses(breaker)


@pytest.mark.parametrize("error", [asyncio.CancelledError(), KeyError("the reader's")])
def test_cancelled_and_unexpected_failures_do_not_count_and_the_next_call_may_try(
    breaker: CircuitBreaker, clock: Clock, error: asyncio.CancelledError | KeyError
) -> None:
    fail(breaker, 4)
    with pytest.raises(type(error)), call(breaker):
        raise error
    fail(breaker)
    clock.now += 11
    with pytest.raises(type(error)), call(breaker):
        raise error
    assert breaker.is_open
    assert not refuses(breaker)


def test_a_refusal_says_when_it_tries_again(breaker: CircuitBreaker, clock: Clock) -> None:
    fail(breaker, 5)
    clock.now += 4
    with pytest.raises(Unavailable, match="refused") as caught, call(breaker):
        pass
    assert caught.value.retry_after_s == 6


def test_opening_and_closing_are_told_logged_and_counted_once(
    breaker: CircuitBreaker,
    clock: Clock,
    changes: list[Any],
    recorded: Recorded,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert not refuses(breaker)
    fail(breaker, 5)
    clock.now += 11
    fail(breaker)
    clock.now += 21
    assert not refuses(breaker)
    assert changes == [True, False]
    assert [record.getMessage() for record in caplog.records] == [
        "store failed 5 times in a row: no more calls",
        "store answers again",
    ]
    assert recorded["quoth.circuit.changes"] == [
        ({"quoth.circuit": "store", "quoth.circuit.state": "open"}, 1),
        ({"quoth.circuit": "store", "quoth.circuit.state": "closed"}, 1),
    ]


def test_a_circuit_is_known_before_it_first_opens(recorded: Recorded) -> None:
    CircuitBreaker("store", partial(Unavailable, "refused"), wait_s=10, longest_wait_s=60)
    assert recorded["quoth.circuit.changes"] == [
        ({"quoth.circuit": "store", "quoth.circuit.state": "open"}, 0)
    ]

"""Who is let in when more comes than can be done, on a clock that the tests move."""

from contextlib import ExitStack

import pytest

from libs.errors import Overloaded
from libs.rpc.admission import Admission


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def admission(clock: Clock) -> Admission:
    """An admission that has seen calls of 50 ms."""
    admission = Admission(clock)
    for _ in range(100):
        with admission.admit(5.0):
            clock.now += 0.05
        clock.now += 1.0  # idle time is nobody's
    return admission


def test_an_idle_service_lets_in_even_what_is_nearly_late(admission: Admission) -> None:
    with admission.admit(0.001):
        pass


def test_a_call_is_refused_once_the_queue_is_longer_than_its_patience(admission: Admission) -> None:
    with ExitStack() as running:
        for _ in range(9):
            running.enter_context(admission.admit(5.0))
        assert admission.wait_s() == pytest.approx(0.5)
        with pytest.raises(Overloaded), admission.admit(0.99):
            pass
        with admission.admit(1.01):  # who can wait longer may
            pass


def test_refused_calls_are_not_counted_as_running(admission: Admission) -> None:
    with admission.admit(5.0):
        for _ in range(100):
            with pytest.raises(Overloaded), admission.admit(0.01):
                pass
        assert admission.wait_s() == pytest.approx(0.1)
    assert admission.wait_s() == 0.0


def test_calls_that_wait_for_one_another_count_once(clock: Clock) -> None:
    admission = Admission(clock)
    for _ in range(100):
        calls = [ExitStack() for _ in range(10)]
        for call in calls:
            call.enter_context(admission.admit(5.0))
        for call in calls:  # each of them was there all the time, and took 20 ms of it
            clock.now += 0.02
            call.close()
    with admission.admit(5.0):
        assert admission.wait_s() == pytest.approx(0.04)


def test_calls_that_fail_teach_nothing(admission: Admission, clock: Clock) -> None:
    for _ in range(50):
        with pytest.raises(ValueError, match="at once"), admission.admit(5.0):
            raise ValueError("at once")
    with admission.admit(5.0):
        assert admission.wait_s() == pytest.approx(0.1)


@pytest.mark.fault("O1")
def test_goodput_at_four_times_the_capacity_stays_at_its_peak(clock: Clock) -> None:
    """One worker, 10 ms a call, callers that wait 500 ms: the pattern of an open-loop overload."""

    def goodput(calls_per_s: float, admission: Admission | None) -> float:
        queue: list[tuple[float, ExitStack]] = []
        clock.now, done = 0.0, 0
        arrivals, next_free, place = [number / calls_per_s for number in range(4000)], 0.0, 0
        while place < len(arrivals) and arrivals[place] < 10.0:
            arrival = arrivals[place]
            if queue and next_free <= arrival:
                clock.now, (began, entered) = next_free, queue.pop(0)
                done += clock.now - began <= 0.5
                entered.close()
                next_free = clock.now + 0.01
                continue
            clock.now, place, entered = arrival, place + 1, ExitStack()
            if admission is not None:
                try:
                    entered.enter_context(admission.admit(0.5))
                except Overloaded:
                    continue
            next_free = next_free if queue else max(next_free, arrival + 0.01)
            queue.append((arrival, entered))
        return done / 10

    peak = goodput(100, Admission(clock))
    assert goodput(400, Admission(clock)) >= 0.9 * peak
    assert goodput(400, None) < 0.2 * peak


def test_a_first_call_that_loads_what_others_use_turns_none_of_them_away(clock: Clock) -> None:
    admission = Admission(clock)
    with admission.admit(5.0):
        clock.now += 4.0
    with admission.admit(2.0), admission.admit(2.0):
        clock.now += 0.05
    with admission.admit(2.0):
        assert 0.0 < admission.wait_s() <= 0.1

"""The generators against servers whose behaviour is known; time is simulated."""

import asyncio
import heapq
import itertools
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from tests.benchmarks.load import OK, Load, Sample, arrivals, closed_load, open_load

T = TypeVar("T")


class SimulatedTime:
    """A clock that jumps to the next waker when every task sleeps."""

    def __init__(self) -> None:
        self.at = 0.0
        self._wakers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = 0

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        waker = asyncio.get_running_loop().create_future()
        self._order += 1
        heapq.heappush(self._wakers, (self.at + seconds, self._order, waker))
        await waker

    async def run(self, load: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(load)
        while not task.done():
            for _ in range(20):  # let everything that can run, run
                await asyncio.sleep(0)
            if self._wakers and not task.done():
                self.at, _, waker = heapq.heappop(self._wakers)
                waker.set_result(None)
        return task.result()


class OneAtATime:
    """Serves one request after the other, `service_s` each, and stalls once."""

    def __init__(self, time: SimulatedTime, service_s: float, stall: tuple[float, float]) -> None:
        self._time = time
        self._service_s = service_s
        self._stall_from, self._stall_to = stall
        self._free = asyncio.Lock()

    async def send(self, number: int) -> str:
        async with self._free:
            if self._stall_from <= self._time.now() < self._stall_to:
                await self._time.sleep(self._stall_to - self._time.now())
            await self._time.sleep(self._service_s)
        return OK


async def test_the_open_load_counts_what_was_due_while_the_server_stalled() -> None:
    time = SimulatedTime()
    server = OneAtATime(time, 0.001, stall=(1.0, 2.0))
    starts = [number / 100 for number in range(300)]
    load = await time.run(open_load(server.send, starts, 3.0, now=time.now, sleep=time.sleep))
    assert len(load.samples) == 300
    # A hundred were due in the stall; on average they waited half of it, and those after them too.
    late = [sample for sample in load.samples if sample.latency_s > 0.1]
    assert 90 <= len(late) <= 120
    assert load.latency_ms(0.99) > 900
    assert load.latency_ms(0.5) == pytest.approx(1.0, abs=0.1)


async def test_a_closed_load_of_one_client_hides_the_same_stall() -> None:
    time = SimulatedTime()
    server = OneAtATime(time, 0.01, stall=(1.0, 2.0))
    load = await time.run(closed_load(server.send, 1, 3.0, now=time.now))
    assert [s.latency_s > 0.1 for s in load.samples].count(True) == 1
    assert load.latency_ms(0.99) == pytest.approx(10.0)


async def test_a_closed_load_has_as_many_requests_under_way_as_clients() -> None:
    time = SimulatedTime()
    under_way = most = 0

    async def send(number: int) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await time.sleep(0.1)
        under_way -= 1
        return OK

    load = await time.run(closed_load(send, 8, 1.0, now=time.now))
    assert most == 8
    assert load.goodput_per_s(1.0) == pytest.approx(80, rel=0.1)


async def test_the_open_load_never_waits_for_an_answer() -> None:
    time = SimulatedTime()
    sent_at: list[float] = []

    async def send(number: int) -> str:
        sent_at.append(time.now())
        await time.sleep(60.0)
        return OK

    await time.run(open_load(send, [0.1, 0.2, 0.3], 1.0, now=time.now, sleep=time.sleep))
    assert sent_at == pytest.approx([0.1, 0.2, 0.3])


async def test_a_sender_that_starts_late_is_charged_from_the_intended_moment() -> None:
    time = SimulatedTime()

    async def send(number: int) -> str:
        await time.sleep(0.01)
        return OK

    async def oversleep(seconds: float) -> None:
        await time.sleep(seconds + 0.5)

    load = await time.run(open_load(send, [1.0], 2.0, now=time.now, sleep=oversleep))
    [sample] = load.samples
    assert sample.late_s == pytest.approx(0.5)
    assert sample.latency_s == pytest.approx(0.51)


def test_goodput_counts_answers_in_time_and_nothing_else() -> None:
    samples = [Sample(OK, 0.1), Sample(OK, 9.0), Sample("429", 0.01), Sample("503", 0.01)]
    load = Load(samples, 2.0, 2.0)
    assert load.goodput_per_s(5.0) == 0.5
    assert load.offered_per_s == 2.0
    assert load.outcomes == {"429": 1, "503": 1, OK: 2}


def test_rejections_do_not_flatter_the_latency() -> None:
    load = Load([Sample(OK, 1.0), *[Sample("429", 0.001)] * 99], 1.0, 1.0)
    assert load.latency_ms(0.5) == pytest.approx(1000)


def test_arrivals_have_the_rate_that_was_asked_for_and_come_again_with_the_seed() -> None:
    times = arrivals(50.0, 100.0, seed=7)
    assert len(times) == pytest.approx(5000, rel=0.05)
    assert times == sorted(times)
    assert times[-1] < 100.0
    assert times == arrivals(50.0, 100.0, seed=7)
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    mean = sum(gaps) / len(gaps)
    deviation = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    assert deviation == pytest.approx(mean, rel=0.1)  # exponential, as of independent visitors

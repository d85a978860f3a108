"""Who runs, who waits and who is refused when more comes than can be done, on a clock of the tests."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from libs.errors import Overloaded
from services.gateway.concurrency import PATIENCE_S, ConcurrencyLimiter

AT_ONCE = 4


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def settle() -> None:
    for _ in range(4):
        await asyncio.sleep(0)


async def enter(turns: ConcurrencyLimiter, left_s: float = 5.0) -> AsyncExitStack:
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(turns.turn(left_s))
        return stack.pop_all()
    raise AssertionError


def wait_in_line(turns: ConcurrencyLimiter, left_s: float = 5.0) -> "asyncio.Task[AsyncExitStack]":
    return asyncio.create_task(enter(turns, left_s))


async def fill(turns: ConcurrencyLimiter) -> list[AsyncExitStack]:
    return [await enter(turns) for _ in range(AT_ONCE)]


async def empty(running: list[AsyncExitStack], line: list["asyncio.Task[AsyncExitStack]"]) -> None:
    for waiting in line:
        waiting.cancel()
    await asyncio.gather(*line, return_exceptions=True)
    for call in running:
        await call.aclose()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def turns(clock: Clock) -> ConcurrencyLimiter:
    """All places have been taken before, and each call took 400 ms: one ended every 100 ms."""
    turns = ConcurrencyLimiter(AT_ONCE, clock)
    calls = await fill(turns)
    clock.now += 0.4
    for call in calls:
        await call.aclose()
    return turns


async def test_a_free_place_is_taken_even_by_what_is_nearly_late(turns: ConcurrencyLimiter) -> None:
    await (await enter(turns, 0.001)).aclose()
    assert turns.wait_s() == 0.0


async def test_the_next_calls_wait_and_begin_in_their_order(turns: ConcurrencyLimiter) -> None:
    running = await fill(turns)
    first, second = wait_in_line(turns), wait_in_line(turns)
    await settle()
    assert not first.done()
    assert turns.wait_s() == pytest.approx(0.3)
    await running[2].aclose()
    await settle()
    assert (first.done(), second.done()) == (True, False)


async def test_a_request_that_would_end_too_late_is_refused_at_once(
    turns: ConcurrencyLimiter,
) -> None:
    running = await fill(turns)
    with pytest.raises(Overloaded):  # 0.1 s of waiting and 0.4 s of work, times the margin
        await enter(turns, 0.99)
    waiting = wait_in_line(turns, 1.01)
    await settle()
    await running[0].aclose()
    await waiting


async def test_a_refusal_can_be_known_before_the_request_is_read(turns: ConcurrencyLimiter) -> None:
    turns.require_room(0.001)
    running = await fill(turns)
    turns.require_room(1.01)
    with pytest.raises(Overloaded):
        turns.require_room(0.99)
    assert turns.wait_s() == pytest.approx(0.1)  # looking takes no place
    await empty(running, [])


async def test_nobody_waits_longer_than_is_worth_it(turns: ConcurrencyLimiter) -> None:
    running = await fill(turns)
    line = [wait_in_line(turns, 60.0) for _ in range(round(PATIENCE_S / 0.1))]
    await settle()
    with pytest.raises(Overloaded):
        await enter(turns, 60.0)
    await empty(running, line)


@pytest.mark.invariant("I9")
async def test_the_queue_is_bounded_before_any_duration_is_known(clock: Clock) -> None:
    turns = ConcurrencyLimiter(AT_ONCE, clock)
    running = await fill(turns)
    line = [wait_in_line(turns) for _ in range(100)]
    await settle()
    assert 0 < sum(not waiting.done() for waiting in line) < 100
    await empty(running, line)


async def test_a_turn_that_comes_too_late_goes_to_the_next(
    turns: ConcurrencyLimiter, clock: Clock
) -> None:
    running = await fill(turns)
    late, in_time = wait_in_line(turns, 1.5), wait_in_line(turns, 5.0)
    await settle()
    clock.now += 1.4
    await running[0].aclose()
    with pytest.raises(Overloaded):
        await late
    await in_time


async def test_nobody_waits_beyond_his_own_deadline(clock: Clock) -> None:
    turns = ConcurrencyLimiter(AT_ONCE, clock)
    running = await fill(turns)
    with pytest.raises(Overloaded):  # nothing is known yet, so it may wait
        await enter(turns, 0.01)
    await empty(running, [])
    await empty(await fill(turns), [])


async def test_a_caller_that_goes_away_while_waiting_leaves_no_gap(
    turns: ConcurrencyLimiter,
) -> None:
    running = await fill(turns)
    gone, stays = wait_in_line(turns), wait_in_line(turns)
    await settle()
    gone.cancel()
    await running[0].aclose()  # before the one that goes has noticed
    await settle()
    assert gone.cancelled()
    await stays


async def test_a_place_that_comes_to_one_who_goes_away_is_passed_on(
    turns: ConcurrencyLimiter,
) -> None:
    running = await fill(turns)
    gone, stays = wait_in_line(turns), wait_in_line(turns)
    await settle()
    await running[0].aclose()
    gone.cancel()  # its place is there, but it has not noticed
    await settle()
    assert gone.cancelled()
    await stays


async def test_places_are_free_again_after_failures(turns: ConcurrencyLimiter) -> None:
    for _ in range(3 * AT_ONCE):
        with pytest.raises(ValueError, match="broken"):
            async with turns.turn(5.0):
                raise ValueError("broken")
    running = await fill(turns)
    await empty(running, [])


async def test_the_line_follows_a_service_that_gets_slower(
    turns: ConcurrencyLimiter, clock: Clock
) -> None:
    for _ in range(30):
        running = await fill(turns)
        clock.now += 2.0
        for call in running:
            await call.aclose()
    running = await fill(turns)
    assert turns.wait_s() == pytest.approx(0.5, rel=0.3)
    with pytest.raises(Overloaded):
        await enter(turns, 4.0)
    await empty(running, [])


class Machine:
    """Shares one processor among what runs; 10 ms a call, and 1 % more for each that runs beside it."""

    def __init__(self) -> None:
        self.left: dict[asyncio.Event, float] = {}

    async def work(self) -> None:
        done = asyncio.Event()
        self.left[done] = 0.01
        try:
            await done.wait()
        finally:
            self.left.pop(done, None)

    def step(self, step_s: float) -> None:
        share_s = step_s / max(1, len(self.left)) / (1 + 0.01 * len(self.left))
        for done in list(self.left):
            self.left[done] -= share_s
            if self.left[done] <= 0:
                done.set()
                del self.left[done]


async def goodput(calls_per_s: float, at_once: int) -> tuple[float, float]:
    """Offer calls that must end within 0.5 s for 5 s; returns good ends a second, and worst refusal."""
    clock, machine, step_s = Clock(), Machine(), 0.002
    turns, good, refused_s = ConcurrencyLimiter(at_once, clock), 0, 0.0
    tasks: list[asyncio.Task[None]] = []

    async def call() -> None:
        nonlocal good, refused_s
        began = clock.now
        try:
            async with turns.turn(0.5):
                await machine.work()
        except Overloaded:
            refused_s = max(refused_s, clock.now - began)
        else:
            good += clock.now - began <= 0.5

    for number in range(round(5 / step_s)):
        while len(tasks) < calls_per_s * number * step_s:
            tasks.append(asyncio.create_task(call()))
        await settle()
        clock.now += step_s
        machine.step(step_s)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return good / 5, refused_s


@pytest.mark.fault("O1")
async def test_goodput_at_four_times_the_capacity_stays_at_its_peak() -> None:
    peak = max([(await goodput(rate, 8))[0] for rate in (60, 80, 100)])
    flooded, refused_s = await goodput(400, 8)
    assert flooded >= 0.9 * peak
    assert refused_s < 0.5
    assert (await goodput(400, 10_000))[0] < 0.3 * peak

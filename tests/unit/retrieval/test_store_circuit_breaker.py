"""A store that leaves call after call unanswered is asked no more but once a second, by us."""

import asyncio
from contextlib import suppress

import pytest

from libs.errors import DeadlineExceeded, InvalidInput, Unavailable, WrongIndex
from libs.vectors.client import StoreFault
from services.retrieval.adapters.store_circuit_breaker import StoreCircuitBreaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Watched:
    """A guard whose store answers when `up`; its seconds pass only when a test says so."""

    def __init__(self) -> None:
        self.clock, self.asked, self.up = Clock(), 0, False
        self.reports: list[bool] = []
        self.guard = StoreCircuitBreaker(self._report, self.clock)

    async def _report(self, answers: bool) -> None:
        self.reports.append(answers)

    def call(
        self, error: BaseException | None = None, *, timeout_s: float = 2.0, took_s: float = 0.0
    ) -> None:
        with self.guard.call(timeout_s):
            self.clock.now += took_s
            if error is not None:
                raise error

    def fail(self, times: int, error: BaseException, **timing: float) -> None:
        for _ in range(times):
            with pytest.raises(type(error)):
                self.call(error, **timing)

    async def pass_seconds(self, seconds: int, *, read: bool = False) -> None:
        """Let so many seconds pass, in each of which a reader is answered where `read`."""
        left, over = seconds, asyncio.Event()

        async def sleep(sleep_s: float) -> None:
            nonlocal left
            if not left:
                over.set()
                await asyncio.Event().wait()
            left -= 1
            self.clock.now += sleep_s
            if read:
                self.call()

        async def ask(timeout_s: float) -> None:
            self.asked += 1
            if not self.up:
                raise Unavailable("down")

        task = asyncio.create_task(self.guard.keep_asking(ask, sleep))
        await over.wait()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    @property
    def refuses(self) -> bool:
        try:
            self.call()
        except Unavailable:
            return True
        return False


@pytest.fixture
def watched() -> Watched:
    return Watched()


DOWN, LATE, CANCELLED = Unavailable("down"), DeadlineExceeded("late"), asyncio.CancelledError()


@pytest.mark.fault("D2")
@pytest.mark.parametrize(
    ("error", "took_s"),
    [
        pytest.param(DOWN, 0.0, id="down"),
        pytest.param(LATE, 2.0, id="late"),
        pytest.param(CANCELLED, 2.0, id="ended by its stage"),
    ],
)
async def test_after_five_unanswered_calls_no_more_are_made(
    watched: Watched, error: BaseException, took_s: float
) -> None:
    watched.fail(4, error, took_s=took_s)
    assert not watched.refuses
    watched.fail(5, error, took_s=took_s)
    with pytest.raises(Unavailable, match="The vector store does not answer") as refused:
        watched.call()
    assert refused.value.retry_after_s == 1.0


@pytest.mark.parametrize(
    ("error", "timing"),
    [
        pytest.param(LATE, {"timeout_s": 0.02, "took_s": 0.02}, id="late before it began"),
        pytest.param(LATE, {"timeout_s": -0.1}, id="expired on arrival"),
        pytest.param(CANCELLED, {"timeout_s": 0.02, "took_s": 0.02}, id="ended with its stage"),
        pytest.param(CANCELLED, {"took_s": 1.0}, id="the reader left"),
        pytest.param(WrongIndex("ingest it again"), {}, id="the book's"),
        pytest.param(InvalidInput("no such section"), {}, id="the reader's"),
        pytest.param(KeyError("ours"), {}, id="ours"),
        pytest.param(StoreFault("one server"), {}, id="of one server of several"),
    ],
)
async def test_errors_that_the_store_did_not_cause_do_not_count(
    watched: Watched, error: BaseException, timing: dict[str, float]
) -> None:
    watched.fail(20, error, **timing)
    assert not watched.refuses


@pytest.mark.fault("D2")
async def test_while_it_is_down_it_is_asked_once_a_second_and_readers_never_ask(
    watched: Watched,
) -> None:
    watched.fail(5, DOWN)
    await watched.pass_seconds(7)
    assert watched.asked == 7
    assert watched.refuses


async def test_the_first_answer_closes_the_breaker(watched: Watched) -> None:
    watched.fail(5, DOWN)
    await watched.pass_seconds(3)
    watched.up = True
    assert watched.refuses
    await watched.pass_seconds(1)
    assert not watched.refuses
    watched.fail(4, DOWN)
    assert not watched.refuses


@pytest.mark.fault("D2")
@pytest.mark.invariant("I8")
async def test_readiness_changes_without_any_reader_asking(watched: Watched) -> None:
    await watched.pass_seconds(1)
    assert watched.reports == [False]
    await watched.pass_seconds(6)
    assert watched.reports == [False]
    watched.up = True
    await watched.pass_seconds(2)
    assert watched.reports == [False, True]


async def test_a_store_that_readers_found_again_is_ready(watched: Watched) -> None:
    await watched.pass_seconds(1)
    watched.up = True
    await watched.pass_seconds(2, read=True)
    assert (watched.reports, watched.asked) == ([False, True], 1)


async def test_a_store_that_answers_readers_is_not_probed(watched: Watched) -> None:
    watched.up = True
    await watched.pass_seconds(3, read=True)
    assert watched.asked == 0
    await watched.pass_seconds(3)
    assert watched.asked == 3

"""A store that leaves call after call unanswered is asked no more but once a second, by us."""

import asyncio
from contextlib import suppress

import pytest

from libs.errors import DeadlineExceeded, InvalidInput, Unavailable, WrongIndex
from services.retrieval.adapters.store_guard import StoreGuard


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


class Watched:
    """A guard whose store answers when `up`; its seconds pass only when a test says so."""

    def __init__(self):
        self.clock, self.reports, self.asked, self.up = Clock(), [], 0, False
        self.guard = StoreGuard(self._report, self.clock)

    async def _report(self, answers):
        self.reports.append(answers)

    def call(self, error=None, *, timeout_s=2.0, took_s=0.0):
        with self.guard.call(timeout_s):
            self.clock.now += took_s
            if error is not None:
                raise error

    def fail(self, times, error, **timing):
        for _ in range(times):
            with pytest.raises(type(error)):
                self.call(error, **timing)

    async def pass_seconds(self, seconds, *, read=False):
        """Let so many seconds pass, in each of which a reader is answered where `read`."""
        left, over = seconds, asyncio.Event()

        async def sleep(sleep_s):
            nonlocal left
            if not left:
                over.set()
                await asyncio.Event().wait()
            left -= 1
            self.clock.now += sleep_s
            if read:
                self.call()

        async def ask(timeout_s):
            self.asked += 1
            if not self.up:
                raise Unavailable("down")

        task = asyncio.create_task(self.guard.keep_asking(ask, sleep))
        await over.wait()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    @property
    def refuses(self):
        try:
            self.call()
        except Unavailable:
            return True
        return False


@pytest.fixture
def watched():
    return Watched()


DOWN, LATE, CANCELLED = Unavailable("down"), DeadlineExceeded("late"), asyncio.CancelledError()


@pytest.mark.parametrize(
    ("error", "took_s"),
    [
        pytest.param(DOWN, 0.0, id="down"),
        pytest.param(LATE, 2.0, id="late"),
        pytest.param(CANCELLED, 2.0, id="ended by its stage"),
    ],
)
async def test_five_calls_that_the_store_left_unanswered_are_the_last(watched, error, took_s):
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
    ],
)
async def test_what_the_store_did_not_cause_does_not_count(watched, error, timing):
    watched.fail(20, error, **timing)
    assert not watched.refuses


async def test_while_it_is_down_it_is_asked_once_a_second_and_readers_never_ask(watched):
    watched.fail(5, DOWN)
    await watched.pass_seconds(7)
    assert watched.asked == 7
    assert watched.refuses


async def test_the_first_answer_lets_all_through_again(watched):
    watched.fail(5, DOWN)
    await watched.pass_seconds(3)
    watched.up = True
    assert watched.refuses
    await watched.pass_seconds(1)
    assert not watched.refuses
    watched.fail(4, DOWN)
    assert not watched.refuses


async def test_readiness_follows_without_any_reader(watched):
    await watched.pass_seconds(4)
    assert watched.reports == []
    await watched.pass_seconds(2)
    assert watched.reports == [False]
    watched.up = True
    await watched.pass_seconds(2)
    assert watched.reports == [False, True]


async def test_a_store_that_answers_readers_is_not_asked_besides(watched):
    watched.up = True
    await watched.pass_seconds(3, read=True)
    assert watched.asked == 0
    await watched.pass_seconds(3)
    assert watched.asked == 3

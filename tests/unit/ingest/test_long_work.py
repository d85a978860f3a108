"""Work on a large book goes on without its caller, and is told to who asks again."""

import asyncio

import pytest

from libs.errors import Conflict, Unavailable
from services.ingest.history import LongWork

SOON_S, NOW_S = 60.0, 0.0


class Work:
    """Counts how often it was begun, and ends when it is let go."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.begun = 0
        self.let_go = asyncio.Event()
        self._failure = failure

    async def __call__(self) -> int:
        self.begun += 1
        await self.let_go.wait()
        if self._failure:
            raise self._failure
        return self.begun


async def wait_out(works: LongWork, work: Work, name: str = "vacuum") -> None:
    with pytest.raises(Unavailable, match="Ask for the same again") as caught:
        await works.finish("b", name, NOW_S, work)
    assert caught.value.retry_after_s == 1.0


async def test_work_goes_on_when_its_caller_can_wait_no_longer() -> None:
    works, work = LongWork(), Work()
    for _ in range(3):
        await wait_out(works, work)
    work.let_go.set()
    assert await works.finish("b", "vacuum", SOON_S, work) == 1
    assert await works.finish("b", "vacuum", SOON_S, work) == 2


async def test_all_who_ask_for_the_same_are_told_of_one_end() -> None:
    works, work = LongWork(), Work()
    asked = [asyncio.create_task(works.finish("b", "vacuum", SOON_S, work)) for _ in range(3)]
    await asyncio.sleep(0)
    work.let_go.set()
    assert await asyncio.gather(*asked) == [1, 1, 1]


async def test_a_caller_that_leaves_ends_nothing() -> None:
    works, work = LongWork(), Work()
    left = asyncio.create_task(works.finish("b", "vacuum", SOON_S, work))
    await asyncio.sleep(0)
    left.cancel()
    await asyncio.gather(left, return_exceptions=True)
    work.let_go.set()
    assert await works.finish("b", "vacuum", SOON_S, work) == 1


async def test_a_failure_is_told_to_who_asks_again() -> None:
    works, work = LongWork(), Work(Conflict("It is being deleted."))
    await wait_out(works, work)
    work.let_go.set()
    with pytest.raises(Conflict, match="being deleted"):
        await works.finish("b", "vacuum", SOON_S, work)


async def test_an_end_from_before_other_work_is_not_told_for_this() -> None:
    works, first, other, again = LongWork(), Work(), Work(), Work()
    await wait_out(works, first, "roll-back to 3")
    first.let_go.set()
    other.let_go.set()
    again.let_go.set()
    await asyncio.sleep(0.01)
    await works.finish("b", "roll-back to 4", SOON_S, other)
    await works.finish("b", "roll-back to 3", SOON_S, again)
    assert (first.begun, other.begun, again.begun) == (1, 1, 1)

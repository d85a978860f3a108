"""Make the items of an asynchronous stream ahead of their use, within a bound."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Generic, TypeVar

T = TypeVar("T")


class _Ahead(Generic[T]):
    def __init__(self, items: AsyncIterator[T], most: int, weigh: Callable[[T], int]) -> None:
        self._items = items
        self._most = most
        self._weigh = weigh
        self._ready: asyncio.Queue[tuple[T | None, BaseException | None]] = asyncio.Queue()
        self._waiting = 0
        self._room = asyncio.Event()
        self._room.set()

    async def make(self) -> None:
        try:
            async for item in self._items:
                self._waiting += self._weigh(item)
                self._ready.put_nowait((item, None))
                if self._waiting >= self._most:
                    self._room.clear()
                await self._room.wait()
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - it is raised where the items are used
            self._ready.put_nowait((None, error))
        else:
            self._ready.put_nowait((None, StopAsyncIteration()))

    async def __aiter__(self) -> AsyncIterator[T]:
        while True:
            item, error = await self._ready.get()
            if isinstance(error, StopAsyncIteration):
                return
            if error is not None:
                raise error
            assert item is not None
            self._waiting -= self._weigh(item)
            if self._waiting < self._most:
                self._room.set()
            yield item


@asynccontextmanager
async def ahead(
    items: AsyncIterator[T], most: int, weigh: Callable[[T], int] = lambda _: 1
) -> AsyncIterator[AsyncIterator[T]]:
    """Make items while earlier ones are used, until those that wait weigh `most` or more.

    What making one raises is raised where it would have been used; leaving stops the making.
    """
    queue = _Ahead(items, most, weigh)
    task = asyncio.create_task(queue.make())
    try:
        yield queue.__aiter__()
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def in_groups(
    items: AsyncIterator[T], most: int, weigh: Callable[[T], int]
) -> AsyncIterator[list[T]]:
    """Yield runs of items that together weigh `most` or more; the last one may weigh less."""
    group: list[T] = []
    weight = 0
    async for item in items:
        group.append(item)
        weight += weigh(item)
        if weight >= most:
            yield group
            group, weight = [], 0
    if group:
        yield group

"""Items made ahead of their use: in order, within a bound, and with their errors in their place."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.ingest.flow import ahead, in_groups


async def numbers(made: list[int], until: int, error: KeyError | None = None) -> AsyncIterator[int]:
    for number in range(until):
        made.append(number)
        yield number
    if error:
        raise error


async def settle() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


async def test_items_come_in_order() -> None:
    async with ahead(numbers([], 20), 3) as items:
        assert [item async for item in items] == list(range(20))


async def test_no_more_is_made_than_the_bound_allows() -> None:
    made: list[int] = []
    async with ahead(numbers(made, 20), 3) as items:
        await settle()
        assert len(made) == 3
        assert await anext(items) == 0
        await settle()
        assert len(made) == 4


async def test_heavy_items_fill_the_bound_sooner() -> None:
    made: list[int] = []
    async with ahead(numbers(made, 20), 100, weigh=lambda _: 60):
        await settle()
        assert len(made) == 2


async def use(items: AsyncIterator[int], seen: list[int], stop_at: int = 10**9) -> None:
    async with ahead(items, 2) as made:
        async for item in made:
            seen.append(item)
            if item == stop_at:
                raise ZeroDivisionError


async def test_an_error_is_raised_where_its_item_would_have_been() -> None:
    seen: list[int] = []
    with pytest.raises(KeyError):
        await use(numbers([], 2, KeyError("x")), seen)
    assert seen == [0, 1]


async def test_leaving_the_flow_stops_its_producer() -> None:
    made: list[int] = []
    seen: list[int] = []
    with pytest.raises(ZeroDivisionError):
        await use(numbers(made, 10**6), seen, stop_at=3)
    count = len(made)
    await settle()
    assert len(made) == count < 10


async def test_groups_weigh_what_they_should() -> None:
    groups = [group async for group in in_groups(numbers([], 7), 5, weigh=lambda item: item)]
    assert groups == [[0, 1, 2, 3], [4, 5], [6]]

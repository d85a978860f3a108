"""When the node arranges its points, and that writers wait for it: memory stays within bounds."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from deploy.qdrant_node import optimise
from deploy.qdrant_node.optimise import Optimiser

THRESHOLD = 20_000


@dataclass
class Counts:
    """A collection, as the optimiser sees it."""

    touched: int
    optimised_points: int = 0
    name: str = "books"

    def count(self) -> int:
        return self.optimised_points + self.touched


def written(touched: int, optimised_points: int = 0) -> Any:
    """A collection of so many points; Any, because the optimiser takes the node's own class."""
    return Counts(touched, optimised_points)


@dataclass
class Timer:
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@pytest.fixture
async def quiet(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Callable[..., Any]]:
    """Returns what to call when no write has come for a while."""
    armed: list[tuple[Timer, Callable[..., None], tuple[object, ...]]] = []

    def call_later(_: float, call: Callable[..., Any], *arguments: object) -> Timer:
        armed.append((Timer(), call, arguments))
        return armed[-1][0]

    def pass_by(only: int | None = None) -> None:
        due = armed if only is None else [armed[only]]
        for timer, call, arguments in list(due):
            if not timer.cancelled:
                timer.cancel()
                call(*arguments)

    monkeypatch.setattr(asyncio.get_running_loop(), "call_later", call_later)
    yield pass_by
    monkeypatch.undo()


@pytest.fixture
async def under_way(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[asyncio.Event]:
    """An optimisation that takes until the event is set."""
    ended = asyncio.Event()
    monkeypatch.setattr(optimise, "optimise", lambda _, *, erase: ended.wait())
    yield ended
    ended.set()


@pytest.mark.parametrize(
    ("optimised", "needed"),
    [
        (0, THRESHOLD),
        (20_000, 10_000),
        (60_000, 30_000),
        (400_000, 50_000),
        (3_000_000, 300_000),
    ],
)
async def test_points_are_arranged_before_they_fill_the_memory(
    under_way: asyncio.Event, optimised: int, needed: int
) -> None:
    optimiser = Optimiser(THRESHOLD)
    optimiser.consider(written(needed - 1, optimised))
    assert not optimiser.is_optimising("books")
    optimiser.consider(written(needed, optimised))
    assert optimiser.is_optimising("books")


async def test_a_writer_waits_for_an_optimisation_that_is_behind(under_way: asyncio.Event) -> None:
    optimiser, collection = Optimiser(THRESHOLD), written(THRESHOLD)
    optimiser.consider(collection)
    await optimiser.make_room(collection)
    collection.touched = 50_000
    waiting = asyncio.create_task(optimiser.make_room(collection))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    under_way.set()
    await asyncio.wait_for(waiting, 5)


async def test_a_writer_waits_for_nothing_when_no_optimisation_is_under_way() -> None:
    await asyncio.wait_for(Optimiser(THRESHOLD).make_room(written(10**6)), 5)


async def test_a_writer_does_not_wait_for_ever(
    under_way: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimise, "_LONGEST_WAIT_S", 0.01)
    optimiser, collection = Optimiser(THRESHOLD), written(60_000)
    optimiser.consider(collection)
    await asyncio.wait_for(optimiser.make_room(collection), 5)
    assert optimiser.is_optimising("books")


@pytest.mark.parametrize("rest", [4_999, 5_000])
async def test_the_rest_is_arranged_when_writes_cease_if_it_is_worth_a_copy(
    quiet: Callable[..., Any], under_way: asyncio.Event, rest: int
) -> None:
    optimiser = Optimiser(THRESHOLD)
    optimiser.consider(written(rest, 100_000 - rest))
    assert not optimiser.is_optimising("books")
    quiet()
    assert optimiser.is_optimising("books") == (rest == 5_000)


async def test_a_write_puts_off_what_waits_for_quiet(
    quiet: Callable[..., Any], under_way: asyncio.Event
) -> None:
    optimiser, collection = Optimiser(THRESHOLD), written(5_000, 60_000)
    optimiser.consider(collection)
    optimiser.consider(collection)
    quiet(only=0)
    assert not optimiser.is_optimising("books")
    quiet()
    assert optimiser.is_optimising("books")


async def test_points_written_during_an_optimisation_are_optimised_after_it(
    quiet: Callable[..., Any], under_way: asyncio.Event
) -> None:
    optimiser, collection = Optimiser(THRESHOLD), written(THRESHOLD)
    optimiser.consider(collection)
    collection.touched, collection.optimised_points = 5_000, THRESHOLD
    optimiser.consider(collection)
    quiet()
    under_way.set()
    await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})
    await asyncio.sleep(0)
    assert not optimiser.is_optimising("books")
    quiet()
    assert optimiser.is_optimising("books")


async def test_a_collection_that_is_removed_is_not_arranged_later(
    quiet: Callable[..., Any], under_way: asyncio.Event
) -> None:
    optimiser = Optimiser(THRESHOLD)
    optimiser.consider(written(5_000, 60_000))
    await optimiser.stop("books")
    quiet()
    assert not optimiser.is_optimising("books")


async def test_a_small_collection_stays_without_graphs(
    quiet: Callable[..., Any], under_way: asyncio.Event
) -> None:
    optimiser = Optimiser(THRESHOLD)
    optimiser.consider(written(THRESHOLD - 1))
    quiet()
    assert not optimiser.is_optimising("books")

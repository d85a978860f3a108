"""Below a floor of free disk nothing is added to books, and the service says so."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from grpc_health.v1 import health, health_pb2

from libs.errors import NoRoom
from libs.rpc.readiness import WRITES, Readiness
from services.ingest.disk_floor import MIB, NO_FLOOR, DiskFloor, watch_room

NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
SERVING = health_pb2.HealthCheckResponse.SERVING
NO_CONTEXT: Any = None


class Disk:
    def __init__(self, free_mib: int) -> None:
        self.free_mib = free_mib

    def floor(
        self, floor_mib: int, try_store: Callable[[], Awaitable[None]] | None = None
    ) -> DiskFloor:
        return DiskFloor(Path("/disk"), floor_mib, lambda _: self.free_mib * MIB, try_store)


def test_an_upload_that_leaves_less_than_the_floor_is_refused_with_what_to_do() -> None:
    disk = Disk(free_mib=100)
    floor = disk.floor(64)
    floor.require(36 * MIB)
    with pytest.raises(NoRoom, match=r"64 MiB must stay free.*can still be read and deleted"):
        floor.require(37 * MIB)
    disk.free_mib = 63
    assert floor.is_reached()
    disk.free_mib = 64
    assert not floor.is_reached()


def test_a_disk_that_is_elsewhere_or_cannot_be_looked_at_refuses_nothing() -> None:
    def lost(_: Path) -> int:
        raise OSError("gone")

    NO_FLOOR.require(1 << 60)
    DiskFloor(Path("/gone"), 64, lost).require()


async def test_readiness_follows_the_room_and_the_service_stays_ready() -> None:
    disk, readiness, servicer = Disk(free_mib=10), Readiness(), health.aio.HealthServicer()
    await readiness.attach(servicer)
    said: list[tuple[int, int]] = []

    async def status(part: str) -> int:
        request = health_pb2.HealthCheckRequest(service=part)
        return int((await servicer.Check(request, NO_CONTEXT)).status)

    async def sleep(_: float) -> None:
        said.append((await status(WRITES), await status("")))
        if len(said) == 2:
            raise asyncio.CancelledError
        disk.free_mib = 100

    with pytest.raises(asyncio.CancelledError):
        await watch_room(disk.floor(64), readiness, sleep)
    assert said == [(NOT_SERVING, SERVING), (SERVING, SERVING)]


async def test_a_full_vector_store_refuses_what_is_added_and_is_tried_until_it_has_room() -> None:
    tries = iter([True, True, True, False])

    async def try_store() -> None:
        if next(tries):
            raise NoRoom("The store is full.")

    floor = DiskFloor(None, 0, try_store=try_store)
    floor.require()
    await floor.try_store()
    with pytest.raises(NoRoom, match="The store is full"):
        floor.require()

    async def sleep(_: float) -> None:
        if not floor.is_reached():
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await watch_room(floor, Readiness(), sleep)
    floor.require()
    assert next(tries, None) is None


async def test_below_the_floor_a_store_is_not_written_to_only_to_find_that_it_is_full() -> None:
    written: list[int] = []

    async def try_store() -> None:
        written.append(disk.free_mib)

    disk = Disk(free_mib=10)
    floor = disk.floor(64, try_store)
    await floor.try_store()
    with pytest.raises(NoRoom, match="64 MiB must stay free"):
        floor.require()
    disk.free_mib = 100
    await floor.try_store()
    assert written == [100]

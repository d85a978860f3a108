"""Several servers behind the vector store's name: one that is gone or stands still is passed over."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from qdrant_client import grpc as q

from libs.vectors.client import CHANNEL_OPTIONS
from tests.support.engines import QdrantNode, qdrant_node

_CALLS = 10
"""In a row, so that each server was meant several times."""
_TRIES = 60
_CALL_S = 1.0


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncIterator[tuple[list[QdrantNode], Any]]:
    """Two servers, and a stub of the channel that a name with both addresses gives."""
    with qdrant_node(tmp_path / "one") as one, qdrant_node(tmp_path / "two") as two:
        address = f"ipv4:127.0.0.1:{one.port},127.0.0.1:{two.port}"
        async with grpc.aio.insecure_channel(address, [*CHANNEL_OPTIONS.items()]) as channel:
            stub = q.QdrantStub(channel)
            await answered(stub, _CALLS)
            yield [one, two], stub


async def answered(stub: Any, wanted: int) -> None:
    """Ask until `wanted` calls in a row were answered; fail after _TRIES that were not."""
    in_a_row = lost = 0
    while in_a_row < wanted and lost < _TRIES:
        try:
            await stub.HealthCheck(q.HealthCheckRequest(), timeout=_CALL_S)
            in_a_row += 1
        except grpc.aio.AioRpcError:
            in_a_row, lost = 0, lost + 1
    assert in_a_row == wanted


@pytest.mark.fault("D2")
async def test_a_server_that_stands_still_is_asked_no_more_and_again_when_it_goes_on(
    servers: tuple[list[QdrantNode], Any],
) -> None:
    (one, two), stub = servers
    for frozen in (one, two):
        os.kill(frozen.pid, signal.SIGSTOP)
        try:
            await answered(stub, _CALLS)
        finally:
            os.kill(frozen.pid, signal.SIGCONT)
        await answered(stub, _CALLS)


@pytest.mark.fault("D2")
async def test_a_server_that_was_killed_costs_no_call_but_those_it_had(
    servers: tuple[list[QdrantNode], Any],
) -> None:
    (one, _), stub = servers
    one.kill()
    await answered(stub, _CALLS)

"""Requests counted in a moving minute, by each gateway or by one Redis for all."""

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.evaluation.stack import free_ports
from libs.settings import SettingsError
from services.gateway.adapters.moving_window import MovingWindow, open_window


@pytest.mark.control("V13")
async def test_parallel_calls_pass_no_limit() -> None:
    window = MovingWindow()
    waits = await asyncio.gather(*(window.take_request("one", 100) for _ in range(200)))
    assert waits.count(0.0) == 100
    assert all(wait_s <= 60 for wait_s in waits)
    assert await window.take_request("two", 100) == 0.0
    assert not window.is_degraded


async def test_without_redis_each_gateway_counts_by_itself() -> None:
    window = open_window(f"redis://127.0.0.1:{free_ports(1)}")
    waits = [await window.take_request("one", 3) for _ in range(4)]
    assert waits[:3] == [0.0, 0.0, 0.0]
    assert waits[3] > 0
    assert window.is_degraded
    await window.close()


@pytest.mark.fault("K1")
@pytest.mark.parametrize("url", ["http://127.0.0.1", "nonsense", "memcached://127.0.0.1"])
def test_an_address_that_is_no_redis_is_named(url: str) -> None:
    with pytest.raises(SettingsError, match="QUOTH_REDIS_URL"):
        open_window(url)


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[str]:
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("redis-server is not on this machine")
    socket = tmp_path / "redis.sock"
    command = [server, "--port", "0", "--unixsocket", str(socket), "--save", ""]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        while not socket.exists():
            assert process.poll() is None
        yield f"unix://{socket}"
    finally:
        process.kill()
        process.wait()


@pytest.mark.control("V13")
async def test_two_gateways_with_one_redis_have_one_limit(redis: str) -> None:
    windows = [open_window(redis), open_window(redis)]
    waits = await asyncio.gather(*(windows[n % 2].take_request("one", 100) for n in range(150)))
    assert waits.count(0.0) == 100
    assert not any(window.is_degraded for window in windows)
    for window in windows:
        await window.close()

"""Requests counted in a moving minute, by each gateway or by one Redis for all."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from limits.aio.storage import MemoryStorage

from libs.settings import SettingsError
from services.gateway.adapters.moving_window import MovingWindow, OwnWindow, open_window
from services.gateway.adapters.redis_window import SharedWindow
from tests.support.ports import free_ports
from tests.support.redis_server import running_redis


@pytest.mark.control("V13")
async def test_parallel_calls_pass_no_limit() -> None:
    window = MovingWindow()
    waits = await asyncio.gather(*(window.take_request("one", 100) for _ in range(200)))
    assert waits.count(0.0) == 100
    assert all(wait_s <= 60 for wait_s in waits)
    assert await window.take_request("two", 100) == 0.0
    assert not window.is_degraded


@pytest.mark.control("V13")
def test_a_place_is_free_again_a_minute_after_it_was_taken() -> None:
    now = [0.0]
    window = OwnWindow(lambda: now[0])
    for now[0] in (0.0, 20.0, 40.0):
        assert window.take("one", 3) == 0.0
    now[0] = 50.0
    assert window.take("one", 3) == 10.0
    assert window.take("one", 2) == 30.0  # a limit that was lowered meanwhile
    assert window.take("other", 3) == 0.0
    now[0] = 60.0
    assert window.take("one", 3) == 0.0
    assert window.take("one", 3) == 20.0


@pytest.mark.fault("T1")
@pytest.mark.parametrize("jump_s", [3600.0, -3600.0])
async def test_a_clock_that_is_put_forward_or_back_moves_no_window(
    monkeypatch: pytest.MonkeyPatch, jump_s: float
) -> None:
    window, before = MovingWindow(), time.time()
    assert await window.take_request("one", 1) == 0.0
    monkeypatch.setattr(time, "time", lambda: before + jump_s)
    assert 0 < await window.take_request("one", 1) <= 60


@pytest.mark.fault("T1")
async def test_a_wait_for_redis_is_a_minute_at_most_when_the_clock_is_put_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window, before = MovingWindow(SharedWindow(MemoryStorage())), time.time()
    assert await window.take_request("one", 1) == 0.0
    monkeypatch.setattr(time, "time", lambda: before - 3600)
    assert 0 < await window.take_request("one", 1) <= 60


@pytest.mark.invariant("I9")
def test_a_client_that_asks_no_more_is_forgotten() -> None:
    now = [0.0]
    window = OwnWindow(lambda: now[0])
    for number in range(1000):
        window.take(f"wrong:{number}", 20)
    now[0] = 30.0
    window.take("one", 2)
    now[0] = 61.0
    assert window.take("one", 2) == 0.0
    assert len(window) == 1
    assert window.take("one", 2) == 29.0


@pytest.mark.control("V13")
@pytest.mark.fault("D3")
async def test_when_redis_goes_each_gateway_counts_by_itself_and_together_once_it_is_back(
    tmp_path: Path,
) -> None:
    with running_redis(tmp_path) as url:
        windows = [open_window(url), open_window(url)]
        for window in windows:
            assert await window.take_request("one", 2) == 0.0
        assert await windows[0].take_request("one", 2) > 0
    for window in windows:
        # Gone: what the two counted together is lost, and each has its own two.
        waits = [await window.take_request("one", 2) for _ in range(3)]
        assert waits[:2] == [0.0, 0.0]
        assert waits[2] > 0
        assert window.is_degraded
    with running_redis(tmp_path):
        for window in windows:
            window._resumes_at = 0.0
            assert await window.take_request("one", 2) == 0.0
            assert not window.is_degraded
        assert await windows[0].take_request("one", 2) > 0
    for window in windows:
        await window.close()


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
    with running_redis(tmp_path) as url:
        yield url


@pytest.mark.control("V13")
async def test_two_gateways_with_one_redis_have_one_limit(redis: str) -> None:
    windows = [open_window(redis), open_window(redis)]
    waits = await asyncio.gather(*(windows[n % 2].take_request("one", 100) for n in range(150)))
    assert waits.count(0.0) == 100
    assert not any(window.is_degraded for window in windows)
    for window in windows:
        await window.close()

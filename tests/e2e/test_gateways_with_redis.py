"""Two gateways that count the requests of clients by one Redis, and what happens when it dies."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.support.aside import aside
from tests.support.redis_server import running_redis
from tests.support.stack import RunningStack, eventually

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

RATE = 100
BOOKS = "/v1/books"


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[ExitStack]:
    """A Redis that dies when it is closed."""
    with ExitStack() as running:
        running.enter_context(running_redis(tmp_path))
        yield running


@pytest.fixture
def key(sample_stack: RunningStack) -> str:
    return make_key(sample_stack, "two-doors")


@pytest.fixture
def gateways(
    sample_stack: RunningStack, redis: ExitStack, tmp_path: Path, key: str
) -> Iterator[tuple[str, str]]:
    """Two of them; a gateway that asks for keys does not start before there is one."""
    assert redis
    assert key
    told = {"QUOTH_REQUIRE_KEYS": "true", "QUOTH_REDIS_URL": f"unix://{tmp_path}/redis.sock"}
    with (
        aside(sample_stack, "gateway", **told) as one,
        aside(sample_stack, "gateway", **told) as other,
    ):
        yield one, other


def make_key(stack: RunningStack, client: str) -> str:
    made = stack.quoth("keys", "create", client, "--rate", str(RATE), "--json")
    assert made.returncode == 0, made.stderr
    return str(json.loads(made.stdout)["text"])


def degraded(url: str) -> list[str]:
    response = httpx.get(f"{url}/readyz", timeout=30, trust_env=False)
    assert response.status_code == 200
    return list(response.json()["degraded"])


def statuses(url: str, times: int, key: str) -> list[int]:
    """Ask so often; what the gateway answered."""
    held = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=url, headers=held, timeout=30, trust_env=False) as client:
        return [client.get(BOOKS).status_code for _ in range(times)]


def counts_by_redis(url: str, key: str) -> bool:
    return statuses(url, 1, key) == [200] and not degraded(url)


@pytest.mark.control("V13")
@pytest.mark.fault("D3")
def test_the_hundred_and_first_request_of_a_minute_is_refused_at_either_and_without_redis_at_each(
    sample_stack: RunningStack,
    gateways: tuple[str, str],
    redis: ExitStack,
    tmp_path: Path,
    key: str,
) -> None:
    one, other = gateways
    taken = statuses(one, 70, key) + statuses(other, 30, key)
    held = {"Authorization": f"Bearer {key}"}
    refused = [httpx.get(f"{url}{BOOKS}", headers=held, trust_env=False) for url in gateways]
    assert taken == [200] * RATE
    assert [response.status_code for response in refused] == [429, 429]
    assert all(1 <= int(response.headers["retry-after"]) <= 60 for response in refused)
    assert [degraded(url) for url in gateways] == [[], []]

    redis.close()
    for url in gateways:
        assert statuses(url, RATE + 1, key) == [200] * RATE + [429]
        assert ["Redis" in part for part in degraded(url)] == [True]

    with running_redis(tmp_path):
        fresh = make_key(sample_stack, "first")
        for url in gateways:
            eventually(partial(counts_by_redis, url, fresh), "it still counts alone")
        counted = make_key(sample_stack, "second")
        assert statuses(one, RATE - 1, counted) + statuses(other, 2, counted) == [200] * RATE + [
            429
        ]

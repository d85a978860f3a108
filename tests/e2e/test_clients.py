"""Clients with keys, on the product as it runs: made by the command, checked by a second gateway."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator

import asyncpg
import httpx
import pytest

from tests.support.aside import aside, environment_of
from tests.support.stack import (
    CHECKOUT,
    QUESTION,
    SAMPLE,
    RunningStack,
)

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

ANSWERS = f"/v1/books/{SAMPLE}/answers"


@pytest.fixture(scope="module")
def key(sample_stack: RunningStack) -> str:
    made = sample_stack.quoth("keys", "create", "reader-app", "--rate", "600", "--json")
    assert made.returncode == 0, made.stderr
    return str(json.loads(made.stdout)["text"])


@pytest.fixture(scope="module")
def url(sample_stack: RunningStack, key: str) -> Iterator[str]:
    """A gateway beside the other that lets nobody in without a key."""
    with aside(sample_stack, "gateway", QUOTH_REQUIRE_KEYS="true") as address:
        yield address


@pytest.fixture
def client(url: str, key: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=url, headers=headers, timeout=30, trust_env=False) as client:
        yield client


@pytest.mark.control("V1", "V12")
def test_a_key_opens_what_it_is_for(client: httpx.Client, url: str) -> None:
    stranger = httpx.post(f"{url}{ANSWERS}", json={"question": QUESTION}, trust_env=False)
    assert stranger.status_code == 401
    answer = client.post(ANSWERS, json={"question": QUESTION})
    assert answer.status_code == 200
    assert answer.json()["refusal"] is None
    assert client.get("/v1/keys").status_code == 403


@pytest.mark.control("V12")
def test_the_audit_trail_says_whose_question_it_was(
    sample_stack: RunningStack, client: httpx.Client
) -> None:
    answer = client.post(ANSWERS, json={"question": QUESTION}).json()

    async def read() -> str:
        dsn = environment_of(sample_stack, "generation")["QUOTH_POSTGRES_DSN"]
        connection = await asyncpg.connect(dsn)
        statement = "SELECT client_id FROM audit_logs WHERE answer_id = $1"
        found = await connection.fetchval(statement, answer["answer_id"])
        await connection.close()
        return str(found)

    assert asyncio.run(read()) == "reader-app"


@pytest.mark.control("V2")
@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"QUOTH_LISTEN": "0.0.0.0"}, "QUOTH_TLS_CERT"),
        ({"QUOTH_LISTEN": "0.0.0.0", "QUOTH_PROXY": "tls"}, "There is no key"),
    ],
    ids=str,
)
def test_a_gateway_does_not_open_itself_to_strangers(
    sample_stack: RunningStack, told: dict[str, str], why: str, key: str
) -> None:
    """Last in this file: it ends every key, without which nobody could be let in."""
    environment = {**environment_of(sample_stack, "gateway"), **told, "QUOTH_PORT": "0"}
    if why == "There is no key":
        listed = json.loads(sample_stack.quoth("keys", "list", "--json").stdout)
        for one in listed["keys"]:  # other tests of this product made theirs
            sample_stack.quoth("keys", "revoke", one["key_id"])
    done = subprocess.run(
        [sys.executable, "-m", "services.gateway"],
        cwd=CHECKOUT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert why in done.stderr

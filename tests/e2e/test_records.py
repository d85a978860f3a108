"""Answers by their id, requests that come twice, and feedback, through all of the product."""

import asyncio
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from tests.support.aside import aside, environment_of, events
from tests.support.stack import CHECKOUT, QUESTION, SAMPLE, RunningStack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

ASK = f"/v1/books/{SAMPLE}/answers"


@pytest.fixture
def client(sample_stack: RunningStack) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=sample_stack.url, timeout=30, trust_env=False) as client:
        yield client


def count(stack: RunningStack, statement: str, *values: Any) -> int:
    async def read() -> int:
        connection = await asyncpg.connect(
            environment_of(stack, "generation")["QUOTH_POSTGRES_DSN"]
        )
        found = await connection.fetchval(statement, *values)
        await connection.close()
        return int(found)

    return asyncio.run(read())


def test_an_answer_is_read_again_as_it_was_given(
    sample_stack: RunningStack, client: httpx.Client
) -> None:
    given = client.post(ASK, json={"question": QUESTION}).json()
    again = client.get(f"/v1/answers/{given['answer_id']}").json()
    assert {**again, "timings": []} == {**given, "timings": []}
    shown = sample_stack.quoth("answer", given["answer_id"], "--json")
    assert json.loads(shown.stdout)["text"] == given["text"]
    assert client.get(f"/v1/answers/{uuid.uuid4()}").status_code == 404


@pytest.mark.fault("A3")
def test_a_request_that_comes_twice_is_answered_once(
    sample_stack: RunningStack, client: httpx.Client
) -> None:
    key = {"Idempotency-Key": uuid.uuid4().hex}
    first = client.post(ASK, json={"question": QUESTION}, headers=key).json()
    again = client.post(ASK, json={"question": QUESTION}, headers=key).json()
    other = client.post(ASK, json={"question": "What is a joint?"}, headers=key)
    assert (first["replayed"], again["replayed"]) == (False, True)
    assert again["answer_id"] == first["answer_id"]
    assert (other.status_code, other.json()["code"]) == (422, "invalid_input")
    statement = "SELECT count(*) FROM audit_logs WHERE answer_id = $1"
    assert count(sample_stack, statement, first["answer_id"]) == 1


@pytest.mark.fault("P4")
def test_a_stream_is_resumed_to_what_was_recorded(client: httpx.Client) -> None:
    stream = {"Accept": "text/event-stream"}
    whole = client.post(ASK, json={"question": QUESTION}, headers=stream)
    name, done = events(whole)[-1]
    assert name == "done"
    ids = [line for line in whole.text.splitlines() if line.startswith("id: ")]
    last = {"Last-Event-ID": ids[1].removeprefix("id: ")}
    resumed = client.post(ASK, json={"question": QUESTION}, headers=stream | last)
    ((name, again),) = events(resumed)
    assert (name, again["answer_id"]) == ("done", done["answer_id"])


def test_feedback_is_kept(sample_stack: RunningStack, client: httpx.Client) -> None:
    answer_id = client.post(ASK, json={"question": QUESTION}).json()["answer_id"]
    path = f"/v1/answers/{answer_id}/feedback"
    for said in ({"rating": "up"}, {"rating": "down", "reason": "incomplete", "comment": "More!"}):
        response = client.post(path, json=said)
        assert response.status_code == 200
        assert response.json().items() >= said.items()
    statement = "SELECT count(*) FROM answer_feedback WHERE answer_id = $1 AND rating = 'down'"
    assert count(sample_stack, statement, answer_id) == 1


@pytest.mark.fault("T2")
def test_any_replica_goes_on_with_a_session_after_a_restart_too(
    sample_stack: RunningStack, client: httpx.Client
) -> None:
    session = client.post(f"/v1/books/{SAMPLE}/sessions").json()["session_id"]
    body = {"session": session}
    first = client.post(ASK, json=body | {"question": QUESTION}).json()
    follow_up = body | {"question": "Why is it used?"}
    with (
        aside(sample_stack, "generation") as generation,
        aside(sample_stack, "gateway", GATEWAY_GENERATION=generation) as url,
    ):
        second = httpx.post(f"{url}{ASK}", json=follow_up, timeout=30, trust_env=False).json()
    assert "compliance" in second["searched_question"]
    said = client.get(f"/v1/sessions/{session}").json()["messages"]
    asked = [one["answer_id"] for one in said if one["role"] == "assistant"]
    assert asked == [first["answer_id"], second["answer_id"]]
    assert client.delete(f"/v1/sessions/{session}").status_code == 204
    assert client.post(ASK, json=follow_up).status_code == 404


def replay(stack: RunningStack, answer_id: str) -> tuple[int, str, str]:
    """Replay as who runs `quoth up` does: who knows its folder, and none of what services are told."""
    done = subprocess.run(
        [sys.executable, "-m", "deploy.cli", "audit", "replay", answer_id],
        cwd=CHECKOUT,
        env={**os.environ, "QUOTH_HOME": str(stack.home)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.timeout(900)
def test_an_answer_is_rebuilt_from_its_row_until_its_edition_is_gone(
    sample_stack: RunningStack, client: httpx.Client, tmp_path: Path
) -> None:
    text = "# Mill\n\nThe wheel of the mill turns because the tide falls.\n"
    page = tmp_path / "mill.md"
    page.write_text(text, "utf-8")
    assert sample_stack.quoth("ingest", str(page), "--book", "mill").returncode == 0
    asked = {"question": "Why does the wheel of the mill turn?"}
    given = client.post("/v1/books/mill/answers", json=asked).json()
    assert given["sentences"]
    status, told, why = replay(sample_stack, given["answer_id"])
    assert (status, why) == (0, "")
    assert "rebuilt as it was, byte for byte" in told
    assert given["sentences"][0]["text"] in told

    page.write_text(text.replace("tide", "river"), "utf-8")
    assert sample_stack.quoth("ingest", str(page), "--book", "mill").returncode == 0
    assert replay(sample_stack, given["answer_id"])[0] == 0  # its edition is kept
    statement = (
        "WITH gone AS (UPDATE editions SET superseded_at = now() - interval '1 hour' "
        "WHERE book = $1 AND number = 1 RETURNING 1) SELECT count(*) FROM gone"
    )
    assert count(sample_stack, statement, "mill") == 1
    assert sample_stack.quoth("vacuum", "--book", "mill", "--keep", "1").returncode == 0
    status, _, why = replay(sample_stack, given["answer_id"])
    assert status == 1
    assert "Edition 1 of mill is not kept any more" in why
    assert sample_stack.quoth("delete", "--book", "mill", "--yes").returncode == 0


def test_an_erased_answer_is_not_rebuilt(sample_stack: RunningStack, client: httpx.Client) -> None:
    body = {"question": QUESTION, "user": "forgotten"}
    given = client.post(ASK, json=body).json()
    assert replay(sample_stack, given["answer_id"])[0] == 0
    dsn = environment_of(sample_stack, "generation")["QUOTH_POSTGRES_DSN"]
    erasing = ("audit", "erase", "--user", "forgotten", "--yes", "--dsn", dsn)
    assert sample_stack.quoth(*erasing).returncode == 0
    status, _, why = replay(sample_stack, given["answer_id"])
    assert (status, "was erased" in why) == (1, True)
    status, _, why = replay(sample_stack, str(uuid.uuid4()))
    assert (status, "There is no row of that answer" in why) == (1, True)

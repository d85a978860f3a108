"""Answers by their id, requests that come twice, and feedback, through all of the product."""

import asyncio
import json
import uuid
from collections.abc import Iterator
from typing import Any

import asyncpg
import httpx
import pytest

from tests.support.aside import aside, environment_of, events
from tests.support.stack import QUESTION, SAMPLE, RunningStack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(300)]

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

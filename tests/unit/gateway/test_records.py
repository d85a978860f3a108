"""Answers by id and feedback: whose they are, over fakes."""

from collections.abc import AsyncIterator

import httpx
import pytest
from msgspec.structs import replace

from libs.errors import Unavailable
from services.gateway.model.answers import FeedbackRequest, ModelUse
from services.gateway.routes.records import NO_ANSWER
from services.gateway.routes.sessions import NO_SESSION
from services.generation.records import recall
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import FakeBackend, make_answer
from tests.support.key_fakes import FakeKeys

MINE = make_answer()
PATH = f"/v1/answers/{MINE.answer_id}"


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend(kept={("reader", MINE.answer_id): MINE})


@pytest.fixture
def keys() -> FakeKeys:
    return FakeKeys()


@pytest.fixture
async def client(backend: FakeBackend, keys: FakeKeys) -> AsyncIterator[httpx.AsyncClient]:
    app = make_app(backend, keys, require_keys=True)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost", trust_env=False
    ) as client:
        yield client


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def test_an_answer_is_read_again_as_it_was_given(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    response = await client.get(PATH, headers=bearer(keys.grant("reader")))
    assert response.status_code == 200
    assert response.json()["answer_id"] == MINE.answer_id
    assert [one["quote"] for one in response.json()["citations"]] == [
        citation.quote for citation in MINE.citations
    ]


@pytest.mark.control("V3")
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_another_s_answer_is_not_there(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend, method: str
) -> None:
    path = PATH if method == "GET" else f"{PATH}/feedback"
    body = {"rating": "up"} if method == "POST" else None
    told = await client.request(method, path, headers=bearer(keys.grant("other")), json=body)
    nobodys = f"/v1/answers/none{path.removeprefix(PATH)}"
    unknown = await client.request(method, nobodys, headers=bearer(keys.grant("third")), json=body)
    assert told.status_code == unknown.status_code == 404
    assert told.json()["detail"] == unknown.json()["detail"] == NO_ANSWER
    assert not [asked for asked in backend.asked if asked[0] == "feedback"]


@pytest.mark.control("V3")
async def test_an_answer_of_a_book_that_a_key_is_no_longer_for_is_not_there(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    key = keys.grant("reader", books=("another",))
    told = await client.get(PATH, headers=bearer(key))
    assert (told.status_code, told.json()["detail"]) == (404, NO_ANSWER)


def test_the_words_for_an_answer_that_is_not_there_are_those_of_generation() -> None:
    assert recall.NO_ANSWER == NO_ANSWER


async def test_feedback_is_kept_and_told_with_its_time(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend
) -> None:
    said = {"rating": "down", "reason": "incomplete", "comment": "Units?"}
    key = keys.grant("reader")
    response = await client.post(f"{PATH}/feedback", json=said, headers=bearer(key))
    assert response.json() == {**said, "create_time": "2026-01-02T00:00:00Z"}
    kept = FeedbackRequest("down", "incomplete", "Units?")
    assert backend.asked[-1] == ("feedback", MINE.answer_id, "reader", kept)


@pytest.mark.control("V9")
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"rating": "sideways"},
        {"rating": "up", "reason": "because"},
        {"rating": "up", "comment": "x" * 2001},
        {"rating": "up", "stars": 5},
    ],
    ids=str,
)
async def test_feedback_outside_its_limits_is_refused(
    client: httpx.AsyncClient, keys: FakeKeys, body: dict[str, object]
) -> None:
    key = keys.grant("reader")
    response = await client.post(f"{PATH}/feedback", json=body, headers=bearer(key))
    assert (response.status_code, response.json()["code"]) == (422, "invalid_input")


@pytest.mark.fault("D3")
async def test_without_the_records_it_is_unavailable(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend
) -> None:
    backend.failure = Unavailable("The database does not answer. Try again in a moment.")
    response = await client.get(PATH, headers=bearer(keys.grant("reader")))
    assert response.status_code == 503
    assert response.headers["retry-after"] == "1"


ASK = f"/v1/books/{MINE.book}/answers"
QUESTION = {"question": MINE.question}
CHAT = {"model": MINE.book, "messages": [{"role": "user", "content": "How?"}]}
STREAM = {"Accept": "text/event-stream"}


def ids_of(text: str) -> list[str]:
    return [line.removeprefix("id: ") for line in text.splitlines() if line.startswith("id: ")]


async def test_events_have_ids_of_the_answer_that_they_are_of(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    headers = bearer(keys.grant("reader")) | STREAM
    response = await client.post(ASK, json=QUESTION, headers=headers)
    ids = ids_of(response.text)
    assert len(ids) == len(MINE.sentences) + 2
    assert ids == [f"{MINE.answer_id}:{number}" for number in range(1, len(ids) + 1)]


@pytest.mark.fault("P4")
async def test_a_stream_that_broke_off_is_resumed_to_its_end_and_asks_nobody(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend
) -> None:
    headers = bearer(keys.grant("reader")) | STREAM | {"Last-Event-ID": f"{MINE.answer_id}:2"}
    response = await client.post(ASK, json=QUESTION, headers=headers)
    assert response.status_code == 200
    assert "event: done" in response.text
    assert "event: sentence" not in response.text
    assert ids_of(response.text) == [f"{MINE.answer_id}:{len(MINE.sentences) + 2}"]
    assert backend.questions == []


@pytest.mark.fault("P4")
@pytest.mark.control("V3")
@pytest.mark.parametrize("last", ["none:1", "", f"{MINE.answer_id}:1"])
async def test_a_stream_that_cannot_be_resumed_is_404_and_never_a_second_answer(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend, last: str
) -> None:
    headers = bearer(keys.grant("other")) | STREAM | {"Last-Event-ID": last}
    response = await client.post(ASK, json=QUESTION, headers=headers)
    if not last:
        assert backend.questions  # an empty id is none: EventSource sends it before its first event
        return
    assert (response.status_code, response.json()["detail"]) == (404, NO_ANSWER)
    assert backend.questions == []


async def test_an_answer_is_resumed_at_its_own_book_alone(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    headers = bearer(keys.grant("reader")) | STREAM | {"Last-Event-ID": f"{MINE.answer_id}:2"}
    response = await client.post("/v1/books/another/answers", json=QUESTION, headers=headers)
    assert response.status_code == 404


@pytest.mark.fault("A3")
@pytest.mark.parametrize(
    ("path", "body"), [(ASK, QUESTION), (f"/v1/chat/book/{MINE.book}/query", {"query": "How?"})]
)
async def test_the_idempotency_key_goes_along_with_the_question(
    client: httpx.AsyncClient,
    keys: FakeKeys,
    backend: FakeBackend,
    path: str,
    body: dict[str, str],
) -> None:
    headers = bearer(keys.grant("reader")) | {"Idempotency-Key": "key-1"}
    response = await client.post(path, json=body, headers=headers)
    assert response.status_code == 200
    assert backend.questions[-1].request_key == "key-1"


@pytest.mark.control("V9")
@pytest.mark.parametrize("key", ["", " ", "two words", "x" * 201, b"\xc3\xa4"])
async def test_an_idempotency_key_outside_its_limits_is_refused(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend, key: str | bytes
) -> None:
    headers = [
        (b"Authorization", f"Bearer {keys.grant('reader')}".encode()),
        (b"Idempotency-Key", key if isinstance(key, bytes) else key.encode()),
    ]
    response = await client.post(ASK, json=QUESTION, headers=headers)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_input")
    assert backend.questions == []


@pytest.mark.fault("A3")
async def test_an_answer_given_before_is_not_paid_for_again(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend
) -> None:
    costly = replace(MINE, model_use=ModelUse("gpt", 900, 100, 0.0))
    key = keys.grant("reader", tokens_per_day=1_000_000)
    spent = []
    for answer in (costly, replace(costly, replayed=True)):
        backend.script = lambda _, answer=answer: [answer]  # type: ignore[misc]
        response = await client.post(ASK, json=QUESTION, headers=bearer(key))
        assert response.json()["replayed"] is answer.replayed
        spent.append(keys.spent("reader"))
    assert spent == [1000, 1000]


async def begin(client: httpx.AsyncClient, key: str) -> str:
    response = await client.post(f"/v1/books/{MINE.book}/sessions", headers=bearer(key))
    assert response.status_code == 201
    assert response.json()["messages"] == []
    return str(response.json()["session_id"])


@pytest.mark.parametrize(
    ("path", "body"), [(ASK, QUESTION), (f"/v1/chat/book/{MINE.book}/query", {"query": "How?"})]
)
async def test_a_question_is_asked_in_a_session(
    client: httpx.AsyncClient,
    keys: FakeKeys,
    backend: FakeBackend,
    path: str,
    body: dict[str, str],
) -> None:
    key = keys.grant("reader")
    session = await begin(client, key)
    response = await client.post(path, json=body | {"session": session}, headers=bearer(key))
    assert response.status_code == 200
    assert backend.questions[-1].session_id == session


@pytest.mark.parametrize(
    ("path", "body", "member"),
    [
        (ASK, QUESTION, "user"),
        (f"/v1/chat/book/{MINE.book}/query", {"query": "How?"}, "user"),
        ("/v1/chat/completions", CHAT, "user"),
        ("/v1/chat/completions", CHAT, "safety_identifier"),
    ],
)
async def test_whom_a_client_asks_for_goes_along_with_the_question(
    client: httpx.AsyncClient,
    keys: FakeKeys,
    backend: FakeBackend,
    path: str,
    body: dict[str, object],
    member: str,
) -> None:
    key = bearer(keys.grant("site"))
    for user, status in (("u-1", 200), ("u" * 256, 422)):
        response = await client.post(path, json=body | {member: user}, headers=key)
        assert response.status_code == status
    assert backend.questions[-1].user_id == "u-1"


@pytest.mark.control("V9")
@pytest.mark.parametrize(
    ("path", "body"),
    [
        (ASK, {**QUESTION, "history": [{"role": "user", "content": "Hi"}]}),
        (
            f"/v1/chat/book/{MINE.book}/query",
            {"query": "How?", "conversation_history": [{"role": "user", "content": "Hi"}]},
        ),
    ],
)
async def test_a_session_and_a_history_are_too_much(
    client: httpx.AsyncClient, keys: FakeKeys, path: str, body: dict[str, object]
) -> None:
    key = keys.grant("reader")
    response = await client.post(path, json=body | {"session": "s-0"}, headers=bearer(key))
    assert (response.status_code, response.json()["code"]) == (422, "invalid_input")
    assert "not both" in response.json()["detail"]


async def test_a_session_is_read_and_ended_by_its_client(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    key = keys.grant("reader")
    path = f"/v1/sessions/{await begin(client, key)}"
    assert (await client.get(path, headers=bearer(key))).json()["book"] == MINE.book
    ended = await client.delete(path, headers=bearer(key))
    assert (ended.status_code, ended.content) == (204, b"")
    assert (await client.get(path, headers=bearer(key))).status_code == 404


@pytest.mark.control("V3")
@pytest.mark.fault("T2")
@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_another_s_session_is_not_there(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend, method: str
) -> None:
    session = await begin(client, keys.grant("reader"))
    other = bearer(keys.grant("other"))
    told = await client.request(method, f"/v1/sessions/{session}", headers=other)
    assert (told.status_code, told.json()["detail"]) == (404, NO_SESSION)
    assert ("reader", session) in backend.sessions


async def test_a_session_with_a_book_that_is_not_there_is_not_begun(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend
) -> None:
    key = bearer(keys.grant("reader"))
    response = await client.post("/v1/books/nothing/sessions", headers=key)
    assert response.status_code == 404
    assert backend.sessions == {}


def test_the_words_for_a_session_that_is_not_there_are_those_of_generation() -> None:
    assert recall.NO_SESSION == NO_SESSION

"""The REST interface over fakes, without a socket."""

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import msgspec
import pytest
from starlette.applications import Starlette

from libs.errors import (
    BY_KIND,
    Conflict,
    InvalidInput,
    ModelUnavailable,
    NoRoom,
    Overloaded,
    QuothError,
    TooLarge,
    Unavailable,
    WrongIndex,
)
from libs.rpc.readiness import CATALOGUE, WRITES
from services.gateway.errors import STATUS_BY_KIND, TITLE_BY_KIND
from services.gateway.model.answers import SelectedText
from services.gateway.settings import Settings
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import (
    FakeBackend,
    events_of,
    locate,
    make_answer,
    make_job,
    make_refusal,
)
from tests.support.telemetry import Recorded

ANSWERS = "/v1/books/tide-mills/answers"
SEARCH = "/v1/books/tide-mills/search"
QUESTION = {"question": "How does it work?"}
ANSWER_KEYS = {
    "answer_id",
    "book",
    "edition",
    "mode",
    "question",
    "text",
    "sentences",
    "citations",
    "refusal",
    "confidence",
    "profile",
    "degraded",
    "timings",
    "timestamp",
    "searched_question",
    "checks",
    "withheld",
    "model_use",
    "verifier_use",
    "omitted",
    "suggested_questions",
    "notice",
    "missing_entities",
    "corrections",
    "grounding",
    "replayed",
}
CITATION_KEYS = {
    "n",
    "quote",
    "document",
    "start",
    "end",
    "section_path",
    "url",
    "page",
    "chunk_id",
    "snippet",
    "verdict",
    "table_header",
    "page_label",
    "marker",
}


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def app(backend: FakeBackend) -> Starlette:
    return app_with(backend)


def app_with(backend: FakeBackend, **settings: Any) -> Starlette:
    return make_app(
        backend, settings=Settings(**settings), probes={"ingest": backend, "generation": backend}
    )


@pytest.fixture
async def client(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    async with connect(app) as client:
        yield client


def connect(app: Starlette) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://localhost:8080", trust_env=False
    )


def parse(stream: str) -> list[tuple[str, Any]]:
    events = []
    for frame in stream.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in frame.splitlines() if ": " in line[1:])
        if "event" in fields:
            events.append((fields["event"], json.loads(fields["data"])))
    return events


def assert_problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    problem = dict(response.json())
    assert response.headers["content-type"] == "application/problem+json"
    assert (response.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert problem.keys() == {"type", "title", "status", "detail", "code", "request_id"}
    assert problem["request_id"] == response.headers["x-request-id"]
    return problem


async def test_an_answer_has_exactly_the_agreed_form(client: httpx.AsyncClient) -> None:
    response = await client.post(ANSWERS, json=QUESTION)
    answer = response.json()
    assert response.status_code == 200
    assert answer.keys() == ANSWER_KEYS
    assert answer["citations"][0].keys() == CITATION_KEYS
    assert answer["sentences"][0].keys() == {
        *("text", "citations", "checks"),
        *("kind", "probability", "role", "stands_in"),
    }
    assert answer["confidence"] == {"score": 0.91, "level": "high"}
    assert answer["timings"][0].keys() == {"stage", "allowed_ms", "used_ms", "outcome"}
    assert answer["text"] == " ".join(sentence["text"] for sentence in answer["sentences"])
    assert answer["timestamp"] == "2026-11-21T12:30:15.250000Z"
    assert answer["refusal"] is answer["citations"][0]["url"] is None


async def test_the_gateways_own_stages_come_first_in_the_timings(
    client: httpx.AsyncClient,
) -> None:
    answer = (await client.post(ANSWERS, json=QUESTION)).json()
    assert [timing["stage"] for timing in answer["timings"]][:3] == [
        "gateway.resolve",
        "gateway.answer",
        "generation.retrieve",
    ]


async def test_a_refusal_is_an_answer_without_sentences(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    backend.script = lambda question: [make_refusal(question.text)]
    response = await client.post(ANSWERS, json={"question": "Who won the cup?"})
    answer = response.json()
    assert response.status_code == 200
    assert (answer["sentences"], answer["citations"]) == ([], [])
    assert answer["refusal"].keys() == {
        "code",
        "message",
        "related_sections",
        "suggested_questions",
        "nearest",
    }
    assert answer["text"] == answer["refusal"]["message"]
    assert answer["confidence"] == {"score": 0.0, "level": None}


async def test_the_published_edition_is_asked(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    await client.post(ANSWERS, json=QUESTION)
    await client.post(SEARCH, json=QUESTION)
    assert (backend.questions[0].edition, backend.searches[0].edition) == (3, 3)


async def test_everything_asked_is_passed_on(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    document, start, end = locate("Every mill of the coast")
    body = {
        "question": "",
        "selection": {"document": document.path, "start": start, "end": end, "text": "Every"},
        "section_path": ["How a tide mill works"],
        "history": [{"role": "user", "content": "Hello"}],
        "profile": "default",
    }
    assert (await client.post(ANSWERS, json=body)).status_code == 200
    asked = backend.questions[0]
    assert asked.selection == SelectedText(document.path, (start, end), "Every")
    assert (asked.section_path, asked.profile) == (["How a tide mill works"], "default")
    assert asked.title == backend.books[0].title
    assert [(message.role, message.content) for message in backend.histories[0]] == [
        ("user", "Hello")
    ]


async def test_lengths_are_left_to_the_services_whose_words_say_them(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    selection = {"document": "a.md", "text": "m" * 5001}
    history = [{"role": "user", "content": "h"}] * 11
    asked = {"question": "q" * 4001, "selection": selection}

    assert (await client.post(SEARCH, json=asked)).status_code == 200
    assert (await client.post(ANSWERS, json=asked | {"history": history})).status_code == 200
    assert len(backend.histories[0]) == 11


async def test_events_come_in_order_and_done_is_the_whole_answer(
    client: httpx.AsyncClient,
) -> None:
    response = await client.post(ANSWERS, json=QUESTION, headers={"Accept": "text/event-stream"})
    events = parse(response.text)
    assert response.headers["content-type"] == "text/event-stream"
    assert [name for name, _ in events] == [
        "passages",
        "sentence",
        "sentence",
        "sentence",
        "done",
    ]
    assert events[1][1].keys() == {"sentence", "citations"}
    assert events[-1][1].keys() == ANSWER_KEYS


async def test_a_failure_before_the_first_event_is_an_ordinary_problem(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    backend.script = lambda _: [InvalidInput("question: At most 1000 tokens.")]
    response = await client.post(ANSWERS, json=QUESTION, headers={"Accept": "text/event-stream"})
    assert_problem(response, 422, "invalid_input")


async def test_a_failure_after_the_first_event_is_the_event_error(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    begun = events_of(make_answer())[:2]
    backend.script = lambda _: [*begun, Unavailable("The store does not answer.")]
    response = await client.post(ANSWERS, json=QUESTION, headers={"Accept": "text/event-stream"})
    events = parse(response.text)
    assert [name for name, _ in events] == ["passages", "sentence", "error"]
    assert (events[-1][1]["status"], events[-1][1]["code"]) == (503, "unavailable")


@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        (ANSWERS, QUESTION, "/v1/books/{book}/answers"),
        (
            "/v1/chat/completions",
            {
                "model": "tide-mills",
                "stream": True,
                "messages": [{"role": "user", "content": "How?"}],
            },
            "/v1/chat/completions",
        ),
    ],
)
async def test_a_stream_that_breaks_off_is_measured_as_failed(
    client: httpx.AsyncClient,
    backend: FakeBackend,
    recorded: Recorded,
    path: str,
    body: dict[str, Any],
    name: str,
) -> None:
    begun = events_of(make_answer())[:2]
    backend.script = lambda _: [*begun, Unavailable("The store does not answer.")]
    response = await client.post(path, json=body, headers={"Accept": "text/event-stream"})
    assert "The store does not answer." in response.text
    [(point, _)] = recorded["http.server.request.duration"]
    told = (point["http.route"], point["http.response.status_code"], point.get("error.type"))
    assert told == (name, 200, "503")


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_events_without_an_answer_are_not_an_answer(
    client: httpx.AsyncClient, backend: FakeBackend, accept: str
) -> None:
    backend.script = lambda _: [*events_of(make_answer())[:2]]
    response = await client.post(ANSWERS, json=QUESTION, headers={"Accept": accept})
    assert "done" not in [name for name, _ in parse(response.text)]
    assert '"code":"unavailable"' in response.text


@pytest.mark.invariant("I7")
async def test_a_fault_of_our_own_shows_nothing_of_the_inside(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    backend.script = None  # type: ignore[assignment]
    for accept in ("application/json", "text/event-stream"):
        response = await client.post(ANSWERS, json=QUESTION, headers={"Accept": accept})
        problem = assert_problem(response, 500, "internal")
        assert problem["detail"] == "Something went wrong inside Quoth."
        assert "Traceback" not in response.text
        assert "NoneType" not in response.text


@pytest.mark.invariant("I5")
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_service_that_hangs_is_given_up_by_the_gateways_own_timer(
    backend: FakeBackend, accept: str
) -> None:
    never = asyncio.Event()
    backend.script = lambda _: [never]
    async with connect(app_with(backend)) as client:
        response = await client.post(
            ANSWERS, json=QUESTION, headers={"X-Request-Timeout-Ms": "500", "Accept": accept}
        )
    problem = assert_problem(response, 504, "deadline_exceeded")
    assert problem["title"] == "Query processing timed out"
    assert (
        problem["detail"]
        == "Query processing timed out while the answer was made. Ask again in a moment."
    )
    assert backend.cancelled.is_set()


@pytest.mark.parametrize(
    "path", ["/v1/books", "/v1/books/tide-mills", "/v1/books/tide-mills/documents"]
)
async def test_the_library_keeps_to_the_deadline_too(
    client: httpx.AsyncClient, backend: FakeBackend, path: str
) -> None:
    backend.hang = asyncio.Event()
    response = await client.get(path, headers={"X-Request-Timeout-Ms": "30"})
    assert_problem(response, 504, "deadline_exceeded")


async def test_a_client_may_wish_for_less_time_but_not_for_more(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    for wish in ("1000", "60000", "9" * 30):
        await client.get("/v1/books", headers={"X-Request-Timeout-Ms": wish})
    less, more, most = backend.timeouts_s
    assert less <= 1.0 < more <= 5.0
    assert most <= 5.0


@pytest.mark.parametrize("wish", ["0", "-5", "soon", "1.5", ""])
async def test_a_bad_timeout_header_is_refused(client: httpx.AsyncClient, wish: str) -> None:
    response = await client.get("/v1/books", headers={"X-Request-Timeout-Ms": wish})
    assert_problem(response, 422, "invalid_input")


async def test_a_client_that_goes_away_cancels_the_call_at_once(backend: FakeBackend) -> None:
    for headers in ([], [(b"accept", b"text/event-stream")]):
        backend.cancelled.clear()
        never, asked = asyncio.Event(), asyncio.Event()

        def script(_: object, never: asyncio.Event = never, asked: asyncio.Event = asked) -> Any:
            asked.set()
            return [never]

        backend.script = script
        messages = [{"type": "http.request", "body": json.dumps(QUESTION).encode()}]

        async def receive(
            messages: list[Any] = messages, asked: asyncio.Event = asked
        ) -> dict[str, Any]:
            if messages:
                return dict(messages.pop())
            await asked.wait()
            return {"type": "http.disconnect"}

        async def send(_: Any) -> None:
            pass

        scope = {
            "type": "http",
            "method": "POST",
            "path": ANSWERS,
            "raw_path": ANSWERS.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [
                (b"host", b"localhost"),
                (b"content-type", b"application/json"),
                *headers,
            ],
        }
        await app_with(backend)(scope, receive, send)
        assert backend.cancelled.is_set()


@pytest.mark.control("V9")
@pytest.mark.parametrize(
    ("body", "status", "code", "named"),
    [
        (b"", 400, "malformed", ""),
        (b'{"question":', 400, "malformed", ""),
        (b'{"question":"\xff"}', 400, "malformed", ""),
        (b'{"question":"\\ud800"}', 400, "malformed", ""),
        (b"[]", 422, "invalid_input", ""),
        (b"{}", 422, "invalid_input", "question"),
        (b'{"question":3}', 422, "invalid_input", "question"),
        (b'{"question":"a","colour":1}', 422, "invalid_input", "colour"),
        (b'{"question":"  "}', 422, "invalid_input", "question"),
        (b'{"question":"a","selection":{}}', 422, "invalid_input", "document"),
        (b'{"question":"a","selection":{"document":"d"}}', 422, "invalid_input", "selection"),
        (
            b'{"question":"a","selection":{"document":"d","start":5}}',
            422,
            "invalid_input",
            "selection",
        ),
        (
            b'{"question":"a","selection":{"document":"d","start":5,"end":5}}',
            422,
            "invalid_input",
            "selection.end",
        ),
        (
            b'{"question":"a","selection":{"document":"d","start":-1,"end":5}}',
            422,
            "invalid_input",
            "selection.start",
        ),
        (
            b'{"question":"a","selection":{"document":"d","start":1,"end":2147483648}}',
            422,
            "invalid_input",
            "selection.end",
        ),
        (
            b'{"question":"a","history":[{"role":"system","content":"x"}]}',
            422,
            "invalid_input",
            "Role must be 'user' or 'assistant'",
        ),
        (
            b'{"question":"a","history":[{"role":"user"}]}',
            422,
            "invalid_input",
            "Each message must have 'role' and 'content'",
        ),
        (
            b'{"question":"a","history":[{"content":"a"}]}',
            422,
            "invalid_input",
            "Each message must have 'role' and 'content'",
        ),
        (b'{"question":"' + b"a" * 300_000 + b'"}', 413, "too_large", ""),
    ],
)
async def test_a_bad_body_is_refused_by_name(
    client: httpx.AsyncClient, body: bytes, status: int, code: str, named: str
) -> None:
    response = await client.post(
        ANSWERS, content=body, headers={"Content-Type": "application/json"}
    )
    assert named in assert_problem(response, status, code)["detail"]


async def test_a_body_that_is_compressed_is_refused_as_such(client: httpx.AsyncClient) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    packed = gzip.compress(json.dumps(QUESTION).encode())
    response = await client.post(ANSWERS, content=packed, headers=headers)
    said = assert_problem(response, 415, "wrong_media_type")
    assert "Content-Encoding" in said["detail"]


@pytest.mark.control("V19")
@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", None])
@pytest.mark.parametrize("path", [ANSWERS, SEARCH, "/v1/books/a/ingests?file_name=a.md"])
async def test_bodies_that_another_site_could_post_are_refused(
    client: httpx.AsyncClient, media_type: str | None, path: str
) -> None:
    headers = {"Content-Type": media_type} if media_type else {}
    response = await client.post(path, content=json.dumps(QUESTION).encode(), headers=headers)
    assert_problem(response, 415, "wrong_media_type")


@pytest.mark.control("V19")
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost:8080"])
async def test_another_sites_page_is_refused(client: httpx.AsyncClient, origin: str) -> None:
    response = await client.post(ANSWERS, json=QUESTION, headers={"Origin": origin})
    assert_problem(response, 403, "foreign_origin")


@pytest.mark.control("V19")
async def test_our_own_page_is_let_in(client: httpx.AsyncClient) -> None:
    headers = {"Origin": "http://localhost:8080"}
    assert (await client.post(ANSWERS, json=QUESTION, headers=headers)).status_code == 200


@pytest.mark.control("V19")
@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1.nip.io"])
async def test_a_host_name_rebound_to_this_machine_is_refused(
    client: httpx.AsyncClient, host: str
) -> None:
    response = await client.get("/v1/books", headers={"Host": host})
    assert_problem(response, 421, "wrong_host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9", "127.0.0.1:8080", "[::1]:8080"])
async def test_names_of_this_machine_are_let_in(client: httpx.AsyncClient, host: str) -> None:
    assert (await client.get("/v1/books", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidInput("x"), 422),
        (TooLarge("x"), 413),
        (Conflict("x"), 409),
        (WrongIndex("x"), 409),
        (Overloaded("x"), 429),
        (Unavailable("x"), 503),
        (ModelUnavailable("x"), 502),
        (QuothError("x"), 500),
    ],
)
async def test_each_kind_of_failure_has_its_status(
    client: httpx.AsyncClient, backend: FakeBackend, error: QuothError, status: int
) -> None:
    backend.failure = error
    assert_problem(await client.get("/v1/books"), status, error.kind)


async def test_every_kind_has_a_status_and_a_title() -> None:
    assert BY_KIND.keys() <= STATUS_BY_KIND.keys() == TITLE_BY_KIND.keys()


async def test_unknown_things_are_not_found(client: httpx.AsyncClient) -> None:
    assert_problem(await client.post("/v1/books/no/answers", json=QUESTION), 404, "not_found")
    for path in ("/v1/books/no", "/v1/books/tide-mills/documents/no.md", "/nothing", "/static/no"):
        assert_problem(await client.get(path), 404, "not_found")


async def test_a_wrong_method_says_which_are_right(client: httpx.AsyncClient) -> None:
    response = await client.get(ANSWERS)
    assert_problem(response, 405, "wrong_method")
    assert response.headers["allow"] == "POST"


async def test_a_request_keeps_its_id(client: httpx.AsyncClient) -> None:
    response = await client.get("/v1/books", headers={"X-Request-Id": "mine-1"})
    assert response.headers["x-request-id"] == "mine-1"
    for bad in ("x" * 65, "two words\ttab"):
        response = await client.get("/v1/books", headers={"X-Request-Id": bad})
        assert len(response.headers["x-request-id"]) == 32


async def test_books_and_documents_are_shown(client: httpx.AsyncClient) -> None:
    books = (await client.get("/v1/books")).json()["books"]
    assert books[0].keys() == {
        "slug",
        "title",
        "authors",
        "year",
        "edition",
        "document_count",
        "chunk_count",
        "language",
        "languages",
        "publish_time",
    }
    assert (await client.get("/v1/books/tide-mills")).json() == books[0]
    listing = (await client.get("/v1/books/tide-mills/documents?edition=2")).json()
    assert (listing["book"], listing["edition"], len(listing["documents"])) == ("tide-mills", 2, 2)
    response = await client.get("/v1/books/tide-mills/documents/part%20one/mills.md")
    document = response.json()
    for block in document["blocks"]:
        assert document["text"][block["start"] : block["end"]].strip()


@pytest.mark.parametrize("edition", ["0", "-1", "two", "99999999999", ""])
async def test_a_bad_edition_number_is_refused(client: httpx.AsyncClient, edition: str) -> None:
    response = await client.get(f"/v1/books/tide-mills/documents?edition={edition}")
    assert "edition" in assert_problem(response, 422, "invalid_input")["detail"]


async def test_search_shows_passages_scores_and_gate(client: httpx.AsyncClient) -> None:
    found = (await client.post(SEARCH, json=QUESTION | {"max_passages": 2})).json()
    assert len(found["passages"]) == 2
    assert found["passages"][0]["scores"]["bm25_rank"] is None
    assert found["gate"].keys() == {"probability", "threshold", "passed", "features"}
    assert found["edition"] == 3


async def test_an_upload_is_passed_on_and_accepted(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    response = await client.post(
        "/v1/books/new-book/ingests?file_name=a.zip&title=A%20book&language=de",
        content=b"PK" * 5000,
        headers={"Content-Type": "application/octet-stream", "Idempotency-Key": "k-1"},
    )
    assert response.status_code == 202
    assert response.json()["job"]["state"] == "queued"
    assert response.headers["location"] == "/v1/books/new-book/ingests/job-1"
    source, data = backend.sources[0]
    assert (source.file_name, source.title, source.language) == ("a.zip", "A book", "de")
    assert (source.client, source.request_key) == ("", "k-1")
    assert data == b"PK" * 5000


@pytest.mark.fault("G6")
@pytest.mark.parametrize("declared", [True, False])
async def test_an_upload_over_the_limit_is_refused(backend: FakeBackend, declared: bool) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"x" * 500_000

    headers = {"Content-Type": "application/zip"}
    if declared:
        headers["Content-Length"] = "1500000"
    async with connect(app_with(backend, max_upload_mib=1)) as client:
        response = await client.post(
            "/v1/books/a/ingests?file_name=a.zip", content=parts(), headers=headers
        )
    assert_problem(response, 413, "too_large")
    assert "larger than 1 MiB" in response.json()["detail"]
    assert backend.sources == []


@pytest.mark.fault("G6")
async def test_an_upload_that_stalls_is_given_up(backend: FakeBackend) -> None:
    async def parts() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.Event().wait()

    async with connect(app_with(backend, upload_pause_s=0.02)) as client:
        response = await client.post(
            "/v1/books/a/ingests?file_name=a.zip",
            content=parts(),
            headers={"Content-Type": "application/zip"},
        )
    assert_problem(response, 408, "too_slow")


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("", "file_name"),
        ("?file_name=", "file_name"),
        ("?file_name=..%2Fa.zip", "file_name"),
        (f"?file_name=a.zip&language=en-{'x' * 33}", "language"),
        ("?file_name=a.zip&colour=red", "colour"),
    ],
)
async def test_a_source_that_is_badly_described_is_refused(
    client: httpx.AsyncClient, query: str, named: str
) -> None:
    response = await client.post(
        f"/v1/books/a/ingests{query}", content=b"x", headers={"Content-Type": "application/zip"}
    )
    assert named in assert_problem(response, 422, "invalid_input")["detail"]


async def test_a_name_no_book_can_have_is_refused(client: httpx.AsyncClient) -> None:
    response = await client.post(
        "/v1/books/No%20Book/ingests?file_name=a.md",
        content=b"x",
        headers={"Content-Type": "application/octet-stream"},
    )
    assert "book" in assert_problem(response, 422, "invalid_input")["detail"]


async def test_a_job_is_shown_as_it_stands_or_streamed_to_its_end(
    client: httpx.AsyncClient,
) -> None:
    path = "/v1/books/tide-mills/ingests/job-1"
    assert (await client.get(path)).json()["job"]["state"] == "running"
    events = parse((await client.get(path, headers={"Accept": "text/event-stream"})).text)
    assert [(name, data["job"]["state"]) for name, data in events] == [
        ("progress", "running"),
        ("done", "published"),
    ]


async def test_a_job_of_another_book_is_not_found(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    backend.states = [make_job(book="other", state="running")]
    for accept in ("application/json", "text/event-stream"):
        response = await client.get(
            "/v1/books/tide-mills/ingests/job-1", headers={"Accept": accept}
        )
        assert_problem(response, 404, "not_found")


async def test_the_gateway_is_ready_only_when_every_service_is(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    assert (await client.get("/readyz")).json() == {
        "status": "ready",
        "parts": {"ingest": "serving", "generation": "serving"},
        "degraded": [],
    }
    backend.failure = Unavailable("down")
    response = await client.get("/readyz")
    assert (response.status_code, response.json()["status"]) == (503, "not_ready")
    assert (await client.get("/healthz")).json() == {"status": "alive"}


@pytest.mark.fault("G7")
async def test_readiness_names_what_a_ready_service_lacks(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    backend.lacking = {WRITES}
    response = await client.get("/readyz")
    assert (response.status_code, response.json()["status"]) == (200, "ready")
    [note] = response.json()["degraded"]
    assert "The disk is nearly full" in note


@pytest.mark.fault("G8")
async def test_an_empty_shelf_before_a_full_index_says_so(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    backend.lacking = {CATALOGUE}
    assert (await client.get("/v1/books")).json()["warnings"] == []
    backend.books = []
    [warning] = (await client.get("/v1/books")).json()["warnings"]
    assert "The index holds books that the database does not know" in warning
    assert (await client.get("/readyz")).json()["degraded"] == [warning]


@pytest.mark.fault("G7")
async def test_a_disk_without_room_is_507_with_what_to_do(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    backend.failure = NoRoom("The disk is nearly full. Free some.")
    response = await client.get("/v1/books")
    problem = response.json()
    assert (response.status_code, problem["code"]) == (507, "no_room")
    assert problem["detail"] == "The disk is nearly full. Free some."


async def test_every_request_is_timed_by_its_route_and_how_it_ended(
    client: httpx.AsyncClient, backend: FakeBackend, recorded: Recorded
) -> None:
    await client.get("/v1/books/tide-mills")
    await client.get("/v1/books/no-such-book")
    await client.get("/nothing")
    await client.request("BREW", "/v1/books")
    backend.failure = Unavailable("down")
    await client.get("/v1/books")
    found = {
        (
            point["http.request.method"],
            point.get("http.route"),
            point["http.response.status_code"],
            point.get("error.type"),
        )
        for point, _ in recorded["http.server.request.duration"]
    }
    assert found == {
        ("GET", "/v1/books/{book}", 200, None),
        ("GET", "/v1/books/{book}", 404, None),
        ("GET", None, 404, None),
        ("_OTHER", "/v1/books", 405, None),
        ("GET", "/v1/books", 503, "503"),
    }


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_stages_of_the_gateway_are_measured_with_what_they_were_allowed(
    client: httpx.AsyncClient, recorded: Recorded, accept: str
) -> None:
    headers = {"Accept": accept, "X-Request-Timeout-Ms": "2000"}
    await client.post(ANSWERS, json=QUESTION, headers=headers)
    took = {point["quoth.stage"] for point, _ in recorded["quoth.stage.duration"]}
    allowed = {point["quoth.stage"]: s for point, s in recorded["quoth.stage.allowed"]}
    assert took == allowed.keys() == {"gateway.resolve", "gateway.answer"}
    assert allowed["gateway.resolve"] == pytest.approx(0.5)
    assert 1.0 < allowed["gateway.answer"] <= 2.0


@pytest.mark.control("V7", "V8", "V19")
@pytest.mark.parametrize("path", ["/", "/v1/books", "/static/app.js", "/nothing", "/openapi.json"])
async def test_every_response_is_safe_to_show(client: httpx.AsyncClient, path: str) -> None:
    headers = (await client.get(path)).headers
    policy = headers["content-security-policy"]
    for rule in (
        "default-src 'self'",
        "img-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ):
        assert rule in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == (
        "no-cache" if path in ("/", "/static/app.js") else "no-store"
    )
    assert "access-control-allow-origin" not in headers


async def test_files_that_the_page_names_may_be_cached_for_ever_and_others_do_not_exist(
    client: httpx.AsyncClient,
) -> None:
    named = re.findall(r'"(/bundle/[^"]+)"', (await client.get("/")).text)
    types = []
    for path in named:
        response = await client.get(path)
        assert "immutable" in response.headers["cache-control"]
        types.append(response.headers["content-type"].partition(";")[0])
    assert sorted(types) == ["image/svg+xml", "text/css", "text/javascript"]
    unknown = await client.get("/bundle/0.js")
    assert (unknown.status_code, unknown.headers["cache-control"]) == (404, "no-store")


async def test_files_of_the_page_come_compressed_to_who_takes_them_so(
    client: httpx.AsyncClient,
) -> None:
    for path in re.findall(r'"(/bundle/[^"]+)"', (await client.get("/")).text):
        packed = await client.get(path, headers={"accept-encoding": "br, gzip"})
        plain = await client.get(path, headers={"accept-encoding": "identity"})
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        for response in (packed, plain):
            assert set(response.headers["vary"].split(", ")) == {"Accept-Encoding"}
        assert packed.text == plain.text
        assert int(packed.headers["content-length"]) < int(plain.headers["content-length"])


@pytest.mark.control("V11")
async def test_nothing_outside_the_pages_folder_is_served(client: httpx.AsyncClient) -> None:
    for path in ("/static/../settings.py", "/static/%2e%2e/settings.py", "/static//etc/passwd"):
        assert (await client.get(path)).status_code == 404


def test_the_answer_object_survives_its_own_schema() -> None:
    answer = make_answer()
    assert msgspec.json.decode(msgspec.json.encode(answer), type=type(answer)) == answer


@pytest.mark.fault("O1")
@pytest.mark.parametrize("path", [ANSWERS, SEARCH])
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_request_that_waits_too_long_for_its_turn_is_refused_before_any_service_is_asked(
    backend: FakeBackend, path: str, accept: str
) -> None:
    backend.hang = asyncio.Event()
    async with connect(app_with(backend, answers_at_once=1)) as client:
        first = asyncio.create_task(client.post(path, json=QUESTION, headers={"Accept": accept}))
        for _ in range(100):  # until it hangs
            await asyncio.sleep(0)
        refused = await client.post(
            path, json=QUESTION, headers={"Accept": accept, "X-Request-Timeout-Ms": "30"}
        )
        asked = len(backend.timeouts_s)
        backend.hang.set()
        assert (await first).status_code == 200
    assert_problem(refused, 429, "overloaded")
    assert refused.headers["retry-after"] == "1"
    assert asked == 1


@pytest.mark.parametrize(
    ("failure", "status", "header"),
    [
        (Unavailable("busy", 7.2), 503, "8"),
        (Unavailable("busy", 0.0), 503, "1"),
        (Unavailable("busy", 86_400.0), 503, "60"),
        (Unavailable("busy"), 503, "1"),
        (ModelUnavailable("busy", 20.0), 502, "20"),
        (ModelUnavailable("broken"), 502, None),
    ],
)
async def test_a_reader_is_told_when_to_come_back_within_a_minute(
    backend: FakeBackend, failure: Unavailable, status: int, header: str | None
) -> None:
    backend.failure = failure
    async with connect(app_with(backend)) as client:
        response = await client.post(ANSWERS, json=QUESTION)
    assert (response.status_code, response.headers.get("retry-after")) == (status, header)


async def test_formulas_are_drawn_and_what_is_not_understood_comes_back_empty(
    client: httpx.AsyncClient,
) -> None:
    formulas = [
        {"tex": r"\frac{a}{b}", "display": True},
        {"tex": r"\unknown"},
        {"tex": r"\def\a{\a\a}\a"},
        {"tex": r"\text{<script>}"},
        {"tex": r"\begin{aligned} \color{red} a &= b \end{aligned}"},
        {"tex": "{" * 4000},
    ]
    response = await client.post("/v1/formulas", json={"formulas": formulas})
    fraction, *failed, text, aligned, unclosed = response.json()["mathml"]
    assert 'display="block"' in fraction
    assert "<mfrac><mi>a</mi><mi>b</mi></mfrac>" in fraction
    assert failed == ["", ""]
    assert "<script>" not in text
    assert ('class="right"' in aligned, "style=" in aligned.replace("displaystyle=", "")) == (
        True,
        False,
    )
    assert unclosed == ""


async def test_a_formula_that_is_too_long_is_named(client: httpx.AsyncClient) -> None:
    response = await client.post("/v1/formulas", json={"formulas": [{"tex": "x" * 4001}]})
    assert response.status_code == 422
    assert "formulas" in response.json()["detail"]


async def test_questions_to_begin_with_are_of_the_current_edition(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    backend.suggested = ["What fills the pond?"]
    response = await client.get("/v1/books/tide-mills/suggestions?profile=course")
    assert response.json() == {
        "book": "tide-mills",
        "edition": 3,
        "questions": ["What fills the pond?"],
    }
    assert backend.asked == [("suggest", "tide-mills", 3, "course")]
    backend.failure = Unavailable("The retrieval service does not answer.")
    assert_problem(await client.get("/v1/books/tide-mills/suggestions"), 503, "unavailable")
    backend.failure = None
    long = await client.get(f"/v1/books/tide-mills/suggestions?profile={'x' * 41}")
    assert_problem(long, 422, "invalid_input")


async def test_questions_to_go_on_with_are_of_the_clients_own_answer(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    backend.suggested_next, answer_id = ["What empties the pond?"], make_answer().answer_id
    response = await client.get(f"/v1/books/tide-mills/suggestions?answer={answer_id}")
    assert response.json()["questions"] == ["What empties the pond?"]
    assert backend.asked == [("suggest next", "tide-mills", answer_id, "")]
    long = await client.get(f"/v1/books/tide-mills/suggestions?answer={'x' * 37}")
    assert_problem(long, 422, "invalid_input")


@pytest.mark.parametrize(
    ("accepts", "path", "packed"),
    [
        ("gzip, deflate", "/openapi.json", True),
        ("identity", "/openapi.json", False),
        ("gzip", "/healthz", False),
        ("gzip", "/static/app.js", True),
    ],
)
async def test_large_replies_are_compressed_for_clients_that_accept_it(
    client: httpx.AsyncClient, accepts: str, path: str, packed: bool
) -> None:
    response = await client.get(path, headers={"Accept-Encoding": accepts})
    assert (response.headers.get("content-encoding") == "gzip") is packed
    assert response.headers["content-length"] == str(response.num_bytes_downloaded)
    assert response.num_bytes_downloaded < len(response.content) or not packed
    assert ("accept-encoding" in response.headers.get("vary", "").lower()) or path == "/healthz"


async def test_events_are_never_packed(client: httpx.AsyncClient) -> None:
    headers = {"Accept": "text/event-stream", "Accept-Encoding": "gzip"}
    response = await client.post(ANSWERS, json=QUESTION, headers=headers)
    assert "content-encoding" not in response.headers
    assert len(response.content) > 1000


async def test_a_book_is_renamed_with_a_title_that_says_something(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    renamed = await client.patch("/v1/books/tide-mills", json={"title": "Mills"})
    assert (renamed.status_code, renamed.json()["title"]) == (200, "Mills")
    assert backend.asked == [("rename", "tide-mills", "Mills")]
    for body in ({"title": ""}, {"title": " "}, {"title": "x" * 501}, {}, {"name": "Mills"}):
        refused = await client.patch("/v1/books/tide-mills", json=body)
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")

"""The gateway over real sockets: REST on one side, three gRPC services on the other."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import grpc
import httpx
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from quoth.common.v1.locator_pb2 import Locator, Range
from quoth.common.v1.passage_pb2 import (
    BLOCK_KIND_LIST_ITEM,
    BLOCK_KIND_TABLE,
    Passage,
    PassageScores,
    Span,
)
from quoth.common.v1.question_pb2 import SpellingCorrection
from quoth.common.v1.timing_pb2 import STAGE_OUTCOME_CAPPED, StageTiming
from quoth.generation.v1 import answer_pb2, generation_service_pb2, generation_service_pb2_grpc
from quoth.generation.v1.answer_pb2 import Check
from quoth.ingest.v1 import book_pb2, ingest_service_pb2, ingest_service_pb2_grpc
from quoth.retrieval.v1 import retrieval_service_pb2, retrieval_service_pb2_grpc
from typing_extensions import override

from libs.budget.stages import TOTAL_S
from libs.errors import InvalidInput, NotFound, TooLarge
from libs.rpc.context import REQUEST_ID_KEY
from libs.rpc.server import RunningServer as RunningService
from libs.rpc.server import start_server as start_service
from services.gateway.bootstrap import bootstrap_remote, open_channels
from services.gateway.model.answers import SentenceReleased
from services.gateway.server import RunningServer, listen, start_server
from services.gateway.settings import Settings
from services.gateway.wire import answers

ANSWERS = "/v1/books/clocks/answers"
QUESTION = {"question": "What drives a clock?"}
CHECKOUT = Path(__file__).parent.parent.parent
LOCATOR = Locator(
    document="one.md",
    range=Range(start=10, end=31),
    section_path=["Clocks", "Weights"],
    url="https://book.example/one#weights",
    page=4,
    anchor="weights",
)
PASSAGE = Passage(
    table_header="Part | Drives",
    footnotes=["Or a spring."],
    chunk_id="c1",
    locator=LOCATOR,
    text="A weight drives a clock.",
    spans=[
        Span(range=Range(start=10, end=20), kind=BLOCK_KIND_LIST_ITEM, score=0.85, highlighted=True)
    ],
    scores=PassageScores(fused=0.85, dense=-0.1, bm25=7.2, dense_rank=2, boost=1.5),
)


def make_check(kind: str, reason: str, *, passed: bool = True) -> Check:
    return answer_pb2.Check(kind=f"CHECK_KIND_{kind}", passed=passed, reason=reason)


ANSWER = answer_pb2.Answer(
    answer_id="id-1",
    book="clocks",
    edition=7,
    mode=answer_pb2.ANSWER_MODE_SELECTION,
    question="What drives a clock?",
    searched_question="clock What drives a clock?",
    checks=[make_check("ENTITIES", "0.90 of 1")],
    withheld=[
        answer_pb2.WithheldSentence(
            checks=[make_check("FOREIGN_WORDS", "a foreign word", passed=False)], replaced=True
        )
    ],
    model_use=answer_pb2.ModelUse(
        model="gpt-4o-mini", input_tokens=900, output_tokens=40, cost_usd=0.5
    ),
    verifier_use=answer_pb2.ModelUse(model="judge", input_tokens=300, output_tokens=24),
    omitted=["c9"],
    suggested_questions=["What is it?"],
    missing_entities=["sundial"],
    corrections=[SpellingCorrection(asked="sundail", searched="sundial")],
    grounding=answer_pb2.GROUNDING_SUPPORTED,
    sentences=[
        answer_pb2.Sentence(
            text="A weight drives a clock.",
            citations=[1],
            checks=[make_check("NUMBERS", "as in the book")],
            kind=answer_pb2.SENTENCE_KIND_PARAPHRASED,
            probability=0.75,
        ),
        answer_pb2.Sentence(
            text="Or a spring.",
            citations=[2],
            kind=answer_pb2.SENTENCE_KIND_QUOTED,
            probability=1.0,
            stands_in=True,
            role=answer_pb2.SENTENCE_ROLE_SUPPORT,
        ),
    ],
    citations=[
        answer_pb2.Citation(
            number=1,
            quote="A weight drives",
            locator=LOCATOR,
            chunk_id="c1",
            snippet="…",
            verdict=answer_pb2.VERDICT_NORMALISED,
            table_header="Part | Drives",
        ),
        answer_pb2.Citation(
            number=2,
            quote="Or a spring.",
            locator=Locator(document="two.md", range=Range(start=0, end=12)),
            chunk_id="c2",
            verdict=answer_pb2.VERDICT_SUPPORTED,
        ),
    ],
    confidence=0.7,
    confidence_level=answer_pb2.CONFIDENCE_LEVEL_MEDIUM,
    profile="default",
    degraded=["mark"],
    timings=[
        StageTiming(
            stage="retrieval.mark", allowed_ms=500, used_ms=500.25, outcome=STAGE_OUTCOME_CAPPED
        )
    ],
    create_time=Timestamp(seconds=1_800_000_000),
)


@dataclass
class Services(
    ingest_service_pb2_grpc.IngestServiceServicer,
    retrieval_service_pb2_grpc.RetrievalServiceServicer,
    generation_service_pb2_grpc.GenerationServiceServicer,
):
    """The three services in one; `answer` says what AnswerQuestion does."""

    requests: list[Any] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
    left_s: float = 0.0
    hang: bool = False
    answers: bool = True
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event | None = None
    uploaded: bytes = b""

    def register(self, server: grpc.aio.Server) -> None:
        ingest_service_pb2_grpc.add_IngestServiceServicer_to_server(self, server)
        retrieval_service_pb2_grpc.add_RetrievalServiceServicer_to_server(self, server)
        generation_service_pb2_grpc.add_GenerationServiceServicer_to_server(self, server)

    @override
    async def GetBook(self, request: Any, context: Any) -> Any:
        if request.slug != "clocks":
            raise NotFound(f"There is no book named {request.slug}.")
        book = book_pb2.Book(
            slug="clocks", title="Clocks", edition=7, language="en", languages=["en", "de"]
        )
        return ingest_service_pb2.GetBookResponse(book=book)

    @override
    async def GetDocument(self, request: Any, context: Any) -> Any:
        self.requests.append(request)
        document = book_pb2.Document(
            summary=book_pb2.DocumentSummary(path=request.path, title="One", length=5),
            text="a | b",
            blocks=[book_pb2.Block(kind=BLOCK_KIND_TABLE, range=Range(start=0, end=5))],
            sections=[book_pb2.Section(path=["One"], level=1, range=Range(start=0, end=5))],
        )
        return ingest_service_pb2.GetDocumentResponse(document=document, edition=7)

    @override
    async def SearchPassages(self, request: Any, context: Any) -> Any:
        self.requests.append(request)
        return retrieval_service_pb2.SearchPassagesResponse(
            passages=[PASSAGE],
            gate=retrieval_service_pb2.GateVerdict(
                probability=0.9, threshold=0.5, passed=True, features={"margin": 0.25}
            ),
        )

    @override
    async def AnswerQuestion(self, request: Any, context: Any) -> AsyncIterator[Any]:
        self.requests.append(request)
        self.metadata = {str(key): str(value) for key, value in context.invocation_metadata()}
        self.left_s = context.time_remaining()
        response = generation_service_pb2.AnswerQuestionResponse
        if not request.answer_only:
            yield response(passages=generation_service_pb2.PassagesFound(passages=[PASSAGE]))
        self.begun.set()
        try:
            if self.hang:
                await asyncio.Event().wait()
            if self.go_on:
                await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        if self.answers:
            yield response(answer=ANSWER)

    @override
    async def StartIngest(self, requests: Any, context: Any) -> Any:
        header = None
        async for request in requests:
            if request.WhichOneof("part") == "header":
                header = request.header
                if header.file_name == "refused.zip":
                    raise InvalidInput("refused.zip: not an archive.")
                continue
            assert len(request.data) <= 1024 * 1024
            self.uploaded += request.data
            assert header is not None
            if header.file_name == "large.zip" and len(self.uploaded) > 100_000:
                raise TooLarge("large.zip: over the limit.")
        assert header is not None
        job = ingest_service_pb2.IngestJob(
            job_id="j", book=header.book, state=ingest_service_pb2.JOB_STATE_QUEUED
        )
        return ingest_service_pb2.StartIngestResponse(job=job)

    @override
    async def WatchIngest(self, request: Any, context: Any) -> AsyncIterator[Any]:
        for state, waits_for in (
            (ingest_service_pb2.JOB_STATE_QUEUED, ingest_service_pb2.JOB_WAIT_BOOK),
            (ingest_service_pb2.JOB_STATE_FAILED, ingest_service_pb2.JOB_WAIT_UNSPECIFIED),
        ):
            job = ingest_service_pb2.IngestJob(
                job_id=request.job_id,
                book="clocks",
                state=state,
                error="bad file",
                waits_for=waits_for,
            )
            yield ingest_service_pb2.WatchIngestResponse(job=job)


@dataclass
class Stack:
    """A running gateway, what is behind it, and a client before it."""

    services: Services
    service: RunningService
    gateway: RunningServer
    client: httpx.AsyncClient


@pytest.fixture
async def stack() -> AsyncIterator[Stack]:
    async with running_stack() as stack:
        yield stack


@asynccontextmanager
async def running_stack(**settings: Any) -> AsyncIterator[Stack]:
    services = Services()
    service = await start_service("127.0.0.1:0", services.register)
    address = f"127.0.0.1:{service.port}"
    wanted = Settings(ingest=address, retrieval=address, generation=address, **settings)
    channels = open_channels(wanted)
    gateway = await start_server(bootstrap_remote(wanted, channels), listen(0))
    url = f"http://127.0.0.1:{gateway.port}"
    try:
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=20) as client:
            yield Stack(services, service, gateway, client)
    finally:
        await gateway.stop()
        for channel in channels.values():
            await channel.close()
        await service.stop(0)


async def test_an_answer_crosses_both_wires_unchanged(stack: Stack) -> None:
    answer = (await stack.client.post(ANSWERS, json=QUESTION)).json()
    assert [timing.pop("used_ms") >= 0 for timing in answer["timings"][:2]] == [True, True]
    assert [timing.pop("allowed_ms") > 0 for timing in answer["timings"][:2]] == [True, True]
    assert answer == {
        "answer_id": "id-1",
        "book": "clocks",
        "edition": 7,
        "mode": "selection",
        "question": "What drives a clock?",
        "replayed": False,
        "searched_question": "clock What drives a clock?",
        "text": "A weight drives a clock. Or a spring.",
        "sentences": [
            {
                "text": "A weight drives a clock.",
                "citations": [1],
                "checks": [{"kind": "numbers", "passed": True, "reason": "as in the book"}],
                "kind": "paraphrased",
                "probability": 0.75,
                "stands_in": False,
                "role": "lead",
            },
            {
                "text": "Or a spring.",
                "citations": [2],
                "checks": [],
                "kind": "quoted",
                "probability": 1.0,
                "stands_in": True,
                "role": "support",
            },
        ],
        "citations": [
            {
                "n": 1,
                "quote": "A weight drives",
                "document": "one.md",
                "start": 10,
                "end": 31,
                "section_path": ["Clocks", "Weights"],
                "url": "https://book.example/one#weights",
                "page": 4,
                "chunk_id": "c1",
                "snippet": "…",
                "verdict": "normalised",
                "table_header": "Part | Drives",
                "page_label": None,
                "marker": "[Source 1]",
            },
            {
                "n": 2,
                "quote": "Or a spring.",
                "document": "two.md",
                "start": 0,
                "end": 12,
                "section_path": [],
                "url": None,
                "page": None,
                "chunk_id": "c2",
                "snippet": "",
                "verdict": "supported",
                "table_header": None,
                "page_label": None,
                "marker": "[Source 2]",
            },
        ],
        "refusal": None,
        "confidence": {"score": 0.7, "level": "medium"},
        "profile": "default",
        "degraded": ["mark"],
        "timings": [
            {"stage": "gateway.resolve", "outcome": "ok"},
            {"stage": "gateway.answer", "outcome": "ok"},
            {
                "stage": "retrieval.mark",
                "allowed_ms": 500.0,
                "used_ms": 500.25,
                "outcome": "capped",
            },
        ],
        "timestamp": "2027-01-15T08:00:00Z",
        "checks": [{"kind": "entities", "passed": True, "reason": "0.90 of 1"}],
        "withheld": [
            {
                "checks": [{"kind": "foreign_words", "passed": False, "reason": "a foreign word"}],
                "replaced": True,
            }
        ],
        "model_use": {
            "model": "gpt-4o-mini",
            "input_tokens": 900,
            "output_tokens": 40,
            "cost_usd": 0.5,
        },
        "verifier_use": {
            "model": "judge",
            "input_tokens": 300,
            "output_tokens": 24,
            "cost_usd": None,
        },
        "omitted": ["c9"],
        "suggested_questions": ["What is it?"],
        "notice": "",
        "missing_entities": ["sundial"],
        "corrections": [{"asked": "sundail", "searched": "sundial"}],
        "grounding": "supported",
    }


@pytest.mark.parametrize(("page", "number", "label"), [(4, 4, ""), ("4", 4, ""), ("iv", 0, "iv")])
async def test_the_one_document_chapter_and_page_to_search_cross_the_wire(
    stack: Stack, page: int | str, number: int, label: str
) -> None:
    part: dict[str, Any] = {"document": "one.md", "chapter": "Weights", "page": page}
    body = {"question": "Why?", **part}
    await stack.client.post("/v1/books/clocks/search", json=body)
    await stack.client.post(ANSWERS, json=body)
    for request in stack.services.requests[:2]:
        assert (request.document, request.chapter) == ("one.md", "Weights")
        assert (request.page, request.page_label) == (number, label)


async def test_a_question_crosses_both_wires_unchanged(stack: Stack) -> None:
    body = {
        "question": "Why?",
        "selection": {"document": "one.md", "start": 0, "end": 4, "text": "Tick"},
        "section_path": ["Clocks"],
        "history": [{"role": "assistant", "content": "Because."}],
        "profile": "default",
    }
    read = {"Accept-Language": "*;q=0.1, en;q=0.5, de-AT, fr-CH;q=0.9, ru;q=0, so so, en-GB"}
    await stack.client.post(ANSWERS, json=body, headers=read)
    request = stack.services.requests[0]
    assert list(request.reader_languages) == ["de", "en", "fr"]
    assert (request.book, request.edition, request.question) == ("clocks", 7, "Why?")
    assert (request.selection.document, request.selection.text) == ("one.md", "Tick")
    assert request.selection.HasField("range")
    assert (request.selection.range.start, request.selection.range.end) == (0, 4)
    assert list(request.section_path) == ["Clocks"]
    assert request.book_title
    assert list(request.book_languages) == ["en", "de"]
    assert request.history[0].role == generation_service_pb2.ROLE_ASSISTANT


async def test_passages_are_shown_with_their_scores(stack: Stack) -> None:
    found = (await stack.client.post("/v1/books/clocks/search", json=QUESTION)).json()
    assert found["passages"] == [
        {
            "chunk_id": "c1",
            "document": "one.md",
            "start": 10,
            "end": 31,
            "section_path": ["Clocks", "Weights"],
            "url": "https://book.example/one#weights",
            "page": 4,
            "anchor": "weights",
            "text": "A weight drives a clock.",
            "spans": [
                {"start": 10, "end": 20, "kind": "list_item", "score": 0.85, "highlighted": True}
            ],
            "scores": {
                "fused": 0.85,
                "dense": -0.1,
                "bm25": 7.2,
                "dense_rank": 2,
                "bm25_rank": None,
                "boost": 1.5,
            },
            "table_header": "Part | Drives",
            "page_label": None,
            "footnotes": ["Or a spring."],
        }
    ]
    assert found["gate"] == {
        "probability": 0.9,
        "threshold": 0.5,
        "passed": True,
        "features": {"margin": 0.25},
    }


async def test_a_document_is_shown_with_blocks_and_sections(stack: Stack) -> None:
    response = await stack.client.get("/v1/books/clocks/documents/a/b c.md?edition=2")
    document = response.json()
    request = stack.services.requests[0]
    assert (request.path, request.edition) == ("a/b c.md", 2)
    assert document["blocks"] == [
        {"kind": "table", "start": 0, "end": 5, "level": 0, "label": "", "page": None}
    ]
    assert document["sections"] == [
        {"path": ["One"], "anchor": "", "level": 1, "start": 0, "end": 5}
    ]


async def test_an_error_of_a_service_becomes_its_problem(stack: Stack) -> None:
    response = await stack.client.post("/v1/books/none/answers", json=QUESTION)
    assert (response.status_code, response.json()["detail"]) == (
        404,
        "There is no book named none.",
    )


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_id_trace_and_deadline_travel_with_the_call(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, accept: str
) -> None:
    provider = TracerProvider()
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    headers = {REQUEST_ID_KEY: "my-id", "traceparent": parent, "Accept": accept}
    await stack.client.post(ANSWERS, json=QUESTION, headers=headers)
    assert stack.services.metadata[REQUEST_ID_KEY] == "my-id"
    assert "0af7651916cd43dd8448eb211c80319c" in stack.services.metadata["traceparent"]
    assert 0 < stack.services.left_s < TOTAL_S


@pytest.mark.invariant("I5")
async def test_a_service_that_hangs_is_cut_off_and_told(stack: Stack) -> None:
    stack.services.hang = True
    response = await stack.client.post(
        ANSWERS, json=QUESTION, headers={"X-Request-Timeout-Ms": "300"}
    )
    assert (response.status_code, response.json()["code"]) == (504, "deadline_exceeded")
    await asyncio.wait_for(stack.services.cancelled.wait(), 10)


@pytest.mark.control("V14")
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_client_that_leaves_cancels_the_call(stack: Stack, accept: str) -> None:
    stack.services.hang = True
    _reader, writer = await asyncio.open_connection("127.0.0.1", stack.gateway.port)
    body = json.dumps(QUESTION)
    writer.write(
        f"POST {ANSWERS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Accept: {accept}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    await stack.services.begun.wait()
    writer.close()
    await asyncio.wait_for(stack.services.cancelled.wait(), 3)


async def test_evidence_arrives_before_the_answer_is_made(stack: Stack) -> None:
    stack.services.go_on = asyncio.Event()
    async with stack.client.stream(
        "POST", ANSWERS, json=QUESTION, headers={"Accept": "text/event-stream"}
    ) as response:
        names = []
        async for line in response.aiter_lines():
            if line.startswith("event: "):
                names.append(line)
                stack.services.go_on.set()
    assert names == ["event: passages", "event: done"]
    assert not stack.services.requests[0].answer_only


async def test_a_call_that_ends_without_its_answer_is_none(stack: Stack) -> None:
    stack.services.answers = False
    response = await stack.client.post(ANSWERS, json=QUESTION)
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    assert response.json()["detail"] == "The answer broke off. Ask again."


async def test_passages_are_not_sent_for_an_answer_without_events(stack: Stack) -> None:
    await stack.client.post(ANSWERS, json=QUESTION)
    assert stack.services.requests[0].answer_only


async def test_an_upload_arrives_byte_for_byte(stack: Stack) -> None:
    data = os.urandom(3_000_000)
    response = await stack.client.post(
        "/v1/books/clocks/ingests?file_name=a.zip",
        content=data,
        headers={"Content-Type": "application/gzip"},
    )
    assert response.status_code == 202
    assert stack.services.uploaded == data


@pytest.mark.parametrize(("name", "status"), [("refused.zip", 422), ("large.zip", 413)])
async def test_an_upload_that_ingest_refuses_midway_says_why(
    stack: Stack, name: str, status: int
) -> None:
    response = await stack.client.post(
        f"/v1/books/clocks/ingests?file_name={name}",
        content=b"x" * 2_000_000,
        headers={"Content-Type": "application/octet-stream"},
    )
    assert response.status_code == status
    assert name in response.json()["detail"]


async def test_a_client_over_the_limit_still_hears_why() -> None:
    async with running_stack(max_upload_mib=1) as stack:
        response = await stack.client.post(
            "/v1/books/clocks/ingests?file_name=a.zip",
            content=b"x" * 20_000_000,
            headers={"Content-Type": "application/octet-stream"},
        )
    assert response.status_code == 413


async def test_a_job_is_watched_to_its_end(stack: Stack) -> None:
    response = await stack.client.get(
        "/v1/books/clocks/ingests/j", headers={"Accept": "text/event-stream"}
    )
    events = [line for line in response.text.splitlines() if line.startswith("event: ")]
    assert events == ["event: progress", "event: done"]
    assert response.text.count('"waits_for":"book"') == 1
    assert '"state":"failed"' in response.text
    assert '"error":"bad file"' in response.text


@pytest.mark.invariant("I8")
async def test_readiness_follows_the_services(stack: Stack) -> None:
    assert (await stack.client.get("/readyz")).status_code == 200
    await stack.service.stop(0)
    response = await stack.client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["parts"] == dict.fromkeys(
        ("ingest", "retrieval", "generation"), "not_serving"
    )
    assert (await stack.client.get("/healthz")).status_code == 200


async def test_a_service_that_is_down_is_unavailable(stack: Stack) -> None:
    await stack.service.stop(0)
    response = await stack.client.post(ANSWERS, json=QUESTION)
    assert (response.status_code, response.headers["retry-after"]) == (503, "1")
    assert "127.0.0.1" not in response.text


async def start_process(**environment: Any) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "services.gateway",
        cwd=CHECKOUT,
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@pytest.mark.fault("P7")
async def test_the_process_finishes_what_runs_when_it_is_told_to_stop() -> None:
    services = Services(go_on=asyncio.Event())
    service = await start_service("127.0.0.1:0", services.register)
    address = f"127.0.0.1:{service.port}"
    process = await start_process(
        QUOTH_PORT="0",
        GATEWAY_INGEST=address,
        GATEWAY_RETRIEVAL=address,
        GATEWAY_GENERATION=address,
    )
    assert process.stdout is not None
    ready = (await process.stdout.readline()).decode().split()
    assert ready[0] == "ready"
    async with httpx.AsyncClient(base_url=ready[1], trust_env=False, timeout=20) as client:
        asking = asyncio.create_task(client.post(ANSWERS, json=QUESTION))
        await services.begun.wait()
        process.send_signal(signal.SIGTERM)
        assert services.go_on is not None
        services.go_on.set()
        response = await asking
    assert response.status_code == 200
    _, errors = await process.communicate()
    await service.stop(0)
    assert process.returncode == 0
    assert b"Traceback" not in errors


@pytest.mark.fault("P7")
async def test_a_second_signal_ends_the_process_at_once() -> None:
    services = Services(go_on=asyncio.Event())
    service = await start_service("127.0.0.1:0", services.register)
    address = f"127.0.0.1:{service.port}"
    process = await start_process(
        QUOTH_PORT="0",
        GATEWAY_INGEST=address,
        GATEWAY_RETRIEVAL=address,
        GATEWAY_GENERATION=address,
    )
    assert process.stdout is not None
    ready = (await process.stdout.readline()).decode().split()
    async with httpx.AsyncClient(base_url=ready[1], trust_env=False, timeout=20) as client:
        asking = asyncio.create_task(client.post(ANSWERS, json=QUESTION))
        await services.begun.wait()
        process.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(3):
            assert await process.wait() == 128 + signal.SIGTERM
        with pytest.raises(httpx.HTTPError):
            await asking
    await service.stop(0)


@pytest.mark.fault("K1")
async def test_a_taken_port_is_one_clear_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = await start_process(QUOTH_PORT=str(port))
        _, errors = await process.communicate()
    assert process.returncode == 2
    assert errors.decode().splitlines() == [
        (
            f"Port {port} of 127.0.0.1 can't be used (Address already in use). "
            "Set QUOTH_PORT to a free one."
        )
    ]


@pytest.mark.fault("K1")
async def test_a_setting_that_is_no_number_is_one_clear_line() -> None:
    process = await start_process(QUOTH_PORT="eighty")
    _, errors = await process.communicate()
    assert process.returncode == 2
    assert errors.decode() == "QUOTH_PORT must be a whole number, not 'eighty'\n"


@pytest.mark.fault("O1")
async def test_overload_is_told_before_the_body_has_come_and_the_connection_stays() -> None:
    async with running_stack(answers_at_once=1) as stack:
        stack.services.hang = True
        line = [asyncio.create_task(stack.client.post(ANSWERS, json=QUESTION)) for _ in range(10)]
        await asyncio.wait(line, return_when=asyncio.FIRST_COMPLETED)  # one runs, eight wait
        reader, writer = await asyncio.open_connection("127.0.0.1", stack.gateway.port)
        head = (
            f"POST {ANSWERS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "Content-Length: 40\r\n\r\n"
        ).encode()
        writer.write(head + b"{")
        assert await _read_status(reader) == b"429"
        writer.write(b" " * 39 + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert await _read_status(reader) == b"200"
        writer.close()
        for waiting in line:
            waiting.cancel()
        await asyncio.gather(*line, return_exceptions=True)


async def _read_status(reader: asyncio.StreamReader) -> bytes:
    """Read one response to its end; returns its status."""
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if line)
    assert (b"retry-after" in fields) == head.startswith(b"HTTP/1.1 429")
    await reader.readexactly(int(fields[b"content-length"]))
    return head.split()[1]


async def test_a_check_of_a_newer_service_is_shown_as_another() -> None:
    newer = answer_pb2.Check(kind=cast("Any", max(answer_pb2.CheckKind.values()) + 1), passed=True)
    sentence = answer_pb2.Sentence(text="It ticks.", checks=[newer, make_check("SOURCE", "")])
    event = answers.from_event(
        generation_service_pb2.AnswerQuestionResponse(
            sentence=generation_service_pb2.SentenceReleased(sentence=sentence)
        )
    )
    assert isinstance(event, SentenceReleased)
    assert [check.kind for check in event.sentence.checks] == ["other", "source"]

"""The retrieval service over a real socket: answers, codes, deadlines, trace context, health."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from quoth.common.v1 import locator_pb2, passage_pb2, timing_pb2
from quoth.retrieval.v1 import retrieval_service_pb2, retrieval_service_pb2_grpc
from quoth.retrieval.v1.retrieval_service_pb2 import SearchPassagesResponse

from libs.budget.stages import RERANK, RETRIEVAL
from libs.errors import DeadlineExceeded, QuothError, Unavailable
from libs.ml.logistic import LogisticModel
from libs.rpc.channel import open_channel
from libs.rpc.server import start_server
from libs.rpc.status import error_from_rpc
from tests.support.retrieval_fakes import (
    ACTUATORS,
    STAMP,
    FakeIndex,
    open_gate,
)
from tests.support.retrieval_service import serving_retrieval

QUESTION = "What pressure does a hydraulic actuator hold?"


@asynccontextmanager
async def channel_to(
    index: FakeIndex | None = None, answerability_model: LogisticModel | None = None
) -> AsyncIterator[Any]:
    async with serving_retrieval(index or FakeIndex(*ACTUATORS), answerability_model) as address:
        channel = open_channel(address)
        try:
            yield channel
        finally:
            await channel.close()


async def search(
    channel: grpc.aio.Channel,
    timeout: float = 5.0,
    metadata: tuple[tuple[str, str], ...] = (),
    **fields: Any,
) -> SearchPassagesResponse:
    asked: dict[str, Any] = {"book": "book", "edition": 1, "question": QUESTION, **fields}
    request = retrieval_service_pb2.SearchPassagesRequest(**asked)
    stub = retrieval_service_pb2_grpc.RetrievalServiceStub(channel)
    found: SearchPassagesResponse = await stub.SearchPassages(
        request, timeout=timeout, metadata=metadata
    )
    return found


async def failure(
    channel: grpc.aio.Channel, timeout: float = 5.0, **fields: Any
) -> tuple[grpc.StatusCode, QuothError]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await search(channel, timeout, **fields)
    return caught.value.code(), error_from_rpc(caught.value, "retrieval")


async def test_a_search_says_everything() -> None:
    async with channel_to() as channel:
        response = await search(channel)
    passage, chunk = response.passages[0], ACTUATORS[0]
    assert (passage.chunk_id, passage.text) == (chunk.chunk_id, chunk.text)
    assert passage.locator == locator_pb2.Locator(
        document="a.md",
        range=locator_pb2.Range(start=chunk.start, end=chunk.end),
        section_path=["Actuators", "Hydraulic"],
        anchor="anchor",
    )
    assert [span.kind for span in passage.spans] == [passage_pb2.BLOCK_KIND_PARAGRAPH] * 2
    assert all(0 < span.score <= 1 for span in passage.spans)
    assert max(passage.spans, key=lambda span: span.score).highlighted
    assert passage.scores.fused == 1.0
    assert (passage.scores.dense_rank, passage.scores.bm25_rank) == (1, 1)
    assert 0 < passage.scores.dense < 1 < passage.scores.bm25
    assert passage.scores.boost == 1.0
    assert response.gate.passed
    assert response.gate.probability > response.gate.threshold > 0
    assert response.gate.features["coverage_best"] > 0.5
    assert list(response.related_sections) == ["Hydraulic", "Electric", "ROS 2"]
    always = [stage.name for stage in RETRIEVAL if stage is not RERANK]
    assert [timing.stage for timing in response.timings] == always
    assert {timing.outcome for timing in response.timings} == {timing_pb2.STAGE_OUTCOME_OK}
    assert not response.selection_widened
    assert list(response.degraded) == []


async def test_passages_come_in_falling_order_of_fused_score() -> None:
    async with channel_to() as channel:
        response = await search(channel)
    scores = [passage.scores.fused for passage in response.passages]
    assert scores == sorted(scores, reverse=True)


async def test_a_selection_by_its_text_widens_to_its_section() -> None:
    selection = locator_pb2.Selection(document="a.md", text="electric  motor")
    async with channel_to() as channel:
        response = await search(channel, selection=selection)
    assert {passage.locator.document for passage in response.passages} == {"a.md"}
    assert response.selection_widened


async def test_one_document_alone_is_searched_by_its_path() -> None:
    async with channel_to() as channel:
        everywhere = await search(channel)
        found = await search(channel, document="b.md")
        code, error = await failure(channel, document="c.md")
    assert {passage.locator.document for passage in everywhere.passages} - {"b.md"}
    assert {passage.locator.document for passage in found.passages} == {"b.md"}
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert '"c.md" is no document' in str(error)


async def test_the_mean_similarity_of_the_first_five_passages_is_told() -> None:
    async with channel_to() as channel:
        found = await search(channel)
        nothing = await search(channel, document="a.md", section_path=["ROS 2"])
    cosines = [passage.scores.dense for passage in found.passages[:5]]
    assert found.avg_similarity == pytest.approx(sum(cosines) / len(cosines))
    assert nothing.avg_similarity == 0.0


async def test_chapters_pages_and_sections_that_are_not_there_are_refused_by_name() -> None:
    async with channel_to() as channel:
        everywhere = await search(channel)
        title = everywhere.passages[0].locator.section_path[-1]
        found = await search(channel, chapter=title)
        asked: list[dict[str, Any]] = [
            {"chapter": "Wings"},
            {"page": 9},
            {"section_path": ["Actuators", "Wings"]},
            {"chapter": title, "section_path": ["A"]},
        ]
        failures = [await failure(channel, **one) for one in asked]
    assert {passage.locator.section_path[-1] for passage in found.passages} == {title}
    assert {code for code, _ in failures} == {grpc.StatusCode.INVALID_ARGUMENT}
    messages = [str(error) for _, error in failures]
    assert '"Wings" is no chapter' in messages[0]
    assert "has no page numbers" in messages[1]
    assert '"Actuators > Wings" is no section' in messages[2]


async def test_an_empty_section_is_an_empty_answer_not_an_error() -> None:
    async with channel_to() as channel:
        response = await search(channel, document="a.md", section_path=["ROS 2"])
    assert (len(response.passages), response.gate.passed) == (0, False)


INVALID, PRECONDITION = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"question": ""}, INVALID),
        ({"question": "x" * 4001}, INVALID),
        ({"book": ""}, INVALID),
        ({"edition": 0}, INVALID),
        ({"max_passages": 51}, INVALID),
        ({"selection": locator_pb2.Selection(document="a.md")}, INVALID),
        ({"selection": locator_pb2.Selection(document="z.md", text="x")}, INVALID),
        ({"selection": locator_pb2.Selection(document="a.md", text="not in it")}, INVALID),
        ({"profile": "nowhere"}, grpc.StatusCode.NOT_FOUND),
        ({"profile": "../../etc/passwd"}, grpc.StatusCode.NOT_FOUND),
        ({"book": "other"}, PRECONDITION),
    ],
)
async def test_each_fault_has_its_code(fields: dict[str, Any], code: grpc.StatusCode) -> None:
    async with channel_to() as channel:
        assert (await failure(channel, **fields))[0] == code


async def test_a_gate_of_another_model_is_a_failed_precondition() -> None:
    gate = open_gate(type(STAMP)("other", "1", 64, 256, ""))
    async with channel_to(answerability_model=gate) as channel:
        code, error = await failure(channel)
    assert (code, error.kind) == (PRECONDITION, "wrong_index")


@pytest.mark.fault("D2")
async def test_a_store_that_is_down_is_unavailable() -> None:
    index = FakeIndex(error=Unavailable("The vector store does not answer."))
    async with channel_to(index) as channel:
        code, error = await failure(channel)
    assert (code, error.kind) == (grpc.StatusCode.UNAVAILABLE, "unavailable")


@pytest.mark.invariant("I7")
async def test_a_bug_in_the_store_tells_the_caller_nothing() -> None:
    async with channel_to(FakeIndex(error=KeyError("secret"))) as channel:
        code, error = await failure(channel)
    assert code == grpc.StatusCode.INTERNAL
    assert "secret" not in error.message


async def test_the_callers_deadline_is_passed_on_to_the_store() -> None:
    index = FakeIndex(*ACTUATORS)
    async with channel_to(index) as channel:
        await search(channel, timeout=0.8)
    assert index.allowed_s
    assert all(0 < allowed_s < 0.8 for allowed_s in index.allowed_s)


@pytest.mark.fault("D2")
@pytest.mark.invariant("I5")
async def test_a_store_that_hangs_ends_at_the_callers_deadline_and_names_its_stage() -> None:
    index = FakeIndex(*ACTUATORS)
    index.delay_s = 60
    async with channel_to(index) as channel:
        code, error = await failure(channel, timeout=0.3)
    assert code == grpc.StatusCode.DEADLINE_EXCEEDED
    assert isinstance(error, DeadlineExceeded)
    assert error.stage == "retrieval.search"


async def test_a_caller_that_goes_away_cancels_the_search() -> None:
    class Hanging(FakeIndex):
        ended = asyncio.Event()
        begun = asyncio.Event()

        async def search(self, *args: Any, **kwargs: Any) -> Any:
            self.begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                self.ended.set()

    index = Hanging(*ACTUATORS)
    async with channel_to(index) as channel:
        call = asyncio.create_task(search(channel))
        await index.begun.wait()
        call.cancel()
        await asyncio.wait_for(index.ended.wait(), 5)


async def test_every_stage_is_a_span_below_the_callers(exporter: InMemorySpanExporter) -> None:
    caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    async with channel_to() as channel:
        await search(channel, metadata=(("traceparent", caller),))
    spans = {span.name: span for span in exporter.get_finished_spans()}
    server = spans["quoth.retrieval.v1.RetrievalService/SearchPassages"]
    assert server.context
    assert server.parent
    assert f"{server.context.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c"
    assert f"{server.parent.span_id:016x}" == "b7ad6b7169203331"
    for stage in (stage for stage in RETRIEVAL if stage is not RERANK):
        span = spans[stage.name]
        assert span.parent
        assert span.parent.span_id == server.context.span_id
        assert span.attributes
        assert span.attributes["quoth.budget.outcome"] == "ok"


@pytest.mark.control("V16")
async def test_spans_hold_neither_question_nor_passages(exporter: InMemorySpanExporter) -> None:
    async with channel_to() as channel:
        await search(channel)
    told = " ".join(span.to_json() for span in exporter.get_finished_spans())
    assert "SearchPassages" in told
    assert "hydraulic" not in told.lower()


async def test_the_service_reports_its_health() -> None:
    async with channel_to() as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=5)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


def start(**environment: Any) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "services.retrieval"],
        env={**os.environ, "RETRIEVAL_LISTEN": "127.0.0.1:0", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.fault("P7")
def test_the_process_says_when_it_is_ready_and_stops_cleanly(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    cache = tmp_path_factory.getbasetemp() / "cache"
    with start(QUOTH_CACHE_DIR=str(cache)) as process:
        assert process.stdout
        line = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert line.startswith("ready 127.0.0.1:")


@pytest.mark.fault("K1")
async def test_a_taken_port_is_one_clear_line(tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = tmp_path_factory.getbasetemp() / "cache"
    running = await start_server("127.0.0.1:0", lambda server: None)
    with start(RETRIEVAL_LISTEN=f"127.0.0.1:{running.port}", QUOTH_CACHE_DIR=str(cache)) as process:
        _, complaint = await asyncio.to_thread(process.communicate)
    await running.stop(0)
    assert process.returncode == 2
    assert "is the port taken?" in complaint
    assert "Traceback" not in complaint


@pytest.mark.fault("K1")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("RETRIEVAL_MAX_CALLS", "many"),
        ("RETRIEVAL_ANSWERABILITY", "nowhere.json"),
        ("QUOTH_QDRANT_URL", "localhost"),
    ],
)
def test_a_setting_that_cannot_be_used_is_one_clear_line(
    tmp_path_factory: pytest.TempPathFactory, variable: str, value: str
) -> None:
    cache = tmp_path_factory.getbasetemp() / "cache"
    with start(**{"QUOTH_CACHE_DIR": str(cache), variable: value}) as process:
        _, complaint = process.communicate()
    assert process.returncode == 2
    assert len(complaint.strip().split("\n")) == 1

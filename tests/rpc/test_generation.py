"""The generation service over a real socket: the order of events, codes, deadlines, cancelling."""

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from quoth.common.v1 import locator_pb2, passage_pb2
from quoth.generation.v1 import answer_pb2, feedback_pb2, generation_service_pb2
from quoth.generation.v1.generation_service_pb2_grpc import GenerationServiceStub
from quoth.retrieval.v1 import retrieval_service_pb2, retrieval_service_pb2_grpc
from quoth.retrieval.v1.retrieval_service_pb2 import SearchPassagesRequest, SearchPassagesResponse
from typing_extensions import override

from libs.budget import Budget
from libs.errors import InvalidInput, NotFound, QuothError, Unavailable
from libs.question.analyse import QuestionAnalysis, analyse_question
from libs.rpc import interceptor
from libs.rpc.server import start_server
from libs.rpc.status import error_from_rpc
from services.generation.clients import RetrievalClient
from services.generation.model import CheckKind, DraftSentence, Question, SearchResult
from tests.support.generation_fakes import (
    DOCUMENT,
    PASSAGE_TEXTS,
    PASSAGES,
    FakeAnswerer,
    FakeAuditLog,
    FakeSource,
    ask,
    passage,
    question,
    quoting,
    request,
    search_result,
    serving,
)

FIRST = "A hydraulic actuator turns the pressure of a fluid into force."
SECOND = "It holds 21 MPa without a gearbox."


@pytest.fixture
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "cache"


def answering(*draft: DraftSentence) -> dict[str, FakeAnswerer]:
    return {"extractive": FakeAnswerer(list(draft))}


async def failure(stub: GenerationServiceStub, **fields: Any) -> QuothError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ask(stub, **fields)
    return error_from_rpc(caught.value, "generation")


async def test_evidence_comes_first_then_sentences_then_the_recorded_answer(
    cache_dir: Path,
) -> None:
    log = FakeAuditLog()
    async with serving(
        cache_dir, answerers=answering(quoting(FIRST), quoting(SECOND)), log=log
    ) as stub:
        events = await ask(stub)
    kinds = [event.WhichOneof("event") for event in events]
    assert kinds == ["passages", "sentence", "sentence", "answer"]
    answer = events[-1].answer
    assert [sentence.text for sentence in answer.sentences] == [FIRST, SECOND]
    assert [list(sentence.citations) for sentence in answer.sentences] == [[1], [2]]
    for citation in answer.citations:
        place = citation.locator.range
        assert DOCUMENT[place.start : place.end] == citation.quote
    assert answer.answer_id == str(log.rows[0].log_id)
    assert {timing.stage for timing in answer.timings} >= {
        "generation.rewrite",
        "generation.retrieve",
        "generation.prompt",
        "generation.complete",
        "generation.validate",
        "generation.record",
    }


async def test_a_caller_that_wants_the_answer_only_gets_the_same_answer_alone(
    cache_dir: Path,
) -> None:
    async with serving(cache_dir, answerers=answering(quoting(FIRST), quoting(SECOND))) as stub:
        (event,) = await ask(stub, answer_only=True)
    assert [sentence.text for sentence in event.answer.sentences] == [FIRST, SECOND]
    assert len(event.answer.citations) == 2


async def test_when_the_gate_fails_no_model_is_asked_and_passages_are_shown(
    cache_dir: Path,
) -> None:
    answerer = FakeAnswerer([quoting(FIRST)])
    found = search_result(passed=False)
    source = FakeSource(replace(found, gate=replace(found.gate, near=True)))
    async with serving(cache_dir, source=source, answerers={"extractive": answerer}) as stub:
        events = await ask(stub)
    assert [event.WhichOneof("event") for event in events] == ["passages", "answer"]
    shown = [one.chunk_id for one in events[0].passages.passages]
    assert shown == [one.chunk_id for one in found.passages]
    refusal = events[1].answer.refusal
    assert refusal.code == answer_pb2.REFUSAL_CODE_NOT_COVERED
    assert refusal.message == "The book does not contain information about this topic."
    assert list(refusal.related_sections) == ["Hydraulic"]
    assert [citation.number for citation in refusal.nearest] == [1, 2, 3]
    assert FIRST in {citation.quote for citation in refusal.nearest}
    assert events[1].answer.confidence == 0
    assert answerer.prompts == []


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Wer hat die Pumpe gebaut?", "Das Buch enthält zu diesem Thema keine Angaben."),
        ("¿Quién construyó la bomba?", "El libro está en otro idioma (inglés, alemán)"),
    ],
)
async def test_a_refusal_is_in_the_language_of_the_question_which_the_book_may_have(
    cache_dir: Path, question: str, said: str
) -> None:
    source = FakeSource(search_result(passed=False))
    async with serving(cache_dir, source=source, answerers=answering()) as stub:
        *_, event = await ask(
            stub, question=question, book_language="en", book_languages=["en", "de"]
        )
    message = event.answer.refusal.message
    assert said in message
    assert ("(" in message) == ("(" in said)


async def test_when_nothing_is_found_the_nearest_sections_are_named(cache_dir: Path) -> None:
    source = FakeSource(search_result((), passed=False, related=("Motors", "Gears", "Sensors")))
    async with serving(cache_dir, source=source, answerers=answering()) as stub:
        (event,) = await ask(stub)
    assert event.answer.refusal.code == answer_pb2.REFUSAL_CODE_NOTHING_FOUND
    assert event.answer.refusal.message == (
        "I couldn't find relevant content. Related topics: Motors, Gears, Sensors"
    )


async def test_when_nothing_passes_the_whole_is_refused(cache_dir: Path) -> None:
    invented = DraftSentence("Hydraulic actuators are blue.", ())
    async with serving(cache_dir, answerers=answering(invented)) as stub:
        events = await ask(stub)
    assert [event.WhichOneof("event") for event in events] == ["passages", "answer"]
    refusal = events[-1].answer.refusal
    assert refusal.code == answer_pb2.REFUSAL_CODE_NOT_VERIFIED
    assert refusal.message == "Unable to provide a reliable answer from the book content."


async def test_a_selection_alone_means_explain_this_passage(cache_dir: Path) -> None:
    source = FakeSource()
    selection = locator_pb2.Selection(document="actuators.mdx", text=SECOND)
    async with serving(cache_dir, source=source, answerers=answering(quoting(FIRST))) as stub:
        events = await ask(stub, question="", selection=selection)
    assert source.searched == [SECOND]
    assert events[-1].answer.mode == answer_pb2.ANSWER_MODE_SELECTION
    assert events[-1].answer.question == ""


@pytest.mark.control("V9")
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"question": " "}, "Ask a question"),
        ({"question": "x" * 4001}, "Query exceeds 4000 characters (4001 characters)"),
        ({"question": "a b " * 900}, "Query exceeds 1000 tokens (1800 tokens)"),
        ({"question": "NUL \0 inside"}, "NUL"),
        ({"edition": 0}, "edition must be 1 or more"),
        ({"book": "Not A Slug"}, "book's name"),
        ({"client_id": "c" * 201}, "client id"),
        ({"user_id": "u" * 256}, "user id"),
        (
            {"selection": locator_pb2.Selection(document="d", text="x" * 5001)},
            "Selection exceeds 5000 characters (5001 characters)",
        ),
        ({"selection": locator_pb2.Selection(document="d")}, "needs its range or its text"),
        (
            {
                "selection": locator_pb2.Selection(
                    document="d", range=locator_pb2.Range(start=5, end=5)
                )
            },
            "0 <= start < end",
        ),
        (
            {
                "history": [
                    generation_service_pb2.Message(
                        role=generation_service_pb2.ROLE_USER, content="x"
                    )
                ]
                * 11
            },
            "History exceeds 10 messages",
        ),
        (
            {"history": [generation_service_pb2.Message(content="x")]},
            "Each message must have 'role' and 'content'",
        ),
        (
            {"history": [generation_service_pb2.Message(role=generation_service_pb2.ROLE_USER)]},
            "Each message must have 'role' and 'content'",
        ),
        (
            {"history": [generation_service_pb2.Message(role=cast("Any", 7), content="x")]},
            "Role must be 'user' or 'assistant'",
        ),
    ],
)
async def test_a_request_outside_its_limits_is_refused_in_words(
    cache_dir: Path, fields: dict[str, Any], message: str
) -> None:
    async with serving(cache_dir, answerers=answering()) as stub:
        error = await failure(stub, **fields)
    assert isinstance(error, InvalidInput)
    assert message in error.message


async def test_an_unknown_profile_is_not_found(cache_dir: Path) -> None:
    async with serving(cache_dir, answerers=answering()) as stub:
        assert isinstance(await failure(stub, profile="nope"), NotFound)


@pytest.mark.fault("P6", "D3")
@pytest.mark.invariant("I3")
async def test_an_answer_that_cannot_be_recorded_is_not_shown(cache_dir: Path) -> None:
    log = FakeAuditLog(error=Unavailable("The database does not answer."))
    async with serving(cache_dir, answerers=answering(quoting(FIRST)), log=log) as stub:
        error = await failure(stub)  # the stream ends in an error: what it held is no answer
    assert isinstance(error, Unavailable)


@pytest.mark.fault("D3")
@pytest.mark.invariant("I3")
async def test_a_log_that_hangs_is_said_to_at_the_end_of_its_stage(cache_dir: Path) -> None:
    log = FakeAuditLog(hangs=True)
    async with serving(cache_dir, answerers=answering(quoting(FIRST)), log=log) as stub:
        error = await failure(stub)
    assert isinstance(error, Unavailable)
    assert error.message == "The record of answers does not answer. Try again in a moment."


@pytest.mark.invariant("I3")
async def test_a_refusal_is_recorded_too(cache_dir: Path) -> None:
    log = FakeAuditLog()
    source = FakeSource(search_result(passed=False))
    async with serving(cache_dir, source=source, answerers=answering(), log=log) as stub:
        await ask(stub)
    assert log.rows[0].answer
    assert log.rows[0].answer.refusal is not None


@pytest.mark.invariant("I3")
async def test_a_failure_is_recorded_with_its_kind(cache_dir: Path) -> None:
    log = FakeAuditLog()
    source = FakeSource(Unavailable("The vector store does not answer."))
    async with serving(cache_dir, source=source, answerers=answering(), log=log) as stub:
        assert isinstance(await failure(stub), Unavailable)
        await log.stored.wait()
    assert log.rows[0].answer is None
    assert log.rows[0].error == "unavailable"


@pytest.mark.fault("D2")
@pytest.mark.invariant("I5")
async def test_retrieval_that_hangs_is_said_to_at_the_end_of_its_stage(cache_dir: Path) -> None:
    source = FakeSource(None)
    async with serving(cache_dir, source=source, answerers=answering()) as stub:
        error = await failure(stub)
    assert isinstance(error, Unavailable)
    assert error.message == "The retrieval service does not answer. Try again in a moment."
    assert source.cancelled


def budget_of(exporter: InMemorySpanExporter, stage: str) -> tuple[int, int, str]:
    """Return what the span says that the stage was allowed and used, in ms, and how it ended."""
    (span,) = [span for span in exporter.get_finished_spans() if span.name == stage]
    noted: dict[str, Any] = dict(span.attributes or {})
    allowed_ms, used_ms, outcome = (
        noted[f"quoth.budget.{key}"] for key in ("allowed_ms", "used_ms", "outcome")
    )
    return round(allowed_ms), round(used_ms), outcome


class LateSource(FakeSource):
    """Finds its result `late_s` seconds late, which pass at once: `clock` is all there is of time."""

    def __init__(self, late_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.late_s, self.now_s = late_s, 100.0
        monkeypatch.setattr(interceptor, "Budget", partial(Budget, clock=self.clock))
        monkeypatch.setattr(asyncio.get_running_loop(), "time", self.clock)

    def clock(self) -> float:
        return self.now_s

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        found = await super().search(question, analysis, allowed_s)
        self.now_s += self.late_s
        for _ in range(2):  # a timer that is due comes after those who are ready
            await asyncio.sleep(0)
        return found


@pytest.mark.fault("D1")
@pytest.mark.parametrize("late_s", [0.5, 1.9])
async def test_retrieval_that_is_late_within_its_cap_costs_no_answer(
    cache_dir: Path, monkeypatch: pytest.MonkeyPatch, exporter: InMemorySpanExporter, late_s: float
) -> None:
    source = LateSource(late_s, monkeypatch)
    async with serving(cache_dir, source=source, answerers=answering(quoting(FIRST))) as stub:
        events = await ask(stub)
    assert [sentence.text for sentence in events[-1].answer.sentences] == [FIRST]
    assert budget_of(exporter, "generation.retrieve") == (2000, late_s * 1000, "ok")


@pytest.mark.fault("D1")
@pytest.mark.invariant("I5")
async def test_retrieval_that_is_later_than_its_cap_is_named_and_nothing_is_answered(
    cache_dir: Path, monkeypatch: pytest.MonkeyPatch, exporter: InMemorySpanExporter
) -> None:
    answerer, log = FakeAnswerer([quoting(FIRST)]), FakeAuditLog()
    source = LateSource(2.1, monkeypatch)
    answerers = {"extractive": answerer}
    async with serving(cache_dir, source=source, answerers=answerers, log=log) as stub:
        error = await failure(stub)
        await log.stored.wait()
    assert isinstance(error, Unavailable)
    assert error.message == "The retrieval service does not answer. Try again in a moment."
    assert budget_of(exporter, "generation.retrieve") == (2000, 2100, "capped")
    assert answerer.prompts == []
    assert (log.rows[0].answer, log.rows[0].error) == (None, "unavailable")


@pytest.mark.control("V14")
async def test_a_reader_who_leaves_ends_the_writing(cache_dir: Path) -> None:
    answerer, log = FakeAnswerer([quoting(FIRST), None]), FakeAuditLog()
    async with serving(cache_dir, answerers={"extractive": answerer}, log=log) as stub:
        call = stub.AnswerQuestion(request(), timeout=5)
        await call.read()
        await call.read()
        call.cancel()
        await log.stored.wait()
    assert answerer.closed
    assert log.rows[0].error == "cancelled"


class RetrievalServicer(retrieval_service_pb2_grpc.RetrievalServiceServicer):
    """Answers with what it is given, once it has refused `broken` times."""

    def __init__(self, response: SearchPassagesResponse, broken: int = 0) -> None:
        self.response, self.broken = response, broken
        self.requests: list[SearchPassagesRequest] = []

    @override
    async def SearchPassages(
        self, request: SearchPassagesRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> SearchPassagesResponse:
        self.requests.append(request)
        if len(self.requests) <= self.broken:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "connection reset")
        return self.response


def found(text: str = PASSAGE_TEXTS[0], **changes: Any) -> SearchPassagesResponse:
    start = DOCUMENT.index(PASSAGE_TEXTS[0])
    place = locator_pb2.Locator(
        document="actuators.mdx", range=locator_pb2.Range(start=start, end=start + len(text))
    )
    fields: dict[str, Any] = {"chunk_id": "c", "locator": place, "text": text, **changes}
    return retrieval_service_pb2.SearchPassagesResponse(
        passages=[passage_pb2.Passage(**fields)],
        gate=retrieval_service_pb2.GateVerdict(probability=0.75, threshold=0.5, passed=True),
        related_sections=["Hydraulic"],
    )


async def search(servicer: RetrievalServicer) -> SearchResult:
    def register(server: grpc.aio.Server) -> None:
        retrieval_service_pb2_grpc.add_RetrievalServiceServicer_to_server(servicer, server)

    running = await start_server("127.0.0.1:0", register)
    client = RetrievalClient(f"127.0.0.1:{running.port}")
    try:
        return await client.search(question(), analyse_question("whole question"), 2.0)
    finally:
        await client.close()
        await running.stop(0)


async def test_the_client_of_retrieval_asks_for_the_whole_question_in_the_edition() -> None:
    servicer = RetrievalServicer(found())
    result = await search(servicer)
    assert servicer.requests[0].question == "whole question"
    assert (servicer.requests[0].book, servicer.requests[0].edition) == ("robots", 1)
    assert result.passages[0].text == PASSAGES[0].text
    assert (result.gate.probability, result.gate.passed) == (0.75, True)


async def test_a_broken_connection_is_tried_once_more() -> None:
    servicer = RetrievalServicer(found(), broken=1)
    assert (await search(servicer)).passages
    assert len(servicer.requests) == 2
    with pytest.raises(Unavailable, match="retrieval service does not answer"):
        await search(RetrievalServicer(found(), broken=2))


@pytest.mark.fault("D4")
@pytest.mark.invariant("I1")
async def test_a_passage_whose_text_is_missing_is_never_quoted() -> None:
    with pytest.raises(Exception, match="damaged passage"):
        await search(RetrievalServicer(found(text="", locator=locator_pb2.Locator(document="d"))))


@pytest.mark.fault("K1")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GENERATION_ANSWERER", "oracle"),
        ("GENERATION_MAX_CALLS", "many"),
        ("QUOTH_POSTGRES_DSN", "x"),
    ],
)
def test_a_wrong_setting_ends_the_start_in_one_line_that_names_it(
    cache_dir: Path, variable: str, value: str
) -> None:
    environment = {**os.environ, "QUOTH_CACHE_DIR": str(cache_dir), variable: value}
    ended = subprocess.run(
        [sys.executable, "-m", "services.generation"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"generation: {variable}")
    assert ended.stderr.count("\n") == 1


async def test_questions_at_the_same_time_do_not_mix(cache_dir: Path) -> None:
    async with serving(cache_dir, answerers=answering(quoting(FIRST))) as stub:
        asked = [f"What does actuator {number} do?" for number in range(20)]
        streams = await asyncio.gather(*(ask(stub, question=text) for text in asked))
    assert [events[-1].answer.question for events in streams] == asked


async def test_an_answer_is_read_again_and_rated_by_its_client_alone(cache_dir: Path) -> None:
    async with serving(cache_dir, answerers=answering(quoting(FIRST))) as stub:
        given = (await ask(stub, client_id="reader"))[-1].answer
        mine = {"answer_id": given.answer_id, "client_id": "reader"}
        found = await stub.GetAnswer(generation_service_pb2.GetAnswerRequest(**mine))
        said = feedback_pb2.Feedback(
            rating=feedback_pb2.RATING_DOWN,
            reason=feedback_pb2.FEEDBACK_REASON_OFF_TOPIC,
            comment="Motors were asked about.",
        )
        rated = await stub.RateAnswer(
            generation_service_pb2.RateAnswerRequest(**mine, feedback=said)
        )
        assert [one.text for one in found.answer.sentences] == [FIRST]
        assert found.answer.citations == given.citations
        assert (rated.feedback.rating, rated.feedback.reason) == (said.rating, said.reason)
        assert rated.feedback.create_time.seconds > 0
        for other in ({**mine, "client_id": "other"}, {**mine, "answer_id": "x"}):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stub.GetAnswer(generation_service_pb2.GetAnswerRequest(**other))
            assert caught.value.code() is grpc.StatusCode.NOT_FOUND


async def test_feedback_without_a_rating_says_what_is_missing(cache_dir: Path) -> None:
    async with serving(cache_dir, answerers=answering(quoting(FIRST))) as stub:
        given = (await ask(stub))[-1].answer
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.RateAnswer(
                generation_service_pb2.RateAnswerRequest(answer_id=given.answer_id)
            )
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "up or down" in str(caught.value.details())


@pytest.mark.fault("A3")
async def test_a_request_that_comes_twice_gets_one_answer(cache_dir: Path) -> None:
    log = FakeAuditLog()
    async with serving(cache_dir, answerers=answering(quoting(FIRST)), log=log) as stub:
        first = (await ask(stub, idempotency_key="k"))[-1]
        (again,) = await ask(stub, idempotency_key="k")
        error = await failure(stub, idempotency_key="k", question="What else?")
    assert (first.replayed, again.replayed) == (False, True)
    assert again.answer.answer_id == first.answer.answer_id
    assert isinstance(error, InvalidInput)
    assert len(log.rows) == 1


async def test_the_passages_say_the_id_of_the_answer_to_come(cache_dir: Path) -> None:
    async with serving(cache_dir, answerers=answering(quoting(FIRST))) as stub:
        events = await ask(stub)
    assert events[0].passages.answer_id == events[-1].answer.answer_id


async def test_a_session_is_begun_asked_in_read_and_ended(cache_dir: Path) -> None:
    pb = generation_service_pb2
    async with serving(cache_dir, answerers=answering(quoting(FIRST))) as stub:
        begun = await stub.CreateSession(pb.CreateSessionRequest(book="robots", client_id="reader"))
        mine = {"session_id": begun.session.session_id, "client_id": "reader"}
        given = (await ask(stub, **mine))[-1].answer
        session = (await stub.GetSession(pb.GetSessionRequest(**mine))).session
        assert [item.message.content for item in session.messages] == [given.question, FIRST]
        assert session.messages[1].answer_id == given.answer_id
        assert list(session.messages[1].chunk_ids) == [given.citations[0].chunk_id]
        assert session.expire_time.seconds > session.create_time.seconds
        foreign = await failure(stub, **{**mine, "client_id": "other"})
        nobodys = await failure(stub, **{**mine, "session_id": "x"})
        both = await failure(
            stub, **mine, history=[pb.Message(role=pb.ROLE_USER, content="Before?")]
        )
        await stub.DeleteSession(pb.DeleteSessionRequest(**mine))
        ended = await failure(stub, **mine)
    assert all(isinstance(error, NotFound) for error in (foreign, nobodys, ended))
    assert isinstance(both, InvalidInput)
    assert "not both" in both.message


def test_every_kind_of_check_has_its_word_in_the_contract() -> None:
    theirs = {name.removeprefix("CHECK_KIND_") for name in dict(answer_pb2.CheckKind.items())}
    assert theirs - {"UNSPECIFIED"} == {kind.name for kind in CheckKind}


async def test_questions_to_begin_with_are_suggested_of_an_edition(cache_dir: Path) -> None:
    asked = generation_service_pb2.SuggestQuestionsRequest
    text = "Valves are parts of a pump."
    found = search_result((passage(text, document=text, section_path=("Valves",)),))
    async with serving(cache_dir, source=FakeSource(found)) as stub:
        told = await stub.SuggestQuestions(asked(book="robots", edition=1, book_language="en"))
        assert list(told.questions) == ["What are valves?"]
        for broken in (asked(book="robots"), asked(book="Two Words", edition=1)):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stub.SuggestQuestions(broken)
            assert isinstance(error_from_rpc(caught.value, "generation"), InvalidInput)


async def test_questions_to_go_on_with_are_near_an_answer_of_the_clients_own(
    cache_dir: Path,
) -> None:
    asked = generation_service_pb2.SuggestQuestionsRequest
    text = "Valves are parts of a pump."
    found = search_result((passage(text, document=text, section_path=("Valves",)),))
    source = FakeSource(found)
    async with serving(cache_dir, source=source, answerers=answering(quoting(text))) as stub:
        given = (await ask(stub, client_id="reader"))[-1].answer
        mine = {"answer_id": given.answer_id, "client_id": "reader", "book_language": "en"}
        source.searched.clear()
        told = await stub.SuggestQuestions(asked(book="robots", edition=1, **mine))
        assert list(told.questions) == ["What are valves?"]
        assert source.searched[0] == given.question
        for other in ({**mine, "client_id": "other"}, mine):
            book = "robots" if other is not mine else "pumps"
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stub.SuggestQuestions(asked(book=book, edition=1, **other))
            assert caught.value.code() is grpc.StatusCode.NOT_FOUND

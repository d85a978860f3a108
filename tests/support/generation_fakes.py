"""Fakes for generation's ports, a book to quote from, and the service over a real socket."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from quoth.generation.v1 import generation_service_pb2, generation_service_pb2_grpc
from quoth.generation.v1.generation_service_pb2 import (
    AnswerQuestionRequest,
    AnswerQuestionResponse,
)
from quoth.generation.v1.generation_service_pb2_grpc import GenerationServiceStub

from libs.budget import budget, stages
from libs.profiles import load_profile
from libs.question.analyse import QuestionAnalysis, analyse_question
from libs.rpc.channel import open_channel
from libs.rpc.server import start_server
from services.generation.bootstrap import bootstrap
from services.generation.ensemble import VerifierEnsemble
from services.generation.model import (
    Answer,
    BlockKind,
    Claim,
    DraftSentence,
    Gate,
    Locator,
    Message,
    Passage,
    Prompt,
    Question,
    Role,
    SearchResult,
    SentenceReleased,
    Span,
    Statement,
)
from services.generation.ports import Answerer, PassageSource, Verifier
from services.generation.records.model import AskedOnce, AuditRow, Feedback
from services.generation.records.ports import Records
from services.generation.records.session import Session, SessionMessage
from services.generation.settings import Settings
from services.generation.transcript import NO_USAGE, Judgement, Transcript, Usage

DOCUMENT = (
    "Hydraulic actuators\n\n"
    "A hydraulic actuator turns the pressure of a fluid into force. "
    "It holds 21 MPa without a gearbox. "
    "Hydraulic lines do not tolerate dirt.\n\n"
    "Electric motors\n\n"
    "An electric motor is cleaner and reaches 92 % efficiency. "
    "See https://book.example/motors for the table."
)
"""The canonical text that the passages of these tests are cut from."""

PASSAGE_TEXTS = (
    (
        "A hydraulic actuator turns the pressure of a fluid into force. "
        "It holds 21 MPa without a gearbox. "
        "Hydraulic lines do not tolerate dirt."
    ),
    (
        "An electric motor is cleaner and reaches 92 % efficiency. "
        "See https://book.example/motors for the table."
    ),
)


def passage(
    text: str,
    document: str = DOCUMENT,
    kind: BlockKind = BlockKind.PARAGRAPH,
    scores: tuple[float, ...] = (),
    **place: Any,
) -> Passage:
    """A passage of `document`; its spans are the sentences, or the lines, of `text`."""
    start = document.index(text)
    separator = ". " if kind is BlockKind.PARAGRAPH else "\n"
    spans, position = [], 0
    for number, piece in enumerate(text.split(separator)):
        length = len(piece) + (0 if position + len(piece) == len(text) else separator == ". ")
        score = scores[number] if number < len(scores) else 0.8
        spans.append(Span(start + position, start + position + length, kind, score))
        position += len(piece) + len(separator)
    where: dict[str, Any] = {
        "document": "actuators.mdx",
        "section_path": ("Actuators", "Hydraulic"),
        **place,
    }
    return Passage(
        chunk_id=f"chunk-{start}",
        locator=Locator(start=start, end=start + len(text), **{**where, **place}),
        text=text,
        spans=tuple(spans),
    )


PASSAGES = tuple(map(passage, PASSAGE_TEXTS))


def search_result(
    passages: tuple[Passage, ...] = PASSAGES,
    *,
    passed: bool = True,
    probability: float = 0.99,
    related: tuple[str, ...] = ("Hydraulic",),
) -> SearchResult:
    return SearchResult(tuple(passages), Gate(probability, 0.5, passed), tuple(related))


def question(
    text: str = "What does a hydraulic actuator do?",
    **fields: Any,
) -> Question:
    whole: dict[str, Any] = {"book": "robots", "edition": 1, "text": text, **fields}
    return Question(**whole)


def prompt(
    passages: tuple[Passage, ...] = PASSAGES,
    text: str = "What does a hydraulic actuator do?",
    **fields: Any,
) -> Prompt:
    analysis = analyse_question(text, of_selection=fields.get("selection") is not None)
    return Prompt(analysis, tuple(passages), load_profile("").generation, **fields)


def audit_row(**fields: Any) -> AuditRow:
    row = {
        "log_id": uuid.uuid4(),
        "request_id": uuid.uuid4().hex,
        "timestamp": datetime.now(UTC),
        "question": question(),
        "profile": "default",
    }
    return AuditRow(**{**row, **fields})


def quoting(text: str, source: int = 1) -> DraftSentence:
    """A draft sentence that is its own quote."""
    return DraftSentence(text, (Claim(source, text),))


@dataclass
class FakeSource:
    """Finds what it is given; an exception is raised, None hangs until it is cancelled."""

    result: SearchResult | Exception | None = field(default_factory=search_result)
    searched: list[str] = field(default_factory=list)
    cancelled: bool = False

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        self.searched.append(analysis.question)
        if self.result is None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled = True
                raise
        if isinstance(self.result, Exception):
            raise self.result
        assert self.result is not None
        return self.result


@dataclass
class FakeAnswerer:
    """Writes its sentences; an exception among them is raised, None hangs until it is cancelled.

    With `slow` each is seen before the next one is written, as of a model.
    """

    draft: Sequence[DraftSentence | Exception | None] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    closed: bool = False
    slow: bool = False

    async def write(
        self, prompt: Prompt, transcript: Transcript, allowed_s: float
    ) -> AsyncGenerator[DraftSentence, None]:
        self.prompts.append(prompt)
        try:
            for sentence in self.draft:
                if sentence is None:
                    await asyncio.Event().wait()
                elif isinstance(sentence, Exception):
                    raise sentence
                else:
                    yield sentence
                    for _ in range(100 * self.slow):
                        await asyncio.sleep(0)
        finally:
            self.closed = True


@dataclass
class FakeVerifier:
    """Judges by the sentence: a probability, an exception that is raised, or None, which hangs."""

    verdicts: dict[str, float | Exception | None] = field(default_factory=dict)
    otherwise: float = 1.0
    threshold: float = 0.5
    name: str = "fake"
    model: str = ""
    usage: Usage = NO_USAGE
    asked: list[str] = field(default_factory=list)

    async def verify(self, statements: Sequence[Statement], allowed_s: float) -> list[Judgement]:
        self.asked += [statement.text for statement in statements]
        return [
            Judgement(await self._judge(statement.text), self.model, self.usage)
            for statement in statements
        ]

    async def _judge(self, text: str) -> float:
        verdict = self.verdicts.get(text, self.otherwise)
        if verdict is None:
            await asyncio.Event().wait()
        if isinstance(verdict, Exception):
            raise verdict
        assert verdict is not None
        return verdict


def ensemble(
    verifier: Verifier | None = None, stand_in: Verifier | None = None
) -> VerifierEnsemble:
    return VerifierEnsemble([verifier or FakeVerifier()], stand_in or FakeVerifier(otherwise=0.0))


@dataclass
class FakeAuditLog:
    """Keeps rows in memory, once each; with `error` it keeps nothing, with `hangs` nothing ends."""

    rows: list[AuditRow] = field(default_factory=list)
    opened: dict[uuid.UUID, AuditRow] = field(default_factory=dict)
    sessions: dict[uuid.UUID, tuple[str, Session]] = field(default_factory=dict)
    held: dict[tuple[str, str], AskedOnce] = field(default_factory=dict)
    feedback: dict[uuid.UUID, Feedback] = field(default_factory=dict)
    releases: list[tuple[str, ...]] = field(default_factory=list)
    error: Exception | None = None
    hangs: bool = False
    stored: asyncio.Event = field(default_factory=asyncio.Event)

    async def release(
        self, row: AuditRow, sentences: Sequence[SentenceReleased], allowed_s: float
    ) -> None:
        await self._fail()
        self.opened[row.log_id] = replace(row, released=(*row.released, *sentences))
        self.releases.append(tuple(item.sentence.text for item in sentences))

    async def append(self, row: AuditRow, allowed_s: float) -> None:
        await self._fail()
        if row.log_id not in [kept.log_id for kept in self.rows]:
            self.rows.append(row)
            session_id = row.question.session_id
            if row.answer and session_id and session_id in self.sessions:
                self._add_turn(row.answer, session_id)
        self.stored.set()

    async def find_answer(
        self, answer_id: uuid.UUID, client_id: str, allowed_s: float
    ) -> Answer | None:
        await self._fail()
        found = [row.answer for row in self.rows if row.question.client_id == client_id]
        return next((one for one in found if one and one.answer_id == answer_id), None)

    async def rate_answer(
        self, answer_id: uuid.UUID, client_id: str, feedback: Feedback, allowed_s: float
    ) -> Feedback | None:
        if await self.find_answer(answer_id, client_id, allowed_s) is None:
            return None
        self.feedback[answer_id] = replace(feedback, create_time=datetime.now(UTC))
        return self.feedback[answer_id]

    async def hold(self, asked: AskedOnce, allowed_s: float) -> AskedOnce:
        await self._fail()
        held = self.held.get((asked.client_id, asked.key))
        failed = [row.log_id for row in self.rows if row.answer is None]
        if held is None or (held.fingerprint == asked.fingerprint and held.answer_id in failed):
            held = self.held[asked.client_id, asked.key] = asked
        return held

    async def forget(self, asked: AskedOnce, allowed_s: float) -> None:
        del self.held[asked.client_id, asked.key]

    async def begin_session(self, book: str, client_id: str, allowed_s: float) -> Session:
        await self._fail()
        now = datetime.now(UTC)
        session = Session(uuid.uuid4(), book, (), now, now + timedelta(minutes=30))
        self.sessions[session.session_id] = client_id, session
        return session

    async def find_session(
        self, session_id: uuid.UUID, client_id: str, allowed_s: float
    ) -> Session | None:
        await self._fail()
        owner, session = self.sessions.get(session_id, ("", None))
        return session if owner == client_id else None

    async def resume_session(
        self, session_id: uuid.UUID, client_id: str, book: str, allowed_s: float
    ) -> Session | None:
        session = await self.find_session(session_id, client_id, allowed_s)
        return session if session and session.book == book else None

    async def end_session(self, session_id: uuid.UUID, client_id: str, allowed_s: float) -> bool:
        found = await self.find_session(session_id, client_id, allowed_s)
        return found is not None and bool(self.sessions.pop(session_id))

    def _add_turn(self, answer: Answer, session_id: uuid.UUID) -> None:
        owner, session = self.sessions[session_id]
        said = answer.refusal.message if answer.refusal else answer.text
        now, cited = datetime.now(UTC), tuple(item.chunk_id for item in answer.citations)
        turn = (
            SessionMessage(Message(Role.USER, answer.question.text), now),
            SessionMessage(Message(Role.ASSISTANT, said), now, str(answer.answer_id), cited),
        )
        messages = (*session.messages, *turn)[-50:]
        self.sessions[session_id] = owner, replace(session, messages=messages)

    async def _fail(self) -> None:
        if self.hangs:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error


@contextmanager
def unhurried(least_s: float) -> Iterator[None]:
    """Within the block each stage may take `least_s`, however long the machine stands still.

    For tests of what is answered: another one's deadline is none of their matter.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(budget, "TOTAL_S", least_s)
        patched.setattr(budget.Budget, "allowance_s", lambda self, stage: least_s)
        yield


@asynccontextmanager
async def serving(cache_dir: Path, **parts: Any) -> AsyncIterator[GenerationServiceStub]:
    """The service over a socket, as a stub; `parts` as for connected."""
    async with connected(cache_dir, **parts) as channel:
        yield generation_service_pb2_grpc.GenerationServiceStub(channel)


@asynccontextmanager
async def connected(
    cache_dir: Path,
    *,
    source: PassageSource | None = None,
    answerers: dict[str, Answerer] | None = None,
    log: Records | None = None,
    **settings: Any,
) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to the service, which answers over a socket."""
    service = await bootstrap(
        Settings(cache_dir=cache_dir, **settings),
        source=source or FakeSource(),
        answerers=answerers,
        log=log or FakeAuditLog(),
    )
    running = await start_server("127.0.0.1:0", service.register, stages.GENERATION)
    channel = open_channel(f"127.0.0.1:{running.port}")
    try:
        # On a busy machine a connection may fail, and the call with it, unseen by the service.
        await channel.channel_ready()
        yield channel
    finally:
        await channel.close()
        await running.stop(0)
        await service.close()


def request(**fields: Any) -> AnswerQuestionRequest:
    asked: dict[str, Any] = {
        "book": "robots",
        "edition": 1,
        "question": "What does a hydraulic actuator do?",
    }
    return generation_service_pb2.AnswerQuestionRequest(**{**asked, **fields})


async def ask(
    stub: GenerationServiceStub,
    timeout: float = 5.0,
    **fields: Any,
) -> list[AnswerQuestionResponse]:
    """Ask, and return the events in order."""
    call = stub.AnswerQuestion(request(**fields), timeout=timeout)
    return [event async for event in call]

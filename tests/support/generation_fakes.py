"""Fakes for generation's ports, a book to quote from, and the service over a real socket."""

import asyncio
import uuid
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from quoth.generation.v1 import generation_service_pb2, generation_service_pb2_grpc

from libs.budget import stages
from libs.profiles import load_profile
from libs.rpc.channel import open_channel
from libs.rpc.server import start_server
from services.generation.bootstrap import bootstrap
from services.generation.model import (
    AuditRow,
    BlockKind,
    Claim,
    DraftSentence,
    Gate,
    Locator,
    Passage,
    Prompt,
    Question,
    SearchResult,
    Unit,
)
from services.generation.settings import Settings

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


def passage(text, document=DOCUMENT, kind=BlockKind.PARAGRAPH, scores=(), **place):
    """A passage of `document`; its units are the sentences, or the lines, of `text`."""
    start = document.index(text)
    separator = ". " if kind is BlockKind.PARAGRAPH else "\n"
    units, position = [], 0
    for number, piece in enumerate(text.split(separator)):
        length = len(piece) + (0 if position + len(piece) == len(text) else separator == ". ")
        score = scores[number] if number < len(scores) else 0.5
        units.append(Unit(start + position, start + position + length, kind, score))
        position += len(piece) + len(separator)
    where = {"document": "actuators.mdx", "section_path": ("Actuators", "Hydraulic"), **place}
    return Passage(
        chunk_id=f"chunk-{start}",
        locator=Locator(start=start, end=start + len(text), **where),
        text=text,
        units=tuple(units),
    )


PASSAGES = tuple(map(passage, PASSAGE_TEXTS))


def search_result(passages=PASSAGES, *, passed=True, probability=0.9, related=("Hydraulic",)):
    return SearchResult(tuple(passages), Gate(probability, 0.5, passed), tuple(related))


def question(text="What does a hydraulic actuator do?", **fields):
    return Question(**{"book": "robots", "edition": 1, "text": text, **fields})


def prompt(passages=PASSAGES, text="What does a hydraulic actuator do?", **fields):
    return Prompt(text, tuple(passages), load_profile("").generation, **fields)


def audit_row(**fields):
    row = {
        "log_id": uuid.uuid4(),
        "request_id": uuid.uuid4().hex,
        "timestamp": datetime.now(UTC),
        "question": question(),
        "profile": "default",
    }
    return AuditRow(**{**row, **fields})


def quoting(text, source=1):
    """A draft sentence that is its own quote."""
    return DraftSentence(text, (Claim(source, text),))


@dataclass
class FakeSource:
    """Finds what it is given; an exception is raised, None hangs until it is cancelled."""

    result: SearchResult | Exception | None = field(default_factory=search_result)
    searched: list[str] = field(default_factory=list)
    cancelled: bool = False

    async def search(self, question, searched, allowed_s):
        self.searched.append(searched)
        if self.result is None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled = True
                raise
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@dataclass
class FakeAnswerer:
    """Writes its sentences; an exception among them is raised, None hangs until it is cancelled."""

    draft: list[DraftSentence | Exception | None] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    closed: bool = False

    async def write(self, prompt, transcript, allowed_s):
        self.prompts.append(prompt)
        try:
            for sentence in self.draft:
                if sentence is None:
                    await asyncio.Event().wait()
                if isinstance(sentence, Exception):
                    raise sentence
                yield sentence
        finally:
            self.closed = True


@dataclass
class FakeAuditLog:
    """Keeps rows in memory, once each; with `error` it keeps nothing, with `hangs` nothing ends."""

    rows: list[AuditRow] = field(default_factory=list)
    error: Exception | None = None
    hangs: bool = False
    stored: asyncio.Event = field(default_factory=asyncio.Event)

    async def append(self, row, allowed_s):
        if self.hangs:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error
        if row.log_id not in [kept.log_id for kept in self.rows]:
            self.rows.append(row)
        self.stored.set()


@asynccontextmanager
async def serving(cache_dir, **parts):
    """The service over a socket, as a stub; `parts` as for connected."""
    async with connected(cache_dir, **parts) as channel:
        yield generation_service_pb2_grpc.GenerationServiceStub(channel)


@asynccontextmanager
async def connected(cache_dir, *, source=None, answerers=None, log=None, **settings):
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


def request(**fields):
    asked = {"book": "robots", "edition": 1, "question": "What does a hydraulic actuator do?"}
    return generation_service_pb2.AnswerQuestionRequest(**{**asked, **fields})


async def ask(stub, timeout=5.0, **fields):
    """Ask, and return the events in order."""
    call = stub.AnswerQuestion(request(**fields), timeout=timeout)
    return [event async for event in call]

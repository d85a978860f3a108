"""The running product as benchmarks use it: what they ingest, search, ask and read."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from deploy.evaluation.progress import JobBar, Progress
from deploy.evaluation.quotations import Range, Text, match_path
from deploy.rest_client.client import BrokenStreamError, Gateway, ProblemError
from deploy.rest_client.ingest import ingest_path

Json = dict[str, Any]
T = TypeVar("T")
R = TypeVar("R")

_BUSY = (429, 503, 504)
_PATIENCE_S = 60.0
_PAUSE_S = 0.2


class NotPublishedError(Exception):
    """The product did not publish what it was given."""


@dataclass(frozen=True)
class Reply:
    """What a reader got for a question: passages, and the answer or the problem."""

    passages: list[Json] | None
    answer: Json | None
    problem: str
    took_ms: float

    @property
    def has_answer(self) -> bool:
        return self.answer is not None and self.answer.get("refusal") is None

    @property
    def citations(self) -> list[Json]:
        return list(self.answer["citations"]) if self.answer and self.has_answer else []


@dataclass(frozen=True)
class BookText:
    """The canonical texts of a book's current edition, by path, with the ranges of their sections."""

    documents: Mapping[str, Text]
    sections: Mapping[str, Sequence[Range]] = field(default_factory=dict)

    def named(self, path: str) -> str | None:
        return match_path(path, self.documents)

    def quote_at(self, document: str, start: int, end: int) -> str | None:
        held = self.documents.get(document)
        return held.text[start:end] if held else None

    @cached_property
    def everything(self) -> str:
        return "\n".join(item.squeezed for item in self.documents.values())


class Product:
    """The calls that measuring makes, all of them on the product's own REST interface.

    An async context manager; `transport` is a test's.
    """

    def __init__(self, url: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.url = url
        self._gateway = Gateway(url, transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._gateway.__aexit__(kind, error, trace)

    async def ask(self, book: str, request: Json) -> Reply:
        """Ask as the page does, by a stream; a refusal is an answer, a problem is not."""
        passages: list[Json] | None = None
        started = time.perf_counter()
        try:
            async for name, data in self._gateway.stream_answer(book, request):
                if name == "passages":
                    passages = list(data["passages"])
                elif name == "done":
                    return Reply(passages, data, "", _since_ms(started))
        except (ProblemError, BrokenStreamError) as error:
            if isinstance(error, ProblemError) and error.status in (404, 422):
                raise
            return Reply(passages, None, str(error), _since_ms(started))
        return Reply(passages, None, "the stream ended early", _since_ms(started))

    async def search(self, book: str, request: Json) -> Json:
        """Search; waits and tries again while the product is busy or too slow."""
        give_up = time.monotonic() + _PATIENCE_S
        while True:
            try:
                return await self._gateway.search(book, request)
            except ProblemError as error:
                if error.status not in _BUSY or time.monotonic() > give_up:
                    raise
            await asyncio.sleep(_PAUSE_S)

    async def read_book(self, book: str) -> BookText:
        """Fetch the text of every document."""
        texts, sections = {}, {}
        for document in (await self._gateway.list_documents(book))["documents"]:
            held = await self._gateway.get_document(book, document["path"])
            texts[document["path"]] = Text(held["text"])
            sections[document["path"]] = [
                (section["start"], section["end"]) for section in held.get("sections", ())
            ]
        return BookText(texts, sections)

    async def ingest(
        self, book: str, path: Path, *, profile: str = "", language: str = "", progress: Progress
    ) -> Json:
        """Ingest a file or folder and wait until it is published; raises NotPublishedError."""
        parameters = {"profile": profile, "language": language}
        bar = JobBar(progress, f"ingest {book}")
        job = await ingest_path(self._gateway, path, book, parameters, bar)
        if job.get("state") != "published":
            raise NotPublishedError(f"{path} was not published: {job.get('error')}")
        return job


async def each(
    items: Sequence[T],
    work: Callable[[T], Awaitable[R]],
    *,
    what: str,
    progress: Progress,
    concurrency: int = 1,
) -> list[R]:
    """Do the work for every item, `concurrency` at a time, and return the results in order."""
    progress.begin(what, len(items))
    free = asyncio.Semaphore(concurrency)

    async def one(item: T) -> R:
        async with free:
            done = await work(item)
        progress.step()
        return done

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(item)) for item in items]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed
    progress.end()
    return [task.result() for task in tasks]


def _since_ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000

"""A document or its book is deleted while a question about it is being answered.

The answer that is under way is of the edition it began with, or none; a new one knows nothing of
what is gone. Gateway, generation, retrieval and ingest, on the embedded engines.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from libs.budget.stages import RETRIEVAL
from libs.ml import LogisticModel
from libs.question.analyse import QuestionAnalysis
from libs.rpc.channel import open_channel
from libs.rpc.server import start_server
from libs.vectors.schema import collection_name
from services.gateway.bootstrap import bootstrap_remote
from services.gateway.settings import Settings as GatewaySettings
from services.generation.clients import RetrievalClient
from services.generation.model import Question, SearchResult
from services.retrieval.bootstrap import bootstrap as bootstrap_retrieval
from services.retrieval.settings import Settings as RetrievalSettings
from tests.support.engines import PostgresNode, QdrantNode
from tests.support.generation_fakes import FakeAuditLog, connected
from tests.support.ingest_fakes import STAMP, HashEmbedder, zipped
from tests.support.ingest_service import engines, ingest_serving
from tests.support.stack import CACHE

__all__ = ["engines"]

FILES = {
    "oil.md": "# Oil\n\nA hydraulic actuator turns the pressure of oil into force.",
    "wheel.md": "# Wheels\n\nThe wheel of a cart is round.",
}
QUESTION = {"question": "What does a hydraulic actuator turn into force?"}
OPEN_TO_ALL = LogisticModel(
    collection_name(STAMP), ("cosine_first",), (0.0,), (1.0,), (0.0,), intercept=9.0
)


class HeldSource:
    """The retrieval service; with a `moment`, the next search waits before it or after it."""

    def __init__(self, address: str) -> None:
        self._inner = RetrievalClient(address)
        self.close = self._inner.close
        self.moment = ""
        self.reached, self.released = asyncio.Event(), asyncio.Event()

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        moment, self.moment = self.moment, ""
        if moment == "before":
            await self._hold()
        found = await self._inner.search(question, analysis, allowed_s)
        if moment == "after":
            await self._hold()
        return found

    async def _hold(self) -> None:
        self.reached.set()
        await self.released.wait()


@asynccontextmanager
async def retrieval_serving(qdrant: QdrantNode) -> AsyncIterator[Any]:
    service = bootstrap_retrieval(
        RetrievalSettings(qdrant_url=qdrant.url),
        embedder=HashEmbedder(),
        answerability=OPEN_TO_ALL,
    )
    running = await start_server("127.0.0.1:0", service.register, RETRIEVAL)
    try:
        yield f"127.0.0.1:{running.port}"
    finally:
        await running.stop(0)
        await service.close()


@asynccontextmanager
async def product(engines: tuple[QdrantNode, PostgresNode]) -> AsyncIterator[Any]:
    """All four services, as a client of the gateway and what holds its searches."""
    async with ingest_serving(engines) as ingest, retrieval_serving(engines[0]) as retrieval:
        source = HeldSource(retrieval)
        searcher = open_channel(retrieval)
        async with connected(CACHE, source=source, log=FakeAuditLog()) as generation:
            channels = {"ingest": ingest, "retrieval": searcher, "generation": generation}
            app = bootstrap_remote(GatewaySettings(), channels)
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", timeout=60
            ) as client:
                yield client, source
        await searcher.close()
        await source.close()


async def ended(client: httpx.AsyncClient, book: str, response: httpx.Response) -> dict[str, Any]:
    """Return the job that a request began, once it has ended."""
    assert response.status_code == 202, response.text
    url = f"/v1/books/{book}/ingests/{response.json()['job']['job_id']}"
    stream = {"accept": "text/event-stream"}
    assert "event: done" in (await client.get(url, headers=stream)).text
    return dict((await client.get(url)).json()["job"])


async def ask(client: httpx.AsyncClient, book: str) -> httpx.Response:
    return await client.post(f"/v1/books/{book}/answers", json=QUESTION)


@pytest.mark.fault("G3")
@pytest.mark.invariant("I1")
@pytest.mark.parametrize("gone", ["/documents/oil.md", ""])
@pytest.mark.parametrize("moment", ["before", "after"])
async def test_an_answer_under_way_keeps_its_edition_when_what_it_cites_is_deleted(
    engines: tuple[QdrantNode, PostgresNode], moment: str, gone: str
) -> None:
    book = f"{moment}-{'document' if gone else 'book'}"
    async with product(engines) as (client, source):
        upload = await client.post(
            f"/v1/books/{book}/ingests?file_name=b.zip",
            content=zipped(FILES),
            headers={"content-type": "application/zip"},
        )
        assert (await ended(client, book, upload))["edition"] == 1
        before = (await ask(client, book)).json()
        assert {citation["document"] for citation in before["citations"]} == {"oil.md"}

        source.moment = moment
        asking = asyncio.create_task(ask(client, book))
        await source.reached.wait()
        deletion = await client.delete(f"/v1/books/{book}{gone}")
        assert (await ended(client, book, deletion))["edition"] == 2
        source.released.set()
        await check_under_way(client, book, await asking, before)

        after = await ask(client, book)
        if gone:
            assert (after.status_code, after.json()["edition"]) == (200, 2)
            cited = {citation["document"] for citation in after.json()["citations"]}
            assert cited <= {"wheel.md"}
        else:
            assert (after.status_code, after.json()["code"]) == (404, "not_found")


async def check_under_way(
    client: httpx.AsyncClient, book: str, response: httpx.Response, before: dict[str, Any]
) -> None:
    """Whole and of the edition it began with, its places readable there; or late, and nothing."""
    answer = response.json()
    if response.status_code == 504:  # the deletion took all of its five seconds
        assert "sentences" not in answer
        return
    assert (response.status_code, answer["edition"]) == (200, 1)
    assert (answer["text"], answer["citations"]) == (before["text"], before["citations"])
    for citation in answer["citations"]:
        path = f"/v1/books/{book}/documents/{citation['document']}?edition=1"
        text = (await client.get(path)).raise_for_status().json()["text"]
        assert text[citation["start"] : citation["end"]] == citation["quote"]

"""Ingest's workers on the real stores, and what a reader finds there."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from asyncpg import Pool
from qdrant_client import AsyncQdrantClient
from qdrant_client.http.models import FieldCondition

from libs.embedding import Embedder
from libs.embedding.port import Vectors
from libs.errors import NotFound
from libs.postgres import open_pool
from libs.vectors.schema import Payload, Scope, match
from services.ingest.adapters.postgres_catalogue import PostgresCatalogue
from services.ingest.adapters.postgres_documents import PostgresDocuments
from services.ingest.adapters.postgres_editions import PostgresEditions
from services.ingest.adapters.postgres_erasure import PostgresErasure
from services.ingest.adapters.postgres_history import PostgresHistory
from services.ingest.adapters.postgres_jobs import PostgresJobs
from services.ingest.adapters.qdrant_index import QdrantIndex
from services.ingest.bootstrap import MIGRATIONS, Stores, make_worker
from services.ingest.jobs import Worker
from services.ingest.model.job import Job
from services.ingest.ports.reading import DocumentReader
from tests.support.ingest_fakes import STAMP, DirectReader, HashEmbedder, Steps, order, source
from tests.support.ingest_service import Engines

LEASE_S = 10.0


class Bench:
    """The real stores, a worker on them, and what a reader finds."""

    def __init__(self, pool: Pool, client: AsyncQdrantClient) -> None:
        self.pool, self.client = pool, client
        self.jobs = PostgresJobs(pool)
        self.documents = PostgresDocuments(pool)
        self.editions = PostgresEditions(pool)
        self.catalogue = PostgresCatalogue(pool)
        self.history = PostgresHistory(pool)
        self.erasure = PostgresErasure(pool)
        self.index = QdrantIndex(client, STAMP)

    def is_damaged(self, _book: str, _edition: int) -> bool:
        return False

    def worker(
        self,
        *,
        embedder: Embedder | None = None,
        reader: DocumentReader | None = None,
        steps: Steps | None = None,
        index: QdrantIndex | None = None,
    ) -> Worker:
        steps = steps or Steps()
        stores = Stores(
            self.jobs,
            self.documents,
            steps.around(self.editions),
            steps.around(index or self.index),
            steps.around(self.history),
            self.erasure,
        )
        return make_worker(
            stores,
            embedder or HashEmbedder(),
            reader or DirectReader(),
            lease_s=LEASE_S,
            is_damaged=self.is_damaged,
        )

    def stranger(self, embedder: Embedder) -> Worker:
        """Return a worker with another model than the rest."""
        return self.worker(embedder=embedder, index=QdrantIndex(self.client, embedder.stamp))

    async def add(self, book: str, files: dict[str, str], **fields: Any) -> Job:
        return await self.jobs.add(order(book, **fields), source(files))

    async def ingest(self, book: str, files: dict[str, str], **fields: Any) -> Job:
        job = await self.add(book, files, **fields)
        return await self.finish(job.job_id)

    async def finish(self, job_id: str) -> Job:
        while not (job := await self.jobs.get(job_id)).state.ended:
            await self.worker().work_once()
        return job

    async def claim(self) -> Job:
        """Take the next job, which must be there."""
        job = await self.jobs.claim(LEASE_S)
        assert job is not None
        return job

    async def expire(self, book: str) -> None:
        """Let the leases of dead owners end."""
        for table, of_book in (
            ("jobs", "book = $1"),
            ("job_documents", "job_id IN (SELECT job_id FROM jobs WHERE book = $1)"),
        ):
            await self.pool.execute(
                f"UPDATE {table} SET lease_until = now() - interval '1 s' "
                f"WHERE {of_book} AND lease_until IS NOT NULL",
                book,
            )

    async def edition(self, book: str) -> int:
        try:
            return (await self.catalogue.get_book(book)).edition
        except NotFound:
            return 0

    async def points(self, *conditions: FieldCondition) -> list[dict[str, Any]]:
        if not await self.client.collection_exists(self.index.collection):
            return []
        scope = Scope("x", 1).to_filter()
        scope.must = list(conditions)
        found, _ = await self.client.scroll(self.index.collection, scope, limit=10_000)
        return [point.payload or {} for point in found]

    async def seen(self, book: str, edition: int) -> list[tuple[str, int, str]]:
        """Return what a reader of this edition finds in the index, in the order of the book."""
        conditions: Any = Scope(book, edition).to_filter().must
        found = await self.points(*conditions)
        return sorted((p[Payload.DOCUMENT], p[Payload.START], p[Payload.CHUNK]) for p in found)

    async def everything(self, book: str) -> list[tuple[Any, ...]]:
        found = await self.points(match(Payload.BOOK, book))
        keys = (Payload.DOCUMENT, Payload.START, Payload.BORN, Payload.DIED)
        return sorted(tuple(payload[key] for key in keys) for payload in found)


@pytest.fixture
async def bench(engines: Engines) -> AsyncIterator[Bench]:
    qdrant, postgres = engines
    pool = await open_pool(postgres.dsn, "ingest", MIGRATIONS)
    client = qdrant.client()
    yield Bench(pool, client)
    await client.close()
    await pool.close()


def page(title: str, mark: str, sections: int) -> str:
    filler = " ".join(["and so on for a while"] * 9)
    parts = [f"## Part {n}\n\n{mark} number {n} {filler}." for n in range(sections)]
    return f"# {title}\n\n" + "\n\n".join(parts)


class Held(HashEmbedder):
    """Says when it has been asked, and waits to be let on."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.released = asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.set()
        await self.released.wait()
        return await super().embed(texts)


async def read_line(worker: asyncio.subprocess.Process) -> str:
    """Return the next line that the worker prints."""
    assert worker.stdout
    return (await worker.stdout.readline()).decode()


async def start_worker(
    engines: Engines, *, lease_s: float, stall_at: int = -1, deadly: str = "-"
) -> asyncio.subprocess.Process:
    """Start a worker that is a process of its own; see tests.support.ingest_worker."""
    qdrant, postgres = engines
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.support.ingest_worker",
        postgres.dsn,
        qdrant.url,
        str(lease_s),
        str(stall_at),
        deadly,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )

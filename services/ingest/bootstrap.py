"""Wire the ingest service together: the only module that picks adapters."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from libs.embedding import Embedder, ModelStamp, close_models
from libs.embedding.choice import open_embedder, open_embedder_before
from libs.postgres import open_pool
from libs.profiles import SHIPPED
from libs.rpc.server import Register
from libs.settings import SettingsError
from libs.vectors.client import open_qdrant
from libs.vectors.layout import load_layout
from libs.vectors.qdrant import AsyncQdrantClient
from services.ingest.adapters.document_process import DocumentProcess
from services.ingest.adapters.document_processes import DocumentProcesses
from services.ingest.adapters.page_process import PageProcess
from services.ingest.adapters.postgres_catalogue import PostgresCatalogue
from services.ingest.adapters.postgres_documents import PostgresDocuments
from services.ingest.adapters.postgres_editions import PostgresEditions
from services.ingest.adapters.postgres_erasure import PostgresErasure
from services.ingest.adapters.postgres_history import PostgresHistory
from services.ingest.adapters.postgres_jobs import PostgresJobs
from services.ingest.adapters.postgres_originals import PostgresOriginals
from services.ingest.adapters.postgres_states import PostgresStates
from services.ingest.adapters.qdrant_index import QdrantIndex
from services.ingest.disk_floor import NO_FLOOR, DiskFloor
from services.ingest.jobs import RunnerOfAll, Worker
from services.ingest.original import OriginalPages
from services.ingest.parsers.archive import MIB, Limits
from services.ingest.pipeline import Pipeline
from services.ingest.ports.editions import Erasure
from services.ingest.ports.index import PassageIndex
from services.ingest.ports.jobs import JobStore
from services.ingest.ports.reading import DocumentReader
from services.ingest.server import IngestServicer
from services.ingest.settings import Settings
from services.ingest.upkeep.history import EditionUpkeep
from services.ingest.upkeep.integrity import IntegrityCheck

_DRAWING_S = 10.0
"""Of one page: whoever waits for it gives up sooner."""
MIGRATIONS = Path(__file__).parent / "adapters" / "migrations"


@dataclass(frozen=True)
class Service:
    """A service ready to be registered, and the worker that runs its jobs."""

    register: Register
    worker: Worker
    integrity: IntegrityCheck
    floor: DiskFloor
    jobs: JobStore


@dataclass(frozen=True)
class Stores:
    """Where a worker finds its jobs, and leaves what it makes of them."""

    jobs: PostgresJobs
    documents: PostgresDocuments
    editions: PostgresEditions
    index: QdrantIndex
    history: PostgresHistory
    erasure: PostgresErasure

    @classmethod
    def on(cls, pool: asyncpg.Pool, index: QdrantIndex) -> "Stores":
        return cls(
            PostgresJobs(pool),
            PostgresDocuments(pool),
            PostgresEditions(pool),
            index,
            PostgresHistory(pool),
            PostgresErasure(pool),
        )


def make_worker(
    stores: Stores,
    embedder: Embedder,
    reader: DocumentReader,
    *,
    lease_s: float,
    profiles: Path = SHIPPED,
    is_damaged: Callable[[str, int], bool] = lambda _book, _edition: False,
    floor: DiskFloor = NO_FLOOR,
    at_once: int = 1,
    former: Sequence[PassageIndex] = (),
    erasures: Sequence[Erasure] = (),
) -> Worker:
    """Return a worker that ingests `at_once` books; one silent for `lease_s` is replaced.

    `former` are indexes that readers can be led to beside the one that editions are made in.
    """
    pipeline = Pipeline(
        queue=stores.jobs,
        documents=stores.documents,
        editions=stores.editions,
        index=stores.index,
        embedder=embedder,
        reader=reader,
        profiles=profiles,
        is_damaged=is_damaged,
        floor=floor,
    )
    return Worker(
        queue=stores.jobs,
        store=stores.jobs,
        documents=stores.documents,
        runner=RunnerOfAll(pipeline, _upkeep_of(stores, former, erasures)),
        lease_s=lease_s,
        at_once=at_once,
    )


def _upkeep_of(
    stores: Stores, former: Sequence[PassageIndex], erasures: Sequence[Erasure]
) -> EditionUpkeep:
    return EditionUpkeep(
        queue=stores.jobs,
        history=stores.history,
        editions=stores.editions,
        indexes=[stores.index, *former],
        erasures=erasures,
    )


@asynccontextmanager
async def bootstrap(
    settings: Settings,
    *,
    pool: asyncpg.Pool | None = None,
    qdrant: AsyncQdrantClient | None = None,
    embedder: Embedder | None = None,
    before: ModelStamp | None = None,
    reader: DocumentReader | None = None,
) -> AsyncIterator[Service]:
    """Open what is not given, and close it at the end; what is given stays the caller's.

    `before` is the model that books are moving away from.
    """
    own_pool = pool is None
    own_qdrant = qdrant is None
    own_embedder = embedder is None
    if embedder is None:
        embedder = await asyncio.to_thread(open_embedder, settings.cache_dir, "documents")
        before = await asyncio.to_thread(_stamp_before, settings.cache_dir)
    processes = DocumentProcesses(lambda: _make_process(settings), settings.jobs_at_once)
    pool = pool or await _open_pool(settings.postgres_dsn)
    qdrant = qdrant or open_qdrant(settings.qdrant_url, settings.qdrant_api_key)
    try:
        arriving = _nothing if reader else processes.warm
        former = QdrantIndex(qdrant, before, load_layout()) if before else None
        yield _wire(
            settings, pool, qdrant, embedder, reader or processes, arriving=arriving, former=former
        )
    finally:
        await processes.close()
        if own_embedder:
            await close_models(embedder)
        if own_qdrant:
            await qdrant.close()
        if own_pool:
            await pool.close()


def _make_process(settings: Settings) -> DocumentProcess:
    return DocumentProcess(
        settings.cache_dir,
        timeout_s=settings.parse_timeout_s,
        memory_mib=settings.parse_memory_mib,
    )


def _make_drawer(settings: Settings) -> PageProcess:
    return PageProcess(timeout_s=_DRAWING_S, memory_mib=settings.parse_memory_mib)


def _stamp_before(cache_dir: Path) -> ModelStamp | None:
    """Return the stamp alone: ingest embeds nothing by that model, and need not hold it."""
    former = open_embedder_before(cache_dir)
    return former.stamp if former else None


def _nothing() -> None:
    """Do what a reader without a process does to get ready."""


async def _open_pool(dsn: str) -> asyncpg.Pool:
    try:
        return await open_pool(dsn, "ingest", MIGRATIONS)
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise SettingsError("no database can be opened at QUOTH_POSTGRES_DSN") from error


def _wire(
    settings: Settings,
    pool: asyncpg.Pool,
    qdrant: AsyncQdrantClient,
    embedder: Embedder,
    reader: DocumentReader,
    *,
    arriving: Callable[[], None],
    former: QdrantIndex | None,
) -> Service:
    stores = Stores.on(pool, QdrantIndex(qdrant, embedder.stamp, load_layout()))
    floor = DiskFloor(
        settings.disk_folder, settings.disk_floor_mib, try_store=stores.index.require_room
    )
    catalogue = PostgresCatalogue(pool)
    integrity = _check_of(stores, catalogue)
    formers = [former] if former else []
    worker = _worker_of(
        settings, stores, embedder, reader, integrity=integrity, floor=floor, former=formers
    )
    servicer = IngestServicer(
        jobs=stores.jobs,
        catalogue=catalogue,
        history=stores.history,
        states=PostgresStates(pool),
        indexes=[stores.index, *formers],
        integrity=integrity,
        pages=OriginalPages(PostgresOriginals(pool), catalogue, _make_drawer(settings)),
        limits=limits(settings),
        arriving=arriving,
        queued=worker.wake,
        next_end=worker.next_end,
        profiles=settings.profiles,
        floor=floor,
        upload_timeout_s=settings.upload_timeout_s,
    )
    return Service(servicer.register, worker, integrity, floor, stores.jobs)


def _worker_of(
    settings: Settings,
    stores: Stores,
    embedder: Embedder,
    reader: DocumentReader,
    *,
    integrity: IntegrityCheck,
    floor: DiskFloor,
    former: Sequence[PassageIndex],
) -> Worker:
    return make_worker(
        stores,
        embedder,
        reader,
        lease_s=settings.lease_s,
        profiles=settings.profiles,
        is_damaged=integrity.is_damaged,
        floor=floor,
        at_once=settings.jobs_at_once,
        former=former,
        erasures=[stores.erasure, stores.index],
    )


def _check_of(stores: Stores, catalogue: PostgresCatalogue) -> IntegrityCheck:
    return IntegrityCheck(
        catalogue=catalogue, history=stores.history, editions=stores.editions, index=stores.index
    )


def limits(settings: Settings) -> Limits:
    return Limits(
        upload=settings.max_upload_mib * MIB,
        unpacked=settings.max_unpacked_mib * MIB,
        document=settings.max_document_mib * MIB,
        entries=settings.max_entries,
    )

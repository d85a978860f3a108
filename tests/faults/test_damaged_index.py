"""An index that lost, changed or gained passages is noticed, told, and made whole by the source.

G8 of the catalogue: damage on the disk of the embedded engine, and the two stores of different
minds, both ways. Never does a book look empty.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from asyncpg import Pool
from grpc_health.v1 import health, health_pb2
from qdrant_client import AsyncQdrantClient, models
from quoth.ingest.v1 import ingest_service_pb2 as messages
from quoth.ingest.v1 import ingest_service_pb2_grpc

from libs.errors import WrongIndex
from libs.postgres import open_pool
from libs.rpc.readiness import CATALOGUE, Readiness
from libs.rpc.status import error_from_rpc
from libs.vectors.parts import Parts
from libs.vectors.schema import Payload, Scope, match
from libs.vectors.stored import decode_chunk
from services.ingest.bootstrap import MIGRATIONS
from services.ingest.model.condition import Condition
from services.ingest.model.job import JobKind, JobState
from services.ingest.upkeep.integrity import IntegrityCheck
from tests.support.engines import PostgresNode, QdrantNode, postgres_node, qdrant_node, start
from tests.support.ingest_bench import Bench
from tests.support.ingest_service import ingest_serving

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
FOREIGN = 7
PARTS = range(20)
FILES = {
    f"{name}.md": "\n\n".join(
        [f"# {name}", *(f"## Part {n}\n\n" + f"In part {n} the {name} turns. " * 12 for n in PARTS)]
    )
    for name in ("gear", "motor", "valve")
}


class Watched(Bench):
    """The stores with an integrity beside them."""

    def __init__(self, pool: Pool, client: AsyncQdrantClient) -> None:
        super().__init__(pool, client)
        self.integrity = IntegrityCheck(
            catalogue=self.catalogue,
            history=self.history,
            editions=self.editions,
            index=self.index,
        )

    def is_damaged(self, book: str, edition: int) -> bool:
        return self.integrity.is_damaged(book, edition)

    async def chunk_ids(self, book: str) -> set[str]:
        found = await self.seen(book, await self.edition(book))
        return {decode_chunk(text).chunk_id for _, _, text in found}


@asynccontextmanager
async def watched(data: Path, postgres: PostgresNode) -> AsyncIterator[Any]:
    pool = await open_pool(postgres.dsn, "ingest", MIGRATIONS)
    with qdrant_node(data) as node:
        client = node.client()
        try:
            yield Watched(pool, client), node
        finally:
            await client.close()
            await pool.close()


async def ingested(data: Path, postgres: PostgresNode, book: str) -> set[str]:
    """Ingest the book on an engine of its own and stop that; return its chunks' ids."""
    async with watched(data, postgres) as (bench, node):
        assert (await bench.ingest(book, FILES)).edition == 1
        ids: set[str] = await bench.chunk_ids(book)
        assert await bench.integrity.examine(book, 1) == Condition()
        assert node.stop() == 0
    assert len(ids) >= len(FILES) * len(PARTS)
    return ids


async def heal(bench: Watched, book: str, ids: set[str]) -> None:
    """Ingest the same source again: the same chunks are back, and all is well."""
    job = await bench.ingest(book, FILES)
    assert (job.state, job.edition, job.error) == (JobState.PUBLISHED, 2, "")
    assert await bench.chunk_ids(book) == ids
    assert await bench.integrity.examine(book, 2) == Condition()
    bench.integrity.check(book, 2)
    report = await bench.history.get_report(book, 2)
    assert report.reasons == ["the index had lost passages"]
    assert report.vectors_new == 0


def truncated(folder: Path) -> None:
    """Leave half of what says which points there are: the engine opens it without a word."""
    path = next(folder.rglob("mutable_id_tracker.mappings"))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def forgotten(folder: Path) -> None:
    next(folder.rglob("mutable_id_tracker.versions")).unlink()


def flipped_vectors(folder: Path) -> None:
    path = next(folder.rglob("vector_storage-dense/vectors/chunk_0.mmap"))
    with path.open("r+b") as file:
        file.seek(3)
        file.write(b"\x7f")


def without_vectors(folder: Path) -> None:
    next(folder.rglob("vector_storage-dense/vectors/status.dat")).unlink()


def flipped_texts(folder: Path) -> None:
    path = next(folder.rglob("payload_storage/page_0.dat"))
    data = bytearray(path.read_bytes())
    at = len(data.rstrip(b"\0")) // 2
    # More than the padding between two values, which nobody reads.
    data[at : at + 512] = bytes(byte ^ 0xFF for byte in data[at : at + 512])
    path.write_bytes(data)


@pytest.mark.fault("G8")
@pytest.mark.parametrize("harm", [truncated, forgotten, flipped_vectors, without_vectors])
async def test_damage_that_the_engine_opens_is_found_and_repaired(
    tmp_path: Path, engines: tuple[QdrantNode, PostgresNode], harm: Callable[..., Any]
) -> None:
    _, postgres = engines
    book = harm.__name__.replace("_", "-")
    ids = await ingested(tmp_path / "data", postgres, book)
    harm(tmp_path / "data")
    async with watched(tmp_path / "data", postgres) as (bench, _):
        condition = await bench.integrity.examine(book, 1)
        assert not condition.is_sound
        with pytest.raises(WrongIndex, match="Ingest its source again"):
            bench.integrity.check(book, 1)
        await heal(bench, book, ids)


@pytest.mark.fault("G8")
async def test_texts_that_the_engine_can_not_read_any_more_are_found_and_made_anew(
    tmp_path: Path, engines: tuple[QdrantNode, PostgresNode]
) -> None:
    _, postgres = engines
    ids = await ingested(tmp_path / "data", postgres, "flipped-texts")
    flipped_texts(tmp_path / "data")
    async with watched(tmp_path / "data", postgres) as (bench, _):
        assert (await bench.integrity.examine("flipped-texts", 1)).damaged
        job = await bench.ingest("flipped-texts", FILES)
        assert job.state is JobState.FAILED
        assert "can't make sense of what it holds. Stop it, move its folder away" in job.error
    async with watched(tmp_path / "other", postgres) as (bench, _):
        assert await bench.integrity.examine("flipped-texts", 1) == Condition(missing=len(ids))
        await heal(bench, "flipped-texts", ids)


def cut_config(folder: Path) -> None:
    path = next(folder.rglob("edge_config.json"))
    path.write_bytes(path.read_bytes()[:100])


def absurd_number(folder: Path) -> None:
    """Flip the byte that makes the engine ask for more memory than there is: it aborts."""
    path = next(folder.rglob("mutable_id_tracker.mappings"))
    with path.open("r+b") as file:
        # The last of a record of 21: a kind, an id of 16 bytes, a place of 4.
        file.seek(20)
        file.write(b"\xff")


def without_manifest(folder: Path) -> None:
    next(folder.rglob("segment.json")).unlink()


def without_segments(folder: Path) -> None:
    for path in next(folder.rglob("segments")).iterdir():
        shutil.rmtree(path)


def without_texts(folder: Path) -> None:
    next(folder.rglob("payload_storage/page_0.dat")).unlink()


@pytest.mark.fault("G8")
@pytest.mark.parametrize(
    "harm", [cut_config, absurd_number, without_manifest, without_segments, without_texts]
)
async def test_damage_that_the_engine_cannot_open_stops_its_start_and_the_index_can_be_rebuilt(
    tmp_path: Path, engines: tuple[QdrantNode, PostgresNode], harm: Callable[..., Any]
) -> None:
    _, postgres = engines
    book = harm.__name__.replace("_", "-")
    ids = await ingested(tmp_path / "data", postgres, book)
    harm(tmp_path / "data")
    refused = start("deploy.qdrant_node", "--data", str(tmp_path / "data"), "--port", "0")
    assert (refused.returncode, refused.stdout) == (2, "")
    [line] = refused.stderr.splitlines()
    assert "cannot be opened" in line
    assert "move that folder away and ingest the books again" in line
    async with watched(tmp_path / "other", postgres) as (bench, _):
        assert await bench.integrity.examine(book, 1) == Condition(missing=len(ids))
        await heal(bench, book, ids)


async def lose_points(bench: Watched, book: str) -> Condition:
    chosen = Scope(book, 1, document="gear.md").to_filter()
    count = (await bench.client.count(bench.index.collection, chosen, exact=True)).count
    await bench.client.delete(bench.index.collection, models.FilterSelector(filter=chosen))
    return Condition(missing=count)


async def gain_points(bench: Watched, book: str) -> Condition:
    [point, *_], _ = await bench.client.scroll(
        bench.index.collection, Scope(book, 1).to_filter(), limit=1, with_vectors=True
    )
    vector: Any = point.vector
    foreign = models.PointStruct(id=FOREIGN, vector=vector, payload=point.payload)
    await bench.client.upsert(bench.index.collection, [foreign], wait=True)
    return Condition(foreign=1)


async def swap_points(bench: Watched, book: str) -> Condition:
    """As many as before, but not the same: no count tells."""
    await gain_points(bench, book)
    found, _ = await bench.client.scroll(
        bench.index.collection, Scope(book, 1).to_filter(), limit=2
    )
    [gone] = [point.id for point in found if point.id != FOREIGN][:1]
    await bench.client.delete(bench.index.collection, models.PointIdsList(points=[gone]))
    return Condition(missing=1, foreign=1)


async def change_text(bench: Watched, book: str) -> Condition:
    chosen = Scope(book, 1, document="gear.md").to_filter()
    [point, *_], _ = await bench.client.scroll(bench.index.collection, chosen, limit=1)
    assert point.payload
    text = point.payload[Payload.CHUNK].replace("turns", "burns")
    await bench.client.set_payload(
        bench.index.collection, {Payload.CHUNK: text}, points=[point.id], wait=True
    )
    return Condition(damaged=1)


async def forget_rows(bench: Watched, book: str) -> Condition:
    """The database is of before: it knows nothing of what the index holds."""
    gone = await bench.pool.fetch(
        "DELETE FROM chunks WHERE book = $1 AND file_path = 'valve.md' RETURNING 1", book
    )
    return Condition(foreign=len(gone))


@pytest.mark.fault("G8")
@pytest.mark.parametrize("harm", [lose_points, gain_points, swap_points, change_text, forget_rows])
async def test_a_catalogue_and_an_index_that_differ_are_reported_and_brought_together(
    tmp_path: Path, engines: tuple[QdrantNode, PostgresNode], harm: Callable[..., Any]
) -> None:
    _, postgres = engines
    book = harm.__name__.replace("_", "-")
    async with watched(tmp_path / "data", postgres) as (bench, _):
        await bench.ingest(book, FILES)
        ids = await bench.chunk_ids(book)
        expected = await harm(bench, book)
        assert await bench.integrity.examine(book, 1) == expected != Condition()
        assert bench.integrity.is_damaged(book, 1)
        await heal(bench, book, ids)
        # What was foreign is not seen by the new edition, nor by any after it.
        assert len(await bench.seen(book, 2)) == len(ids)


@pytest.mark.fault("G8")
async def test_a_book_whose_passages_are_lost_is_an_error_and_never_an_empty_answer(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    qdrant, _ = engines
    async with ingest_serving(engines) as channel:
        stub = ingest_service_pb2_grpc.IngestServiceStub(channel)
        header = messages.SourceHeader(file_name="a.md", book="emptied")
        data = messages.StartIngestRequest(data=FILES["gear.md"].encode())
        parts = [messages.StartIngestRequest(header=header), data]
        job = (await stub.StartIngest(iter(parts), timeout=20)).job
        watched = stub.WatchIngest(messages.WatchIngestRequest(job_id=job.job_id), timeout=60)
        assert [r.job.edition async for r in watched][-1] == 1
        assert (await stub.GetBook(messages.GetBookRequest(slug="emptied"))).book.edition == 1
    client = qdrant.client()
    chosen = models.Filter(must=[match(Payload.BOOK, "emptied")])
    for collection in (await client.get_collections()).collections:
        part = await Parts(client).of_book(collection.name, "emptied", 5)
        points = models.FilterSelector(filter=chosen, shard_key=part)
        await client.delete(collection.name, points, wait=True)
    await client.close()
    async with ingest_serving(engines, examined=True) as channel:
        stub = ingest_service_pb2_grpc.IngestServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.GetBook(messages.GetBookRequest(slug="emptied"), timeout=20)
        assert isinstance(error_from_rpc(refused.value, "ingest"), WrongIndex)


@pytest.mark.fault("G8")
async def test_an_edition_that_only_seemed_damaged_is_served_again(
    tmp_path: Path, engines: tuple[QdrantNode, PostgresNode]
) -> None:
    """A store that comes back from a snapshot may show less for a while."""
    _, postgres = engines
    async with watched(tmp_path / "data", postgres) as (bench, _):
        await bench.ingest("seeming", FILES)
        found, _ = await bench.client.scroll(
            bench.index.collection, Scope("seeming", 1).to_filter(), limit=3, with_vectors=True
        )
        gone = models.PointIdsList(points=[point.id for point in found])
        await bench.client.delete(bench.index.collection, gone, wait=True)
        await bench.integrity.examine("seeming", 1, whole=False)
        assert bench.integrity.is_damaged("seeming", 1)
        again = [
            models.PointStruct(id=point.id, vector=point.vector, payload=point.payload)
            for point in found
        ]
        await bench.client.upsert(bench.index.collection, again, wait=True)
        await bench.integrity.examine("seeming", 1, whole=False)
        bench.integrity.check("seeming", 1)


@pytest.mark.fault("G8")
async def test_an_index_whose_database_is_empty_is_told_until_a_book_is_ingested(
    tmp_path: Path,
) -> None:
    with postgres_node(tmp_path / "first") as first:
        async with watched(tmp_path / "qdrant", first) as (bench, _):
            assert not await bench.integrity.is_forgotten()
            await bench.ingest("lost", FILES)
            await bench.ingest("lost", {}, kind=JobKind.DELETE_BOOK)
            assert not await bench.integrity.is_forgotten()
            await bench.ingest("lost", FILES)
    with postgres_node(tmp_path / "second") as second:
        async with watched(tmp_path / "qdrant", second) as (bench, _):
            assert await bench.integrity.is_forgotten()
            assert await said_of_the_catalogue(bench.integrity) == NOT_SERVING
            await bench.ingest("lost", FILES)
            assert await said_of_the_catalogue(bench.integrity) == SERVING


@pytest.mark.fault("G8")
async def test_points_of_the_first_book_are_no_sign_of_a_lost_database_while_it_comes_in(
    tmp_path: Path,
) -> None:
    with postgres_node(tmp_path / "first") as first:
        async with watched(tmp_path / "qdrant", first) as (bench, _):
            await bench.ingest("lost", FILES)
    with postgres_node(tmp_path / "second") as second:
        async with watched(tmp_path / "qdrant", second) as (bench, _):
            await bench.add("lost", FILES)
            assert await said_of_the_catalogue(bench.integrity) == NOT_SERVING
            job = await bench.claim()
            assert await said_of_the_catalogue(bench.integrity) == SERVING
            await bench.jobs.put_back(job, 60.0)
            assert await said_of_the_catalogue(bench.integrity) == SERVING
            await bench.jobs.cancel(job.job_id)
            assert await said_of_the_catalogue(bench.integrity) == NOT_SERVING


async def said_of_the_catalogue(integrity: IntegrityCheck) -> int:
    """Return what readiness says after the first look."""
    readiness, servicer, no_context = Readiness(), health.aio.HealthServicer(), cast("Any", None)
    await readiness.attach(servicer)

    async def end(_: float) -> None:
        raise asyncio.CancelledError

    with suppress(asyncio.CancelledError):
        await integrity.watch_forgotten(readiness, end)
    request = health_pb2.HealthCheckRequest(service=CATALOGUE)
    return int((await servicer.Check(request, no_context)).status)

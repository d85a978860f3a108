"""Moving books to another embedding model while they are read, on real engines and over sockets."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import grpc
import numpy as np
import pytest
from quoth.ingest.v1 import ingest_service_pb2 as messages
from quoth.ingest.v1 import ingest_service_pb2_grpc
from quoth.ingest.v1.ingest_service_pb2 import IngestJob
from quoth.retrieval.v1 import retrieval_service_pb2, retrieval_service_pb2_grpc

from libs.budget.stages import RETRIEVAL
from libs.embedding.choice import open_embedder_before
from libs.embedding.port import Vectors
from libs.errors import WrongIndex
from libs.ml import LogisticModel
from libs.rpc.channel import open_channel
from libs.rpc.server import start_server
from libs.rpc.status import error_from_rpc
from libs.settings import SettingsError
from libs.vectors.schema import Scope, collection_name
from services.ingest.adapters.qdrant_index import QdrantIndex
from services.retrieval.bootstrap import bootstrap as bootstrap_retrieval
from services.retrieval.settings import Settings as RetrievalSettings
from tests.support.engines import PostgresNode, QdrantNode
from tests.support.ingest_fakes import STAMP, HashEmbedder, zipped
from tests.support.ingest_service import ingest_serving

ONE = {"a.md": "# Oil\n\nOil flows downwards.", "b.md": "# Wheels\n\nThe wheel is round."}
TWO = {**ONE, "b.md": "# Wheels\n\nThe wheel is square."}


class Model(HashEmbedder):
    """Another model: vectors of another length, which the other's collection would not take."""

    def __init__(self, name: str, dimensions: int) -> None:
        super().__init__()
        self.stamp = replace(STAMP, name=name, dimensions=dimensions)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = await super().embed(texts)
        wide = np.resize(rows, (len(texts), self.stamp.dimensions)).astype(np.float32)
        unit: Vectors = wide / np.linalg.norm(wide, axis=1, keepdims=True)
        return unit


OLD, NEW = Model("old", STAMP.dimensions), Model("new", STAMP.dimensions + 3)


@pytest.fixture
def calibrations(tmp_path: Path) -> Path:
    """A classifier for each of the two embedders, which lets everything pass."""
    for model in (OLD, NEW):
        stamp = collection_name(model.stamp)
        open_to_all = LogisticModel(stamp, ("cosine_first",), (0.0,), (1.0,), (0.0,), 9.0)
        open_to_all.save(tmp_path / f"{model.stamp.name}.json")
    return tmp_path


class Ingest:
    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.stub = ingest_service_pb2_grpc.IngestServiceStub(channel)

    async def put(self, files: dict[str, str], book: str = "book") -> int:
        header = messages.SourceHeader(file_name="b.zip", book=book)
        parts = [
            messages.StartIngestRequest(header=header),
            messages.StartIngestRequest(data=zipped(files)),
        ]
        return await self.end((await self.stub.StartIngest(iter(parts), timeout=20)).job)

    async def roll_back(self, edition: int, book: str = "book") -> int:
        request = messages.RollBackRequest(book=book, edition=edition)
        try:
            answer = await self.stub.RollBack(request, timeout=20)
        except grpc.aio.AioRpcError as error:
            raise error_from_rpc(error, "ingest") from error
        return await self.end(answer.job)

    async def vacuum(self, book: str = "book") -> None:
        request = messages.VacuumBookRequest(book=book, keep=1)
        await self.end((await self.stub.VacuumBook(request, timeout=20)).job)

    async def end(self, job: IngestJob) -> int:
        request = messages.WatchIngestRequest(job_id=job.job_id)
        *_, last = [answer.job async for answer in self.stub.WatchIngest(request, timeout=240)]
        assert last.state in (messages.JOB_STATE_PUBLISHED, messages.JOB_STATE_DONE), last.error
        return int(last.edition)


@asynccontextmanager
async def ingest_by(
    embedder: Model, engines: tuple[QdrantNode, PostgresNode], before: Model | None = None
) -> AsyncIterator[Any]:
    stamp = before.stamp if before else None
    async with ingest_serving(engines, embedder, before=stamp) as channel:
        yield Ingest(channel)


@asynccontextmanager
async def readers_by(
    embedder: Model,
    engines: tuple[QdrantNode, PostgresNode],
    calibrations: Path,
    before: Model | None = None,
) -> AsyncIterator[Any]:
    settings = RetrievalSettings(qdrant_url=engines[0].url, answerability=calibrations)
    service = bootstrap_retrieval(settings, embedder=embedder, before=before)
    await service.warm()
    running = await start_server("127.0.0.1:0", service.register, RETRIEVAL)
    channel = open_channel(f"127.0.0.1:{running.port}")
    stub = retrieval_service_pb2_grpc.RetrievalServiceStub(channel)

    async def read(edition: int, book: str = "book") -> list[str]:
        request = retrieval_service_pb2.SearchPassagesRequest(
            book=book, edition=edition, question="Is the wheel round or square?"
        )
        try:
            answer = await stub.SearchPassages(request, timeout=10)
        except grpc.aio.AioRpcError as error:
            raise error_from_rpc(error, "retrieval") from error
        return sorted(passage.text for passage in answer.passages)

    try:
        yield read
    finally:
        await channel.close()
        await running.stop(0)
        await service.close()


OF_ONE = ["Oil flows downwards.", "The wheel is round."]
OF_TWO = ["Oil flows downwards.", "The wheel is square."]


async def test_each_edition_is_read_by_its_own_model_before_and_after_the_switch(
    engines: tuple[QdrantNode, PostgresNode], calibrations: Path
) -> None:
    async with ingest_by(OLD, engines) as ingest:
        assert await ingest.put(ONE) == 1
    async with readers_by(NEW, engines, calibrations, before=OLD) as read:
        assert read_in(await read(1)) == OF_ONE
        async with ingest_by(NEW, engines) as ingest:
            # The same source, and a changed one: the first takes all vectors anew.
            assert await ingest.put(ONE) == 2
            assert await ingest.put(TWO) == 3
        assert read_in(await read(1)) == OF_ONE
        assert read_in(await read(2)) == OF_ONE
        assert read_in(await read(3)) == OF_TWO
        # And back, as after a change of mind.
        async with ingest_by(OLD, engines) as ingest:
            assert await ingest.put(TWO) == 4
        assert [read_in(await read(edition)) for edition in (1, 2, 3, 4)] == [
            *(OF_ONE, OF_ONE, OF_TWO, OF_TWO)
        ]


def read_in(passages: list[str]) -> list[str]:
    return sorted(text.split("\n")[-1] for text in passages)


async def test_an_edition_is_in_one_collection_only(
    engines: tuple[QdrantNode, PostgresNode], calibrations: Path
) -> None:
    async with ingest_by(OLD, engines) as ingest:
        await ingest.put(ONE, "alone")
    async with ingest_by(NEW, engines) as ingest:
        await ingest.put(TWO, "alone")
    client = engines[0].client()
    held = [
        [
            (await client.count(collection_name(model.stamp), Scope("alone", n).to_filter())).count
            for n in (1, 2)
        ]
        for model in (OLD, NEW)
    ]
    await client.close()
    assert held == [[2, 0], [0, 2]]
    async with readers_by(OLD, engines, calibrations) as read:
        assert read_in(await read(1, "alone")) == OF_ONE
        with pytest.raises(WrongIndex, match="QUOTH_EMBEDDER_BEFORE"):
            await read(2, "alone")


async def test_books_move_one_by_one(
    engines: tuple[QdrantNode, PostgresNode], calibrations: Path
) -> None:
    async with ingest_by(OLD, engines) as ingest:
        await ingest.put(ONE, "stays")
        await ingest.put(ONE, "moves")
    async with ingest_by(NEW, engines) as ingest:
        await ingest.put(TWO, "moves")
    async with readers_by(NEW, engines, calibrations, before=OLD) as read:
        assert read_in(await read(1, "stays")) == OF_ONE
        assert read_in(await read(2, "moves")) == OF_TWO
    async with readers_by(NEW, engines, calibrations) as read:
        with pytest.raises(WrongIndex, match="ingest it again"):
            await read(1, "stays")


async def test_readers_notice_nothing_of_the_switch(
    engines: tuple[QdrantNode, PostgresNode], calibrations: Path
) -> None:
    """The old edition is read throughout, until the very call that reads the new one."""
    async with (
        ingest_by(OLD, engines) as ingest,
        readers_by(NEW, engines, calibrations, before=OLD) as read,
    ):
        await ingest.put(ONE, "watched")
        found, done = [], asyncio.Event()

        async def watch() -> None:
            while not done.is_set():
                found.append(read_in(await read(1, "watched")))

        watching = asyncio.create_task(watch())
        async with ingest_by(NEW, engines) as other:
            await other.put(TWO, "watched")
        done.set()
        await watching
        assert len(found) > 1
        assert all(texts == OF_ONE for texts in found)
        assert read_in(await read(2, "watched")) == OF_TWO


async def test_a_book_goes_back_to_the_model_before_while_both_are_there(
    engines: tuple[QdrantNode, PostgresNode], calibrations: Path
) -> None:
    async with ingest_by(OLD, engines) as ingest:
        await ingest.put(ONE, "back")
    async with ingest_by(NEW, engines, before=OLD) as ingest:
        assert await ingest.put(TWO, "back") == 2
        assert await ingest.roll_back(0, "back") == 1
        async with readers_by(NEW, engines, calibrations, before=OLD) as read:
            assert read_in(await read(1, "back")) == OF_ONE
        assert await ingest.roll_back(2, "back") == 2
    async with ingest_by(NEW, engines) as ingest:
        with pytest.raises(WrongIndex, match="QUOTH_EMBEDDER_BEFORE"):
            await ingest.roll_back(1, "back")


async def test_a_switch_that_was_broken_off_leaves_nothing_behind(
    engines: tuple[QdrantNode, PostgresNode], calibrations: Path
) -> None:
    async with ingest_by(OLD, engines) as ingest:
        await ingest.put(ONE, "torn")
        client = engines[0].client()
        other = QdrantIndex(client, NEW.stamp)
        await other.prepare()
        # Killed after the last step before the one transaction that would have made it edition 2.
        await other.retire_all("torn", 2)
        async with readers_by(OLD, engines, calibrations) as read:
            assert read_in(await read(1, "torn")) == OF_ONE
            assert await ingest.put(TWO, "torn") == 2
            assert read_in(await read(2, "torn")) == OF_TWO
        assert await other.count("torn", 2) == 0
        await client.close()


async def test_the_collection_of_a_model_that_no_book_is_in_any_more_is_dropped(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    client, gone = engines[0].client(), Model("gone", 8)
    async with ingest_by(OLD, engines) as ingest:
        await ingest.put(ONE, "stays")
    await QdrantIndex(client, gone.stamp).prepare()
    current = QdrantIndex(client, NEW.stamp)
    await current.prepare()
    for model in (gone, OLD, NEW):
        await current.vacuum("no-such-book", collection_name(model.stamp), [])
    there = [
        await client.collection_exists(collection_name(model.stamp)) for model in (gone, OLD, NEW)
    ]
    await client.close()
    assert there == [False, True, True]


async def let_a_minute_pass(postgres: PostgresNode) -> None:
    """Editions that were current are kept for a minute, for who is reading them."""
    connection = await asyncpg.connect(postgres.dsn)
    await connection.execute(
        "UPDATE editions SET superseded_at = superseded_at - interval '1 minute'"
    )
    await connection.close()


async def test_after_a_move_and_a_vacuum_nothing_of_the_former_model_is_left(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    client, former, later = engines[0].client(), Model("former", 7), Model("later", 9)
    name = collection_name(former.stamp)
    async with ingest_by(former, engines) as ingest:
        await ingest.put(ONE, "moved")
        await ingest.put(ONE, "follows")
        # Killed before it was an edition: nothing tells of the points of this one.
        torn = QdrantIndex(client, Model("torn", 5).stamp)
        await torn.prepare()
    async with ingest_by(later, engines) as ingest:
        for book in ("moved", "follows"):
            await ingest.put(TWO, book)
            assert await client.collection_exists(name), "until its last edition is gone"
            await let_a_minute_pass(engines[1])
            await ingest.vacuum(book)
    there = [await client.collection_exists(one) for one in (name, torn.collection)]
    assert await client.collection_exists(collection_name(later.stamp))
    await client.close()
    assert there == [False, False]


async def test_a_document_deleted_by_the_other_model_is_gone(
    engines: tuple[QdrantNode, PostgresNode], calibrations: Path
) -> None:
    async with ingest_by(OLD, engines) as ingest:
        await ingest.put(ONE, "smaller")
    async with ingest_by(NEW, engines) as ingest:
        request = messages.DeleteDocumentRequest(book="smaller", path="b.md")
        job = (await ingest.stub.DeleteDocument(request, timeout=20)).job
        assert await ingest.end(job) == 2
    async with readers_by(NEW, engines, calibrations, before=OLD) as read:
        assert read_in(await read(2, "smaller")) == ["Oil flows downwards."]
        assert read_in(await read(1, "smaller")) == OF_ONE


def test_the_model_before_is_named_in_one_variable() -> None:
    assert open_embedder_before(Path(), {}) is None
    key = {"OPENAI_API_KEY": "key"}
    before = open_embedder_before(Path(), {"QUOTH_EMBEDDER_BEFORE": "openai:mine:latest@24", **key})
    assert before
    assert (before.stamp.name, before.stamp.dimensions) == ("mine:latest", 24)
    for wrong in ("magic", "openai:mine", "openai:mine@many", "local:/nowhere"):
        with pytest.raises(SettingsError, match="QUOTH_EMBEDDER_BEFORE"):
            open_embedder_before(Path(), {"QUOTH_EMBEDDER_BEFORE": wrong, **key})
    # The key of the new model's provider is not the former one's.
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        open_embedder_before(
            Path(), {"QUOTH_EMBEDDER_BEFORE": "openai:mine@24", "QUOTH_EMBEDDER_KEY": "key"}
        )

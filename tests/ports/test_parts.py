"""A book in one part of its collection: what ingest, retrieval and backups ask names the part.

A stand-in gives the embedded node parts: it notes which part each message names, takes the name away
and passes the message on. A cluster holds messages to it itself: give test_passage_index.py its address
and QUOTH_QDRANT_SHARDS.
"""

import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient
from qdrant_client import grpc as q
from qdrant_client.async_qdrant_remote import AsyncQdrantRemote

from deploy.backup.files import open_files
from deploy.backup.points import BookAtMoment, clear_points, load_points, save_points
from libs.vectors.collection import lay_out_collection
from libs.vectors.layout import Layout
from libs.vectors.parts import part_names, part_of
from libs.vectors.schema import Scope, collection_name
from libs.vectors.sparse import SparseEncoder
from services.ingest.adapters.qdrant_index import QdrantIndex as WrittenIndex
from services.ingest.adapters.qdrant_index import point_id
from services.ingest.model.book import BlockKind, Chunk, ChunkVectors, Published, Span
from services.retrieval.adapters.qdrant_index import QdrantIndex as SearchedIndex
from services.retrieval.model import QuestionVectors
from tests.support.engines import QdrantNode, qdrant_node
from tests.support.ingest_fakes import STAMP

COUNT = 6
NAME = collection_name(STAMP)
BOOKS = ("book-a", "book-b", "book-c")
VECTOR = np.eye(STAMP.dimensions, dtype=np.float32)[0]


class Keyed:
    """The calls of a node, as if its collections had a key for each part."""

    def __init__(self, calls: Any) -> None:
        self._calls = calls
        self.named: list[tuple[str, set[str]]] = []

    def __getattr__(self, method: str) -> Any:
        async def call(request: Any, **options: Any) -> Any:
            messages = request.query_points if method == "QueryBatch" else [request]
            if method == "CreateFieldIndex":
                messages = []  # of all parts
            for message in messages:
                keys = {key.keyword for key in message.shard_key_selector.shard_keys}
                self.named.append((method, keys))
                message.ClearField("shard_key_selector")
            return await getattr(self._calls, method)(request, **options)

        return call

    def parts(self) -> set[str]:
        """The parts that were named since the last time; every message must have named one."""
        assert self.named
        assert all(len(keys) == 1 for _, keys in self.named), self.named
        found = set[str]().union(*(keys for _, keys in self.named))
        self.named.clear()
        return found


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantNode]:
    with qdrant_node(tmp_path_factory.mktemp("qdrant")) as running:
        yield running


@pytest.fixture
async def client(node: QdrantNode) -> AsyncIterator[AsyncQdrantClient]:
    opened = node.client()
    yield opened
    await opened.delete_collection(NAME)
    await opened.close()


@pytest.fixture
async def keyed(client: AsyncQdrantClient, monkeypatch: pytest.MonkeyPatch) -> Keyed:
    """The store with the collection of STAMP in it, in parts."""
    await lay_out_collection(client, NAME, STAMP.dimensions, Layout())
    store = Keyed(client.grpc_points)
    described = [q.ShardKeyDescription(key=q.ShardKey(keyword=name)) for name in part_names(COUNT)]

    async def list_keys(*_arguments: Any, **_options: Any) -> q.ListShardKeysResponse:
        return q.ListShardKeysResponse(shard_keys=described)

    collections = client.grpc_collections
    others = {
        name: getattr(collections, name) for name in ("Get", "List", "CollectionExists", "Delete")
    }
    with_keys = SimpleNamespace(**others, ListShardKeys=list_keys)
    monkeypatch.setattr(AsyncQdrantRemote, "grpc_points", property(lambda _: store))
    monkeypatch.setattr(AsyncQdrantRemote, "grpc_collections", property(lambda _: with_keys))
    return store


def chunk_id(book: str, place: int) -> str:
    return uuid.uuid5(uuid.NAMESPACE_OID, f"{book}/{place}").hex


def chunk(book: str, place: int) -> Chunk:
    text = "Motors turn gears."
    start, end = place * 100, place * 100 + len(text)
    return Chunk(
        chunk_id=chunk_id(book, place),
        document="a.md",
        position=place,
        start=start,
        end=end,
        body=text,
        section_path=("Book",),
        section_keys=("Book",),
        anchor="",
        url="",
        page=0,
        spans=(Span(start, end, BlockKind.PARAGRAPH),),
        token_count=4,
    )


async def write(client: AsyncQdrantClient, book: str) -> WrittenIndex:
    index = WrittenIndex(client, STAMP)
    await index.write(book, "en", 1, [chunk(book, 0), chunk(book, 1)], [ChunkVectors(VECTOR)] * 2)
    return index


async def test_every_write_of_a_book_goes_to_its_shard(
    client: AsyncQdrantClient, keyed: Keyed
) -> None:
    for book in BOOKS:
        index = await write(client, book)
        await index.retire(book, [Published(chunk_id(book, 0), 1, "")], 2)
        await index.sweep(book, 1)
        assert await index.count(book, 1) == 2
        condition = await index.examine(
            book, 1, {(chunk_id(book, place), 1) for place in range(2)}, whole=True
        )
        assert (condition.missing, condition.damaged) == (0, 0)
        await index.retire_all(book, 2)
        await index.vacuum(book, NAME, [2])
        assert await index.count(book, 1) == 0
        assert keyed.parts() == {part_of(book, COUNT)}


async def test_whatever_is_asked_of_a_book_is_asked_of_its_part(
    client: AsyncQdrantClient, keyed: Keyed
) -> None:
    for book in BOOKS:
        await write(client, book)
    keyed.named.clear()
    asked = QuestionVectors(VECTOR, SparseEncoder("en").encode_question("motors"))
    for book in BOOKS:
        index, scope = SearchedIndex(client, STAMP), Scope(book, 1)
        [found] = await index.search(scope, [asked], limit=5, timeout_s=5)
        assert len(await index.read(found, timeout_s=5)) == 2
        assert await index.languages(book, 1, timeout_s=5) == ["en"]
        assert len(await index.outline(book, 1, timeout_s=5)) == 1
        assert (await index.vocabulary(book, 1, timeout_s=5)).counts["motors"] == 2
        assert await index.count(scope, timeout_s=5) == 2
        assert keyed.parts() == {part_of(book, COUNT)}


async def test_a_backup_puts_each_book_into_its_part(
    client: AsyncQdrantClient, keyed: Keyed, tmp_path: Path
) -> None:
    points = {point_id(chunk_id("book-a", place), 1) for place in range(2)}
    await write(client, "book-a")
    files = open_files(str(tmp_path / "backup"), make=True)
    at_moment = BookAtMoment("book-a", 1, {NAME: points})
    [saved], missing = await save_points(client, files, [at_moment])
    assert (saved.points, missing) == (2, {"book-a": 0})
    keyed.named.clear()
    await clear_points(client)
    assert {name for _, names in keyed.named for name in names} == {*part_names(COUNT)}
    keyed.named.clear()
    await load_points(client, files, [saved], Layout())
    written = [names for method, names in keyed.named if method == "Upsert"]
    assert written == [{part_of("book-a", COUNT)}]

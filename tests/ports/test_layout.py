"""How collections are laid out when there is much: on the embedded node, scores stay exact."""

import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient, grpc, models
from qdrant_client.http.models import PointStruct, VersionInfo

from libs.embedding import ModelStamp
from libs.errors import Unavailable
from libs.settings import SettingsError
from libs.vectors.layout import Layout, load_layout
from libs.vectors.schema import ALIVE, BM25, DENSE, INDEXES, Payload, Scope, collection_name
from libs.vectors.sparse import SparseEncoder
from libs.vectors.stored import StoredChunk
from services.ingest.adapters.qdrant_index import QdrantIndex as WrittenIndex
from services.retrieval.adapters.qdrant_index import QdrantIndex as SearchedIndex
from services.retrieval.model import QuestionVectors
from tests.support.engines import QdrantNode, qdrant_node
from tests.support.memory_qdrant import no_parts

SIZE, POINTS = 64, 1500
STAMP = ModelStamp("many", "1", dimensions=SIZE, max_tokens=256, recipe="none")
NAME = collection_name(STAMP)
ENCODER = SparseEncoder("en")
WORDS = ("hydraulic", "electric", "actuator", "motor", "torque", "pressure", "valve", "node")


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantNode]:
    # Graphs are made as soon as everything is written, in place of at 20,000 points.
    with qdrant_node(tmp_path_factory.mktemp("qdrant"), optimise_at=POINTS) as running:
        yield running


@pytest.fixture
async def client(node: QdrantNode) -> AsyncIterator[AsyncQdrantClient]:
    opened = node.client()
    yield opened
    await opened.delete_collection(NAME)
    await opened.close()


def make_points() -> tuple[np.ndarray, list[PointStruct]]:
    random = np.random.default_rng(5)
    vectors = random.normal(size=(POINTS, SIZE))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    points = []
    for place, vector in enumerate(vectors):
        text = " ".join(random.choice(WORDS, size=4))
        stored = StoredChunk(
            chunk_id=f"c{place}",
            document="a.md",
            start=0,
            end=len(text),
            position=place,
            section_path=("Book",),
            section_keys=("Book",),
            anchor="",
            url="",
            page=0,
            text=text,
            spans=((0, len(text), 2),),
        )
        payload = {
            Payload.BOOK: f"book-{place % 3}",
            Payload.LANGUAGE: "en",
            Payload.BORN: 1,
            Payload.DIED: ALIVE,
            Payload.DOCUMENT: "a.md",
            Payload.START: 0,
            Payload.END: len(text),
            Payload.SECTIONS: ["Book"],
            Payload.CHUNK: stored.encode(),
        }
        both = {DENSE: vector.tolist(), BM25: ENCODER.encode_document(text)}
        point_id = str(uuid.UUID(int=place))
        points.append(models.PointStruct(id=point_id, vector=both, payload=payload))
    return vectors, points


async def fill(client: AsyncQdrantClient, layout: Layout) -> np.ndarray:
    await WrittenIndex(client, STAMP, layout).prepare()
    vectors, points = make_points()
    for start in range(0, POINTS, 250):
        await client.upsert(NAME, points[start : start + 250], wait=True)
    return vectors


@pytest.mark.parametrize(
    ("layout", "least"),
    [
        (Layout(), 10),
        (Layout(vectors_on_disk=True, payload_on_disk=False, indexes_on_disk=False), 10),
        (Layout(quantisation="scalar"), 9),
        # A bit a number is coarse for vectors as short and as random as these.
        (Layout(quantisation="binary", oversampling=4.0), 4),
    ],
    ids=["default", "on disk", "scalar", "binary"],
)
async def test_scores_are_exact_however_the_collection_is_laid_out(
    client: AsyncQdrantClient, layout: Layout, least: int
) -> None:
    vectors = await fill(client, layout)
    index = SearchedIndex(client, STAMP, layout)
    drawn = np.random.default_rng(9).normal(size=SIZE)
    asked = (drawn / np.linalg.norm(drawn)).astype(np.float32)
    cosines = vectors @ asked
    question = QuestionVectors(asked, ENCODER.encode_question("hydraulic torque"))
    [found] = await index.search(Scope("book-1", 1), [question], limit=10, timeout_s=5)
    assert {candidate.chunk.position % 3 for candidate in found} == {1}
    for candidate in found:
        assert candidate.dense == pytest.approx(cosines[candidate.chunk.position], abs=1e-5)
    nearest = sorted(range(1, POINTS, 3), key=lambda place: -cosines[place])[:10]
    first = [c.chunk.position for c in sorted(found, key=lambda c: -c.dense)][:10]
    assert len(set(first) & set(nearest)) >= least


async def test_a_collection_says_how_it_is_laid_out(client: AsyncQdrantClient) -> None:
    layout = Layout(vectors_on_disk=True, quantisation="scalar", hnsw_m=24, hnsw_ef_construct=200)
    await WrittenIndex(client, STAMP, layout).prepare()
    info: Any = await client.get_collection(NAME)
    dense = info.config.params.vectors[DENSE]
    assert dense.on_disk
    assert dense.quantization_config.scalar.type == models.ScalarType.INT8
    hnsw = info.config.hnsw_config
    # A graph for each book that is large enough for one, none over all.
    assert (hnsw.m, hnsw.payload_m, hnsw.ef_construct) == (0, 24, 200)
    assert info.config.params.on_disk_payload
    assert info.config.params.sparse_vectors[BM25].index.on_disk
    in_memory = {key for key in INDEXES if not layout.of_field(key).on_disk}
    assert in_memory == {Payload.BOOK, Payload.BORN, Payload.DIED}
    # What an optimisation holds does not grow with the collection: 200,000 vectors of 64 numbers.
    assert info.config.optimizer_config.max_segment_size == 200_000 * SIZE * 4 // 1024


MADE = {
    "QUOTH_QDRANT_VECTORS_ON_DISK": ("true", "vectors", True),
    "QUOTH_QDRANT_PAYLOAD_ON_DISK": ("false", "payload", False),
    "QUOTH_QDRANT_INDEXES_ON_DISK": ("false", "words", False),
    "QUOTH_QDRANT_QUANTISATION": ("binary", "quantisation", "binary"),
    "QUOTH_QDRANT_HNSW_M": ("24", "m", 24),
    "QUOTH_QDRANT_HNSW_EF_CONSTRUCT": ("200", "ef_construct", 200),
}
SEARCHED = {
    "QUOTH_QDRANT_SEARCH_EF": ("77", "ef", 77),
    "QUOTH_QDRANT_QUANTISATION": ("scalar", "rescore", True),
    "QUOTH_QDRANT_OVERSAMPLING": ("3.5", "oversampling", 3.5),
    "QUOTH_QDRANT_READ_CONSISTENCY": ("majority", "consistency", grpc.ReadConsistencyType.Majority),
}
SEVERAL = ("QUOTH_QDRANT_SHARDS", "QUOTH_QDRANT_REPLICAS", "QUOTH_QDRANT_WRITE_CONSISTENCY")


def test_every_setting_of_the_layout_is_tried_below() -> None:
    named = {field.metadata["variable"] for field in fields(Layout)}
    assert named == {*MADE, *SEARCHED, *SEVERAL}


async def said_of_collection(client: AsyncQdrantClient) -> dict[str, int | str | None]:
    """What the node says of the collection."""
    config: Any = (await client.get_collection(NAME)).config
    dense = config.params.vectors[DENSE]
    quantised = dense.quantization_config
    return {
        "vectors": bool(dense.on_disk),
        "payload": bool(config.params.on_disk_payload),
        "words": bool(config.params.sparse_vectors[BM25].index.on_disk),
        "quantisation": next(iter(quantised.model_dump(exclude_none=True)), "")
        if quantised
        else "",
        "m": config.hnsw_config.payload_m,
        "ef_construct": config.hnsw_config.ef_construct,
    }


@pytest.mark.parametrize("variable", MADE)
async def test_a_setting_reaches_the_collection_and_changes_nothing_else(
    client: AsyncQdrantClient, variable: str
) -> None:
    value, name, expected = MADE[variable]
    await WrittenIndex(client, STAMP, load_layout({})).prepare()
    usual = await said_of_collection(client)
    await client.delete_collection(NAME)
    await WrittenIndex(client, STAMP, load_layout({variable: value})).prepare()
    assert usual[name] != expected
    assert await said_of_collection(client) == {**usual, name: expected}


@pytest.mark.parametrize("variable", SEARCHED)
async def test_a_setting_reaches_every_dense_search(variable: str) -> None:
    value, name, expected = SEARCHED[variable]
    asked: list[Any] = []

    async def query_batch(request: Any, timeout: float) -> Any:
        asked.append(request)
        return grpc.QueryBatchResponse()

    recording: Any = SimpleNamespace(
        grpc_points=SimpleNamespace(QueryBatch=query_batch),
        grpc_collections=SimpleNamespace(ListShardKeys=no_parts),
    )
    needed = {"QUOTH_QDRANT_QUANTISATION": "scalar"} if name == "oversampling" else {}
    index = SearchedIndex(recording, STAMP, load_layout({**needed, variable: value}))
    question = QuestionVectors(np.ones(SIZE, np.float32), ENCODER.encode_question("torque"))
    await index.search(Scope("b", 1), [question], limit=5, timeout_s=5)
    [request] = asked
    searches = [
        part
        for query in request.query_points
        for part in (query, *query.prefetch)
        if part.using == DENSE
    ]
    assert len(searches) == 4
    for search in searches:
        said = {
            "ef": search.params.hnsw_ef,
            "rescore": search.params.quantization.rescore,
            "oversampling": search.params.quantization.oversampling,
            "consistency": request.read_consistency.type,
        }
        assert said[name] == expected


async def test_one_node_refuses_more_parts_and_copies_than_it_has(node: QdrantNode) -> None:
    client = node.client()
    for layout in (Layout(shards=2), Layout(replicas=2), Layout(write_consistency=2)):
        with pytest.raises(Unavailable, match="a single server"):
            await WrittenIndex(client, STAMP, layout).prepare()
    assert not await client.collection_exists(NAME)
    await client.close()


@pytest.mark.parametrize("consistency", ["", "majority", "quorum", "all"])
async def test_a_read_may_ask_more_copies_than_one(
    client: AsyncQdrantClient, consistency: str
) -> None:
    layout = Layout(read_consistency=consistency)
    await WrittenIndex(client, STAMP, layout).prepare()
    index = SearchedIndex(client, STAMP, layout)
    assert not await index.holds("book", 1, timeout_s=5)
    asked = QuestionVectors(np.ones(SIZE, np.float32), ENCODER.encode_question("torque"))
    assert await index.search(Scope("book", 1), [asked], limit=5, timeout_s=5) == [[]]


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("QUOTH_QDRANT_QUANTISATION", "product"),
        ("QUOTH_QDRANT_READ_CONSISTENCY", "some"),
        ("QUOTH_QDRANT_OVERSAMPLING", "0.5"),
        ("QUOTH_QDRANT_SHARDS", "0"),
        ("QUOTH_QDRANT_HNSW_M", "many"),
    ],
)
def test_a_layout_that_cannot_be_is_refused_by_its_variable(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        load_layout({variable: value})


def test_every_part_of_the_layout_comes_from_the_environment() -> None:
    layout = load_layout(
        {
            "QUOTH_QDRANT_SHARDS": "6",
            "QUOTH_QDRANT_REPLICAS": "2",
            "QUOTH_QDRANT_WRITE_CONSISTENCY": "2",
            "QUOTH_QDRANT_QUANTISATION": "binary",
            "QUOTH_QDRANT_SEARCH_EF": "256",
        }
    )
    made = layout.of_collection(8)
    # One shard a part: the parts are made with their keys.
    assert (made["shard_number"], made["replication_factor"]) == (1, 2)
    assert made["sharding_method"] is models.ShardingMethod.CUSTOM
    assert made["write_consistency_factor"] == 2
    search = layout.of_search()
    assert (search.hnsw_ef, search.quantization.rescore) == (256, True)


@pytest.mark.parametrize("version", ["1.18.3", "0.99.0"])
async def test_a_server_that_would_count_terms_among_all_books_gets_no_book(
    client: AsyncQdrantClient, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    async def info() -> VersionInfo:
        return models.VersionInfo(title="qdrant", version=version)

    monkeypatch.setattr(client, "info", info)
    with pytest.raises(Unavailable, match=f"is Qdrant {version}; it must be 1.19 or later"):
        await WrittenIndex(client, STAMP).prepare()
    assert not await client.collection_exists(NAME)

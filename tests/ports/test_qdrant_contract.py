"""What Quoth asks of Qdrant: one suite, held by the embedded node and by a real server.

The reference is qdrant-client's own local mode, with the same data and the same calls; where an
exact score matters it is computed here as well. Set QUOTH_TEST_QDRANT_URL to the gRPC address of
a server (http://127.0.0.1:6334) to hold it to the same, or have a container engine running.
"""

import math
import os
import random
import uuid
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc
import pytest
from qdrant_client import AsyncQdrantClient
from qdrant_client import grpc as q
from qdrant_client import models as m

from tests.support.engines import qdrant_node

SERVER_IMAGE = "qdrant/qdrant:v1.20.0"
SIZE = 8
TERMS = 30
TOLERANCE = 1e-5
DENSE, SPARSE = "dense", "bm25"

Id = Any
"""A number or a UUID: of what type a client gives it back is the client's matter."""
Call = Callable[[AsyncQdrantClient, str], Awaitable[Any]]


def make_points() -> list[m.PointStruct]:
    rng = random.Random(7)
    points = []
    for number in range(60):
        identifier: Id = number if number < 50 else str(uuid.UUID(int=rng.getrandbits(128)))
        terms = sorted(rng.sample(range(TERMS), rng.randint(2, 6)))
        weights = [round(rng.uniform(0.5, 2.0), 3) for _ in terms]
        payload = {
            "book": f"book-{number % 3}",
            "start": number * 100,
            "born": number % 4,
            "price": number / 7,
            "flag": number % 2 == 0,
            "tags": [f"t{number % 5}", f"t{number % 7}"],
            "parts": [{"kind": "a", "n": number % 3}, {"kind": "b", "n": number % 5}],
        }
        if number % 6 == 0:
            payload["note"] = None
        if number % 5 == 0:
            payload["extra"] = "here"
        points.append(
            m.PointStruct(
                id=identifier,
                vector={
                    DENSE: [rng.gauss(0, 1) for _ in range(SIZE)],
                    SPARSE: m.SparseVector(indices=terms, values=weights),
                },
                payload=payload,
            )
        )
    return points


POINTS = make_points()
BY_ID: dict[Any, Any] = {point.id: point for point in POINTS}
_rng = random.Random(11)
DENSE_QUERY = [_rng.gauss(0, 1) for _ in range(SIZE)]
SPARSE_QUERY = m.SparseVector(indices=[2, 5, 11, 17], values=[1.0, 1.0, 1.0, 1.0])
PREFETCH_DENSE = m.Prefetch(query=DENSE_QUERY, using=DENSE, limit=20)
PREFETCH_SPARSE = m.Prefetch(query=SPARSE_QUERY, using=SPARSE, limit=20)


def exact_cosine(identifier: Id) -> float:
    vector = BY_ID[identifier].vector[DENSE]
    product = sum(a * b for a, b in zip(vector, DENSE_QUERY, strict=True))
    return float(product / math.hypot(*vector) / math.hypot(*DENSE_QUERY))


def exact_bm25(identifier: Id) -> float:
    """The sum of weights times Qdrant's IDF, which counts the points of the collection."""

    def weight_of(point: Any, term: int) -> float:
        sparse = point.vector[SPARSE]
        return float(dict(zip(sparse.indices, sparse.values, strict=True)).get(term, 0.0))

    def idf(term: int) -> float:
        holders = sum(1 for point in POINTS if weight_of(point, term))
        return math.log((len(POINTS) - holders + 0.5) / (holders + 0.5) + 1)

    return sum(weight_of(BY_ID[identifier], term) * idf(term) for term in SPARSE_QUERY.indices)


def best(score: Callable[[Id], float], count: int) -> list[Id]:
    return sorted(BY_ID, key=score, reverse=True)[:count]


async def load(client: AsyncQdrantClient, name: str) -> None:
    await client.create_collection(
        name,
        vectors_config={DENSE: m.VectorParams(size=SIZE, distance=m.Distance.COSINE)},
        sparse_vectors_config={SPARSE: m.SparseVectorParams(modifier=m.Modifier.IDF)},
        # As ours are: rarity is counted shard by shard, and a cluster makes one a server.
        shard_number=1,
    )
    await client.upsert(name, POINTS, wait=True)


async def index(client: AsyncQdrantClient, name: str) -> None:
    with warnings.catch_warnings():
        # Local mode warns that it has no payload indexes.
        warnings.simplefilter("ignore", UserWarning)
        for key, kind in (
            ("book", m.PayloadSchemaType.KEYWORD),
            ("start", m.PayloadSchemaType.INTEGER),
            (
                "born",
                m.IntegerIndexParams(type=m.IntegerIndexType.INTEGER, lookup=False, range=True),
            ),
        ):
            await client.create_payload_index(name, key, kind, wait=True)


@dataclass
class Backend:
    """A store under test and a collection in it, with the reference beside it."""

    kind: str
    client: AsyncQdrantClient
    reference: AsyncQdrantClient
    name: str

    async def both(self, call: Call) -> tuple[Any, Any]:
        with warnings.catch_warnings():
            # Local mode warns of what has no effect on it.
            warnings.simplefilter("ignore", UserWarning)
            return await call(self.client, self.name), await call(self.reference, self.name)


@pytest.fixture(scope="module")
def node_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with qdrant_node(tmp_path_factory.mktemp("qdrant") / "data") as node:
        yield f"127.0.0.1:{node.port}"


@pytest.fixture(scope="module")
def server_address() -> Iterator[str]:
    """The gRPC address of a real server."""
    url = os.environ.get("QUOTH_TEST_QDRANT_URL")
    if url:
        yield urlsplit(url).netloc
        return
    if "DOCKER_HOST" not in os.environ and not Path("/var/run/docker.sock").exists():
        pytest.skip("QUOTH_TEST_QDRANT_URL is not set and there is no container engine")
    container_module = pytest.importorskip("testcontainers.core.container")
    docker_errors = pytest.importorskip("docker.errors")
    container = container_module.DockerContainer(SERVER_IMAGE).with_exposed_ports(6334)
    try:
        container.start()
    except docker_errors.DockerException as error:
        pytest.skip(f"the container engine cannot start {SERVER_IMAGE}: {error}")
    try:
        host, port = container.get_container_host_ip(), container.get_exposed_port(6334)
        with grpc.insecure_channel(f"{host}:{port}") as channel:
            grpc.channel_ready_future(channel).result(timeout=60)
        yield f"{host}:{port}"
    finally:
        container.stop()


class Shelf:
    """The collections that tests only read, one per store, filled by the first who asks."""

    def __init__(self) -> None:
        self.name = f"contract-{uuid.uuid4().hex[:8]}"
        self.local = AsyncQdrantClient(":memory:")
        self.reference = AsyncQdrantClient(":memory:")
        self.addresses: set[str] = set()

    def clear(self) -> None:
        for address in self.addresses:
            with grpc.insecure_channel(address) as channel:
                q.CollectionsStub(channel).Delete(q.DeleteCollection(collection_name=self.name))


@pytest.fixture(scope="module")
def shelf(node_address: str) -> Iterator[Shelf]:
    made = Shelf()
    yield made
    made.clear()


@pytest.fixture(params=["node", "local", "server"])
async def client(
    request: pytest.FixtureRequest, shelf: Shelf
) -> AsyncIterator[tuple[str, AsyncQdrantClient]]:
    if request.param == "local":
        yield request.param, shelf.local
        return
    address = request.getfixturevalue(f"{request.param}_address")
    shelf.addresses.add(address)
    host, _, port = address.rpartition(":")
    made = AsyncQdrantClient(
        host=host, grpc_port=int(port), prefer_grpc=True, check_compatibility=False
    )
    yield request.param, made
    await made.close()


@pytest.fixture
async def backend(client: tuple[str, AsyncQdrantClient], shelf: Shelf) -> AsyncIterator[Backend]:
    """A store without the collection that is named."""
    made = Backend(*client, shelf.reference, f"contract-{uuid.uuid4().hex[:8]}")
    yield made
    for store in (made.client, made.reference):
        await store.delete_collection(made.name)


@pytest.fixture
async def changeable(backend: Backend) -> Backend:
    """A store with the points in it, of the test's own."""
    for store in (backend.client, backend.reference):
        await load(store, backend.name)
    return backend


@pytest.fixture
async def loaded(client: tuple[str, AsyncQdrantClient], shelf: Shelf) -> Backend:
    """A store with the points in it, to be read only."""
    made = Backend(*client, shelf.reference, shelf.name)
    for store in (made.client, made.reference):
        if not await store.collection_exists(made.name):
            await load(store, made.name)
            await index(store, made.name)
    return made


def scores(response: Any) -> list[tuple[Id, float]]:
    """Best first, ties by id."""
    found = [(point.id, point.score) for point in response.points]
    return sorted(found, key=lambda pair: (-round(pair[1], 5), str(pair[0])))


def assert_same(found: list[tuple[Id, float]], expected: list[tuple[Id, float]]) -> None:
    assert [identifier for identifier, _ in found] == [identifier for identifier, _ in expected]
    assert [score for _, score in found] == pytest.approx(
        [score for _, score in expected], abs=TOLERANCE
    )


async def test_a_dense_query_ranks_by_the_exact_cosine(loaded: Backend) -> None:
    response = await loaded.client.query_points(loaded.name, DENSE_QUERY, using=DENSE, limit=10)
    assert_same(
        scores(response), [(found, exact_cosine(found)) for found in best(exact_cosine, 10)]
    )


async def test_a_sparse_query_ranks_by_the_exact_bm25(loaded: Backend) -> None:
    response = await loaded.client.query_points(loaded.name, SPARSE_QUERY, using=SPARSE, limit=10)
    assert_same(scores(response), [(found, exact_bm25(found)) for found in best(exact_bm25, 10)])


async def test_each_list_is_rescored_by_the_other_vector_in_one_round_trip(
    loaded: Backend,
) -> None:
    dense_top, sparse_top = best(exact_cosine, 12), best(exact_bm25, 12)
    by_sparse, by_dense = await loaded.client.query_batch_points(
        loaded.name,
        [
            m.QueryRequest(
                prefetch=m.Prefetch(query=DENSE_QUERY, using=DENSE, limit=12),
                query=SPARSE_QUERY,
                using=SPARSE,
                limit=12,
            ),
            m.QueryRequest(
                prefetch=m.Prefetch(query=SPARSE_QUERY, using=SPARSE, limit=12),
                query=DENSE_QUERY,
                using=DENSE,
                limit=12,
            ),
        ],
    )
    # By a dense vector all come back; by a sparse one those that share a term with the query:
    # a point that is not in the answer has the score zero.
    given = dict(scores(by_sparse))
    assert set(given) <= set(dense_top)
    assert 0 < len(given) < len(dense_top)
    for identifier in dense_top:
        assert given.get(identifier, 0.0) == pytest.approx(exact_bm25(identifier), abs=TOLERANCE)
    assert_same(
        scores(by_dense),
        sorted(((i, exact_cosine(i)) for i in sparse_top), key=lambda pair: -pair[1]),
    )


def must(*conditions: m.Condition) -> m.Filter:
    return m.Filter(must=list(conditions))


def has(key: str, match: Any) -> m.FieldCondition:
    return m.FieldCondition(key=key, match=match)


def is_in(key: str, **bounds: float) -> m.FieldCondition:
    return m.FieldCondition(key=key, range=m.Range(**bounds))


FILTERS = {
    "keyword": must(has("book", m.MatchValue(value="book-1"))),
    "integer": must(has("born", m.MatchValue(value=2))),
    "bool": must(has("flag", m.MatchValue(value=True))),
    "any keyword": must(has("tags", m.MatchAny(any=["t1", "t6"]))),
    "any integer": must(has("born", m.MatchAny(any=[0, 3]))),
    "except keyword": must(has("book", m.MatchExcept(**{"except": ["book-0"]}))),
    "except integer": must(has("born", m.MatchExcept(**{"except": [0, 1]}))),
    "integer range": must(is_in("start", gte=1000, lt=3000)),
    "float range": must(is_in("price", gt=2.0, lte=5.0)),
    "an edition": must(is_in("born", lte=2), is_in("start", gt=200)),
    "is empty": must(m.IsEmptyCondition(is_empty=m.PayloadField(key="extra"))),
    "is null": must(m.IsNullCondition(is_null=m.PayloadField(key="note"))),
    "has id": must(m.HasIdCondition(has_id=[1, 5, 999, POINTS[55].id])),
    "has vector": must(m.HasVectorCondition(has_vector=SPARSE)),
    "array key": must(has("parts[].n", m.MatchValue(value=4))),
    "values count": must(
        m.FieldCondition(key="parts", values_count=m.ValuesCount(gte=2)),
        m.FieldCondition(key="extra", values_count=m.ValuesCount(gte=1)),
    ),
    "nested": must(
        m.NestedCondition(
            nested=m.Nested(
                key="parts",
                filter=must(has("kind", m.MatchValue(value="a")), has("n", m.MatchValue(value=2))),
            )
        )
    ),
    "should": m.Filter(
        should=[has("book", m.MatchValue(value="book-1")), has("born", m.MatchValue(value=0))]
    ),
    "must not": m.Filter(
        must=[has("flag", m.MatchValue(value=True))],
        must_not=[has("book", m.MatchValue(value="book-0")), is_in("start", lt=1500)],
    ),
    "min should": m.Filter(
        min_should=m.MinShould(
            conditions=[
                has("book", m.MatchValue(value="book-1")),
                has("flag", m.MatchValue(value=True)),
                is_in("start", gte=2500),
            ],
            min_count=2,
        )
    ),
    "filter in a filter": must(
        m.Filter(should=[is_in("start", lt=500), is_in("start", gte=5500)]),
        has("flag", m.MatchValue(value=False)),
    ),
}


@pytest.mark.parametrize("condition", FILTERS.values(), ids=FILTERS.keys())
async def test_a_filter_chooses_the_same_points(loaded: Backend, condition: m.Filter) -> None:
    async def ask(client: AsyncQdrantClient, name: str) -> Any:
        count = await client.count(name, count_filter=condition, exact=True)
        records, _ = await client.scroll(name, scroll_filter=condition, limit=100)
        nearest = await client.query_points(
            name, DENSE_QUERY, using=DENSE, query_filter=condition, limit=100
        )
        return (
            count.count,
            {record.id for record in records},
            {point.id for point in nearest.points},
        )

    found, expected = await loaded.both(ask)
    assert found == expected
    assert 0 < found[0] < len(POINTS) or condition is FILTERS["has vector"]


QUERIES = {
    "threshold": {"query": DENSE_QUERY, "using": DENSE, "score_threshold": 0.2, "limit": 50},
    "offset": {"query": DENSE_QUERY, "using": DENSE, "limit": 7, "offset": 5},
    "exact": {
        "query": DENSE_QUERY,
        "using": DENSE,
        "search_params": m.SearchParams(exact=True, hnsw_ef=64),
    },
    "filtered prefetch": {
        "prefetch": m.Prefetch(
            query=SPARSE_QUERY, using=SPARSE, limit=9, filter=FILTERS["an edition"]
        ),
        "query": DENSE_QUERY,
        "using": DENSE,
    },
    "filter over the whole": {
        "prefetch": PREFETCH_SPARSE,
        "query": DENSE_QUERY,
        "using": DENSE,
        "query_filter": FILTERS["bool"],
    },
    "prefetch in a prefetch": {
        "prefetch": m.Prefetch(prefetch=PREFETCH_SPARSE, query=DENSE_QUERY, using=DENSE, limit=8),
        "query": SPARSE_QUERY,
        "using": SPARSE,
    },
    "dbsf": {
        "prefetch": [PREFETCH_DENSE, PREFETCH_SPARSE],
        "query": m.FusionQuery(fusion=m.Fusion.DBSF),
    },
    "formula": {
        "prefetch": [PREFETCH_DENSE, PREFETCH_SPARSE],
        "query": m.FormulaQuery(
            formula=m.SumExpression(
                sum=[
                    m.MultExpression(mult=[0.85, "$score[0]"]),
                    m.MultExpression(
                        mult=[
                            0.15,
                            m.DivExpression(
                                div=m.DivParams(
                                    left="$score[1]",
                                    right=m.SumExpression(sum=["$score[1]", 4.0]),
                                    by_zero_default=0.0,
                                )
                            ),
                        ]
                    ),
                    m.NegExpression(neg=m.MultExpression(mult=["born", 0.001])),
                ]
            ),
            defaults={"$score[0]": 0.0, "$score[1]": 0.0},
        ),
    },
    "boost by a condition": {
        "prefetch": PREFETCH_DENSE,
        "query": m.FormulaQuery(
            formula=m.SumExpression(
                sum=["$score", m.MultExpression(mult=[0.5, has("flag", m.MatchValue(value=True))])]
            )
        ),
    },
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
async def test_a_query_gives_the_same_scores(loaded: Backend, query: dict[str, Any]) -> None:
    found, expected = await loaded.both(lambda client, name: client.query_points(name, **query))
    assert scores(found)
    assert_same(scores(found), scores(expected))


@pytest.mark.parametrize(
    "fusion",
    [m.FusionQuery(fusion=m.Fusion.RRF), m.RrfQuery(rrf=m.Rrf(k=60))],
    ids=["default k", "k=60"],
)
async def test_rrf_gives_the_same_scores(loaded: Backend, fusion: m.Query) -> None:
    """The order of ties is not defined, so only the scores of the ids both found are held equal."""
    found, expected = await loaded.both(
        lambda client, name: client.query_points(
            name, fusion, prefetch=[PREFETCH_DENSE, PREFETCH_SPARSE], limit=40
        )
    )
    assert dict(scores(found)) == pytest.approx(dict(scores(expected)), abs=TOLERANCE)
    assert len(found.points) > 20


async def test_the_same_query_gives_the_same_answer_every_time(loaded: Backend) -> None:
    async def ask() -> list[Any]:
        response = await loaded.client.query_points(
            loaded.name,
            m.FusionQuery(fusion=m.Fusion.DBSF),
            prefetch=[PREFETCH_DENSE, PREFETCH_SPARSE],
        )
        return [point.id for point in response.points]

    first = await ask()
    assert [await ask() for _ in range(5)] == [first] * 5


async def test_a_query_without_scoring_is_a_scroll(loaded: Backend) -> None:
    found, expected = await loaded.both(
        lambda client, name: client.query_points(
            name, query_filter=FILTERS["keyword"], limit=100, with_payload=True
        )
    )
    assert {p.id: p.payload for p in found.points} == {p.id: p.payload for p in expected.points}


@pytest.mark.parametrize(
    "selection",
    [
        {"with_payload": True, "with_vectors": False},
        {"with_payload": ["book", "parts[].n"], "with_vectors": [SPARSE]},
        {"with_payload": m.PayloadSelectorExclude(exclude=["parts", "book"])},
        {"with_payload": False, "with_vectors": True},
    ],
    ids=["payload", "some of both", "all but", "vectors"],
)
async def test_a_read_brings_what_was_selected(loaded: Backend, selection: dict[str, Any]) -> None:
    async def ask(client: AsyncQdrantClient, name: str) -> Any:
        points: tuple[Any, ...] = (
            *(await client.retrieve(name, [3, POINTS[52].id, 12345], **selection)),
            *(await client.query_points(name, DENSE_QUERY, using=DENSE, **selection)).points,
        )
        return [(point.id, point.payload or {}, rounded(point.vector)) for point in points]

    found, expected = await loaded.both(ask)
    assert sorted(found, key=str) == sorted(expected, key=str)


def rounded(vectors: Any) -> Any:
    if not vectors:
        return None
    return {
        name: [round(number, 4) for number in getattr(vector, "values", vector)]
        for name, vector in vectors.items()
    }


async def test_a_scroll_goes_through_all_points_in_the_order_of_their_ids(
    loaded: Backend,
) -> None:
    seen: list[Id] = []
    offset: Any = None
    while True:
        records, offset = await loaded.client.scroll(
            loaded.name, limit=7, offset=offset, with_payload=False
        )
        seen += [record.id for record in records]
        if offset is None:
            break
    numbers = [identifier for identifier in seen if isinstance(identifier, int)]
    uuids = [identifier for identifier in seen if isinstance(identifier, str)]
    assert numbers == list(range(50))
    assert uuids == sorted(point.id for point in POINTS[50:])
    assert seen == numbers + uuids


PAYLOAD = {
    "text": "Zoë’s “quote” \U0001f4d6 \n end",
    "empty": "",
    "big": 2**53 - 1,
    "negative": -(2**62),
    "float": -1.5e-9,
    "true": True,
    "null": None,
    "list": [1, 2.5, "x", None, [True, []], {"a": {}}],
    "object": {"deep": {"deeper": [{"é": 1}]}},
}


async def test_every_kind_of_json_comes_back_as_it_went(backend: Backend) -> None:
    await load(backend.client, backend.name)
    await backend.client.upsert(
        backend.name, [m.PointStruct(id=2**63, vector={}, payload=PAYLOAD)], wait=True
    )
    (record,) = await backend.client.retrieve(backend.name, [2**63])
    assert record.payload == PAYLOAD


async def test_an_upsert_replaces_the_whole_point(changeable: Backend) -> None:
    replacement = m.PointStruct(
        id=3, vector={DENSE: [1.0] + [0.0] * (SIZE - 1)}, payload={"only": 1}
    )
    await changeable.client.upsert(changeable.name, [replacement], wait=True)
    (record,) = await changeable.client.retrieve(changeable.name, [3], with_vectors=True)
    assert record.payload == {"only": 1}
    assert isinstance(record.vector, dict)
    assert list(record.vector) == [DENSE]
    assert (await changeable.client.count(changeable.name)).count == len(POINTS)


async def test_payload_is_set_by_id_and_by_filter(changeable: Backend) -> None:
    async def change(client: AsyncQdrantClient, name: str) -> Any:
        await client.set_payload(name, {"died": 4, "new": {"x": [1]}}, points=[1, 2], wait=True)
        await client.set_payload(name, {"died": 5}, points=FILTERS["keyword"], wait=True)
        await client.set_payload(name, {"inside": 1}, points=[1], key="new", wait=True)
        await client.delete_payload(name, ["price"], points=[1], wait=True)
        await client.clear_payload(name, points_selector=[6], wait=True)
        records, _ = await client.scroll(name, limit=100)
        return {record.id: record.payload or {} for record in records}

    found, expected = await changeable.both(change)
    assert found == expected
    assert found[1]["died"] == 5
    assert found[1]["new"] == {"x": [1], "inside": 1}


async def test_points_are_deleted_by_id_and_by_filter(changeable: Backend) -> None:
    async def change(client: AsyncQdrantClient, name: str) -> Any:
        await client.delete(name, [1, POINTS[51].id, 777], wait=True)
        await client.delete(name, m.FilterSelector(filter=FILTERS["keyword"]), wait=True)
        records, _ = await client.scroll(name, limit=100)
        return {record.id for record in records}

    found, expected = await changeable.both(change)
    assert found == expected
    assert 0 < len(found) < len(POINTS) - 2


async def test_the_idf_follows_the_points_that_are_there(changeable: Backend) -> None:
    async def change(client: AsyncQdrantClient, name: str) -> Any:
        await client.delete(name, m.FilterSelector(filter=FILTERS["keyword"]), wait=True)
        return await client.query_points(name, SPARSE_QUERY, using=SPARSE, limit=20)

    found, _ = await changeable.both(change)
    if changeable.kind == "server":
        # A server's statistics may count deleted points until its optimiser has run.
        assert scores(found)
    else:
        remaining = {identifier for identifier, _ in scores(found)}
        assert all(BY_ID[i].payload["book"] != "book-1" for i in remaining)


async def test_a_collection_tells_its_configuration_and_its_size(loaded: Backend) -> None:
    info = await loaded.client.get_collection(loaded.name)
    params: Any = info.config.params
    dense = params.vectors[DENSE]
    assert (dense.size, dense.distance) == (SIZE, m.Distance.COSINE)
    assert params.sparse_vectors[SPARSE].modifier == m.Modifier.IDF
    assert info.points_count == len(POINTS)
    assert info.status == m.CollectionStatus.GREEN
    if loaded.kind != "local":
        kinds = {key: index.data_type for key, index in info.payload_schema.items()}
        assert kinds == {"book": "keyword", "start": "integer", "born": "integer"}
        await loaded.client.delete_payload_index(loaded.name, "start", wait=True)
        info = await loaded.client.get_collection(loaded.name)
        assert set(info.payload_schema) == {"book", "born"}


async def test_a_payload_index_comes_and_goes(changeable: Backend) -> None:
    client, name = changeable.client, changeable.name
    await index(client, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        await client.delete_payload_index(name, "start", wait=True)
    if changeable.kind != "local":
        info = await client.get_collection(name)
        assert set(info.payload_schema) == {"book", "born"}


async def test_a_collection_is_there_from_its_creation_to_its_removal(backend: Backend) -> None:
    client, name = backend.client, backend.name
    assert not await client.collection_exists(name)
    await load(client, name)
    assert await client.collection_exists(name)
    assert name in {found.name for found in (await client.get_collections()).collections}
    assert await client.delete_collection(name)
    assert not await client.collection_exists(name)
    assert name not in {found.name for found in (await client.get_collections()).collections}
    await load(client, name)
    assert (await client.count(name)).count == len(POINTS)


async def test_a_collection_may_have_one_unnamed_vector(backend: Backend) -> None:
    async def fill(client: AsyncQdrantClient, name: str) -> Any:
        await client.create_collection(
            name, vectors_config=m.VectorParams(size=2, distance=m.Distance.DOT)
        )
        points = [m.PointStruct(id=n, vector=[float(n), 1.0]) for n in range(5)]
        await client.upsert(name, points, wait=True)
        return await client.query_points(name, [1.0, 0.5], limit=3, with_vectors=True)

    found, expected = await backend.both(fill)
    assert_same(scores(found), scores(expected))
    assert [point.vector for point in found.points] == [p.vector for p in expected.points]


GOOD = m.PointStruct(id=900, vector={DENSE: [0.5] * SIZE})
MISTAKES: dict[str, tuple[Call, grpc.StatusCode]] = {
    "size of a point": (
        lambda client, name: client.upsert(
            name, [GOOD, m.PointStruct(id=901, vector={DENSE: [1.0]})], wait=True
        ),
        grpc.StatusCode.INVALID_ARGUMENT,
    ),
    "unknown vector": (
        lambda client, name: client.upsert(
            name, [GOOD, m.PointStruct(id=901, vector={"other": [1.0] * SIZE})], wait=True
        ),
        grpc.StatusCode.INVALID_ARGUMENT,
    ),
    "size of a query": (
        lambda client, name: client.query_points(name, [1.0], using=DENSE),
        grpc.StatusCode.INVALID_ARGUMENT,
    ),
    "query by an unknown vector": (
        lambda client, name: client.query_points(name, DENSE_QUERY, using="other"),
        grpc.StatusCode.INVALID_ARGUMENT,
    ),
    "fusion of nothing": (
        lambda client, name: client.query_points(name, m.FusionQuery(fusion=m.Fusion.RRF)),
        grpc.StatusCode.INVALID_ARGUMENT,
    ),
    "payload of an unknown point": (
        lambda client, name: client.set_payload(name, {"a": 1}, points=[12345], wait=True),
        grpc.StatusCode.NOT_FOUND,
    ),
    "query of an unknown collection": (
        lambda client, _: client.query_points("no-such-collection", DENSE_QUERY, using=DENSE),
        grpc.StatusCode.NOT_FOUND,
    ),
    "upsert to an unknown collection": (
        lambda client, _: client.upsert("no-such-collection", [GOOD], wait=True),
        grpc.StatusCode.NOT_FOUND,
    ),
    "a collection twice": (load, grpc.StatusCode.ALREADY_EXISTS),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
async def test_a_mistake_is_refused_with_its_code(
    loaded: Backend, mistake: tuple[Call, grpc.StatusCode]
) -> None:
    call, code = mistake
    if loaded.kind == "local":
        if call is MISTAKES["fusion of nothing"][0]:
            pytest.skip("local mode fuses nothing without complaint")
        with pytest.raises((ValueError, KeyError)):
            await call(loaded.client, loaded.name)
        return
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call(loaded.client, loaded.name)
    assert raised.value.code() == code
    assert "Traceback" not in (raised.value.details() or "")
    if loaded.kind == "node":
        assert await loaded.client.retrieve(loaded.name, [GOOD.id]) == []

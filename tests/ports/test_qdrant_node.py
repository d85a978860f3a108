"""What only the embedded Qdrant node does: refuse, guard its folder and port, ask for its key."""

import shutil
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from qdrant_client import AsyncQdrantClient
from qdrant_client import grpc as q
from qdrant_client import models as m
from qdrant_client.grpc import qdrant_pb2, qdrant_pb2_grpc

from libs.vectors.client import open_qdrant
from tests.support.engines import QdrantNode, qdrant_node, start

MODULE = "deploy.qdrant_node"
KEY = "a key of the tests"
VECTORS = {"dense": m.VectorParams(size=2, distance=m.Distance.COSINE)}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantNode]:
    with qdrant_node(tmp_path_factory.mktemp("node") / "data") as started:
        yield started


@pytest.fixture
async def client(node: QdrantNode) -> AsyncIterator[AsyncQdrantClient]:
    client = node.client()
    if not await client.collection_exists("books"):
        await client.create_collection("books", vectors_config=VECTORS)
    yield client
    await client.close()


NEAREST = [1.0, 0.0]
UNSUPPORTED = {
    "aliases": ("ListAliases", lambda c: c.get_aliases()),
    "a snapshot": ("Create", lambda c: c.create_snapshot("books")),
    "groups": ("QueryGroups", lambda c: c.query_points_groups("books", "book", NEAREST)),
    "updating vectors": (
        "UpdateVectors",
        lambda c: c.update_vectors("books", [m.PointVectors(id=1, vector={"dense": NEAREST})]),
    ),
    "a query by id": ("`id`", lambda c: c.query_points("books", 1, using="dense")),
    "a recommendation": (
        "`recommend`",
        lambda c: c.query_points(
            "books",
            m.RecommendQuery(recommend=m.RecommendInput(positive=[NEAREST])),
            using="dense",
        ),
    ),
    "an order": (
        "`order_by`",
        lambda c: c.scroll("books", order_by=m.OrderBy(key="start")),
    ),
    "a geographic condition": (
        "`geo_radius`",
        lambda c: c.count(
            "books",
            m.Filter(
                must=[
                    m.FieldCondition(
                        key="place",
                        geo_radius=m.GeoRadius(center=m.GeoPoint(lon=0, lat=0), radius=1),
                    )
                ]
            ),
        ),
    ),
    "search by acorn": (
        "`acorn`",
        lambda c: c.query_points(
            "books",
            NEAREST,
            using="dense",
            search_params=m.SearchParams(acorn=m.AcornSearchParams(enable=True)),
        ),
    ),
    "two shards": (
        "`shard_number`",
        lambda c: c.create_collection("other", VECTORS, shard_number=2),
    ),
    "quantisation": (
        "`quantization_config`",
        lambda c: c.create_collection(
            "other",
            VECTORS,
            quantization_config=m.ScalarQuantization(
                scalar=m.ScalarQuantizationConfig(type=m.ScalarType.INT8)
            ),
        ),
    ),
    "multivectors": (
        "`multivector_config`",
        lambda c: c.create_collection(
            "other",
            m.VectorParams(
                size=2,
                distance=m.Distance.DOT,
                multivector_config=m.MultiVectorConfig(comparator=m.MultiVectorComparator.MAX_SIM),
            ),
        ),
    ),
    "a text index with options": (
        "`text_index_params`",
        lambda c: c.create_payload_index(
            "books", "text", m.TextIndexParams(type=m.TextIndexType.TEXT, lowercase=True)
        ),
    ),
    "a shard key": (
        "`shard_key_selector`",
        lambda c: c.count("books", shard_key_selector="key"),
    ),
}


@pytest.mark.parametrize(("word", "call"), UNSUPPORTED.values(), ids=UNSUPPORTED.keys())
async def test_unsupported_calls_are_refused_by_name(
    client: AsyncQdrantClient, word: str, call: Callable[[AsyncQdrantClient], Awaitable[object]]
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call(client)
    assert raised.value.code() == grpc.StatusCode.UNIMPLEMENTED
    details = raised.value.details() or ""
    assert word in details
    assert details.endswith("is not supported by the embedded Qdrant node")
    assert not await client.collection_exists("other")


@pytest.mark.control("V11")
@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "../up", "a/b", "a b", "x" * 256])
async def test_a_collection_name_stays_inside_the_folder(
    client: AsyncQdrantClient, name: str
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await client.create_collection(name, VECTORS)
    assert raised.value.code() == grpc.StatusCode.INVALID_ARGUMENT


BAD_POINTS = {
    "a uuid that is none": q.PointStruct(id=q.PointId(uuid="no")),
    "no id": q.PointStruct(),
    "fewer values than indices": q.PointStruct(
        id=q.PointId(num=1),
        vectors=q.Vectors(
            vectors=q.NamedVectors(
                vectors={"dense": q.Vector(sparse=q.SparseVector(indices=[1, 2], values=[1]))}
            )
        ),
    ),
    "the same index twice": q.PointStruct(
        id=q.PointId(num=1),
        vectors=q.Vectors(
            vectors=q.NamedVectors(
                vectors={"dense": q.Vector(sparse=q.SparseVector(indices=[1, 1], values=[1, 2]))}
            )
        ),
    ),
}


@pytest.mark.parametrize("point", BAD_POINTS.values(), ids=BAD_POINTS.keys())
async def test_a_point_the_engine_would_take_wrongly_is_refused(
    node: QdrantNode, client: AsyncQdrantClient, point: q.PointStruct
) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{node.port}") as channel:
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await q.PointsStub(channel).Upsert(
                q.UpsertPoints(collection_name="books", points=[point])
            )
    assert raised.value.code() == grpc.StatusCode.INVALID_ARGUMENT


async def test_more_points_than_one_operation_holds_are_all_stored(
    client: AsyncQdrantClient,
) -> None:
    points = [m.PointStruct(id=n, vector={"dense": [1.0, float(n)]}) for n in range(2500)]
    await client.upsert("books", points, wait=True)
    assert (await client.count("books")).count == 2500


@pytest.mark.control("V2")
async def test_only_those_with_the_key_are_answered(tmp_path: Path) -> None:
    with qdrant_node(tmp_path / "data", api_key=KEY) as node:
        client = node.client()
        assert (await client.get_collections()).collections == []
        await client.close()
        ours = open_qdrant(node.url, KEY)  # a warning would fail here
        assert (await ours.get_collections()).collections == []
        await ours.close()
        for headers in (None, {"api-key": "wrong"}, {"api-key": ""}):
            stranger = AsyncQdrantClient(
                host="127.0.0.1",
                grpc_port=node.port,
                prefer_grpc=True,
                check_compatibility=False,
                headers=headers,
            )
            with pytest.raises(grpc.aio.AioRpcError) as raised:
                await stranger.get_collections()
            assert raised.value.code() == grpc.StatusCode.UNAUTHENTICATED
            await stranger.close()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{node.port}") as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            health = await stub.Check(health_pb2.HealthCheckRequest())
            identity = await qdrant_pb2_grpc.QdrantStub(channel).HealthCheck(
                qdrant_pb2.HealthCheckRequest()
            )
    assert health.status == health_pb2.HealthCheckResponse.SERVING
    assert identity.version


def refusal(*arguments: str) -> str:
    """The one line with which a node refuses to start."""
    done = start(MODULE, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("qdrant node: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("qdrant node: ").strip()


def test_a_folder_has_one_node(node: QdrantNode, tmp_path: Path) -> None:
    with qdrant_node(tmp_path / "data") as owner:
        line = refusal("--data", str(tmp_path / "data"), "--port", "0")
        assert line == (
            f"folder {tmp_path / 'data'} is in use by another process (pid {owner.pid})"
        )


@pytest.mark.fault("K1")
def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refusal("--data", str(tmp_path / "data"), "--port", str(port))
    assert line == f"port {port} is taken by another program; choose another one"


def test_a_second_node_does_not_share_the_port(node: QdrantNode, tmp_path: Path) -> None:
    assert "is taken" in refusal("--data", str(tmp_path / "data"), "--port", str(node.port))


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "novel").mkdir()
    line = refusal("--data", str(tmp_path), "--port", "0")
    assert line.startswith(f"folder {tmp_path} holds files of something else")
    assert [path.name for path in tmp_path.iterdir()] == ["novel"]


def drop_segments(folder: Path) -> None:
    for path in folder.glob("1/segments/*"):
        shutil.rmtree(path)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "live": lambda folder: (folder / "live").write_text("{"),
    "configuration": lambda folder: (folder / "1" / "edge_config.json").write_text("{"),
    "created": lambda folder: (folder / "collection.json").unlink(),
    "segments": drop_segments,
    "log": lambda folder: [log.write_bytes(b"x" * 64) for log in folder.glob("1/wal/open-*")],
}


@pytest.mark.fault("G8")
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
async def test_a_damaged_collection_is_named_and_not_replaced_by_an_empty_one(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    data = tmp_path / "data"
    with qdrant_node(data) as node:
        client = node.client()
        await client.create_collection("books", VECTORS)
        await client.upsert("books", [m.PointStruct(id=1, vector={"dense": NEAREST})])
        await client.close()
    damage(data / "books")
    line = refusal("--data", str(data), "--port", "0")
    assert line.startswith(f"collection `books` in {data} cannot be opened: ")

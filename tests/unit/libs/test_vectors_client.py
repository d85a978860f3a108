"""What is asked of a store that is busy, or of a cluster that has lost a server, or room."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from qdrant_client import AsyncQdrantClient, models
from qdrant_client import grpc as q
from qdrant_client.grpc.points_service_pb2_grpc import (
    PointsServicer,
    add_PointsServicer_to_server,
)
from typing_extensions import override

from libs.errors import NoRoom
from libs.vectors.client import StoreFault, open_qdrant, require_answer, translated_errors
from libs.vectors.collection import lay_out_collection
from libs.vectors.layout import Layout
from libs.vectors.schema import INDEXES

AWAY = "Tonic status error: code: 'The service is currently unavailable', \"Failed to connect\""


class Store(PointsServicer):
    """Notes how long a write would have waited; searches fail as where a server is away."""

    left_s = 0.0

    def __init__(self, fault: grpc.StatusCode = grpc.StatusCode.INTERNAL) -> None:
        self.fault = fault

    @override
    async def Upsert(self, request: Any, context: grpc.aio.ServicerContext) -> Any:
        self.left_s = context.time_remaining()
        return q.PointsOperationResponse(result=q.UpdateResult(status=q.UpdateStatus.Completed))

    @override
    async def Scroll(self, request: Any, context: grpc.aio.ServicerContext) -> Any:
        await context.abort(self.fault, AWAY)


@asynccontextmanager
async def serving(store: Store) -> AsyncIterator[AsyncQdrantClient]:
    server = grpc.aio.server()
    add_PointsServicer_to_server(store, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    client = open_qdrant(f"http://127.0.0.1:{port}")
    yield client
    await client.close()
    await server.stop(0)


async def test_a_write_to_the_store_has_more_than_a_minute() -> None:
    store = Store()
    async with serving(store) as client:
        await client.upsert("books", [models.PointStruct(id=1, vector=[1.0])])
    assert store.left_s > 60


@pytest.mark.fault("D2")
@pytest.mark.parametrize("fault", [grpc.StatusCode.INTERNAL, grpc.StatusCode.CANCELLED])
async def test_a_cluster_without_one_of_its_servers_answers_and_says_what_it_could_not_do(
    fault: grpc.StatusCode,
) -> None:
    async with serving(Store(fault)) as client:
        with pytest.raises(StoreFault, match="one of its servers may be down"), translated_errors():
            await client.scroll("books")
        await require_answer(client, "books", 5.0)


class Full(Store):
    """Says what Qdrant says when its disk is full."""

    @override
    async def Upsert(self, request: Any, context: grpc.aio.ServicerContext) -> Any:
        said = "Service internal error: No space left on device: WAL buffer size exceeds available"
        await context.abort(grpc.StatusCode.INTERNAL, said)


@pytest.mark.fault("G7")
async def test_a_store_whose_disk_is_full_is_told_apart_with_what_to_do() -> None:
    async with serving(Full()) as client:
        with pytest.raises(NoRoom, match=r"disk is full.*can still be read"), translated_errors():
            await client.upsert("books", [models.PointStruct(id=1, vector=[1.0])])


class Laid:
    """A collection that has these indexes; a server that would have to know of more is away."""

    def __init__(self, *indexes: str) -> None:
        params = SimpleNamespace(sharding_method=None)
        config = SimpleNamespace(params=params)
        self._told = SimpleNamespace(config=config, payload_schema=dict.fromkeys(indexes))

    async def collection_exists(self, name: str) -> bool:
        return True

    async def get_collection(self, name: str) -> Any:
        return self._told

    async def create_payload_index(self, *_: Any, **__: Any) -> None:
        raise grpc.aio.AioRpcError(
            grpc.StatusCode.INTERNAL, grpc.aio.Metadata(), grpc.aio.Metadata(), AWAY
        )


@pytest.mark.fault("D2")
async def test_a_collection_that_has_its_indexes_is_used_while_a_server_is_away() -> None:
    whole: Any = Laid(*INDEXES)
    await lay_out_collection(whole, "books", 4, Layout())
    half: Any = Laid(*list(INDEXES)[1:])
    with pytest.raises(grpc.aio.AioRpcError):
        await lay_out_collection(half, "books", 4, Layout())

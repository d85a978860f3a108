"""A write waits for a store that is busy: it has more time than the client's own five seconds."""

from typing import Any

import grpc
from qdrant_client import grpc as q
from qdrant_client import models
from qdrant_client.grpc.points_service_pb2_grpc import (
    PointsServicer,
    add_PointsServicer_to_server,
)
from typing_extensions import override

from libs.vectors.client import open_qdrant


class Clock(PointsServicer):
    """Notes how long a write would have waited."""

    left_s = 0.0

    @override
    async def Upsert(self, request: Any, context: grpc.aio.ServicerContext) -> Any:
        self.left_s = context.time_remaining()
        return q.PointsOperationResponse(result=q.UpdateResult(status=q.UpdateStatus.Completed))


async def test_a_write_to_the_store_has_more_than_a_minute() -> None:
    clock, server = Clock(), grpc.aio.server()
    add_PointsServicer_to_server(clock, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    client = open_qdrant(f"http://127.0.0.1:{port}")
    await client.upsert("books", [models.PointStruct(id=1, vector=[1.0])])
    assert clock.left_s > 60
    await client.close()
    await server.stop(0)

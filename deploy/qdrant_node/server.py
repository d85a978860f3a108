"""The gRPC server of the node: its services, the API key, and a clean stop."""

import asyncio
import errno
import gc
import hmac
import importlib.metadata
import signal
import socket
from collections.abc import Awaitable, Callable
from threading import Thread
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from qdrant_client.grpc import (
    collections_service_pb2_grpc,
    points_service_pb2_grpc,
    qdrant_pb2,
    qdrant_pb2_grpc,
    snapshots_service_pb2_grpc,
)
from typing_extensions import override

from deploy.embedded import StartError
from deploy.qdrant_node.answers import complete
from deploy.qdrant_node.collections import Collections
from deploy.qdrant_node.optimise import Optimiser
from deploy.qdrant_node.points import Points
from deploy.qdrant_node.read_ahead import free_memory, read_ahead
from deploy.qdrant_node.store import Store
from libs.rpc.channel import KEEPALIVE_MS

HOST = "127.0.0.1"
# Calls under way at a stop get so long; clean stops stay well under two seconds.
GRACE_S = 0.5
_MAX_MESSAGE_BYTES = 64 << 20
_OPTIONS = (
    ("grpc.max_receive_message_length", _MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", _MAX_MESSAGE_BYTES),
    # Otherwise a second node would share the port instead of being refused it.
    ("grpc.so_reuseport", 0),
    # By default a client that looks every few seconds whether we are there is sent away.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", KEEPALIVE_MS // 2),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", KEEPALIVE_MS // 2),
)
_OPEN_TO_ALL = ("/grpc.health.v1.Health/", "/qdrant.Qdrant/HealthCheck")


class KeyCheck(grpc.aio.ServerInterceptor):
    """Lets through calls with the API key, and anybody's question after our health."""

    def __init__(self, api_key: str) -> None:
        self._api_key = api_key.encode()

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler | None:
        if handler_call_details.method.startswith(_OPEN_TO_ALL) or self._knows(
            handler_call_details.invocation_metadata
        ):
            return await continuation(handler_call_details)
        return grpc.unary_unary_rpc_method_handler(_refuse)

    def _knows(self, metadata: Any) -> bool:
        given = [value for key, value in metadata or () if key == "api-key"]
        return any(hmac.compare_digest(value.encode(), self._api_key) for value in given)


async def _refuse(_request: Any, context: grpc.aio.ServicerContext) -> None:
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, "Invalid API key or JWT")


class Identity(qdrant_pb2_grpc.QdrantServicer):
    """Says that it is there, and which engine it is."""

    @override
    async def HealthCheck(self, _request: Any, _context: Any) -> qdrant_pb2.HealthCheckReply:
        version = importlib.metadata.version("qdrant-client")
        return qdrant_pb2.HealthCheckReply(title="Quoth's embedded Qdrant node", version=version)


@complete
class Snapshots(snapshots_service_pb2_grpc.SnapshotsServicer):
    """None of it: the engine's binding cannot create snapshots."""


def _refuse_taken_port(port: int) -> None:
    # gRPC's own complaint is several lines long.
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            is_taken = error.errno == errno.EADDRINUSE
            reason = "is taken by another program" if is_taken else error.strerror
            raise StartError(f"port {port} {reason}; choose another one") from error


def create_server(
    store: Store, optimiser: Optimiser, port: int, api_key: str | None
) -> tuple[grpc.aio.Server, int]:
    _refuse_taken_port(port)
    interceptors = [KeyCheck(api_key)] if api_key else []
    server = grpc.aio.server(interceptors=interceptors, options=_OPTIONS)
    points_service_pb2_grpc.add_PointsServicer_to_server(Points(store, optimiser), server)
    collections_service_pb2_grpc.add_CollectionsServicer_to_server(
        Collections(store, optimiser), server
    )
    snapshots_service_pb2_grpc.add_SnapshotsServicer_to_server(Snapshots(), server)
    qdrant_pb2_grpc.add_QdrantServicer_to_server(Identity(), server)
    return server, server.add_insecure_port(f"{HOST}:{port}")


async def serve(store: Store, *, port: int, api_key: str | None, optimise_at: int) -> None:
    """Serve `store` until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    optimiser = Optimiser(optimise_at)
    server, bound_port = create_server(store, optimiser, port, api_key)
    standing = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(standing, server)
    await server.start()
    gc.collect()
    gc.freeze()  # what was loaded stays: no collection need look through it
    await standing.set("", health_pb2.HealthCheckResponse.SERVING)
    print(f"ready {HOST}:{bound_port}", flush=True)
    for collection in store.collections.values():
        optimiser.consider(collection)
        optimiser.go_on_erasing(collection)
    folders = [collection.shard_folder for collection in store.collections.values()]
    # A daemon: a stop does not wait for it.
    Thread(target=read_ahead, args=(folders, free_memory()), daemon=True).start()
    await stop.wait()
    await standing.enter_graceful_shutdown()
    await server.stop(GRACE_S)
    await optimiser.stop()

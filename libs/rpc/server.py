"""Start asyncio gRPC servers, and stop them gracefully on SIGTERM."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health, health_pb2_grpc

from libs.budget.stages import Stage
from libs.rpc.admission import Admission
from libs.rpc.channel import KEEPALIVE_MS, MAX_MESSAGE_BYTES
from libs.rpc.interceptor import CallInterceptor
from libs.rpc.readiness import Readiness
from libs.settings import SettingsError

Register = Callable[[grpc.aio.Server], None]

_OPTIONS = (
    ("grpc.so_reuseport", 0),  # a taken port is an error, not a second server behind one address
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    # A client looks for further replicas when a connection ends: without an age limit, never. With what
    # gRPC adds at random and the client's own pause a replica that joins gets calls within 30 s.
    ("grpc.max_connection_age_ms", 15_000),
    ("grpc.max_connection_age_grace_ms", 30_000),
    # By default, a client that looks every few seconds whether we are there is sent away, and at once
    # when it has no call under way.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", KEEPALIVE_MS // 2),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", KEEPALIVE_MS // 2),
)


@dataclass(frozen=True)
class RunningServer:
    """A server that is listening on `port`."""

    server: grpc.aio.Server
    health: health.aio.HealthServicer
    port: int

    async def stop(self, grace_s: float) -> None:
        """Report NOT_SERVING, let running calls finish for `grace_s` seconds, then end."""
        await self.health.enter_graceful_shutdown()
        await self.server.stop(grace_s)


async def start_server(
    address: str,
    register: Register,
    stages: Sequence[Stage] = (),
    max_calls: int = 256,
    *,
    serial: bool = False,
    readiness: Readiness | None = None,
) -> RunningServer:
    """Serve at `address` ("host:0" picks a free port) and report SERVING, or what `readiness` says.

    At most `max_calls` run at once; more are refused with RESOURCE_EXHAUSTED, and so are, where the
    service works off its calls one after the other (`serial`), those it could not finish in time.
    Raises SettingsError when the address is taken or is none.
    """
    _require_free(address)
    server = grpc.aio.server(
        interceptors=[CallInterceptor(stages, Admission() if serial else None)],
        options=_OPTIONS,
        maximum_concurrent_rpcs=max_calls,
    )
    register(server)
    health_servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    port = server.add_insecure_port(address)
    await server.start()
    await (readiness or Readiness()).attach(health_servicer)
    return RunningServer(server, health_servicer, port)


def handle_signals() -> asyncio.Event:
    """Return an event that SIGINT and SIGTERM set, from now on; a second one ends at once."""
    stop = asyncio.Event()

    def note(signum: int) -> None:
        if stop.is_set():
            os._exit(128 + signum)
        stop.set()

    for signum in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signum, note, signum)
    return stop


def _require_free(address: str) -> None:
    """Raise SettingsError for an address that can't be bound; gRPC would write its own lines."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_server((host, int(port)), reuse_port=False):
            pass
    except (OSError, ValueError, OverflowError) as error:
        raise SettingsError(f"can't listen at {address}; is the port taken?") from error

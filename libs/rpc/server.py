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
from libs.rpc.access import AccessInterceptor
from libs.rpc.admission import Admission
from libs.rpc.channel import KEEPALIVE_MS, MAX_MESSAGE_BYTES
from libs.rpc.interceptor import CallInterceptor
from libs.rpc.readiness import Readiness
from libs.rpc.transport import OPEN, Transport
from libs.settings import SettingsError

Register = Callable[[grpc.aio.Server], None]

MAX_REQUEST_BYTES = 4 * 1024 * 1024
"""Uploads come in parts of 1 MiB, and no other request is as large."""

MAX_METADATA_BYTES = 16 * 1024

_STREAMS = 4
"""Calls that a connection may begin for each that may run, so that those too many hear so."""

_CHECKS = 64
"""Health checks at once, at the port that answers nothing else."""

_OPTIONS = (
    ("grpc.so_reuseport", 0),  # a taken port is an error, not a second server behind one address
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    # gRPC refuses at random between two limits; here they are one.
    ("grpc.max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", MAX_METADATA_BYTES),
    # A client looks for further replicas when a connection ends: without an age limit, never. With what
    # gRPC adds at random and the client's own pause a replica that joins gets calls within 30 s.
    # Calls under way are given no other end than their own deadlines: an upload's is as long as
    # QUOTH_UPLOAD_TIMEOUT_S says.
    ("grpc.max_connection_age_ms", 15_000),
    # By default, a client that looks every few seconds whether we are there is sent away, and at once
    # when it has no call under way.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", KEEPALIVE_MS // 2),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", KEEPALIVE_MS // 2),
)


@dataclass(frozen=True)
class RunningServer:
    """A server that is listening on `port`, and for health checks alone on `health_port` if not 0."""

    server: grpc.aio.Server
    health: health.aio.HealthServicer
    port: int
    health_server: grpc.aio.Server | None = None
    health_port: int = 0

    async def stop(self, grace_s: float) -> None:
        """Report NOT_SERVING, let running calls finish for `grace_s` seconds, then end."""
        await self.health.enter_graceful_shutdown()
        await self.server.stop(grace_s)
        if self.health_server is not None:
            await self.health_server.stop(0)


async def start_server(
    address: str,
    register: Register,
    stages: Sequence[Stage] = (),
    max_calls: int = 256,
    *,
    serial: bool = False,
    readiness: Readiness | None = None,
    transport: Transport = OPEN,
) -> RunningServer:
    """Serve at `address` ("host:0" picks a free port) and report SERVING, or what `readiness` says.

    At most `max_calls` run at once; more are refused with RESOURCE_EXHAUSTED, and so are, where the
    service works off its calls one after the other (`serial`), those it could not finish in time.
    Strangers to `transport` are refused with UNAUTHENTICATED, or find no connection.
    Raises SettingsError when the address is taken or is none, when strangers could call there, and for
    files of `transport` that can't be used.
    """
    transport.require_servable(address)
    _require_free(address)
    calls = CallInterceptor(stages, Admission() if serial else None)
    server = _make_server([AccessInterceptor(transport.tokens()), calls], max_calls)
    register(server)
    health_servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    port = (
        server.add_secure_port(address, _credentials(transport))
        if transport.has_tls
        else server.add_insecure_port(address)
    )
    checked = await _serve_health(transport, health_servicer) if transport.health else (None, 0)
    await server.start()
    await (readiness or Readiness()).attach(health_servicer)
    return RunningServer(server, health_servicer, port, *checked)


async def _serve_health(
    transport: Transport, servicer: health.aio.HealthServicer
) -> tuple[grpc.aio.Server, int]:
    """Answer health checks, and nothing else, at a port of their own in plain text."""
    _require_free(transport.health)
    strangers = AccessInterceptor(transport.tokens(), health_only=True)
    server = _make_server([strangers], _CHECKS)
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    port = server.add_insecure_port(transport.health)
    await server.start()
    return server, port


def _make_server(
    interceptors: Sequence[grpc.aio.ServerInterceptor], max_calls: int
) -> grpc.aio.Server:
    streams = ("grpc.max_concurrent_streams", _STREAMS * max_calls)
    return grpc.aio.server(
        interceptors=interceptors,
        options=(*_OPTIONS, streams),
        maximum_concurrent_rpcs=max_calls,
    )


def _credentials(transport: Transport) -> grpc.ServerCredentials:
    """Return the credentials of a server; each new connection gets the certificates of its moment."""
    files = transport.certificates()

    def configuration() -> grpc.ServerCertificateConfiguration:
        known = files.current()
        authority = known.authority if transport.asks_for_certificates else None
        own = (known.key or b"", known.chain or b"")  # both there, says require_servable
        return grpc.ssl_server_certificate_configuration([own], authority)

    return grpc.dynamic_ssl_server_credentials(
        configuration(),
        configuration,
        require_client_authentication=transport.asks_for_certificates,
    )


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

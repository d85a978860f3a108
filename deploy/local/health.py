"""Ask a process whether it still answers; any answer counts, a refusal too."""

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import asyncpg
import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.local.settings import LocalSettings
from libs.rpc.channel import open_channel
from libs.rpc.transport import OPEN, Transport

Probe = Callable[[str, float], Awaitable[bool]]
"""Asks the process at an address, waits for so many seconds, and tells whether it answered."""

FAILURES = 3
"""Questions in a row without an answer after which a process counts as hanging."""
_STORE_S = 2.0
_SILENCE = (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE)


async def wait_for_silence(answers: Callable[[float], Awaitable[bool]], patience_s: float) -> float:
    """Ask again and again; return once `patience_s` seconds at most have gone without an answer.

    Returns how many have.
    """
    step_s = patience_s / (2 * FAILURES)
    failures, last = 0, time.monotonic()
    while failures < FAILURES:
        await asyncio.sleep(step_s)
        if await answers(step_s):
            failures, last = 0, time.monotonic()
        else:
            failures += 1
    return time.monotonic() - last


async def answers_grpc(address: str, timeout_s: float, transport: Transport = OPEN) -> bool:
    """Ask the standard health service at "host:port"."""
    async with open_channel(address, transport) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        try:
            await stub.Check(  # type: ignore[attr-defined]  # the package has no types for it
                health_pb2.HealthCheckRequest(), timeout=timeout_s
            )
        except grpc.aio.AioRpcError as error:
            return error.code() not in _SILENCE
    return True


async def answers_http(address: str, timeout_s: float) -> bool:
    """Ask for /healthz at "http://host:port"; the first byte of a response is an answer.

    The certificate of "https://…" is not looked at: it is for the name that others use.
    """
    server = urlsplit(address)
    tls = None
    if server.scheme == "https":
        tls = ssl.create_default_context()
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    request = f"GET /healthz HTTP/1.1\r\nHost: {server.netloc}\r\nConnection: close\r\n\r\n"
    try:
        async with asyncio.timeout(timeout_s):
            reader, writer = await asyncio.open_connection(server.hostname, server.port, ssl=tls)
            try:
                writer.write(request.encode())
                return bool(await reader.read(1))
            finally:
                writer.close()
    except (TimeoutError, OSError):
        return False


async def answers_postgres(dsn: str, timeout_s: float) -> bool:
    """Open a connection, which takes the server itself and not only a session that it has."""
    try:
        connection = await asyncpg.connect(dsn, timeout=timeout_s)
    except (TimeoutError, OSError, asyncpg.InterfaceError):
        return False
    except asyncpg.PostgresError:
        return True
    connection.terminate()
    return True


async def silent_stores(settings: LocalSettings) -> list[str]:
    """Say which stores that the person has named do not answer; what waits for them knows no names."""
    named = (
        ("QUOTH_QDRANT_URL", settings.qdrant_url, answers_http),
        ("QUOTH_POSTGRES_DSN", settings.postgres_dsn, answers_postgres),
    )
    return [
        f"Nothing answers at {_without_secret(address)}, which {variable} names."
        for variable, address, answers in named
        if address and not await answers(address, _STORE_S)
    ]


def _without_secret(address: str) -> str:
    return urlsplit(address).netloc.rpartition("@")[2] or "the address"

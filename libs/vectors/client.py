"""Open a Qdrant client, and say its errors in our own words."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import grpc

from libs.errors import DeadlineExceeded, NoRoom, Unavailable, WrongIndex
from libs.rpc.channel import CONNECT_MS, KEEPALIVE_MS, NAMES_MS
from libs.settings import SettingsError
from libs.vectors.qdrant import (
    ApiException,
    AsyncQdrantClient,
    QdrantException,
    ResponseHandlingException,
)
from libs.vectors.qdrant import grpc as grpc_models

OLDEST = (1, 19)
"""The first Qdrant that reckons how rare a term is among the points of a filter, an edition's say;
an older one would do so among all books, and not say so."""

# Of calls that name no limit of their own: writes wait while the embedded node copies a collection to
# optimise it, which takes longer the larger it is. A store that is down says so at once.
_PATIENCE_S = 300
_WRONG_URL = "QUOTH_QDRANT_URL must look like http://host:6334"
NO_ANSWER = "The vector store does not answer. Try again in a moment."
_FAULT = (
    "The vector store could not complete the request: one of its servers may be down. Try again in a "
    "moment."
)
_NO_ROOM = (
    "The vector store's disk is full: nothing can be added to books until some of it is freed. They "
    "can still be read and asked."
)
_FULL = "No space left"
"""What a server and the embedded node say of a full disk; its code is that of any fault of theirs."""
_UNREADABLE = (
    "The vector store can't make sense of what it holds. Stop it, move its folder away "
    "(`qdrant` in QUOTH_HOME), start it again, and ingest the books again."
)
# A server says the second of a call that it breaks off; calls that we cancel do not raise it.
_FAULTS = (grpc.StatusCode.INTERNAL, grpc.StatusCode.CANCELLED)
# A name may stand for all servers of a cluster: they are asked in turn, and one that vanished or stands
# still is noticed before the next call and asked no more.
CHANNEL_OPTIONS = {
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.min_reconnect_backoff_ms": CONNECT_MS,
    "grpc.max_reconnect_backoff_ms": 1000,
    "grpc.lb_policy_name": "round_robin",
    "grpc.dns_min_time_between_resolutions_ms": NAMES_MS,
    "grpc.keepalive_time_ms": KEEPALIVE_MS,
    "grpc.keepalive_timeout_ms": KEEPALIVE_MS,
    "grpc.keepalive_permit_without_calls": 1,
    "grpc.http2.max_pings_without_data": 0,
    "grpc.http2.ping_timeout_ms": KEEPALIVE_MS,
}
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class StoreFault(Unavailable):
    """The store answers, and could not do it: what a cluster says whose server for it is away."""


def open_qdrant(url: str, api_key: str | None = None) -> AsyncQdrantClient:
    """Open a client that speaks gRPC; the URL's port is the gRPC port, 6334 by default."""
    try:
        parts = urlsplit(url)
        port = parts.port or 6334
    except ValueError as error:
        raise SettingsError(_WRONG_URL) from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(_WRONG_URL)
    is_near = parts.hostname in _LOOPBACK
    # Given as a key, the client warns that it travels without TLS: no news within one machine.
    within_machine = api_key is not None and is_near
    return AsyncQdrantClient(
        host=parts.hostname,
        grpc_port=port,
        prefer_grpc=True,
        https=parts.scheme == "https",
        api_key=None if within_machine else api_key or None,
        headers={"api-key": api_key} if api_key and within_machine else None,
        check_compatibility=False,
        timeout=_PATIENCE_S,
        # A proxy of HTTP may be what a server elsewhere is reached by. The client adds its own options.
        grpc_options={**CHANNEL_OPTIONS, "grpc.enable_http_proxy": int(not is_near)},
    )


async def require_version(client: AsyncQdrantClient) -> None:
    """Raise Unavailable for a Qdrant server that is older than OLDEST."""
    with translated_errors():
        version = (await client.info()).version
    major, minor, *_ = version.split(".")
    if (int(major), int(minor)) < OLDEST:
        needed = ".".join(map(str, OLDEST))
        raise Unavailable(f"The vector store is Qdrant {version}; it must be {needed} or later.")


async def require_answer(client: AsyncQdrantClient, collection: str, timeout_s: float) -> None:
    """Ask for any point. Raises Unavailable or DeadlineExceeded; all else is an answer.

    So is a fault: other books may lie where a cluster has a server left.
    """
    no_payload = grpc_models.WithPayloadSelector(enable=False)
    request = grpc_models.ScrollPoints(collection_name=collection, limit=1, with_payload=no_payload)
    with suppress(WrongIndex, StoreFault, grpc.aio.AioRpcError), translated_errors():
        await client.grpc_points.Scroll(request, timeout=timeout_s)


@contextmanager
def translated_errors() -> Iterator[None]:
    """Turn a store that can't be reached, is too slow or can't go on into our errors; others pass."""
    try:
        yield
    except grpc.aio.AioRpcError as error:
        if error.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
            raise DeadlineExceeded("The vector store did not answer in time.") from error
        if error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED):
            raise Unavailable(NO_ANSWER) from error
        if error.code() in _FAULTS and _FULL in (error.details() or ""):
            raise NoRoom(_NO_ROOM) from error
        if error.code() in _FAULTS:
            raise StoreFault(_FAULT) from error
        if error.code() == grpc.StatusCode.DATA_LOSS:
            raise WrongIndex(_UNREADABLE) from error
        raise
    except (ResponseHandlingException, QdrantException, ApiException) as error:
        raise Unavailable(NO_ANSWER) from error

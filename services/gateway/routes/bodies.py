"""Read bodies and queries into structs; a complaint names the field."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request

from libs.errors import InvalidInput, TooLarge
from services.gateway.access import JSON_TYPES, check_media_type, check_not_packed
from services.gateway.errors import Malformed, TooSlow
from services.gateway.routes.complaints import say

T = TypeVar("T")

_DISCARD_S = 5.0
_TOO_SLOW = "The body of the request came too slowly. Send it again."


@dataclass(frozen=True)
class JsonBodies:
    """How JSON comes in: at most so much, in at most so long."""

    limit_bytes: int
    timeout_s: float

    async def read(self, request: Request, body_type: type[T]) -> T:
        """Raises WrongMediaType, TooLarge, TooSlow, Malformed, InvalidInput that names the field."""
        check_media_type(request.headers, JSON_TYPES)
        check_not_packed(request.headers)
        return decode_body(await read_body(request, self.limit_bytes, self.timeout_s), body_type)


async def read_body(request: Request, limit_bytes: int, timeout_s: float) -> bytes:
    """Read the whole body. Raises TooLarge and TooSlow."""
    body = bytearray()
    try:
        _require_small(request, limit_bytes)
        async with asyncio.timeout(timeout_s):
            async for part in request.stream():
                body += part
                if len(body) > limit_bytes:
                    raise _too_large(limit_bytes)
    except TooLarge:
        await discard_body(request)
        raise
    except TimeoutError as error:
        raise TooSlow(_TOO_SLOW) from error
    return bytes(body)


async def read_parts(
    request: Request, limit_bytes: int, timeout_s: float, pause_s: float
) -> AsyncGenerator[bytes, None]:
    """Read the body as it comes, with at most `pause_s` between parts."""
    ends_at = asyncio.get_running_loop().time() + timeout_s
    size = 0
    parts = request.stream()
    _require_small(request, limit_bytes)
    while True:
        left_s = min(pause_s, ends_at - asyncio.get_running_loop().time())
        try:
            async with asyncio.timeout(left_s):
                part = await anext(parts, None)
        except TimeoutError as error:
            raise TooSlow(_TOO_SLOW) from error
        if part is None:
            return
        size += len(part)
        if size > limit_bytes:
            raise _too_large(limit_bytes)
        yield part


def _require_small(request: Request, limit_bytes: int) -> None:
    """Raise TooLarge for a body that says itself that it is."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit_bytes:
        raise _too_large(limit_bytes)


def _too_large(limit_bytes: int) -> TooLarge:
    size = f"{limit_bytes // 2**20} MiB" if limit_bytes >= 2**20 else f"{limit_bytes // 1024} KiB"
    return TooLarge(f"What was sent is larger than {size}; nothing of it was kept.")


async def discard_body(request: Request) -> None:
    """Discard what is still coming: a client that is cut off in the middle never reads why."""
    # A body that was read to its end raises RuntimeError.
    with suppress(TimeoutError, ClientDisconnect, RuntimeError):
        async with asyncio.timeout(_DISCARD_S):
            async for _ in request.stream():
                pass


def decode_body(body: bytes, body_type: type[T]) -> T:
    """Decode JSON. Raises Malformed, and InvalidInput that names the field."""
    try:
        return msgspec.json.decode(body, type=body_type)
    except msgspec.ValidationError as error:
        raise InvalidInput(say(str(error), body_type)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed("The body is not valid JSON in UTF-8.") from error


def convert_query(query: Mapping[str, str], query_type: type[T]) -> T:
    """Convert query parameters. Raises InvalidInput that names the parameter."""
    try:
        return msgspec.convert(dict(query), type=query_type, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput(say(str(error), query_type)) from error

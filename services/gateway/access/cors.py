"""Answer the cross-origin (CORS) requests of browsers: only pages of allowed origins may call."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from libs.errors import Unavailable
from services.gateway.access.requests import foreign_origin
from services.gateway.errors import ForeignOrigin
from services.gateway.ports import KeyStore
from services.gateway.settings import Exposure

_LOOK_UP_S = 1.0
REMEMBER_S = 5.0
"""Seconds after which the sites of a new key are known here, and those of an ended one forgotten."""
RawHeaders = list[tuple[bytes, bytes]]

_SENT = (
    b"accept-language, authorization, content-type, idempotency-key, if-none-match, last-event-id, "
    b"x-request-id, x-request-timeout-ms"
)
_PREFLIGHT: RawHeaders = [
    (b"access-control-allow-methods", b"GET, POST, PATCH, DELETE"),
    (b"access-control-allow-headers", _SENT),
    (b"access-control-max-age", b"600"),
]
_READABLE = b"ETag, Location, Retry-After, X-Request-Id"


class Cors:
    """Knows the sites whose pages may call: those that are set, and those that keys are made for.

    That a page may call is no more than that: what it may do depends on the key that it sends.
    """

    def __init__(
        self,
        exposure: Exposure,
        keys: KeyStore,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._exposure = exposure
        self._keys = keys
        self._clock = clock
        self._of_keys = frozenset[str]()
        self._until_s: float | None = None
        self._looking = asyncio.Lock()

    async def find_origin(self, headers: Mapping[str, str]) -> str:
        """Return the origin that may read the response, "" for none of another site."""
        origin = foreign_origin(headers, self._exposure.schemes)
        if origin is None:
            return ""
        if origin in self._exposure.sites or origin in await self._origins_of_keys():
            return origin
        return ""

    async def _origins_of_keys(self) -> frozenset[str]:
        async with self._looking:
            if self._until_s is None or self._clock() >= self._until_s:
                # Those last seen, where the store does not answer: what they may is asked again.
                with suppress(Unavailable):
                    self._of_keys = await self._keys.list_origins(_LOOK_UP_S)
                self._until_s = self._clock() + REMEMBER_S
            return self._of_keys


def is_preflight(method: str, headers: Mapping[str, str]) -> bool:
    return method == "OPTIONS" and "access-control-request-method" in headers


def preflight_headers(origin: str) -> RawHeaders:
    """Return what a browser asks before it lets a page call. Raises ForeignOrigin for origin ""."""
    if not origin:
        raise ForeignOrigin("Quoth takes no requests from the pages of this site.")
    return _PREFLIGHT


def readable_headers(origin: str) -> RawHeaders:
    """Return the headers by which pages of `origin` may read a response; none for ""."""
    if not origin:
        return []
    return [
        (b"access-control-allow-origin", origin.encode()),
        (b"access-control-expose-headers", _READABLE),
        (b"vary", b"origin"),
    ]

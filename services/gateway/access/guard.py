"""The one place where a request is let in: its origin, its key, its scope, its book and its rate."""

import time
from collections.abc import Callable
from typing import Literal

from starlette.requests import Request

from libs.errors import NotFound
from libs.telemetry.metrics import current_metrics
from services.gateway.access.requests import check_origin
from services.gateway.errors import Forbidden, ForeignOrigin, RateLimited, Unauthenticated
from services.gateway.keys import (
    LOCAL,
    READER_RATE_PER_MINUTE,
    Caller,
    Scope,
    StoredKey,
    caller_of,
    is_genuine,
    read_key,
)
from services.gateway.ports import KeyStore, RateLimits
from services.gateway.settings import Exposure

Access = Scope | Literal["any key", "everybody"]
"""Who may use a route: holders of a key with that scope, of any key, or everybody."""

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOK_UP_S = 1.0
REMEMBER_S = 5.0
"""Seconds after which a key that another gateway revoked is refused here too."""
_MOST_REMEMBERED = 1000
_WRONG_KEYS = 20
_NO_KEY = "Send a key: Authorization: Bearer quoth_…"
_WRONG_KEY = "This key is not valid, or has expired. Ask the operator for another."
# The very words of the ingest service: who may not see a book must not learn that it is there.
NO_BOOK = "There is no book of that name."


class Guard:
    """Lets requests in, or raises: Unauthenticated, Forbidden, NotFound, RateLimited, Unavailable."""

    def __init__(
        self,
        exposure: Exposure,
        keys: KeyStore,
        limits: RateLimits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._exposure = exposure
        self._keys = keys
        self._limits = limits
        self._clock = clock
        self._remembered: dict[str, tuple[StoredKey, float]] = {}

    async def let_in(self, request: Request, access: Access) -> None:
        """Check a request against the rule of its route; `caller_of_request` says then who it is."""
        if access == "everybody":
            if request.method not in _SAFE:
                check_origin(request.headers, self._exposure.schemes, (), only_those=False)
            return
        try:
            request.scope["quoth.caller"] = await self._admit(request, access)
        except (Unauthenticated, Forbidden, ForeignOrigin, RateLimited) as error:
            _count(error.kind)
            raise

    def forget(self, key_id: str) -> None:
        """Look a key up anew when it comes next."""
        self._remembered.pop(key_id, None)

    async def _admit(self, request: Request, scope: Scope | Literal["any key"]) -> Caller:
        caller = await self._identify(request)
        if caller.rate_per_minute:
            await self._count_request(request, caller)
        if scope != "any key" and scope not in caller.scopes:
            raise Forbidden(
                f"This key lacks the scope “{scope}”. Ask the operator for one that has it."
            )
        book = request.path_params.get("book")
        if book is not None and not caller.may_see(book):
            raise NotFound(NO_BOOK)
        return caller

    async def _identify(self, request: Request) -> Caller:
        kind, _, text = request.headers.get("authorization", "").partition(" ")
        if not kind:
            # Whoever sits at this machine may do everything; another site's page does not sit here.
            check_origin(request.headers, self._exposure.schemes, (), only_those=False)
            if self._exposure.asks_for_keys:
                raise Unauthenticated(_NO_KEY)
            return LOCAL
        shown = read_key(text.strip()) if kind.lower() == "bearer" else None
        stored = await self._find(shown[0]) if shown else None
        if shown is None or stored is None or not is_genuine(stored, shown[1]):
            await self._refuse_wrong(request)
            raise Unauthenticated(_WRONG_KEY)
        allowed = stored.key.origins or self._exposure.sites
        is_site = bool(stored.key.origins)
        check_origin(request.headers, self._exposure.schemes, allowed, only_those=is_site)
        return caller_of(stored.key)

    async def _find(self, key_id: str) -> StoredKey | None:
        found, until_s = self._remembered.get(key_id, (None, 0.0))
        if found is not None and self._clock() < until_s:
            return found
        stored = await self._keys.find_key(key_id, _LOOK_UP_S)
        if len(self._remembered) >= _MOST_REMEMBERED:
            self._remembered.clear()
        if stored is None:
            self.forget(key_id)
        else:
            self._remembered[key_id] = stored, self._clock() + REMEMBER_S
        return stored

    async def _count_request(self, request: Request, caller: Caller) -> None:
        if caller.is_site:
            # First, so that one reader who asks too much takes nothing from the others.
            reader = f"reader:{caller.client}:{self._address(request)}"
            wait_s = await self._limits.take_request(reader, READER_RATE_PER_MINUTE)
            if wait_s:
                raise RateLimited("Too many requests came from this address.", wait_s)
        wait_s = await self._limits.take_request(f"client:{caller.client}", caller.rate_per_minute)
        if wait_s:
            raise RateLimited(
                f"More than {caller.rate_per_minute} requests in a minute. "
                f"Try again in {max(1, round(wait_s))} s.",
                wait_s,
            )

    async def _refuse_wrong(self, request: Request) -> None:
        wait_s = await self._limits.take_request(f"wrong:{self._address(request)}", _WRONG_KEYS)
        if wait_s:
            raise RateLimited("Too many wrong keys came from this address.", wait_s)

    def _address(self, request: Request) -> str:
        if self._exposure.is_behind_proxy:
            # The last one is what our proxy saw itself; those before it are a client's own words.
            return request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
        return request.client.host if request.client else ""


def caller_of_request(request: Request) -> Caller:
    """Return who makes a request that was let in."""
    caller = request.scope["quoth.caller"]
    assert isinstance(caller, Caller)
    return caller


def _count(reason: str) -> None:
    metrics = current_metrics()
    if metrics is not None:
        metrics.count_refused_request(reason)

"""Keys, budgets and limits in memory, by a clock that tests move."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec

from libs.errors import Conflict, NotFound, QuothError
from libs.paging import cut
from services.gateway.keys import (
    ClientKey,
    Grant,
    NewKey,
    StoredKey,
    TakenTokens,
    cursor_of_key,
    key_of_cursor,
    make_key,
)
from services.gateway.model.books import PageQuery

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@dataclass
class FakeKeys:
    """A key store with budgets; `now` is its clock, `failure` what every call raises."""

    now: datetime = NOON
    failure: QuothError | None = None
    stored: dict[str, StoredKey] = field(default_factory=dict)
    tokens: dict[tuple[str, date], int] = field(default_factory=dict)
    looked_up: int = 0

    def grant(self, client: str = "reader", **changes: Any) -> str:
        """Add a key at once; returns its text."""
        new = make_key()
        changes.setdefault("scopes", ("ask", "read"))
        self._add(Grant(client, **changes), new)
        return new.text

    async def find_key(self, key_id: str, timeout_s: float) -> StoredKey | None:
        self.looked_up += 1
        self._fail()
        found = self.stored.get(key_id)
        return StoredKey(self._seen(found.key), found.digest) if found else None

    async def list_keys(self, page: PageQuery, timeout_s: float) -> tuple[list[ClientKey], str]:
        self._fail()
        after, keys = key_of_cursor(page.cursor), self._newest()
        begin = next(
            (n for n, key in enumerate(keys, 1) if key.key_id == after), len(keys) * bool(after)
        )
        shown, last = cut(keys[begin:], page.limit)
        return shown, cursor_of_key(last.key_id) if last else ""

    async def list_origins(self, timeout_s: float) -> frozenset[str]:
        self._fail()
        return frozenset(
            one for key in self._newest() if key.state == "active" for one in key.origins
        )

    async def add_key(self, grant: Grant, new: NewKey, timeout_s: float) -> ClientKey:
        self._fail()
        if any(key.client == grant.client and key.state == "active" for key in self._newest()):
            raise Conflict(f"{grant.client} has a key.")
        return self._add(grant, new)

    async def rotate_key(
        self, key_id: str, new: NewKey, overlap_s: int, timeout_s: float
    ) -> ClientKey:
        old = await self.find_key(key_id, timeout_s)
        if old is None or old.key.state != "active":
            raise NotFound("There is no active key of that id.")
        ends = self.now + timedelta(seconds=overlap_s)
        lifetime = old.key.expire_time - old.key.create_time if old.key.expire_time else None
        self._put(old, expire_time=min(ends, old.key.expire_time or ends))
        return self._put(
            StoredKey(old.key, new.digest),
            key_id=new.key_id,
            create_time=self.now,
            expire_time=self.now + lifetime if lifetime else None,
        )

    async def revoke_key(self, key_id: str, timeout_s: float) -> ClientKey:
        old = await self.find_key(key_id, timeout_s)
        if old is None:
            raise NotFound("There is no key of that id.")
        return self._put(old, revoke_time=old.key.revoke_time or self.now)

    async def take_tokens(
        self, client: str, tokens: int, most: int, timeout_s: float
    ) -> TakenTokens | float:
        self._fail()
        today = client, self.now.date()
        if self.tokens.get(today, 0) + tokens > most:
            tomorrow = datetime.combine(self.now.date() + timedelta(days=1), NOON.min.time(), UTC)
            return (tomorrow - self.now).total_seconds()
        self.tokens[today] = self.tokens.get(today, 0) + tokens
        return TakenTokens(client, today[1], tokens)

    async def return_tokens(self, taken: TakenTokens, unused: int, timeout_s: float) -> None:
        self._fail()
        self.tokens[taken.client, taken.day] -= unused

    def spent(self, client: str) -> int:
        return self.tokens.get((client, self.now.date()), 0)

    def _newest(self) -> list[ClientKey]:
        newest = sorted(self.stored.values(), key=lambda one: one.key.create_time, reverse=True)
        return [self._seen(one.key) for one in newest]

    def _add(self, grant: Grant, new: NewKey) -> ClientKey:
        lifetime = None if grant.lifetime_s is None else timedelta(seconds=grant.lifetime_s)
        key = ClientKey(
            new.key_id,
            grant.client,
            list(grant.scopes),
            list(grant.books),
            grant.rate_per_minute,
            grant.tokens_per_day,
            "active",
            self.now,
            self.now + lifetime if lifetime else None,
            None,
            list(grant.origins),
        )
        self.stored[new.key_id] = StoredKey(key, new.digest)
        return key

    def _put(self, stored: StoredKey, **changes: Any) -> ClientKey:
        key = self._seen(msgspec.structs.replace(stored.key, **changes))
        self.stored[key.key_id] = StoredKey(key, stored.digest)
        return key

    def _seen(self, key: ClientKey) -> ClientKey:
        expired = key.expire_time is not None and key.expire_time <= self.now
        state = "revoked" if key.revoke_time else "expired" if expired else "active"
        return msgspec.structs.replace(key, state=state)

    def _fail(self) -> None:
        if self.failure is not None:
            raise self.failure

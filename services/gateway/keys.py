"""Keys of clients: what they may do, how they are made, and how one that is shown is recognised."""

import hashlib
import hmac
import re
import secrets
from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from libs.paging import read_cursor, write_cursor

Scope = Literal["ask", "read", "ingest", "admin"]
SCOPES: tuple[Scope, ...] = ("ask", "read", "ingest", "admin")
RATE_PER_MINUTE = 100
SITE_RATE_PER_MINUTE = 60
READER_RATE_PER_MINUTE = 20
"""Most requests a minute from one address by the key of a site, which all of its readers share."""

CLIENT_PATTERN = "^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$"

_PREFIX = "quoth"
_ID_BYTES = 6
_SECRET_BYTES = 32
_GIVEN = re.compile(r"quoth_[0-9a-f]{12}_[A-Za-z0-9_-]{32,256}")
_NOBODYS = bytes(hashlib.sha256().digest_size)


def cursor_of_key(key_id: str) -> str:
    return write_cursor("keys", key_id)


def key_of_cursor(cursor: str) -> str:
    """Return the id of the key that a page ended with; "" before the first. Raises InvalidInput."""
    return str(read_cursor(cursor, "keys", str)[0]) if cursor else ""


class ClientKey(Struct, frozen=True):
    """A key without its secret, which nobody has but its client."""

    key_id: Annotated[str, Meta(description="The part of the key that may be shown and logged.")]
    client: Annotated[str, Meta(description="Whose key it is; limits are the client's.")]
    scopes: list[Scope]
    books: Annotated[list[str], Meta(description="Slugs of its books; empty for all.")]
    rate_per_minute: int
    tokens_per_day: Annotated[
        int | None,
        Meta(description="Most tokens of language models a day (UTC); null for no limit."),
    ]
    state: Literal["active", "expired", "revoked"]
    create_time: datetime
    expire_time: datetime | None
    revoke_time: datetime | None
    origins: Annotated[
        list[str],
        Meta(description="Sites whose pages alone may use it, by origin; empty for programs."),
    ] = []


class StoredKey(Struct, frozen=True):
    """A key as it is kept: with the digest of its secret."""

    key: ClientKey
    digest: bytes


class NewKey(Struct, frozen=True):
    """A key that was just made: `text` goes to the client, the rest is kept."""

    key_id: str
    text: str
    digest: bytes


class Grant(Struct, frozen=True):
    """What a key is made for; `lifetime_s` None for one that does not expire."""

    client: str
    scopes: tuple[Scope, ...]
    books: tuple[str, ...] = ()
    rate_per_minute: int = RATE_PER_MINUTE
    tokens_per_day: int | None = None
    lifetime_s: int | None = None
    origins: tuple[str, ...] = ()


class TakenTokens(Struct, frozen=True):
    """Tokens that were taken from a client's budget of a day."""

    client: str
    day: date
    tokens: int


class Caller(Struct, frozen=True):
    """Who makes a request; the default is whoever sits at this machine, who may do everything."""

    client: str = ""
    scopes: tuple[Scope, ...] = SCOPES
    books: tuple[str, ...] = ()
    rate_per_minute: int = 0
    tokens_per_day: int | None = None
    is_site: bool = False

    def may_see(self, book: str) -> bool:
        return not self.books or book in self.books


LOCAL = Caller()


def make_key() -> NewKey:
    """Make a key of 256 random bits behind an id, so that it can be found without being known."""
    key_id = secrets.token_hex(_ID_BYTES)
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    return NewKey(key_id, f"{_PREFIX}_{key_id}_{secret}", _digest(secret))


def read_key(text: str) -> tuple[str, bytes] | None:
    """Return the id and the digest of the secret of a key; None for what is none."""
    prefix, _, rest = text.partition("_")
    key_id, _, secret = rest.partition("_")
    if prefix != _PREFIX or len(key_id) != 2 * _ID_BYTES or not secret or not text.isascii():
        return None
    return key_id, _digest(secret)


def take_key(text: str) -> NewKey | None:
    """Return a key that its holder has made up; None where it is none, or short enough to guess."""
    known = read_key(text) if _GIVEN.fullmatch(text) else None
    return NewKey(known[0], text, known[1]) if known else None


def is_genuine(stored: StoredKey | None, digest: bytes) -> bool:
    """Whether the secret with `digest` is the key's; takes as long where there is no such key."""
    matches = hmac.compare_digest(stored.digest if stored else _NOBODYS, digest)
    return stored is not None and stored.key.state == "active" and matches


def caller_of(key: ClientKey) -> Caller:
    return Caller(
        key.client,
        tuple(key.scopes),
        tuple(key.books),
        key.rate_per_minute,
        key.tokens_per_day,
        bool(key.origins),
    )


def _digest(secret: str) -> bytes:
    # The secret is random: a slow hash would protect nothing and cost every request.
    return hashlib.sha256(secret.encode()).digest()

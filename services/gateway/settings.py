"""The gateway's settings: what it does, and where and to whom it is open."""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from libs.settings import SettingsError, setting
from libs.uploads import upload_timeout

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})

_ORIGIN = re.compile(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?/?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}
_PROXIES = {"": frozenset[str](), "tls": frozenset({"tls"}), "tls,keys": frozenset({"tls", "keys"})}


@dataclass(frozen=True)
class Settings:
    """Everything that can be set about the gateway."""

    port: int = setting("QUOTH_PORT", "Port of the page and the REST interface.", default=8080)
    ingest: str = setting(
        "GATEWAY_INGEST", "Address of the ingest service.", default="127.0.0.1:8081"
    )
    retrieval: str = setting(
        "GATEWAY_RETRIEVAL", "Address of the retrieval service.", default="127.0.0.1:8082"
    )
    generation: str = setting(
        "GATEWAY_GENERATION", "Address of the generation service.", default="127.0.0.1:8083"
    )
    answers_at_once: int = setting(
        "GATEWAY_ANSWERS_AT_ONCE",
        "Most questions and searches worked on at once; more wait for up to a second, or are refused. "
        "Raise it where a language model far away does the work.",
        default=16,
        least=1,
    )
    max_body_bytes: int = setting(
        "GATEWAY_MAX_BODY_BYTES", "Largest JSON body, in bytes.", default=256 * 1024, least=1
    )
    max_upload_mib: int = setting(
        "QUOTH_MAX_UPLOAD_MIB",
        "Largest source of a book, in MiB; ingest's too.",
        default=256,
        least=1,
    )
    body_timeout_s: float = setting(
        "GATEWAY_BODY_TIMEOUT_S", "Seconds a JSON body may take to arrive.", default=10.0, least=0.1
    )
    upload_timeout_s: float = upload_timeout()
    upload_pause_s: float = setting(
        "GATEWAY_UPLOAD_PAUSE_S",
        "Longest pause inside an upload, in seconds.",
        default=30.0,
        least=0.1,
    )
    postgres_dsn: str = setting(
        "QUOTH_POSTGRES_DSN",
        "Address of PostgreSQL, postgresql://user@host/name, which keeps the keys of clients.",
        default="postgresql://quoth@127.0.0.1:5432/quoth",
        secret=True,
    )
    redis_url: str = setting(
        "QUOTH_REDIS_URL",
        "Redis that counts the requests of clients for all gateways, redis://host:6379; when empty, "
        "each gateway counts its own.",
        default="",
        secret=True,
    )
    reserved_tokens: int = setting(
        "GATEWAY_RESERVED_TOKENS",
        "Tokens taken from a client's budget before a question is asked; what it did not use is "
        "given back.",
        default=10_000,
    )


@dataclass(frozen=True)
class Exposure:
    """Where the gateway can be reached, and what keeps strangers out."""

    listen: str = setting(
        "QUOTH_LISTEN",
        "Address to listen at. Anything but loopback needs keys and TLS, or a proxy for both.",
        default="127.0.0.1",
    )
    hosts: str = setting(
        "QUOTH_HOSTS",
        "Names, with commas, under which it answers besides localhost; `*`: any. Needs keys.",
        default="",
    )
    tls_cert: Path | None = setting(
        "QUOTH_TLS_CERT",
        "File of the TLS certificate and its chain, PEM.",
        default=None,
        exists=True,
    )
    tls_key: Path | None = setting(
        "QUOTH_TLS_KEY",
        "File of the TLS certificate's private key, PEM.",
        default=None,
        exists=True,
    )
    origins: str = setting(
        "QUOTH_ORIGINS",
        "Sites, with commas, whose pages may call with any key, `https://docs.example.org`. Those of "
        "keys made for a site need not stand here.",
        default="",
    )
    proxy: str = setting(
        "QUOTH_PROXY",
        "What a proxy in front sees to: `tls`, or `tls,keys` where it lets in only who may do "
        "everything.",
        default="",
    )
    require_keys: bool = setting(
        "QUOTH_REQUIRE_KEYS", "Whether requests on loopback need a key too.", default=False
    )

    def __post_init__(self) -> None:
        if self.proxy not in _PROXIES:
            raise SettingsError(f"QUOTH_PROXY must be tls or tls,keys, not {self.proxy!r}")
        if self.require_keys and "keys" in self._proxied:
            raise SettingsError("QUOTH_REQUIRE_KEYS is at odds with QUOTH_PROXY=tls,keys")
        if (self.tls_cert is None) != (self.tls_key is None):
            raise SettingsError("QUOTH_TLS_CERT and QUOTH_TLS_KEY are needed together")
        for origin in _listed(self.origins):
            if read_origin(origin) is None:
                raise SettingsError(
                    f"QUOTH_ORIGINS: write a site as https://docs.example.org, not {origin!r}"
                )
        if not self._is_loopback and not self.tls_cert and "tls" not in self._proxied:
            raise SettingsError(
                f"QUOTH_LISTEN={self.listen}: set QUOTH_TLS_CERT and QUOTH_TLS_KEY, or say with "
                "QUOTH_PROXY=tls that a proxy in front does TLS"
            )

    @property
    def asks_for_keys(self) -> bool:
        """Whether requests without a key are refused."""
        open_to_others = not self._is_loopback or bool(self.hosts)
        return self.require_keys or (open_to_others and "keys" not in self._proxied)

    @property
    def names(self) -> frozenset[str]:
        """The names under which it answers."""
        return LOOPBACK_NAMES.union(name.lower() for name in _listed(self.hosts))

    @property
    def sites(self) -> frozenset[str]:
        """The origins whose pages may call with any key."""
        return frozenset(filter(None, map(read_origin, _listed(self.origins))))

    @property
    def schemes(self) -> tuple[str, ...]:
        """How its own pages come to a browser."""
        return ("http", "https") if self._proxied else (self.scheme,)

    @property
    def is_behind_proxy(self) -> bool:
        return bool(self._proxied)

    @property
    def scheme(self) -> str:
        return "https" if self.tls_cert else "http"

    @property
    def _proxied(self) -> frozenset[str]:
        return _PROXIES[self.proxy]

    @property
    def _is_loopback(self) -> bool:
        if self.listen == "localhost":
            return True
        try:
            return ip_address(self.listen).is_loopback
        except ValueError:
            raise SettingsError(f"QUOTH_LISTEN must be an address, not {self.listen!r}") from None


def read_origin(text: str) -> str | None:
    """Return an origin as browsers spell it in the header of that name; None for what is none."""
    found = _ORIGIN.fullmatch(text.strip().lower())
    if found is None:
        return None
    scheme, host, port = found.groups()
    return f"{scheme}://{host}" + (f":{port}" if port and port != _DEFAULT_PORTS[scheme] else "")


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]

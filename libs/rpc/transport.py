"""How services speak to one another: TLS or plain text, and what a caller shows."""

import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from libs.rpc.reloaded import Reloaded
from libs.rpc.tokens import MIN_TOKEN, Tokens
from libs.settings import SettingsError, setting

NONE, SERVER, MUTUAL, MESH = "none", "server", "mutual", "mesh"


@dataclass(frozen=True)
class Certificates:
    """What a process shows and trusts, PEM; None for what it was not given."""

    chain: bytes | None
    key: bytes | None
    authority: bytes | None


@dataclass(frozen=True)
class Transport:
    """What every service reads about calls between services."""

    token: str = setting(
        "QUOTH_SERVICE_TOKEN",
        "Token that services show one another, 32 characters or more. Of several, with spaces between, "
        "callers show the first, and each is taken.",
        default="",
        secret=True,
    )
    token_file: Path | None = setting(
        "QUOTH_SERVICE_TOKEN_FILE",
        "File of that token instead; read again when it changes.",
        default=None,
        exists=True,
    )
    tls: str = setting(
        "QUOTH_RPC_TLS",
        "TLS between services: `none`, `server` (callers check who answers), `mutual` (and who calls "
        "is checked), or `mesh` (plain text, because a mesh does both).",
        default=NONE,
        one_of=(NONE, SERVER, MUTUAL, MESH),
    )
    certificate: Path | None = setting(
        "QUOTH_RPC_CERT",
        "File of this process's certificate and its chain, PEM; read again when it changes.",
        default=None,
        exists=True,
    )
    key: Path | None = setting(
        "QUOTH_RPC_KEY",
        "File of that certificate's private key, PEM; read again when it changes.",
        default=None,
        exists=True,
    )
    authority: Path | None = setting(
        "QUOTH_RPC_CA",
        "File of the authority that signs the services' certificates, PEM; read again when it changes.",
        default=None,
        exists=True,
    )
    name: str = setting(
        "QUOTH_RPC_NAME",
        "Name that the certificates of services must have; empty: the one in their address.",
        default="",
    )
    health: str = setting(
        "QUOTH_HEALTH_LISTEN",
        "Address, host:port, where a service says in plain text whether it is ready, for probes that "
        "speak no TLS; empty: only where it serves.",
        default="",
    )

    def __post_init__(self) -> None:
        if self.token and self.token_file:
            raise SettingsError(
                "QUOTH_SERVICE_TOKEN and QUOTH_SERVICE_TOKEN_FILE are both set; one is enough"
            )
        if (self.certificate is None) != (self.key is None):
            raise SettingsError("QUOTH_RPC_CERT and QUOTH_RPC_KEY are needed together")
        if self.tls == MUTUAL and not (self.certificate and self.authority):
            raise SettingsError(
                "QUOTH_RPC_TLS=mutual needs QUOTH_RPC_CERT, QUOTH_RPC_KEY and QUOTH_RPC_CA"
            )
        if self.token:
            Tokens.parse("QUOTH_SERVICE_TOKEN", self.token)

    @property
    def has_tls(self) -> bool:
        return self.tls in (SERVER, MUTUAL)

    @property
    def asks_for_certificates(self) -> bool:
        return self.tls == MUTUAL

    def require_servable(self, address: str) -> None:
        """Raise SettingsError where a service at `address` would take calls from strangers."""
        if self.has_tls and not self.certificate:
            raise SettingsError(f"QUOTH_RPC_TLS={self.tls} needs QUOTH_RPC_CERT and QUOTH_RPC_KEY")
        knows_callers = bool(self.token or self.token_file) or self.tls in (MUTUAL, MESH)
        if not knows_callers and not _is_loopback(address.rpartition(":")[0]):
            raise SettingsError(
                f"at {address} anybody could call: set QUOTH_SERVICE_TOKEN_FILE (or "
                f"QUOTH_SERVICE_TOKEN, {MIN_TOKEN} characters or more) for all services, or "
                "QUOTH_RPC_TLS=mutual"
            )

    def tokens(self) -> Reloaded[Tokens]:
        """Return the tokens, as they are whenever they are asked for. Raises SettingsError."""
        path = self.token_file
        if path is None:
            fixed = Tokens.parse("QUOTH_SERVICE_TOKEN", self.token)
            return Reloaded((), lambda: fixed)
        return Reloaded((path,), lambda: _read_tokens(path))

    def certificates(self) -> Reloaded[Certificates]:
        """Return the certificates, as they are whenever they are asked for. Raises SettingsError."""
        named = (self.certificate, self.key, self.authority)
        return Reloaded([path for path in named if path], self._read_certificates)

    def _read_certificates(self) -> Certificates:
        """Read all files. Raises SettingsError for what is no certificate, or not of this key."""
        paths = (self.certificate, self.key, self.authority)
        try:
            made = Certificates(*(path.read_bytes() if path else None for path in paths))
            checked = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            if self.certificate:
                checked.load_cert_chain(self.certificate, self.key, password="")
            if self.authority:
                checked.load_verify_locations(self.authority)
        except (OSError, ValueError) as error:  # of which SSLError is one
            reason = getattr(error, "reason", None) or error.args[-1]
            raise SettingsError(
                f"QUOTH_RPC_CERT, QUOTH_RPC_KEY and QUOTH_RPC_CA can't be used: {reason}"
            ) from error
        return made


OPEN = Transport()
"""Plain text and no token: for processes of one program, and for services on loopback alone."""


def _read_tokens(path: Path) -> Tokens:
    try:
        text = path.read_text("ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"QUOTH_SERVICE_TOKEN_FILE can't be read: {path}") from error
    tokens = Tokens.parse("QUOTH_SERVICE_TOKEN_FILE", text)
    if not tokens:
        raise SettingsError(f"QUOTH_SERVICE_TOKEN_FILE holds no token: {path}")
    return tokens


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False

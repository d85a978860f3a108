"""Certificates of an authority of the test's own, for services on 127.0.0.1."""

import datetime as dt
import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_DAY = dt.timedelta(days=1)
_HERE = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))


@dataclass(frozen=True)
class Authority:
    """Signs certificates, and writes them into `folder`."""

    folder: Path
    name: str = "authority"
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    ends: dt.datetime | None = None
    """When its certificates end; None: tomorrow."""

    @property
    def path(self) -> Path:
        """The file of the authority's own certificate."""
        path = self.folder / f"{self.name}.crt"
        if not path.exists():
            made = self._sign(self.name, self.key, x509.BasicConstraints(ca=True, path_length=None))
            path.write_bytes(made)
        return path

    def issue(self, owner: str, *names: str, file: str = "") -> tuple[Path, Path]:
        """Write a certificate of `owner` for 127.0.0.1, or for `names`; return it and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        known: list[x509.GeneralName] = [x509.DNSName(name) for name in names] or [_HERE]
        certificate = self._sign(owner, key, x509.SubjectAlternativeName(known))
        paths = (self.folder / f"{file or owner}.crt", self.folder / f"{file or owner}.key")
        paths[0].write_bytes(certificate)
        paths[1].write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return paths

    def _sign(
        self, owner: str, key: ec.EllipticCurvePrivateKey, extension: x509.ExtensionType
    ) -> bytes:
        now = dt.datetime.now(dt.UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(_named(owner))
            .issuer_name(_named(self.name))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _DAY)
            .not_valid_after(self.ends or now + _DAY)
            .add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
            .sign(self.key, hashes.SHA256())
        )
        return made.public_bytes(serialization.Encoding.PEM)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])

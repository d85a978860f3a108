"""Read from its file when a certificate expires."""

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime

_UTC_TIME, _GENERALIZED_TIME = 0x17, 0x18
_VERSION = 0xA0
_FORMS = {_UTC_TIME: "%y%m%d%H%M%SZ", _GENERALIZED_TIME: "%Y%m%d%H%M%SZ"}
_END_OF_FIRST = "-----END CERTIFICATE-----"


def read_end(pem: str) -> datetime:
    """Return when the first certificate of the file is no longer valid. Raises ValueError for none.

    The standard library tells it of a peer's certificate alone; X.509 has it at a fixed place.
    """
    first, end, _ = pem.partition(_END_OF_FIRST)
    der = ssl.PEM_cert_to_DER_cert(first[first.find("-----BEGIN") :] + end)
    try:
        [(_, certificate)] = _values(der)
        (_, signed), *_ = _values(certificate)
        fields = [field for field in _values(signed) if field[0] != _VERSION]
        # Serial number, algorithm, issuer, validity.
        _, (kind, text) = _values(fields[3][1])
        # A year of two digits is of this century until 2050, from when on they have four.
        return datetime.strptime(text.decode(), _FORMS[kind]).replace(tzinfo=UTC)
    except (IndexError, KeyError) as error:
        raise ValueError("it is no certificate") from error


def _values(der: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the tag and the content of each value of a DER sequence."""
    at = 0
    while at < len(der):
        tag, length = der[at], der[at + 1]
        at += 2
        if length & 0x80:
            size = length & 0x7F
            length = int.from_bytes(der[at : at + size])
            at += size
        yield tag, der[at : at + length]
        at += length

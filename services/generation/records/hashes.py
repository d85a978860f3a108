"""The hashes of the record's rows and days, as PostgreSQL makes them too."""

import hashlib
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from services.generation.records.columns import COLUMNS, CONTENT, ERASED, SKELETON

_TEXTS: dict[str, Callable[[Any], str]] = {
    "BOOLEAN": lambda value: "true" if value else "false",
    "DATE": lambda value: value.isoformat(),
    "FLOAT": lambda value: struct.pack(">f", value).hex(),
}


@dataclass(frozen=True)
class SealedDay:
    """A day of the chain: how many rows it has, and the digest that holds those of all days before."""

    day: date
    row_count: int
    rows_hash: bytes
    erasures_hash: bytes
    previous: bytes
    digest: bytes

    def expected_digest(self) -> bytes:
        head = _field("day", self.day.isoformat()) + _field("row_count", str(self.row_count))
        held = self.rows_hash + self.erasures_hash
        return hashlib.sha256(self.previous + head.encode() + held).digest()


def content_hash(row: Mapping[str, Any]) -> bytes:
    """Return the hash of what was asked and answered; `timestamp` is in microseconds since 1970."""
    return hashlib.sha256(row["salt"] + _written(row, CONTENT)).digest()


def row_hash(row: Mapping[str, Any]) -> bytes:
    """Return the hash of the skeleton and of the content's hash."""
    return hashlib.sha256(_written(row, SKELETON) + row["content_hash"]).digest()


def is_whole(row: Mapping[str, Any]) -> bool:
    """Whether the content is what was written, or what its erasure left."""
    if row["erasure_id"] is None:
        return bool(content_hash(row) == row["content_hash"])
    return all(row[name] == blank for name, blank in ERASED.items())


def hash_of_all(hashes: Iterable[bytes]) -> bytes:
    """Return the hash of hashes, in whatever order they come."""
    return hashlib.sha256(b"".join(sorted(hashes))).digest()


def hash_and_size(path: Path) -> tuple[bytes, int]:
    """Return the hash of a file and how many bytes it has."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest(), file.tell()


def _written(row: Mapping[str, Any], names: list[str]) -> bytes:
    return "".join(
        _field(name, _TEXTS.get(COLUMNS[name], str)(row[name]))
        for name in names
        if row[name] is not None
    ).encode()


def _field(name: str, value: str) -> str:
    """Return a value as what is hashed has it, with its name and its length."""
    return f"{name}:{len(value)}:{value};"

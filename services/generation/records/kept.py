"""The data types of retention, verification and export: rows, months, erasures, results."""

from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID


@dataclass(frozen=True)
class KeptRow:
    """A row as it is found: the hash that it has, the one it should have, and whether it is whole."""

    log_id: UUID
    chain_day: date
    row_hash: bytes
    erasure_id: UUID | None
    hash: bytes
    is_whole: bool


@dataclass(frozen=True)
class Erasure:
    """What is told of an erasure; `hash` is that of its own row."""

    erasure_id: UUID
    chain_day: date
    row_count: int
    hash: bytes


@dataclass(frozen=True)
class ArchivedMonth:
    """A file of the archive: `size` is in bytes, `rows_hash` that of the hashes of its rows."""

    name: str
    month: date
    row_count: int
    rows_hash: bytes
    file_hash: bytes
    size: int


@dataclass(frozen=True)
class Erased:
    """What was erased: rows of the record, and sessions, feedback and remembered requests.

    `left` says what of it the files may still hold, and until when; "" for nothing.
    """

    rows: int
    sessions: int
    feedback: int
    requests: int
    left: str = ""


@dataclass(frozen=True)
class KeptOnSubject:
    """Rows, those of questions that are being answered, and what is kept beside them, oldest first."""

    rows: list[dict[str, Any]]
    opened: list[dict[str, Any]]
    sessions: list[dict[str, Any]]
    feedback: list[dict[str, Any]]


@dataclass(frozen=True)
class QueryResult:
    """Columns by name, and rows of values."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

"""The hashes of a row of the audit outside of PostgreSQL, and a row as its erasure leaves it."""

import hashlib
import struct
from collections.abc import Callable, Mapping
from typing import Any

from services.generation.adapters.audit.chain import chained_field

COLUMNS = {
    "answer_body": "VARCHAR",
    "answer_id": "UUID",
    "answer_text": "VARCHAR",
    "book": "VARCHAR",
    "chain_day": "DATE",
    "checks": "VARCHAR",
    "chunks_retrieved_count": "INTEGER",
    "chunks_returned": "VARCHAR",
    "citations": "VARCHAR",
    "client_id": "VARCHAR",
    "confidence_score": "FLOAT",
    "content_hash": "BLOB",
    "degraded": "VARCHAR",
    "edition": "INTEGER",
    "erasure_id": "UUID",
    "error_message": "VARCHAR",
    "gate": "VARCHAR",
    "history": "VARCHAR",
    "llm_prompt": "VARCHAR",
    "llm_response": "VARCHAR",
    "log_id": "UUID",
    "model_use": "VARCHAR",
    "profile": "VARCHAR",
    "query_id": "UUID",
    "refusal_code": "VARCHAR",
    "request_id": "VARCHAR",
    "retrieval_latency_ms": "FLOAT",
    "retrieval_query": "VARCHAR",
    "row_hash": "BLOB",
    "salt": "BLOB",
    "selection": "VARCHAR",
    "sentences": "VARCHAR",
    "session_id": "UUID",
    "source_mode": "VARCHAR",
    "success": "BOOLEAN",
    "taken_back": "VARCHAR",
    "timestamp": "TIMESTAMPTZ",
    "timings": "VARCHAR",
    "user_id": "VARCHAR",
    "user_query_text": "VARCHAR",
}
"""Every column of a row, and its type in the archive: JSON as the text that PostgreSQL writes."""
ERASED: dict[str, Any] = {
    "answer_body": None,
    "answer_text": "",
    "checks": "{}",
    "chunks_returned": "[]",
    "citations": "[]",
    "client_id": "",
    "history": "[]",
    "llm_prompt": "",
    "llm_response": "",
    "request_id": "",
    "retrieval_query": "",
    "selection": None,
    "sentences": "[]",
    "session_id": None,
    "taken_back": "[]",
    "user_id": None,
    "user_query_text": "",
    "salt": b"",
}
"""What an erased row has in the place of its content."""
_OF_CHAIN = {"content_hash", "erasure_id", "row_hash", "salt"}
_CONTENT = sorted(ERASED.keys() - _OF_CHAIN)
_SKELETON = sorted(COLUMNS.keys() - ERASED.keys() - _OF_CHAIN)
_TEXTS: dict[str, Callable[[Any], str]] = {
    "BOOLEAN": lambda value: "true" if value else "false",
    "DATE": lambda value: value.isoformat(),
    "FLOAT": lambda value: struct.pack(">f", value).hex(),
}


def content_hash(row: Mapping[str, Any]) -> bytes:
    """Return the hash of what was asked and answered; `timestamp` is in microseconds since 1970."""
    return hashlib.sha256(row["salt"] + _written(row, _CONTENT)).digest()


def row_hash(row: Mapping[str, Any]) -> bytes:
    """Return the hash of the skeleton and of the content's hash."""
    return hashlib.sha256(_written(row, _SKELETON) + row["content_hash"]).digest()


def is_whole(row: Mapping[str, Any]) -> bool:
    """Whether the content is what was written, or what its erasure left."""
    if row["erasure_id"] is None:
        return bool(content_hash(row) == row["content_hash"])
    return all(row[name] == blank for name, blank in ERASED.items())


def _written(row: Mapping[str, Any], names: list[str]) -> bytes:
    return "".join(
        chained_field(name, _TEXTS.get(COLUMNS[name], str)(row[name]))
        for name in names
        if row[name] is not None
    ).encode()

"""The columns of a row of the record: their kinds, and what an erasure leaves of them."""

from typing import Any

COLUMNS = {
    "answer_body": "VARCHAR",
    "answer_id": "UUID",
    "answer_text": "VARCHAR",
    "book": "VARCHAR",
    "chain_day": "DATE",
    "checks": "JSON",
    "chunks_retrieved_count": "INTEGER",
    "chunks_returned": "JSON",
    "citations": "JSON",
    "client_id": "VARCHAR",
    "confidence_score": "FLOAT",
    "content_hash": "BLOB",
    "degraded": "JSON",
    "edition": "INTEGER",
    "erasure_id": "UUID",
    "error_message": "VARCHAR",
    "gate": "JSON",
    "history": "JSON",
    "llm_prompt": "VARCHAR",
    "llm_response": "VARCHAR",
    "log_id": "UUID",
    "model_use": "JSON",
    "profile": "VARCHAR",
    "query_id": "UUID",
    "refusal_code": "VARCHAR",
    "request_id": "VARCHAR",
    "retrieval_latency_ms": "FLOAT",
    "retrieval_query": "VARCHAR",
    "row_hash": "BLOB",
    "salt": "BLOB",
    "selection": "JSON",
    "sentences": "JSON",
    "session_id": "UUID",
    "source_mode": "VARCHAR",
    "success": "BOOLEAN",
    "taken_back": "JSON",
    "timestamp": "TIMESTAMPTZ",
    "timings": "JSON",
    "user_id": "VARCHAR",
    "user_query_text": "VARCHAR",
}
"""Every column of a row and its kind; JSON is hashed and archived as the text PostgreSQL writes."""
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
OF_CHAIN = frozenset({"content_hash", "erasure_id", "row_hash", "salt"})
CONTENT = sorted(ERASED.keys() - OF_CHAIN)
SKELETON = sorted(COLUMNS.keys() - ERASED.keys() - OF_CHAIN)
CSV_NULL = "\\N"
"""What stands unquoted in a CSV file for a value that is not there; all others are quoted."""

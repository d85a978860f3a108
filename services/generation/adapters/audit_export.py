"""Gather all that is kept on someone."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import asyncpg

from libs.postgres import translated_errors
from services.generation.adapters.audit_subject import Subject

_LONG_S = 3600.0
_OF_CHAIN = ("salt", "content_hash", "row_hash")
_ROWS = "SELECT to_jsonb(kept) FROM audit_logs AS kept WHERE {condition} ORDER BY timestamp, log_id"
_OPENED = "SELECT to_jsonb(kept) FROM audit_opened AS kept WHERE {condition} ORDER BY timestamp"
_SESSIONS = """
SELECT to_jsonb(kept) FROM sessions AS kept
WHERE session_id = ANY($1::uuid[]) ORDER BY created_at
"""
_FEEDBACK = """
SELECT to_jsonb(kept) FROM answer_feedback AS kept
WHERE answer_id = ANY($1::uuid[]) ORDER BY create_time
"""


class AuditExport:
    """Reads by the pool of any user that may read the audit's tables."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def export(self, subject: Subject) -> dict[str, Any]:
        """Return rows, sessions and feedback as plain objects, oldest first."""
        values = tuple(subject.given.values())
        condition = subject.condition("kept")
        with translated_errors():
            async with (
                self._pool.acquire() as connection,
                connection.transaction(isolation="repeatable_read", readonly=True),
            ):

                async def read(statement: str, *given: Any) -> list[dict[str, Any]]:
                    rows = await connection.fetch(statement, *given, timeout=_LONG_S)
                    return [json.loads(row[0]) for row in rows]

                rows = await read(_ROWS.format(condition=condition), *values)
                opened = await read(_OPENED.format(condition=condition), *values)
                sessions = {row["session_id"] for row in rows if row["session_id"]}
                kept = await read(_SESSIONS, list(sessions))
                feedback = await read(_FEEDBACK, [row["log_id"] for row in rows])
        closed = {row["log_id"] for row in rows}
        rows += [row for row in opened if row["log_id"] not in closed]
        return {
            "of": {name: str(value) for name, value in subject.given.items()},
            "exported_at": datetime.now(UTC).isoformat(),
            "questions": [_told(row) for row in rows],
            "sessions": kept,
            "feedback": feedback,
        }


def _told(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without what tells nothing of anybody, its answer as an object."""
    told = {name: value for name, value in row.items() if name not in _OF_CHAIN}
    if told.get("answer_body"):
        told["answer_body"] = json.loads(told["answer_body"])
    return told

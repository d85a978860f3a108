"""Gather all that is kept on someone."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import asyncpg

from libs.postgres import translated_errors
from services.generation.adapters.audit.archive import AuditArchive, scratch
from services.generation.adapters.audit.files import ArchiveFiles
from services.generation.adapters.audit.parquet import select_rows
from services.generation.adapters.audit.subject import Subject

_LONG_S = 3600.0
_JSON = frozenset(
    {
        *("checks", "chunks_returned", "citations", "degraded", "gate", "history", "model_use"),
        *("selection", "sentences", "taken_back", "timings"),
    }
)
_OF_CHAIN = ("salt", "content_hash", "row_hash")
_ROWS = "SELECT to_jsonb(found.kept) FROM audit_rows AS found WHERE {condition} ORDER BY timestamp"
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

    def __init__(self, pool: asyncpg.Pool, files: ArchiveFiles | None = None) -> None:
        self._pool = pool
        self._archive = AuditArchive(pool, files)

    async def export(self, subject: Subject) -> dict[str, Any]:
        """Return rows, sessions and feedback as plain objects, oldest first.

        Raises SettingsError where months are archived and the archive is not given or can't be read.
        """
        values = tuple(subject.given.values())
        archived = await self._archived(subject)
        with translated_errors():
            async with (
                self._pool.acquire() as connection,
                connection.transaction(isolation="repeatable_read", readonly=True),
            ):

                async def read(statement: str, *given: Any) -> list[dict[str, Any]]:
                    rows = await connection.fetch(statement, *given, timeout=_LONG_S)
                    return [json.loads(row[0]) for row in rows]

                rows = await read(_ROWS.format(condition=subject.condition("found")), *values)
                opened = await read(_OPENED.format(condition=subject.condition("kept")), *values)
                rows = [*archived, *rows]
                sessions = {row["session_id"] for row in rows if row["session_id"]}
                kept = await read(_SESSIONS, list(sessions))
                feedback = await read(_FEEDBACK, [row["log_id"] for row in rows])
        closed = {row["log_id"] for row in rows}
        rows += [row for row in opened if row["log_id"] not in closed]
        return {
            "of": {name: str(value) for name, value in subject.given.items()},
            "exported_at": datetime.now(UTC).isoformat(),
            "questions": [_shown(row) for row in rows],
            "sessions": kept,
            "feedback": feedback,
        }

    async def _archived(self, subject: Subject) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for month in await self._archive.list_months():
            async with scratch() as folder:
                found = await self._archive.work_on(
                    month["name"],
                    lambda duckdb, path: select_rows(duckdb, path, subject.given),
                    folder,
                )
            rows += [{name: _plain(name, value) for name, value in row.items()} for row in found]
        return rows


def _plain(name: str, value: Any) -> Any:
    """Return a value of the archive as JSON has it."""
    if value is not None and name in _JSON:
        return json.loads(value)
    return str(value) if isinstance(value, UUID | date) else value


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without what tells nothing of anybody, its answer as an object."""
    told = {name: value for name, value in row.items() if name not in _OF_CHAIN}
    if told.get("answer_body"):
        told["answer_body"] = json.loads(told["answer_body"])
    return told

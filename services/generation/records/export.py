"""Export all that is kept about a user, session or client."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from services.generation.records.archive import AuditArchive
from services.generation.records.columns import COLUMNS
from services.generation.records.ports import SubjectTables
from services.generation.records.subject import Subject

_OF_CHAIN = ("salt", "content_hash", "row_hash")


class AuditExport:
    """Needs no right but to read the record."""

    def __init__(self, tables: SubjectTables, archive: AuditArchive) -> None:
        self._tables = tables
        self._archive = archive

    async def export(self, subject: Subject) -> dict[str, Any]:
        """Return rows, sessions and feedback as plain objects, oldest first.

        Raises SettingsError where months are archived and the archive is not given or can't be read.
        """
        archived = await self._archived(subject)
        kept = await self._tables.read_kept(
            subject,
            sessions=[row["session_id"] for row in archived if row["session_id"]],
            answers=[row["log_id"] for row in archived],
        )
        rows = [*archived, *kept.rows]
        closed = {row["log_id"] for row in rows}
        rows += [row for row in kept.opened if row["log_id"] not in closed]
        return {
            "of": {name: str(value) for name, value in subject.given.items()},
            "exported_at": datetime.now(UTC).isoformat(),
            "questions": [_shown(row) for row in rows],
            "sessions": kept.sessions,
            "feedback": kept.feedback,
        }

    async def _archived(self, subject: Subject) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for month in await self._archive.list_months():
            async with self._archive.at_hand(month.name) as path:
                found = await self._archive.format.select(path, subject.given)
            rows += [{name: _plain(name, value) for name, value in row.items()} for row in found]
        return rows


def _plain(name: str, value: Any) -> Any:
    """Return a value of the archive as JSON has it."""
    if value is not None and COLUMNS[name] == "JSON":
        return json.loads(value)
    return str(value) if isinstance(value, UUID | date) else value


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without what tells nothing of anybody, its answer as an object."""
    fields = {name: value for name, value in row.items() if name not in _OF_CHAIN}
    if fields.get("answer_body"):
        fields["answer_body"] = json.loads(fields["answer_body"])
    return fields

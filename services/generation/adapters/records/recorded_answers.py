"""Find what a row of the record has of an answer, in the database or in the archive."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from libs.errors import NotFound
from libs.postgres import translated_errors
from services.generation.model import Answer, Message, Role
from services.generation.records.archive import AuditArchive
from services.generation.replay import RecordedAnswer

NO_ROW = "There is no row of that answer; if it was archived, it may have been erased since."
ERASED = "What was asked and answered was erased: of the row there is its skeleton alone."
_FIND = """
SELECT erasure_id, error_message, (kept).answer_body, (kept).history::text, (kept).llm_response,
    (kept).checks::text
FROM (
    SELECT erasure_id, (kept).error_message, kept FROM audit_rows WHERE answer_id = $1
    UNION ALL
    SELECT erasure_id, (kept).error_message, kept FROM audit_rows
    WHERE log_id = $1 AND answer_id IS NULL
) AS found
LIMIT 1
"""


async def find_recorded(
    pool: asyncpg.Pool, archive: AuditArchive, answer_id: UUID
) -> RecordedAnswer:
    """Return what is needed to rebuild an answer.

    Raises NotFound, which says why, where there is no row, it was erased, or is of no answer.
    """
    with translated_errors():
        found = await pool.fetchrow(_FIND, answer_id)
    row = dict(found) if found else await _find_archived(archive, answer_id)
    if row is None:
        raise NotFound(NO_ROW)
    if row["erasure_id"] is not None:
        raise NotFound(ERASED)
    if row["answer_body"] is None:
        raise NotFound(f"That question has no answer: it ended with {row['error_message']!r}.")
    return RecordedAnswer(
        msgspec.json.decode(row["answer_body"], type=Answer),
        tuple(Message(Role(role), text) for role, text in json.loads(row["history"])),
        row["llm_response"],
        json.loads(row["checks"]).get("made_with", {}),
    )


async def _find_archived(archive: AuditArchive, answer_id: UUID) -> Mapping[str, Any] | None:
    if not archive.is_there:
        return None
    for month in reversed(await archive.list_months()):
        async with archive.at_hand(month.name) as path:
            found = await archive.format.select(path, {"answer_id": answer_id})
        if found:
            return found[0]
    return None

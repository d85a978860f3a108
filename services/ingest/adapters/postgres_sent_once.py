"""Which job a marked source became, in PostgreSQL: sent again, it is no second one."""

from typing import Any, TypeAlias
from uuid import UUID

import asyncpg

from libs.errors import InvalidInput
from services.ingest.model.job import SentOnce

Connection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[Any]"

_FORGET = "DELETE FROM sent_once WHERE held_at < clock_timestamp() - interval '1 day'"
# Who holds the same mark in a transaction of their own is waited for.
_HOLD = """
INSERT INTO sent_once AS held (client_id, request_key, fingerprint, job_id)
VALUES ($1, $2, $3, $4)
ON CONFLICT (client_id, request_key) DO UPDATE
SET job_id = EXCLUDED.job_id, held_at = clock_timestamp()
WHERE held.fingerprint = EXCLUDED.fingerprint AND EXISTS (
    SELECT FROM jobs WHERE job_id = held.job_id AND state IN ('failed', 'cancelled'))
RETURNING job_id
"""
_HOLDER = """
SELECT job.*, held.fingerprint FROM sent_once AS held JOIN jobs AS job USING (job_id)
WHERE held.client_id = $1 AND held.request_key = $2
"""
ANOTHER_SOURCE = (
    "This Idempotency-Key was sent with another source. Send a new key with a new source."
)


async def find_earlier(connection: Connection, job_id: UUID, once: SentOnce) -> Any:
    """Let a mark stand for a new job, inside the caller's transaction; return the job it stands for.

    None for the new one. Raises InvalidInput where it marks another source.
    """
    await connection.execute(_FORGET)
    mark = (once.client_id, once.request_key)
    if await connection.fetchval(_HOLD, *mark, once.fingerprint, job_id):
        return None
    held = await connection.fetchrow(_HOLDER, *mark)
    if held is None:  # it was a day old just now
        return None
    if held["fingerprint"] != once.fingerprint:
        raise InvalidInput(ANOTHER_SOURCE)
    return held

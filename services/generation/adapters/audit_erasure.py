"""Erase what was asked and answered, and leave of each row its skeleton and the fact."""

import asyncio
import time
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg

from libs.errors import Conflict
from libs.postgres import translated_errors
from libs.telemetry.metrics import count_upkeep
from services.generation.adapters.audit_subject import Subject
from services.generation.adapters.audit_upkeep import AuditUpkeep

_LONG_S = 3600.0
_OPEN_S = 40.0
"""A question that is being answered has its row by then."""
_POLL_S = 0.5
_SMALL_BYTES = 16 << 20
_BESIDE = ("audit_opened", "audit_released", "sessions", "asked_once", "answer_feedback")
_CHOOSE = """
CREATE TEMPORARY TABLE erasing ON COMMIT DROP AS
SELECT log_id, timestamp, session_id, tableoid::regclass::text AS partition
FROM audit_logs AS kept WHERE erasure_id IS NULL AND {condition}
"""
_TELL = """
INSERT INTO audit_erasures (scope, book, row_count)
SELECT $1, $2, count(*) FROM erasing HAVING count(*) > 0 RETURNING erasure_id
"""
_ERASE = """
UPDATE audit_logs AS kept
SET (answer_body, answer_text, checks, chunks_returned, citations, client_id, history, llm_prompt,
    llm_response, request_id, retrieval_query, selection, sentences, session_id, taken_back, user_id,
    user_query_text, salt, erasure_id)
= (SELECT answer_body, answer_text, checks, chunks_returned, citations, client_id, history, llm_prompt,
    llm_response, request_id, retrieval_query, selection, sentences, session_id, taken_back, user_id,
    user_query_text, salt, erasure_id FROM audit_erased(kept, $1))
FROM erasing WHERE kept.log_id = erasing.log_id AND kept.timestamp = erasing.timestamp
"""
# Sessions and feedback have columns of their own, for what was never asked.
_FORGET = {
    "sessions": (
        "session_id IN (SELECT session_id FROM erasing)",
        ("session_id", "client_id", "book"),
    ),
    "answer_feedback": ("answer_id IN (SELECT log_id FROM erasing)", ("client_id", "book")),
    "asked_once": ("answer_id IN (SELECT log_id FROM erasing)", ("client_id",)),
}
_CLEAR_OPENED = """
DELETE FROM audit_opened AS opened USING audit_logs AS closed
WHERE closed.log_id = opened.log_id AND closed.timestamp = opened.timestamp AND {condition}
"""
_IN_LOG = (
    "Erased texts may stand in the files of PostgreSQL until they are overwritten{where}: "
    "VACUUM FULL and CHECKPOINT, at a quiet hour, end that."
)
_Connection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[Any]"


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


class AuditErasure:
    """Erases by a pool of the tables' owner."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def erase(self, subject: Subject) -> Erased:
        """Erase the rows of `subject` and all that is kept beside them.

        Waits for questions that are being answered. Raises Conflict when they do not end.
        """
        await self._await_opened(subject)
        with translated_errors():
            async with self._pool.acquire() as connection:
                async with connection.transaction():
                    counts, partitions = await _erase(connection, subject)
                left = await _write_anew(connection, partitions)
        count_upkeep("erased_rows", counts["rows"])
        return Erased(**counts, left=left)

    async def _await_opened(self, subject: Subject) -> None:
        """Wait until no row of the subject is open: what it holds would come after the erasure."""
        upkeep, deadline = AuditUpkeep(self._pool), time.monotonic() + _OPEN_S
        condition = subject.condition("opened")
        values = subject.given.values()
        clear = _CLEAR_OPENED.format(condition=condition)
        find = f"SELECT EXISTS (SELECT FROM audit_opened AS opened WHERE {condition})"  # noqa: S608
        while True:
            with translated_errors():
                await self._pool.execute(clear, *values)
                if not await self._pool.fetchval(find, *values):
                    return
            if time.monotonic() > deadline:
                raise Conflict("A question of theirs is still being answered. Try again soon.")
            await upkeep.close_rows()
            await asyncio.sleep(_POLL_S)


async def _erase(connection: _Connection, subject: Subject) -> tuple[dict[str, int], list[str]]:
    """Return how many rows of what were erased, and the partitions that they stand in."""
    values = tuple(subject.given.values())
    await connection.execute("SET LOCAL synchronous_commit = on")
    await connection.execute(
        _CHOOSE.format(condition=subject.condition("kept")), *values, timeout=_LONG_S
    )
    erasure_id = await connection.fetchval(_TELL, subject.scope, subject.book)
    counts = {"rows": 0}
    if erasure_id is not None:
        counts["rows"] = await _count(connection, _ERASE, erasure_id)
    names = {"sessions": "sessions", "feedback": "answer_feedback", "requests": "asked_once"}
    for name, table in names.items():
        chosen, columns = _FORGET[table]
        own = subject.only(*columns)
        condition = f"{chosen} OR ({subject.condition(table)})" if own else chosen
        counts[name] = await _count(
            connection,
            f"DELETE FROM {table} WHERE {condition}",  # noqa: S608 - our own names
            *(values if own else ()),
        )
    partitions = await connection.fetch("SELECT DISTINCT partition FROM erasing ORDER BY 1")
    return counts, [row["partition"] for row in partitions]


async def _count(connection: _Connection, statement: str, *values: UUID | str) -> int:
    return int((await connection.execute(statement, *values, timeout=_LONG_S)).split()[-1])


async def _write_anew(connection: _Connection, partitions: list[str]) -> str:
    """Leave nothing of the erased in the files; return what is left all the same.

    Small tables are written anew, which stops their readers and writers for less than a second; of
    large ones the space is only given back.
    """
    large = []
    try:
        for table in (*_BESIDE, *partitions):
            size = await connection.fetchval("SELECT pg_total_relation_size($1::regclass)", table)
            full = "(FULL)" if size <= _SMALL_BYTES else ""
            large += [] if full else [table]
            await connection.execute("SET lock_timeout = '1s'")
            await connection.execute(f"VACUUM {full} {table}", timeout=_LONG_S)
        await connection.execute("SELECT pg_switch_wal()")
        await connection.execute("CHECKPOINT")
    except (asyncpg.InsufficientPrivilegeError, asyncpg.LockNotAvailableError):
        return _IN_LOG.format(where="")
    finally:
        await connection.execute("RESET lock_timeout")
    return _IN_LOG.format(where=f" ({', '.join(large)})") if large else ""

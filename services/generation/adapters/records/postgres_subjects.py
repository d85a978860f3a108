"""What is kept on someone, on PostgreSQL: erased, and read."""

import json
from collections.abc import Sequence
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg

from libs.postgres import forget_samples, translated_errors
from services.generation.adapters.schema import LONG_S
from services.generation.records.columns import ERASED
from services.generation.records.kept import ArchivedMonth, Erased, KeptOnSubject
from services.generation.records.subject import Subject

_SMALL_BYTES = 16 << 20
_BESIDE = (
    *("audit_opened", "audit_released", "sessions", "asked_once"),
    *("answer_feedback", "answer_grades"),
)
_CHOOSE = """
CREATE TEMPORARY TABLE erasing ON COMMIT DROP AS
SELECT log_id, timestamp, session_id, CASE WHEN is_warm THEN 'audit_warm_' ELSE 'audit_logs_' END
    || to_char(timestamp AT TIME ZONE 'UTC', 'YYYY_MM') AS partition
FROM audit_rows AS kept WHERE erasure_id IS NULL AND {condition}
"""
_TELL = """
INSERT INTO audit_erasures (scope, book, row_count)
SELECT $1, $2, count(*) FROM erasing HAVING count(*) > 0 RETURNING erasure_id
"""
_ERASE = """
UPDATE audit_logs AS kept
SET ({columns}) = (SELECT {columns} FROM audit_erased(kept, $1))
FROM erasing WHERE kept.log_id = erasing.log_id AND kept.timestamp = erasing.timestamp
"""
_ERASE_WARM = """
UPDATE audit_warm AS packed SET (client_id, session_id, user_id, erasure_id, kept) = (
    SELECT client_id, session_id, user_id, erasure_id, kept
    FROM audit_summary(audit_erased(audit_unpacked(packed), $1))
)
FROM erasing WHERE packed.log_id = erasing.log_id AND packed.timestamp = erasing.timestamp
"""
_TELL_ARCHIVED = """
INSERT INTO audit_erasures (erasure_id, scope, book, row_count) VALUES ($1, $2, $3, $4)
"""
_MOVE = """
UPDATE audit_archives SET name = $2, file_hash = $3, size = $4 WHERE name = $1
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
_FIND_OPENED = "SELECT EXISTS (SELECT FROM audit_opened AS opened WHERE {condition})"
_DELETE = "DELETE FROM {table} WHERE {condition}"
_IN_LOG = (
    "Erased texts may stand in the files of PostgreSQL until they are overwritten{where}: "
    "VACUUM FULL and CHECKPOINT, at a quiet hour, end that."
)
_Connection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[Any]"
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


class PostgresSubjects:
    """Erases by a pool of the tables' owner; who may read them can read what is kept."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def has_open_rows(self, subject: Subject) -> bool:
        condition, values = _condition(subject, "opened"), subject.given.values()
        with translated_errors():
            await self._pool.execute(_CLEAR_OPENED.format(condition=condition), *values)
            found = await self._pool.fetchval(_FIND_OPENED.format(condition=condition), *values)
        return bool(found)

    async def erase(self, subject: Subject) -> Erased:
        with translated_errors():
            async with self._pool.acquire() as connection:
                async with connection.transaction():
                    counts, partitions = await _erase(connection, subject)
                left = await _write_anew(connection, partitions)
        return Erased(**counts, left=left)

    async def replace_archived(
        self, name: str, file: ArchivedMonth, erasure_id: UUID, subject: Subject, row_count: int
    ) -> None:
        values = (erasure_id, subject.scope, subject.book, row_count)
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await connection.execute(_TELL_ARCHIVED, *values)
                await connection.execute(_MOVE, name, file.name, file.file_hash, file.size)

    async def read_kept(
        self, subject: Subject, *, sessions: Sequence[str], answers: Sequence[str]
    ) -> KeptOnSubject:
        values = tuple(subject.given.values())
        with translated_errors():
            async with (
                self._pool.acquire() as connection,
                connection.transaction(isolation="repeatable_read", readonly=True),
            ):

                async def read(statement: str, *given: Any) -> list[dict[str, Any]]:
                    rows = await connection.fetch(statement, *given, timeout=LONG_S)
                    return [json.loads(row[0]) for row in rows]

                rows = await read(_ROWS.format(condition=_condition(subject, "found")), *values)
                opened = await read(_OPENED.format(condition=_condition(subject, "kept")), *values)
                of_rows = {row["session_id"] for row in rows if row["session_id"]}
                return KeptOnSubject(
                    rows,
                    opened,
                    await read(_SESSIONS, list({*sessions, *of_rows})),
                    await read(_FEEDBACK, [*answers, *(row["log_id"] for row in rows)]),
                )


def _condition(subject: Subject, table: str) -> str:
    """Return the condition of a subject's rows, for the values of `given` as $1, $2 …"""
    # Only our own names go into the text; the values travel apart.
    return " AND ".join(
        f"{table}.{column} = ${number}" for number, column in enumerate(subject.given, 1)
    )


async def _erase(connection: _Connection, subject: Subject) -> tuple[dict[str, int], list[str]]:
    """Return how many rows of what were erased, and the partitions that they stand in."""
    values = tuple(subject.given.values())
    await connection.execute("SET LOCAL synchronous_commit = on")
    await connection.execute(
        _CHOOSE.format(condition=_condition(subject, "kept")), *values, timeout=LONG_S
    )
    erasure_id = await connection.fetchval(_TELL, subject.scope, subject.book)
    counts = {"rows": 0}
    if erasure_id is not None:
        erase = _ERASE.format(columns=", ".join((*ERASED, "erasure_id")))
        counts["rows"] = await _count(connection, erase, erasure_id)
        counts["rows"] += await _count(connection, _ERASE_WARM, erasure_id)
    names = {"sessions": "sessions", "feedback": "answer_feedback", "requests": "asked_once"}
    for name, table in names.items():
        chosen, columns = _FORGET[table]
        own = subject.only(*columns)
        condition = f"{chosen} OR ({_condition(subject, table)})" if own else chosen
        counts[name] = await _count(
            connection,
            _DELETE.format(table=table, condition=condition),
            *(values if own else ()),
        )
    partitions = await connection.fetch("SELECT DISTINCT partition FROM erasing ORDER BY 1")
    return counts, [row["partition"] for row in partitions]


async def _count(connection: _Connection, statement: str, *values: UUID | str) -> int:
    return int((await connection.execute(statement, *values, timeout=LONG_S)).split()[-1])


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
            await connection.execute(f"VACUUM {full} {table}", timeout=LONG_S)
        await forget_samples(connection, (*_BESIDE, "audit_logs", "audit_warm"), LONG_S)
        await connection.execute("SELECT pg_switch_wal()")
        await connection.execute("CHECKPOINT")
    except (asyncpg.InsufficientPrivilegeError, asyncpg.LockNotAvailableError):
        return _IN_LOG.format(where="")
    finally:
        await connection.execute("RESET lock_timeout")
    return _IN_LOG.format(where=f" ({', '.join(large)})") if large else ""

"""Erase what was asked and answered, and leave of each row its skeleton and the fact."""

import asyncio
import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID, uuid4

import asyncpg

from libs.errors import Conflict, QuothError
from libs.postgres import translated_errors
from libs.telemetry.metrics import count_upkeep
from services.generation.adapters.audit.archive import AuditArchive, scratch
from services.generation.adapters.audit.files import ArchiveFiles
from services.generation.adapters.audit.parquet import count_rows, read_back, write_erased
from services.generation.adapters.audit.subject import Subject
from services.generation.adapters.audit.upkeep import AuditUpkeep

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LONG_S = 3600.0
_OPEN_S = 40.0
"""A question that is being answered has its row by then."""
_POLL_S = 0.5
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
SET (answer_body, answer_text, checks, chunks_returned, citations, client_id, history, llm_prompt,
    llm_response, request_id, retrieval_query, selection, sentences, session_id, taken_back, user_id,
    user_query_text, salt, erasure_id)
= (SELECT answer_body, answer_text, checks, chunks_returned, citations, client_id, history, llm_prompt,
    llm_response, request_id, retrieval_query, selection, sentences, session_id, taken_back, user_id,
    user_query_text, salt, erasure_id FROM audit_erased(kept, $1))
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

    def __init__(self, pool: asyncpg.Pool, files: ArchiveFiles | None = None) -> None:
        self._pool = pool
        self._archive = AuditArchive(pool, files)

    async def erase(self, subject: Subject) -> Erased:
        """Erase the rows of `subject` and all that is kept beside them, in the archive as well.

        Waits for questions that are being answered. Raises Conflict when they do not end, and
        SettingsError where months are archived and the archive is not given or can't be read.
        """
        archived = sum(
            [await self._erase_file(month["name"], subject) for month in await self._months()]
        )
        await self._await_opened(subject)
        with translated_errors():
            async with self._pool.acquire() as connection:
                async with connection.transaction():
                    counts, partitions = await _erase(connection, subject)
                left = await _write_anew(connection, partitions)
        counts["rows"] += archived
        count_upkeep("erased_rows", counts["rows"])
        return Erased(**counts, left=left)

    async def _months(self) -> list[asyncpg.Record]:
        with translated_errors():
            return await self._archive.list_months()

    async def _erase_file(self, name: str, subject: Subject) -> int:
        """Put a new file in the place of one that has rows of the subject; return how many it had.

        Each file has an erasure of its own, told by the stroke that makes the new one valid.
        """
        given, erasure_id, new_name = subject.given, uuid4(), _next_name(name)
        async with scratch() as folder:
            target = folder / "erased.parquet"

            def rewrite(duckdb: "DuckDBPyConnection", path: Path) -> int:
                count = count_rows(duckdb, path, given)
                if count:
                    write_erased(duckdb, path, target, given, erasure_id)
                return count

            count = await self._archive.work_on(name, rewrite, folder)
            if not count:
                return 0
            before = await self._archive.work_on(name, read_back, folder)
            await self._archive.files.put(new_name, target)
            if await self._archive.work_on(new_name, read_back, folder) != before:
                raise QuothError(
                    f"The archive gave back another file than it was given: {new_name}."
                )
            with target.open("rb") as file:
                file_hash = hashlib.file_digest(file, "sha256").digest()
            with translated_errors():
                async with self._pool.acquire() as connection, connection.transaction():
                    told = (erasure_id, subject.scope, subject.book, count)
                    await connection.execute(_TELL_ARCHIVED, *told)
                    size = target.stat().st_size
                    await connection.execute(_MOVE, name, new_name, file_hash, size)
        await self._archive.files.delete(name)
        return count

    async def _await_opened(self, subject: Subject) -> None:
        """Wait until no row of the subject is open: what it holds would come after the erasure."""
        upkeep, deadline = AuditUpkeep(self._pool), time.monotonic() + _OPEN_S
        condition = subject.condition("opened")
        values = subject.given.values()
        clear = _CLEAR_OPENED.format(condition=condition)
        find = _FIND_OPENED.format(condition=condition)
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
        counts["rows"] += await _count(connection, _ERASE_WARM, erasure_id)
    names = {"sessions": "sessions", "feedback": "answer_feedback", "requests": "asked_once"}
    for name, table in names.items():
        chosen, columns = _FORGET[table]
        own = subject.only(*columns)
        condition = f"{chosen} OR ({subject.condition(table)})" if own else chosen
        counts[name] = await _count(
            connection,
            _DELETE.format(table=table, condition=condition),
            *(values if own else ()),
        )
    partitions = await connection.fetch("SELECT DISTINCT partition FROM erasing ORDER BY 1")
    return counts, [row["partition"] for row in partitions]


def _next_name(name: str) -> str:
    """Return another name for the file of the same month."""
    month = name.removesuffix(".parquet").partition("-")[0]
    return f"{month}-{uuid4().hex[:8]}.parquet"


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

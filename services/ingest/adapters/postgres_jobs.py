"""Jobs in PostgreSQL: durable, in order for each book, fenced by a token for each claim."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg

from libs.errors import NotFound
from libs.postgres import translated_errors
from services.ingest.adapters.postgres_sent_once import find_earlier
from services.ingest.adapters.reports import read_report
from services.ingest.errors import LeaseLost
from services.ingest.model.book import Report, Source, SourceFile
from services.ingest.model.job import Job, JobKind, JobState, JobWait, Order, Progress, SentOnce
from services.ingest.model.views import Difference, DocumentChange, Vacuumed
from services.ingest.parsers.formats import is_sheet
from services.ingest.parsers.images import is_image
from services.ingest.ports.reading import FileEntry

Connection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[Any]"

# A job waits while an earlier one of its book has not ended, so two of a book never run at once;
# and while one that has ended may still be written for, by its owner or by who helped it. Each kind
# of upkeep waits for its like alone.
_BOOK_IS_FREE = """
NOT EXISTS (
    SELECT FROM jobs AS earlier
    WHERE earlier.book = job.book AND earlier.place < job.place
      AND (earlier.kind = job.kind OR NOT (earlier.kind IN ('roll_back', 'compare', 'vacuum')
                                           OR job.kind IN ('roll_back', 'compare', 'vacuum')))
      AND (earlier.state IN ('queued', 'running')
           OR (earlier.state = 'cancelled' AND earlier.lease_until > clock_timestamp())))
AND (job.kind IN ('roll_back', 'compare', 'vacuum') OR NOT EXISTS (
    SELECT FROM job_documents AS document JOIN jobs AS other USING (job_id)
    WHERE document.lease_until > clock_timestamp()
      AND other.book = job.book AND other.job_id <> job.job_id))
"""
_CLAIM = f"""
UPDATE jobs SET state = 'running', error = '', token = nextval('job_tokens'), attempts = attempts + 1,
    lease_until = clock_timestamp() + make_interval(secs => $1)
WHERE job_id = (
    SELECT job_id FROM jobs AS job
    WHERE ((state = 'queued' AND not_before <= clock_timestamp())
           OR (state = 'running' AND lease_until < clock_timestamp()))
      AND kind = ANY($2::text[]) AND {_BOOK_IS_FREE}
    ORDER BY place LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING *
"""  # noqa: S608 - of constants
# A worker that is free takes a job within a second.
_SHOWN = f"""
SELECT *, CASE
    WHEN state <> 'queued' THEN NULL
    WHEN NOT ({_BOOK_IS_FREE}) THEN 'book'
    WHEN not_before > clock_timestamp() THEN 'retry'
    WHEN greatest(created_at, not_before) < clock_timestamp() - interval '1 s' THEN 'worker'
END AS waits_for
FROM jobs AS job
"""  # noqa: S608 - of constants
_GET = f"{_SHOWN} WHERE job_id = $1"
_UNENDED = f"{_SHOWN} WHERE book = $1 AND state IN ('queued', 'running') ORDER BY place LIMIT 100"
# One that is to be tried again waits for its time, and not for a worker.
_BACKLOG = """
SELECT count(*) AS jobs, coalesce(extract(
    epoch FROM clock_timestamp() - min(greatest(created_at, not_before))), 0)::float8 AS oldest_s
FROM jobs WHERE state = 'queued' AND not_before <= clock_timestamp()
"""
_BACKUP = """
SELECT extract(epoch FROM clock_timestamp() - coalesce(taken_at, tried_at))::float8 FROM last_backup
"""
_END = """
UPDATE jobs SET state = $3, edition = $4, error = $5, warnings = warnings || $6::text[],
    report = $7, result = coalesce($8, result), ended_at = now(), lease_until = NULL
WHERE job_id = $1 AND token = $2 AND state = 'running'
"""
_DROP_FILES = "DELETE FROM job_files WHERE job_id = $1"
# Those still leased stay: whoever holds them may be writing.
_DROP_DOCUMENTS = (
    "DELETE FROM job_documents WHERE job_id = $1 "
    "AND (lease_until IS NULL OR lease_until <= clock_timestamp())"
)
# Who asks twice for the same is told of one job, unless something else was asked for in between.
_THE_SAME = """
SELECT * FROM (SELECT * FROM jobs WHERE book = $1 AND kind = $2 AND state IN ('queued', 'running')
               ORDER BY place DESC LIMIT 1) AS newest
WHERE arguments = $3
"""
_DROP_JOB = "DELETE FROM jobs WHERE job_id = $1"
# They change nothing, and may be asked for as often as anyone likes.
_DROP_COMPARED = """
DELETE FROM jobs WHERE kind = 'compare' AND ended_at < now() - interval '1 hour'
"""
_WRITE_S = 300.0
_FENCE = "WHERE job_id = $1 AND token = $2 AND state = 'running'"


class PostgresJobs:
    """Keeps jobs and hands them out: the ports JobStore and JobQueue."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def add(self, order: Order, source: Source, once: SentOnce | None = None) -> Job:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                row = await _insert(connection, order, source)
                earlier = await find_earlier(connection, row["job_id"], once) if once else None
                if earlier:
                    await connection.execute(_DROP_JOB, row["job_id"])
                    return to_job(earlier)
                await connection.executemany(
                    "INSERT INTO job_files (job_id, path, bytes, digest) VALUES ($1, $2, $3, $4)",
                    # One after the other: all of them may be more than memory holds.
                    (
                        (row["job_id"], file.path, file.data, file.content_hash)
                        for file in source.files
                    ),
                    timeout=_WRITE_S,
                )
        return to_job(row)

    async def add_upkeep(self, order: Order) -> Job:
        which = (order.book, order.kind.value, json.dumps(_arguments(order)))
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await connection.execute(_DROP_COMPARED)
                same = await connection.fetchrow(_THE_SAME, *which)
                return to_job(same or await _insert(connection, order, Source([])))

    async def get(self, job_id: str) -> Job:
        key = _key(job_id)
        with translated_errors():
            row = await self._pool.fetchrow(_GET, key)
        if row is None:
            raise NotFound("There is no such job.")
        return _waiting(row)

    async def list_unended(self, book: str) -> list[Job]:
        with translated_errors():
            rows = await self._pool.fetch(_UNENDED, book)
        return [_waiting(row) for row in rows]

    async def list_files(self, job_id: str) -> list[FileEntry]:
        with translated_errors():
            rows = await self._pool.fetch(
                "SELECT path, octet_length(bytes) AS size, digest FROM job_files "
                'WHERE job_id = $1 ORDER BY path COLLATE "C"',
                UUID(job_id),
            )
        return [FileEntry(**row) for row in rows]

    async def read_files(self, job_id: str, paths: Sequence[str]) -> list[SourceFile]:
        with translated_errors():
            rows = await self._pool.fetch(
                "SELECT path, bytes, digest FROM job_files "
                'WHERE job_id = $1 AND path = ANY($2::text[]) ORDER BY path COLLATE "C"',
                UUID(job_id),
                list(paths),
                timeout=120,
            )
        return [SourceFile(row["path"], row["bytes"], row["digest"].strip()) for row in rows]

    async def cancel(self, job_id: str) -> Job:
        key = _key(job_id)
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                # Its lease stays: until it ends, or its owner has let go, the owner may be writing.
                status = await connection.execute(
                    "UPDATE jobs SET state = 'cancelled', error = '', ended_at = now() "
                    "WHERE job_id = $1 AND state IN ('queued', 'running')",
                    key,
                )
                if status == "UPDATE 1":
                    await _drop_work(connection, key)
        return await self.get(job_id)

    async def backlog(self) -> tuple[int, float]:
        with translated_errors():
            [row] = await self._pool.fetch(_BACKLOG)
        return row["jobs"], row["oldest_s"]

    async def backup_age_s(self) -> float | None:
        with translated_errors():
            age_s: float | None = await self._pool.fetchval(_BACKUP)
        return age_s

    async def claim(
        self, lease_s: float, kinds: Collection[JobKind] = tuple(JobKind)
    ) -> Job | None:
        with translated_errors():
            row = await self._pool.fetchrow(_CLAIM, lease_s, [kind.value for kind in kinds])
        return to_job(row) if row else None

    async def renew(self, job: Job, lease_s: float) -> None:
        await self._change(
            job, "lease_until = clock_timestamp() + make_interval(secs => $3)", lease_s
        )

    async def note(self, job: Job, progress: Progress) -> None:
        await self._change(job, "progress = $3", json.dumps(asdict(progress)))

    async def finish(self, job: Job, edition: int, warnings: Sequence[str]) -> None:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await end_job(connection, job, JobState.PUBLISHED, edition, warnings=warnings)

    async def finish_dry_run(self, job: Job, report: Report) -> None:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await end_job(connection, job, JobState.CHECKED, 0, report=report)

    async def finish_upkeep(self, job: Job, result: Difference | Vacuumed) -> None:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await end_job(connection, job, JobState.DONE, 0, result=result)

    async def let_go(self, job: Job) -> None:
        with translated_errors():
            await self._pool.execute(
                "UPDATE jobs SET lease_until = NULL "
                "WHERE job_id = $1 AND token = $2 AND state = 'cancelled'",
                UUID(job.job_id),
                job.token,
            )

    async def fail(self, job: Job, reason: str) -> None:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await end_job(connection, job, JobState.FAILED, 0, error=reason)

    async def put_back(
        self, job: Job, wait_s: float, *, counts: bool = True, reason: str = ""
    ) -> None:
        change = (
            f"state = 'queued', lease_until = NULL, attempts = attempts - {int(not counts)}, "
            "not_before = clock_timestamp() + make_interval(secs => $3), error = $4"
        )
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await _change(connection, job, change, wait_s, reason)
                if wait_s:
                    await take_back(connection, job)

    async def _change(self, job: Job, change: str, value: object) -> None:
        with translated_errors():
            await _change(self._pool, job, change, value)


def _waiting(row: Any) -> Job:
    """Return a job with what it waits for."""
    waits_for = row["waits_for"]
    return replace(to_job(row), waits_for=JobWait(waits_for) if waits_for else None)


async def _insert(connection: Connection, order: Order, source: Source) -> Any:
    total = sum(not is_control(file.path) for file in source.files)
    [row] = await connection.fetch(
        "INSERT INTO jobs (book, title, language, profile, kind, document, progress, warnings, "
        "allow_partial, arguments) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING *",
        order.book,
        order.title,
        order.language,
        order.profile,
        order.kind.value,
        order.document,
        json.dumps(asdict(Progress(documents_total=total))),
        list(source.warnings),
        order.allow_partial,
        json.dumps(_arguments(order)),
    )
    return row


def _arguments(order: Order) -> dict[str, int]:
    given = {"edition": order.edition, "before": order.before, "keep": order.keep}
    return {name: number for name, number in given.items() if number}


async def _change(
    connection: "asyncpg.Pool | Connection", job: Job, change: str, *values: object
) -> None:
    # `change` is one of the constants above.
    status = await connection.execute(
        f"UPDATE jobs SET {change} {_FENCE}",  # noqa: S608
        UUID(job.job_id),
        job.token,
        *values,
    )
    if status != "UPDATE 1":
        raise LeaseLost


async def take_back(connection: Connection, job: Job) -> None:
    """Take the documents of a job from whoever works on them, and forget what was offered."""
    key = UUID(job.job_id)
    await connection.execute("UPDATE jobs SET offer = NULL WHERE job_id = $1", key)
    await connection.execute(
        "WITH theirs AS (SELECT path FROM job_documents WHERE job_id = $1 ORDER BY path FOR UPDATE) "
        "UPDATE job_documents AS document SET token = 0 FROM theirs "
        "WHERE job_id = $1 AND document.path = theirs.path",
        key,
    )


async def _drop_work(connection: Connection, key: UUID) -> None:
    await connection.execute(_DROP_FILES, key)
    await connection.execute(_DROP_DOCUMENTS, key)


async def end_job(
    connection: Connection,
    job: Job,
    state: JobState,
    edition: int,
    *,
    error: str = "",
    warnings: Sequence[str] = (),
    report: Report | None = None,
    result: Difference | Vacuumed | None = None,
) -> None:
    """End a job and drop its files, inside the caller's transaction. Raises LeaseLost."""
    status = await connection.execute(
        _END,
        UUID(job.job_id),
        job.token,
        state.value,
        edition,
        error,
        list(warnings),
        json.dumps(asdict(report)) if report else None,
        json.dumps(asdict(result)) if result else None,
    )
    if status != "UPDATE 1":
        raise LeaseLost
    await _drop_work(connection, UUID(job.job_id))


async def keep_result(connection: Connection, job: Job, result: Vacuumed) -> None:
    """Let the job's row say what has been done, inside the caller's transaction. Raises LeaseLost."""
    await _change(connection, job, "result = $3", json.dumps(asdict(result)))


def _key(job_id: str) -> UUID:
    try:
        return UUID(job_id)
    except ValueError:
        raise NotFound("There is no such job.") from None


def is_control(path: str) -> bool:
    """Say whether a file of a job is no document: it orders others, or is a picture or a sheet."""
    is_contents = path.endswith(("quoth.toml", "SUMMARY.md")) or "_category_." in path
    return is_contents or is_image(path) or is_sheet(path)


def to_job(row: "asyncpg.Record") -> Job:
    state = JobState(row["state"])
    progress = Progress(**json.loads(row["progress"]))
    kind = JobKind(row["kind"])
    return Job(
        job_id=str(row["job_id"]),
        order=Order(
            book=row["book"],
            title=row["title"],
            language=row["language"],
            profile=row["profile"],
            kind=kind,
            document=row["document"],
            allow_partial=row["allow_partial"],
            **json.loads(row["arguments"]),
        ),
        state=state,
        progress=progress if state is JobState.RUNNING else replace(progress, stage=""),
        edition=row["edition"],
        error=row["error"],
        warnings=tuple(row["warnings"]),
        token=row["token"],
        attempts=row["attempts"],
        report=read_report(row["report"]) if row["report"] else None,
        difference=_difference(row["result"]) if kind is JobKind.COMPARE else None,
        vacuumed=_vacuumed(row["result"]) if kind is JobKind.VACUUM else None,
    )


def _difference(result: str | None) -> Difference | None:
    if result is None:
        return None
    fields = json.loads(result)
    changes = [DocumentChange(**change) for change in fields.pop("documents")]
    return Difference(**fields, documents=changes)


def _vacuumed(result: str | None) -> Vacuumed | None:
    return Vacuumed(**json.loads(result)) if result is not None else None

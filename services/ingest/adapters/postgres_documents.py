"""The documents of jobs in PostgreSQL, each leased to one replica: SKIP LOCKED, fenced by tokens.

Rows are locked in the order of their paths, after the row of their job, so that nobody waits for
somebody who waits for them. They are looked up by `= ANY` beside the join that checks their tokens:
the table is new to the planner, which would compare each claim with every document.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any
from uuid import UUID

import asyncpg

from libs.postgres import Connection as PostgresConnection
from libs.postgres import translated_errors
from services.ingest.adapters.postgres_jobs import Connection, take_back, to_job
from services.ingest.errors import LeaseLost
from services.ingest.model.job import Job
from services.ingest.ports.sharing import Claim, Offer, OfferedDocument, Outcome, Tally

_MOST_DOCUMENTS = 32
_MOST_BYTES = 1 << 16
_MOST_ATTEMPTS = 3
_STOPPED = "The service stopped each time it worked on this document."

_OPEN = "SELECT FROM jobs WHERE job_id = $1 AND state IN ('queued', 'running')"
_FREE = "state = 'waiting' AND (lease_until IS NULL OR lease_until <= clock_timestamp())"
# The next documents up to a number of bytes, or one that is larger.
_CLAIM = """
WITH free AS (
    SELECT path, position, size FROM job_documents
    WHERE job_id = $1 AND {free} AND {which}
      AND EXISTS ({open} AND offer IS NOT NULL)
    ORDER BY position LIMIT {most} FOR UPDATE SKIP LOCKED),
chosen AS (SELECT path, sum(size) OVER (ORDER BY position) - size AS before FROM free)
UPDATE job_documents AS document SET
    owner = $2, token = nextval('job_tokens'), attempts = attempts + 1,
    lease_until = clock_timestamp() + make_interval(secs => $3)
FROM chosen
WHERE job_id = $1 AND document.path = chosen.path AND before < $4
RETURNING document.path, token, attempts, position
"""
_CLAIM_NEXT = _CLAIM.format(free=_FREE, open=_OPEN, which="attempts = 0", most=_MOST_DOCUMENTS)
_CLAIM_AGAIN = _CLAIM.format(
    free=_FREE, open=_OPEN, which=f"attempts BETWEEN 1 AND {_MOST_ATTEMPTS - 1}", most=1
)
_PARK = f"""
UPDATE job_documents SET state = 'failed', lease_until = NULL, owner = $2,
    failure = '"' || path || '": ' || $3
WHERE job_id = $1 AND {_FREE} AND attempts >= {_MOST_ATTEMPTS}
"""  # noqa: S608 - of constants
# By the token alone: one that has just been ended by its holder is not lost.
_RENEW = f"""
WITH held AS (
    SELECT document.path, document.token
    FROM job_documents AS document
    JOIN unnest($2::text[], $3::bigint[]) AS claim (path, token) USING (path, token)
    WHERE job_id = $1 AND document.path = ANY($2) AND EXISTS ({_OPEN})
    ORDER BY path FOR UPDATE OF document)
UPDATE job_documents AS document SET lease_until = CASE state WHEN 'waiting'
    THEN clock_timestamp() + make_interval(secs => $4) END
FROM held WHERE job_id = $1 AND document.path = ANY($2) AND document.path = held.path
"""  # noqa: S608 - our own columns
_GIVE_BACK = """
WITH held AS (
    SELECT document.path
    FROM job_documents AS document
    JOIN unnest($2::text[], $3::bigint[]) AS claim (path, token) USING (path, token)
    WHERE job_id = $1 AND document.path = ANY($2) AND state = 'waiting'
    ORDER BY path FOR UPDATE OF document)
UPDATE job_documents AS document SET token = 0, lease_until = NULL, attempts = attempts - $4
FROM held WHERE job_id = $1 AND document.path = ANY($2) AND document.path = held.path
"""
_END = """
WITH held AS (
    SELECT document.path, claim.title, claim.chunks, claim.chunks_new, claim.chunks_removed,
        claim.vectors_new, claim.tokens, claim.failure
    FROM job_documents AS document
    JOIN unnest($2::text[], $3::bigint[], $4::text[], $5::int[], $6::int[], $7::int[], $8::int[],
                $9::bigint[], $10::text[])
        AS claim (path, token, title, chunks, chunks_new, chunks_removed, vectors_new, tokens,
                  failure)
        USING (path, token)
    WHERE job_id = $1 AND document.path = ANY($2) AND state = 'waiting'
    ORDER BY path FOR UPDATE OF document)
UPDATE job_documents AS document SET lease_until = NULL,
    state = CASE held.failure WHEN '' THEN 'done' ELSE 'failed' END, failure = held.failure,
    title = held.title, chunks = held.chunks, chunks_new = held.chunks_new,
    chunks_removed = held.chunks_removed, vectors_new = held.vectors_new, tokens = held.tokens
FROM held WHERE job_id = $1 AND document.path = ANY($2) AND document.path = held.path
"""
_HELP_WANTED = f"""
SELECT *, nextval('job_tokens') AS helper FROM jobs
WHERE state = 'running' AND offer IS NOT NULL AND job_id <> ALL($1::uuid[])
  AND EXISTS (SELECT FROM job_documents AS document
              WHERE document.job_id = jobs.job_id AND document.{_FREE})
ORDER BY place LIMIT 1
"""  # noqa: S608 - our own columns
_LEASED_FOR_S = """
SELECT greatest(0, coalesce(extract(epoch FROM max(lease_until) - clock_timestamp()), 0))::float8
FROM job_documents WHERE job_id = $1
"""
_TALLY = f"""
SELECT count(*) FILTER (WHERE state = 'waiting') AS left,
    count(*) FILTER (WHERE {_FREE}) AS free,
    count(*) FILTER (WHERE {{others}}) AS documents,
    coalesce(sum(size) FILTER (WHERE {{others}}), 0)::bigint AS size,
    coalesce(max(title) FILTER (WHERE {{others}}), '') AS title,
    {{sums}}
FROM job_documents WHERE job_id = $1
""".format(  # noqa: S608 - our own names
    others=(_OTHERS := "state = 'done' AND owner <> $2"),
    sums=", ".join(
        f"coalesce(sum({column}) FILTER (WHERE {_OTHERS}), 0)::bigint AS {column}"
        for column in ("chunks", "chunks_new", "chunks_removed", "vectors_new", "tokens")
    ),
)


async def begin_jobs_anew(connection: PostgresConnection) -> None:
    """Let unfinished jobs begin from their files: the index has nothing of what they had made."""
    await connection.execute("UPDATE jobs SET offer = NULL WHERE state IN ('queued', 'running')")


class PostgresDocuments:
    """Leases the documents of jobs: the port SharedDocuments."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def resume(self, job: Job, offer: Offer) -> bool:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                kept = await _lock_job(connection, job)
                if kept == offer:
                    return True
                await take_back(connection, job)
            # Who has lost a document may be writing for it until its lease ends.
            await asyncio.sleep(await self._pool.fetchval(_LEASED_FOR_S, UUID(job.job_id)))
        return False

    async def offer(self, job: Job, offer: Offer, documents: Sequence[OfferedDocument]) -> None:
        key = UUID(job.job_id)
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await _lock_job(connection, job)
                await connection.execute("DELETE FROM job_documents WHERE job_id = $1", key)
                # What ended jobs have left because it was at work in somebody's hands.
                await connection.execute(
                    "DELETE FROM job_documents USING jobs WHERE jobs.job_id = job_documents.job_id "
                    "AND jobs.state NOT IN ('queued', 'running') "
                    "AND (job_documents.lease_until IS NULL "
                    "OR job_documents.lease_until <= clock_timestamp())"
                )
                await connection.copy_records_to_table(
                    "job_documents",
                    records=[(key, item.path, item.position, item.size) for item in documents],
                    columns=("job_id", "path", "position", "size"),
                )
                await connection.execute(
                    "UPDATE jobs SET offer = $2 WHERE job_id = $1", key, json.dumps(asdict(offer))
                )

    async def find_help_wanted(self, but: Sequence[str]) -> tuple[Job, Offer] | None:
        with translated_errors():
            row = await self._pool.fetchrow(_HELP_WANTED, [UUID(job_id) for job_id in but])
        if row is None:
            return None
        return replace(to_job(row), token=row["helper"]), _to_offer(row["offer"])

    async def claim(self, job: Job, lease_s: float, *, alone: bool) -> list[Claim]:
        arguments = (UUID(job.job_id), job.token, lease_s, _MOST_BYTES)
        with translated_errors():
            rows = await self._pool.fetch(_CLAIM_NEXT, *arguments)
            if alone and not rows:
                await self._pool.execute(_PARK, UUID(job.job_id), job.token, _STOPPED)
                rows = await self._pool.fetch(_CLAIM_AGAIN, *arguments)
        rows.sort(key=lambda row: row["position"])
        return [Claim(row["path"], row["token"], row["attempts"]) for row in rows]

    async def renew(self, job: Job, claims: Sequence[Claim], lease_s: float) -> None:
        with translated_errors():
            status = await self._pool.execute(_RENEW, *_keys(job, claims), lease_s)
        if status != f"UPDATE {len(claims)}":
            raise LeaseLost

    async def give_back(self, job: Job, claims: Sequence[Claim], *, blamed: bool) -> None:
        with translated_errors():
            await self._pool.execute(_GIVE_BACK, *_keys(job, claims), 0 if blamed else 1)

    async def close(self, job: Job, claim: Claim, failure: str = "") -> None:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await end_documents(connection, job, [(claim, Outcome())], failure=failure)

    async def tally(self, job: Job) -> Tally:
        with translated_errors():
            row = await self._pool.fetchrow(_TALLY, UUID(job.job_id), job.token)
        assert row is not None
        fields: Mapping[str, Any] = dict(row)
        return Tally(
            fields["left"],
            fields["free"],
            Outcome(**{name: fields[name] for name in fields.keys() - {"left", "free"}}),
        )

    async def list_ended(self, job: Job) -> tuple[list[str], dict[str, str]]:
        with translated_errors():
            rows = await self._pool.fetch(
                "SELECT path, failure FROM job_documents "
                "WHERE job_id = $1 AND state <> 'waiting' ORDER BY position",
                UUID(job.job_id),
            )
        failed = {row["path"]: row["failure"] for row in rows if row["failure"]}
        return [row["path"] for row in rows if not row["failure"]], failed


async def end_documents(
    connection: Connection,
    job: Job,
    ended: Sequence[tuple[Claim, Outcome]],
    *,
    failure: str = "",
) -> None:
    """End documents, inside the caller's transaction. Raises LeaseLost when one was taken over.

    The job neither ends nor is handed over until the transaction ends.
    """
    is_open = await connection.fetchval(
        _OPEN.replace("SELECT", "SELECT 1", 1) + " FOR SHARE", UUID(job.job_id)
    )
    if is_open is None:
        raise LeaseLost
    outcomes = [outcome for _, outcome in ended]
    status = await connection.execute(
        _END,
        *_keys(job, [claim for claim, _ in ended]),
        [outcome.title for outcome in outcomes],
        [outcome.chunks for outcome in outcomes],
        [outcome.chunks_new for outcome in outcomes],
        [outcome.chunks_removed for outcome in outcomes],
        [outcome.vectors_new for outcome in outcomes],
        [outcome.tokens for outcome in outcomes],
        [failure] * len(ended),
    )
    if status != f"UPDATE {len(ended)}":
        raise LeaseLost


def _keys(job: Job, claims: Sequence[Claim]) -> tuple[UUID, list[str], list[int]]:
    paths = [claim.path for claim in claims]
    return UUID(job.job_id), paths, [claim.token for claim in claims]


async def _lock_job(connection: Connection, job: Job) -> Offer | None:
    """Keep the job from being handed over, and return what it offers. Raises LeaseLost."""
    row = await connection.fetchrow(
        "SELECT offer FROM jobs WHERE job_id = $1 AND token = $2 AND state = 'running' FOR UPDATE",
        UUID(job.job_id),
        job.token,
    )
    if row is None:
        raise LeaseLost
    return _to_offer(row["offer"]) if row["offer"] else None


def _to_offer(kept: str) -> Offer:
    return Offer(**json.loads(kept))

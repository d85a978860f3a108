"""The editions of a book that are kept, in PostgreSQL."""

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeAlias

import asyncpg

from libs.errors import NotFound
from libs.postgres import translated_errors
from services.ingest.adapters.postgres_editions import EDITION, LONG_S, leave_current, to_edition
from services.ingest.adapters.postgres_images import delete_unused
from services.ingest.adapters.postgres_jobs import end_job, keep_result
from services.ingest.adapters.postgres_originals import delete_unused_originals
from services.ingest.adapters.reports import read_report
from services.ingest.model.book import Edition, Report
from services.ingest.model.job import Job, JobState
from services.ingest.model.views import Difference, DocumentChange, EditionView, Vacuumed

_Connection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[Any]"

_NO_BOOK = "There is no book of that name."
_NO_EDITION = "There is no such edition of that book."
_VIEW = (
    "SELECT number, editions.title, document_count, chunk_count, published_at, "
    "number = edition AS current, reasons FROM editions JOIN books ON slug = book "
    "WHERE slug = $1 "
)
# What readers have left in the last minute may still be searched for an answer under way.
_KEPT = """
SELECT number, collection FROM editions JOIN books ON slug = book
WHERE book = $1 AND (number = edition OR superseded_at > now() - interval '1 minute'
    OR number IN (SELECT number FROM editions WHERE book = $1 ORDER BY number DESC LIMIT $2))
ORDER BY number
"""
_UNSEEN = (
    "WHERE book = $1 AND NOT EXISTS "
    "(SELECT FROM unnest($2::int[]) AS kept WHERE born <= kept AND kept < died) "
    # Rows after the newest edition are those of one that is being made.
    "AND born <= (SELECT coalesce(max(kept), 0) FROM unnest($2::int[]) AS kept)"
)
_COUNT_UNSEEN = "SELECT count(*) FROM chunks {unseen}".replace("{unseen}", _UNSEEN)
_DELETED_TOGETHER = {"documents": 100, "chunks": 2000}
_BEFORE_ALL: dict[str, tuple[Any, ...]] = {"documents": (0,), "chunks": ("", 0)}
# The next ones behind $4, in the order that they are known by.
_DELETE = {
    "documents": """
DELETE FROM documents WHERE id IN (
    SELECT id FROM documents {unseen} AND id > $4 ORDER BY id LIMIT $3)
RETURNING id
""".replace("{unseen}", _UNSEEN),
    "chunks": """
WITH part AS (SELECT chunk_id, born FROM chunks {unseen} AND (chunk_id, born) > ($4, $5)
              ORDER BY chunk_id, born LIMIT $3)
DELETE FROM chunks USING part
WHERE book = $1 AND chunks.chunk_id = part.chunk_id AND chunks.born = part.born
RETURNING chunks.chunk_id, chunks.born
""".replace("{unseen}", _UNSEEN),
}
_DIGITS = "0123456789abcdefg"
"""With what the id of a chunk begins, and what comes after all of that."""
# A job that makes an edition may be about to use vectors that no chunk has yet.
_UNUSED_VECTORS = """
DELETE FROM vectors
WHERE NOT EXISTS (SELECT FROM chunks WHERE chunks.vector_key = vectors.vector_key)
  AND NOT EXISTS (SELECT FROM jobs WHERE state IN ('queued', 'running')
                  AND kind NOT IN ('roll_back', 'compare', 'vacuum'))
"""
# Of a book that has no document any more only its name and its numbers stay.
_FORGET = """
WITH gone AS (SELECT $1::text AS slug WHERE NOT EXISTS (SELECT FROM documents WHERE book = $1)),
     emptied AS (UPDATE editions SET title = book, report = NULL, recipe = recipe || '{"title": ""}',
                                    authors = '{}', year = 0
                 FROM gone WHERE book = slug)
UPDATE jobs SET title = '', document = '', report = NULL, warnings = '{}', error = '', result = NULL
FROM gone WHERE book = slug AND state NOT IN ('queued', 'running')
"""
_CHANGED_DOCUMENTS = """
WITH before AS (SELECT file_path, content_hash, digest FROM documents
                WHERE book = $1 AND born <= $2 AND $2 < died),
     after AS (SELECT file_path, content_hash, digest FROM documents
               WHERE book = $1 AND born <= $3 AND $3 < died)
SELECT before.file_path AS old, before.content_hash AS old_hash,
       after.file_path AS new, after.content_hash AS new_hash
FROM before FULL JOIN after USING (file_path)
WHERE before.digest IS DISTINCT FROM after.digest
ORDER BY coalesce(after.file_path, before.file_path) COLLATE "C"
"""
# Of the chunks whose ids begin with one of the sixteen digits: each part takes a sixteenth of the time.
_CHANGED_CHUNKS = """
WITH before AS (SELECT chunk_id, file_path FROM chunks
                WHERE book = $1 AND born <= $2 AND $2 < died AND chunk_id >= $4 AND chunk_id < $5),
     after AS (SELECT chunk_id, file_path FROM chunks
               WHERE book = $1 AND born <= $3 AND $3 < died AND chunk_id >= $4 AND chunk_id < $5)
SELECT coalesce(after.file_path, before.file_path) AS path,
       count(*) FILTER (WHERE before.chunk_id IS NULL) AS added,
       count(*) FILTER (WHERE after.chunk_id IS NULL) AS removed,
       count(*) FILTER (WHERE before.chunk_id = after.chunk_id) AS kept
FROM before FULL JOIN after USING (chunk_id)
GROUP BY path
"""


class PostgresHistory:
    """Keeps the editions of a book: the port History."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def list_editions(
        self, book: str, before: int | None = None, most: int | None = None
    ) -> list[EditionView]:
        with translated_errors():
            rows = await self._pool.fetch(
                _VIEW + "AND ($2::int IS NULL OR number < $2) ORDER BY number DESC LIMIT $3",
                book,
                before,
                most,
            )
        if not rows and before is None:
            raise NotFound(_NO_BOOK)
        return [EditionView(**row) for row in rows]

    async def get_report(self, book: str, edition: int) -> Report:
        with translated_errors():
            row = await self._pool.fetchrow(
                "SELECT report FROM editions JOIN books ON slug = book "
                "WHERE slug = $1 AND number = CASE $2::int WHEN 0 THEN edition ELSE $2 END",
                book,
                edition,
            )
        if row is None:
            raise NotFound(_NO_EDITION if edition else _NO_BOOK)
        if row["report"] is None:
            raise NotFound("No report was kept with that edition.")
        return read_report(row["report"])

    async def find(self, book: str, edition: int) -> Edition:
        which = "number = $2" if edition else "number < edition AND chunk_count > 0 AND $2 = 0"
        with translated_errors():
            row = await self._pool.fetchrow(
                f"SELECT {EDITION} FROM editions JOIN books ON slug = book "  # noqa: S608 - our own names
                f"WHERE slug = $1 AND {which} ORDER BY number DESC LIMIT 1",
                book,
                edition,
            )
        if row is None:
            raise NotFound(_NO_EDITION)
        return to_edition(row)

    async def show(self, job: Job, edition: int) -> None:
        book = job.order.book
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await _lock(connection, book)
                row = await connection.fetchrow(_VIEW + "AND number = $2", book, edition)
                if row is None:
                    raise NotFound(_NO_EDITION)
                if not row["current"]:
                    await leave_current(connection, book)
                    await connection.execute(
                        "UPDATE books SET edition = $2 WHERE slug = $1", book, edition
                    )
                await end_job(connection, job, JobState.PUBLISHED, edition)

    async def rename(self, book: str, title: str) -> None:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await _lock(connection, book)
                renamed = await connection.execute(
                    "UPDATE editions SET title = $2 WHERE book = $1", book, title
                )
        if renamed == "UPDATE 0":
            raise NotFound(_NO_BOOK)

    async def find_pair(self, book: str, before: int, after: int) -> tuple[Edition, Edition]:
        views = await self.list_editions(book)
        after = after or next((view.number for view in views if view.current), 0)
        before = before or next((view.number for view in views if view.number < after), 0)
        if not after or not before:
            raise NotFound(_NO_EDITION)
        return await self.find(book, before), await self.find(book, after)

    async def compare(self, book: str, before: int, after: int) -> AsyncGenerator[Difference, None]:
        with translated_errors():
            documents = await self._pool.fetch(
                _CHANGED_DOCUMENTS, book, before, after, timeout=LONG_S
            )
        counts: Counter[tuple[str, str]] = Counter()
        for first, end in pairwise(_DIGITS):
            with translated_errors():
                chunks = await self._pool.fetch(
                    _CHANGED_CHUNKS, book, before, after, first, end, timeout=LONG_S
                )
            for row in chunks:
                for what in ("added", "removed", "kept"):
                    counts[row["path"], what] += row[what]
            yield _difference(before, after, documents, counts)

    async def vacuum(self, job: Job) -> AsyncGenerator[Vacuumed, None]:
        done = job.vacuumed or await self._forget_editions(job)
        yield done
        kept = [number for numbers in done.kept.values() for number in numbers]
        for table in ("documents", "chunks"):
            last: tuple[Any, ...] = _BEFORE_ALL[table]
            while last:
                async with self._changing() as connection:
                    rows = await _delete(connection, table, job.order.book, kept, last)
                    done = replace(done, **{table: getattr(done, table) + len(rows)})
                    await keep_result(connection, job, done)
                last = max(map(tuple, rows), default=())
                yield done
        yield await self._forget_unused(job, done)

    async def _forget_editions(self, job: Job) -> Vacuumed:
        """Delete the editions that are not kept, so that nobody can be shown them any more."""
        book = job.order.book
        async with self._changing() as connection:
            await _lock(connection, book)
            rows = await connection.fetch(_KEPT, book, job.order.keep)
            numbers = [row["number"] for row in rows]
            gone = await connection.fetch(
                "DELETE FROM editions WHERE book = $1 AND number <> ALL($2::int[]) "
                "RETURNING number, collection",
                book,
                numbers,
            )
            found = await connection.fetchval(_COUNT_UNSEEN, book, numbers, timeout=LONG_S)
            kept: dict[str, list[int]] = {row["collection"]: [] for row in (*gone, *rows)}
            for row in rows:
                kept[row["collection"]].append(row["number"])
            removed = sorted(row["number"] for row in gone)
            done = Vacuumed(removed, 0, 0, 0, kept, chunks_found=found)
            await keep_result(connection, job, done)
        return done

    async def _forget_unused(self, job: Job, done: Vacuumed) -> Vacuumed:
        """Delete what no edition of any book uses any more."""
        book = job.order.book
        async with self._changing() as connection:
            await delete_unused(connection, book)
            await delete_unused_originals(connection, book)
            vectors = await connection.execute(_UNUSED_VECTORS, timeout=LONG_S)
            await connection.execute(_FORGET, book)
            done = replace(done, vectors=done.vectors + _count(vectors))
            await keep_result(connection, job, done)
        return done

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[_Connection]:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                yield connection


async def _lock(connection: _Connection, book: str) -> None:
    """Keep others from moving the book until this transaction ends. Raises NotFound."""
    if await connection.fetchval("SELECT 1 FROM books WHERE slug = $1 FOR UPDATE", book) is None:
        raise NotFound(_NO_BOOK)


async def _delete(
    connection: _Connection, table: str, book: str, kept: list[int], last: tuple[Any, ...]
) -> "list[asyncpg.Record]":
    """Delete the next rows behind `last` that no kept edition sees; return what they are known by."""
    return await connection.fetch(
        _DELETE[table], book, kept, _DELETED_TOGETHER[table], *last, timeout=LONG_S
    )


def _difference(
    before: int,
    after: int,
    documents: "list[asyncpg.Record]",
    counts: Counter[tuple[str, str]],
) -> Difference:
    paths = {path for path, _ in counts}
    changed = {path: (counts[path, "added"], counts[path, "removed"]) for path in paths}
    kept, added, removed = (
        sum(counts[path, what] for path in paths) for what in ("kept", "added", "removed")
    )
    return Difference(before, after, _changes(documents, changed), kept, added, removed)


def _count(status: str) -> int:
    return int(status.rpartition(" ")[2])


def _changes(
    rows: "list[asyncpg.Record]", counts: dict[str, tuple[int, int]]
) -> list[DocumentChange]:
    removed = {row["old_hash"]: row["old"] for row in rows if row["new"] is None}
    moved = {
        row["new"]: removed.pop(row["new_hash"])
        for row in rows
        if row["old"] is None and row["new_hash"] in removed
    }
    changes = []
    for row in rows:
        path = row["new"] or row["old"]
        if row["new"] is None and path in moved.values():
            continue
        added, gone = counts.get(path, (0, 0))
        kind = "removed" if row["new"] is None else "changed"
        if row["old"] is None:
            kind = "moved" if path in moved else "added"
            gone += counts.get(moved.get(path, ""), (0, 0))[1]
        changes.append(DocumentChange(path, kind, moved.get(path, ""), added, gone))
    return changes

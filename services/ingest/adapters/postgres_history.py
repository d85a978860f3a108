"""The editions of a book that are kept, in PostgreSQL."""

from typing import Any, TypeAlias

import asyncpg

from libs.errors import NotFound
from libs.postgres import translated_errors
from services.ingest.adapters.postgres_editions import EDITION, LONG_S, leave_current, to_edition
from services.ingest.adapters.postgres_images import delete_unused
from services.ingest.adapters.postgres_originals import delete_unused_originals
from services.ingest.adapters.reports import read_report
from services.ingest.model import Edition, Report
from services.ingest.views import Difference, DocumentChange, EditionView, Vacuumed

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
# A job that runs may be about to use vectors that no chunk has yet.
_UNUSED_VECTORS = """
DELETE FROM vectors
WHERE NOT EXISTS (SELECT FROM chunks WHERE chunks.vector_key = vectors.vector_key)
  AND NOT EXISTS (SELECT FROM jobs WHERE state IN ('queued', 'running'))
"""
# Of a book that has no document any more only its name and its numbers stay.
_FORGET = """
WITH gone AS (SELECT $1::text AS slug WHERE NOT EXISTS (SELECT FROM documents WHERE book = $1)),
     emptied AS (UPDATE editions SET title = book, report = NULL, recipe = recipe || '{"title": ""}',
                                    authors = '{}', year = 0
                 FROM gone WHERE book = slug)
UPDATE jobs SET title = '', document = '', report = NULL, warnings = '{}', error = ''
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
_CHANGED_CHUNKS = """
WITH before AS (SELECT chunk_id, file_path FROM chunks
                WHERE book = $1 AND born <= $2 AND $2 < died),
     after AS (SELECT chunk_id, file_path FROM chunks
               WHERE book = $1 AND born <= $3 AND $3 < died)
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
        which = "number = $2" if edition else "number < edition AND $2 = 0"
        with translated_errors():
            row = await self._pool.fetchrow(
                f"SELECT {EDITION} FROM editions JOIN books ON slug = book "  # noqa: S608
                f"WHERE slug = $1 AND {which} ORDER BY number DESC LIMIT 1",
                book,
                edition,
            )
        if row is None:
            raise NotFound(_NO_EDITION)
        return to_edition(row)

    async def show(self, book: str, edition: int) -> EditionView:
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
        return EditionView(**{**row, "current": True})

    async def rename(self, book: str, title: str) -> None:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await _lock(connection, book)
                renamed = await connection.execute(
                    "UPDATE editions SET title = $2 WHERE book = $1", book, title
                )
        if renamed == "UPDATE 0":
            raise NotFound(_NO_BOOK)

    async def compare(self, book: str, before: int, after: int) -> Difference:
        numbers = [view.number for view in await self.list_editions(book)]
        after = after or next(
            view.number for view in await self.list_editions(book) if view.current
        )
        before = before or next((number for number in numbers if number < after), 0)
        if before not in numbers or after not in numbers:
            raise NotFound(_NO_EDITION)
        with translated_errors():
            documents = await self._pool.fetch(
                _CHANGED_DOCUMENTS, book, before, after, timeout=LONG_S
            )
            chunks = await self._pool.fetch(_CHANGED_CHUNKS, book, before, after, timeout=LONG_S)
        counts = {row["path"]: (row["added"], row["removed"]) for row in chunks}
        return Difference(
            before,
            after,
            _changes(documents, counts),
            chunks_kept=sum(row["kept"] for row in chunks),
            chunks_added=sum(row["added"] for row in chunks),
            chunks_removed=sum(row["removed"] for row in chunks),
        )

    async def vacuum(self, book: str, keep: int) -> Vacuumed:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await _lock(connection, book)
                rows = await connection.fetch(_KEPT, book, keep)
                numbers = [row["number"] for row in rows]
                gone = await connection.fetch(
                    "DELETE FROM editions WHERE book = $1 AND number <> ALL($2::int[]) "
                    "RETURNING number, collection",
                    book,
                    numbers,
                )
                documents = await _delete(connection, f"documents {_UNSEEN}", book, numbers)
                chunks = await _delete(connection, f"chunks {_UNSEEN}", book, numbers)
                await delete_unused(connection, book)
                await delete_unused_originals(connection, book)
                vectors = _count(await connection.execute(_UNUSED_VECTORS, timeout=LONG_S))
                await connection.execute(_FORGET, book)
        kept: dict[str, list[int]] = {row["collection"]: [] for row in (*gone, *rows)}
        for row in rows:
            kept[row["collection"]].append(row["number"])
        removed = sorted(row["number"] for row in gone)
        return Vacuumed(removed, chunks, documents, vectors, kept)


async def _lock(connection: _Connection, book: str) -> None:
    """Keep others from moving the book until this transaction ends. Raises NotFound."""
    if await connection.fetchval("SELECT 1 FROM books WHERE slug = $1 FOR UPDATE", book) is None:
        raise NotFound(_NO_BOOK)


async def _delete(connection: _Connection, what: str, book: str, kept: list[int]) -> int:
    done = await connection.execute(f"DELETE FROM {what}", book, kept, timeout=LONG_S)  # noqa: S608
    return _count(done)


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

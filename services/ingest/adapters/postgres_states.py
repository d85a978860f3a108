"""Where a book's documents stand, from its edition and the job that is open for it."""

import asyncpg

from libs.errors import NotFound
from libs.postgres import translated_errors
from services.ingest.adapters.postgres_jobs import is_control
from services.ingest.model.views import BookStates
from services.ingest.upkeep.index_state import SeenDocument, book_state, document_state

_JOB = """
SELECT job_id, state = 'running' AS is_running FROM jobs
WHERE book = $1 AND kind = 'ingest' AND state IN ('queued', 'running')
ORDER BY is_running DESC, place LIMIT 1
"""
_SHOWN = """
SELECT coalesce((SELECT chunk_count FROM editions WHERE book = slug AND number = edition), 0) > 0
FROM books WHERE slug = $1
"""
_WAS_ASKED_FOR = "SELECT EXISTS (SELECT FROM jobs WHERE book = $1 AND kind = 'ingest')"
_SEEN = """
WITH indexed AS (SELECT file_path AS path, content_hash FROM documents JOIN books ON slug = book
                 WHERE book = $1 AND born <= edition AND edition < died),
     sent AS (SELECT path, digest FROM job_files WHERE job_id = $2),
     again AS (SELECT path FROM job_documents WHERE job_id = $2)
SELECT path, content_hash IS NOT NULL AS is_indexed,
       $2::uuid IS NOT NULL
       AND (digest IS DISTINCT FROM content_hash OR path IN (SELECT path FROM again)) AS differs
FROM indexed FULL JOIN sent USING (path)
ORDER BY path COLLATE "C"
"""


class PostgresStates:
    """Tells where books stand: the port States."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def get_states(self, book: str) -> BookStates:
        with translated_errors():
            async with (
                self._pool.acquire() as connection,
                connection.transaction(isolation="repeatable_read", readonly=True),
            ):
                shown = await connection.fetchval(_SHOWN, book)
                if shown is None and not await connection.fetchval(_WAS_ASKED_FOR, book):
                    raise NotFound("There is no book of that name.")
                job = await connection.fetchrow(_JOB, book)
                rows = await connection.fetch(_SEEN, book, job["job_id"] if job else None)
        running = bool(job and job["is_running"])
        seen = [
            SeenDocument(**row) for row in rows if row["is_indexed"] or not is_control(row["path"])
        ]
        return BookStates(
            book_state(seen, is_indexed=bool(shown), is_running=running),
            [(one.path, document_state(one, is_running=running)) for one in seen],
        )

"""The files that pages are drawn from, in PostgreSQL: written with their documents, deleted after."""

from collections.abc import Iterable

import asyncpg

from libs.errors import NotFound
from libs.postgres import Connection, translated_errors
from services.ingest.model.book import DocumentRecord

_NAMED = """
SELECT content_hash FROM documents JOIN originals USING (book, content_hash)
JOIN editions ON editions.book = documents.book AND number = $2
WHERE documents.book = $1 AND born <= $2 AND died > $2 AND file_path = $3
"""
_DELETE_UNUSED = """
DELETE FROM originals WHERE book = $1 AND content_hash NOT IN (
    SELECT content_hash FROM documents WHERE book = $1)
"""


class PostgresOriginals:
    """Finds the files of documents: the port Originals."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def find_hash(self, book: str, edition: int, path: str) -> str:
        with translated_errors():
            found = await self._pool.fetchval(_NAMED, book, edition, path)
        if found is None:
            raise NotFound("The book keeps no pages of that document.")
        return str(found)

    async def read(self, book: str, content_hash: str) -> bytes:
        with translated_errors():
            found = await self._pool.fetchval(
                "SELECT bytes FROM originals WHERE book = $1 AND content_hash = $2",
                book,
                content_hash,
                timeout=30,
            )
        if found is None:
            raise NotFound("The book keeps no pages of that document.")
        return bytes(found)


async def write_originals(
    connection: Connection, book: str, documents: Iterable[DocumentRecord]
) -> None:
    """Keep the files of documents that have pages."""
    held = {one.document.content_hash: one.original for one in documents if one.original}
    await connection.executemany(
        "INSERT INTO originals (book, content_hash, bytes) VALUES ($1, $2, $3) "
        "ON CONFLICT DO NOTHING",
        [(book, content_hash, held[content_hash]) for content_hash in sorted(held)],
        timeout=300,
    )


async def delete_unused_originals(connection: Connection, book: str) -> None:
    """Delete the files of a book that no document of it was made from."""
    await connection.execute(_DELETE_UNUSED, book, timeout=300)

"""Published books and documents, read from PostgreSQL."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from libs.errors import NotFound
from libs.postgres import lend, translated_errors
from services.ingest.adapters.postgres_images import find_image, list_images, read_used
from services.ingest.model.book import Block, BlockKind, Markup, MarkupKind, Section
from services.ingest.model.image import Image
from services.ingest.model.views import Book, DocumentSummary, DocumentView

_LOOK_S = 0.4
"""Of the half second that a question has to learn which edition is current."""
_READ_S = 2.0
_BOOK = (
    "SELECT slug, title, language, languages, edition, document_count, chunk_count, published_at, "
    "authors, year FROM books JOIN editions ON book = slug AND number = edition "
)
_SEEN = "WHERE book = $1 AND born <= $2 AND died > $2 "
_SUMMARY = (
    "SELECT file_path, title, length, content_hash, chunk_count, documents.depth, part_titles "
)
_NAMED = "FROM documents " + _SEEN + "AND file_path = ANY($3::text[])"
_TEXTS = "SELECT file_path, text "
_SECTIONS = "SELECT file_path, sections "
_PAGE_OF_BOOKS = (
    "WHERE chunk_count > 0 AND (slug = ANY($1::text[]) OR cardinality($1) = 0) "
    'AND slug COLLATE "C" > $2 ORDER BY slug COLLATE "C" LIMIT $3'
)
# Behind the place of a document that the edition has; without one ($3 is "") from the beginning.
_PAGE_OF_DOCUMENTS = """
AND ($3 = '' OR (position, file_path) > (
    SELECT position, file_path FROM documents
    WHERE book = $1 AND born <= $2 AND died > $2 AND file_path = $3))
ORDER BY position, file_path LIMIT $4
"""
# Points of the first book are written before there is an edition; a job that waits may have written.
_HAS_BEGUN = """
SELECT EXISTS (SELECT FROM editions)
    OR EXISTS (SELECT FROM jobs WHERE state IN ('queued', 'running') AND attempts > 0)
"""


class PostgresCatalogue:
    """Shows what has been published: the port Catalogue."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def list_books(
        self, slugs: Sequence[str] = (), after: str = "", most: int | None = None
    ) -> list[Book]:
        async with self._connection(_READ_S) as connection:
            rows = await connection.fetch(_BOOK + _PAGE_OF_BOOKS, list(slugs), after, most)
        return [Book(**row) for row in rows]

    async def has_begun(self) -> bool:
        async with self._connection(_READ_S) as connection:
            return bool(await connection.fetchval(_HAS_BEGUN))

    async def get_book(self, slug: str) -> Book:
        async with self._connection(_LOOK_S) as connection:
            row = await connection.fetchrow(_BOOK + "WHERE slug = $1 AND chunk_count > 0", slug)
        if row is None:
            raise NotFound("There is no book of that name.")
        return Book(**row)

    async def list_documents(
        self, book: str, edition: int, after: str = "", most: int | None = None
    ) -> tuple[int, list[DocumentSummary]]:
        number = await self._edition(book, edition)
        async with self._connection(_READ_S) as connection:
            rows = await connection.fetch(
                _SUMMARY + "FROM documents " + _SEEN + _PAGE_OF_DOCUMENTS,
                book,
                number,
                after,
                most,
            )
        return number, [_to_summary(row) for row in rows]

    async def get_document(self, book: str, edition: int, path: str) -> tuple[int, DocumentView]:
        number = await self._edition(book, edition)
        async with self._connection(_READ_S) as connection:
            row = await connection.fetchrow(
                _SUMMARY
                + ", text, blocks, sections, markup, images FROM documents "
                + _SEEN
                + "AND file_path = $3",
                book,
                number,
                path,
            )
        if row is None:
            raise NotFound("The book has no document of that path.")
        images = await list_images(self._pool, book, read_used(row["images"]))
        return number, _to_view(row, images)

    async def get_texts(self, book: str, edition: int, paths: Sequence[str]) -> dict[str, str]:
        rows = await self._of_documents(_TEXTS, book, edition, paths)
        return {row["file_path"]: row["text"] for row in rows}

    async def get_sections(
        self, book: str, edition: int, paths: Sequence[str]
    ) -> dict[str, list[Section]]:
        rows = await self._of_documents(_SECTIONS, book, edition, paths)
        return {row["file_path"]: _to_sections(row["sections"]) for row in rows}

    async def _of_documents(
        self, columns: str, book: str, edition: int, paths: Sequence[str]
    ) -> list[Any]:
        number = await self._edition(book, edition)
        async with self._connection(_READ_S) as connection:
            return list(await connection.fetch(columns + _NAMED, book, number, list(paths)))

    async def get_image(self, book: str, edition: int, image_id: str) -> Image:
        return await find_image(self._pool, book, await self._edition(book, edition), image_id)

    async def _edition(self, book: str, edition: int) -> int:
        if edition == 0:
            return (await self.get_book(book)).edition
        async with self._connection(_READ_S) as connection:
            found = await connection.fetchval(
                "SELECT number FROM editions WHERE book = $1 AND number = $2", book, edition
            )
        if found is None:
            raise NotFound("There is no such edition of that book.")
        return edition

    @asynccontextmanager
    async def _connection(self, allowed_s: float) -> AsyncIterator[Any]:
        """Lend a connection for so long. Raises Unavailable when none is free in time."""
        with translated_errors():
            async with lend(self._pool, allowed_s) as connection:
                yield connection


def _to_summary(row: "asyncpg.Record") -> DocumentSummary:
    return DocumentSummary(
        path=row["file_path"],
        title=row["title"],
        length=row["length"],
        content_hash=row["content_hash"],
        chunk_count=row["chunk_count"],
        depth=row["depth"],
        part_titles=tuple(row["part_titles"]),
    )


def _to_view(row: "asyncpg.Record", images: Sequence[Image]) -> DocumentView:
    return DocumentView(
        summary=_to_summary(row),
        text=row["text"],
        blocks=[Block(BlockKind(kind), *rest) for kind, *rest in json.loads(row["blocks"])],
        sections=_to_sections(row["sections"]),
        markup=[Markup(MarkupKind(kind), *rest) for kind, *rest in json.loads(row["markup"])],
        images=images,
    )


def _to_sections(kept: str) -> list[Section]:
    return [Section(tuple(path), *rest) for path, *rest in json.loads(kept)]

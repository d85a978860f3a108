"""Editions and computed vectors in PostgreSQL."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

import asyncpg
import numpy as np

from libs.embedding import Vectors
from libs.postgres import translated_errors
from libs.vectors.schema import ALIVE
from services.ingest.adapters.postgres_jobs import end_job
from services.ingest.model import (
    ChunkRecord,
    DocumentRecord,
    Edition,
    Job,
    JobState,
    NewEdition,
    Published,
    Removal,
)

_Connection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[Any]"

_DOCUMENT_COLUMNS = (
    *("book", "file_path", "born", "position", "title", "url", "content_hash", "digest"),
    *("chunk_count", "length", "text", "blocks", "sections"),
)
_CHUNK_COLUMNS = (
    *("book", "chunk_id", "born", "collection", "file_path", "position"),
    *("start_offset", "end_offset", "token_count", "digest", "vector_key"),
)


EDITION = "number, title, language, fingerprint, collection, chunk_count, recipe"


class PostgresEditions:
    """Keeps editions and vectors: the port EditionStore."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def current(self, book: str) -> Edition:
        return await self._edition(
            "JOIN books ON slug = book AND edition = number WHERE slug = $1", book
        )

    async def latest(self, book: str) -> Edition:
        return await self._edition("WHERE book = $1 ORDER BY number DESC LIMIT 1", book)

    async def _edition(self, which: str, book: str) -> Edition:
        # `which` is one of the constants above.
        with translated_errors():
            row = await self._pool.fetchrow(
                f"SELECT {EDITION} FROM editions {which}",  # noqa: S608
                book,
            )
        return to_edition(row) if row else Edition()

    async def documents(self, book: str) -> dict[str, str]:
        with translated_errors():
            rows = await self._pool.fetch(
                "SELECT file_path, content_hash FROM documents WHERE book = $1 AND died = $2",
                *(book, ALIVE),
            )
        return {row["file_path"]: row["content_hash"] for row in rows}

    async def published(self, book: str, collection: str) -> dict[str, Published]:
        with translated_errors():
            rows = await self._pool.fetch(
                "SELECT chunk_id, born, digest, file_path AS document FROM chunks "
                "WHERE book = $1 AND collection = $2 AND died = $3",
                *(book, collection, ALIVE),
            )
        return {row["chunk_id"]: Published(**row) for row in rows}

    async def publish(self, job: Job, edition: NewEdition, warnings: Sequence[str]) -> None:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                number = edition.edition.number
                await end_job(connection, job, JobState.PUBLISHED, number, warnings=warnings)
                report = json.dumps(asdict(edition.report)) if edition.report else None
                reasons = edition.report.reasons if edition.report else ()
                await _write_edition(
                    *(connection, edition.book, edition.edition, reasons, report),
                    document_count=len(edition.documents),
                    chunk_count=len(edition.chunks),
                )
                await _write_documents(connection, edition)
                await _write_chunks(connection, edition)

    async def remove(self, job: Job, removal: Removal) -> None:
        edition = removal.edition
        gone = (removal.book, edition.number, ALIVE, removal.document)
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await end_job(connection, job, JobState.PUBLISHED, edition.number)
                await _write_edition(
                    *(connection, removal.book, edition, removal.reasons, None),
                    document_count=removal.document_count,
                    chunk_count=edition.chunk_count,
                )
                for table in ("documents", "chunks"):
                    await connection.execute(
                        f"UPDATE {table} SET died = $2 WHERE book = $1 AND died = $3 "  # noqa: S608
                        "AND ($4 = '' OR file_path = $4)",
                        *gone,
                    )

    async def load_vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        with translated_errors():
            rows = await self._pool.fetch(
                "SELECT vector_key, vector FROM vectors WHERE vector_key = ANY($1::text[])",
                list(keys),
            )
        return {row["vector_key"]: np.frombuffer(row["vector"], "<f4") for row in rows}

    async def save_vectors(self, vectors: Mapping[str, Vectors]) -> None:
        with translated_errors():
            await self._pool.executemany(
                "INSERT INTO vectors (vector_key, vector) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                [(key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()],
            )


def to_edition(row: "asyncpg.Record") -> Edition:
    return Edition(**{**row, "recipe": json.loads(row["recipe"])})


async def _write_edition(
    connection: _Connection,
    book: str,
    edition: Edition,
    reasons: Sequence[str],
    report: str | None,
    *,
    document_count: int,
    chunk_count: int,
) -> None:
    await leave_current(connection, book)
    # The condition is a second fence: an edition can only follow the newest one.
    status = await connection.execute(
        "INSERT INTO books (slug, edition) VALUES ($1, $2) "
        "ON CONFLICT (slug) DO UPDATE SET edition = $2 WHERE $2 - 1 = "
        "(SELECT coalesce(max(number), 0) FROM editions WHERE book = $1)",
        *(book, edition.number),
    )
    if status != "INSERT 0 1":
        raise RuntimeError(f"edition {edition.number} of {book} is not the next one")
    await connection.execute(
        "INSERT INTO editions (book, number, title, language, fingerprint, collection, "
        "document_count, chunk_count, recipe, reasons, report) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        *(book, edition.number, edition.title, edition.language, edition.fingerprint),
        *(edition.collection, document_count, chunk_count, json.dumps(dict(edition.recipe))),
        *(list(reasons), report),
    )


async def leave_current(connection: _Connection, book: str) -> None:
    """Note since when readers no longer see what they see now."""
    await connection.execute(
        "UPDATE editions SET superseded_at = now() FROM books "
        "WHERE slug = $1 AND book = slug AND number = edition",
        book,
    )


async def _write_documents(connection: _Connection, new: NewEdition) -> None:
    """Let documents that changed or vanished die, and write those that are new."""
    digests = [record.digest for record in new.documents]
    number = new.edition.number
    await connection.execute(
        "UPDATE documents SET died = $2 "
        "WHERE book = $1 AND died = $3 AND NOT digest = ANY($4::text[])",
        *(new.book, number, ALIVE, digests),
    )
    rows = await connection.fetch(
        "SELECT digest FROM documents WHERE book = $1 AND died = $2", new.book, ALIVE
    )
    kept = {row["digest"] for row in rows}
    await connection.copy_records_to_table(
        "documents",
        records=[
            _document_row(new, record) for record in new.documents if record.digest not in kept
        ],
        columns=_DOCUMENT_COLUMNS,
        timeout=300,
    )


async def _write_chunks(connection: _Connection, new: NewEdition) -> None:
    """Let go of all chunks whose points died or lie in another collection, and write new ones."""
    number, collection = new.edition.number, new.edition.collection
    await connection.execute(
        "UPDATE chunks SET died = $2 WHERE book = $1 AND died = $3 "
        "AND (collection <> $4 OR chunk_id = ANY($5::text[]))",
        *(new.book, number, ALIVE, collection, [before.chunk_id for before in new.died]),
    )
    await connection.copy_records_to_table(
        "chunks",
        records=[_chunk_row(new, record) for record in new.born],
        columns=_CHUNK_COLUMNS,
        timeout=300,
    )


def _document_row(new: NewEdition, record: DocumentRecord) -> tuple[object, ...]:
    document = record.document
    blocks = [[b.kind, b.start, b.end, b.level, b.label, b.page] for b in document.blocks]
    sections = [
        [list(s.path), s.anchor, s.level, s.start, s.own_end, s.end] for s in document.sections
    ]
    return (
        *(new.book, document.path, new.edition.number, document.position, document.title),
        *(document.url, document.content_hash, record.digest, record.chunk_count),
        *(len(document.text), document.text, json.dumps(blocks), json.dumps(sections)),
    )


def _chunk_row(new: NewEdition, record: ChunkRecord) -> tuple[object, ...]:
    chunk = record.chunk
    return (
        *(new.book, chunk.chunk_id, new.edition.number, new.edition.collection, chunk.document),
        *(chunk.position, chunk.start, chunk.end, chunk.token_count),
        *(record.digest, record.vector_key),
    )

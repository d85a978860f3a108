"""Editions and computed vectors in PostgreSQL."""

import json
from collections.abc import Mapping, Sequence
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


class PostgresEditions:
    """Keeps editions and vectors: the port EditionStore."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def current(self, book: str) -> Edition:
        with translated_errors():
            row = await self._pool.fetchrow(
                "SELECT number, title, language, fingerprint, collection, chunk_count FROM editions "
                "JOIN books ON slug = book AND edition = number WHERE slug = $1",
                book,
            )
        return Edition(**row) if row else Edition()

    async def published(self, book: str, collection: str) -> dict[str, Published]:
        with translated_errors():
            rows = await self._pool.fetch(
                "SELECT chunk_id, born, digest FROM chunks "
                "WHERE book = $1 AND collection = $2 AND died = $3",
                *(book, collection, ALIVE),
            )
        return {row["chunk_id"]: Published(**row) for row in rows}

    async def publish(self, job: Job, edition: NewEdition, warnings: Sequence[str]) -> None:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                number = edition.edition.number
                await end_job(connection, job, JobState.PUBLISHED, number, warnings=warnings)
                await _write_book(connection, edition)
                await _write_documents(connection, edition)
                await _write_chunks(connection, edition)

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


async def _write_book(connection: _Connection, new: NewEdition) -> None:
    edition = new.edition
    # The condition is a second fence: an edition can only follow the one it was made from.
    status = await connection.execute(
        "INSERT INTO books (slug, edition) VALUES ($1, $2) "
        "ON CONFLICT (slug) DO UPDATE SET edition = $2 WHERE books.edition = $2 - 1",
        *(new.book, edition.number),
    )
    if status != "INSERT 0 1":
        raise RuntimeError(f"edition {edition.number} of {new.book} is not the next one")
    await connection.execute(
        "INSERT INTO editions (book, number, title, language, fingerprint, collection, "
        "document_count, chunk_count) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        *(new.book, edition.number, edition.title, edition.language, edition.fingerprint),
        *(edition.collection, len(new.documents), len(new.chunks)),
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

"""Editions and computed vectors in PostgreSQL."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from uuid import UUID

import asyncpg

from libs.postgres import translated_errors
from libs.vectors.schema import ALIVE
from services.ingest.adapters.postgres_documents import end_documents
from services.ingest.adapters.postgres_images import delete_unused, read_used, write_images
from services.ingest.adapters.postgres_jobs import Connection, end_job
from services.ingest.adapters.postgres_originals import (
    delete_unused_originals,
    write_originals,
)
from services.ingest.adapters.reports import read_document_report
from services.ingest.errors import IndexDiffers, LeaseLost
from services.ingest.model.book import (
    ChunkRecord,
    DocumentRecord,
    Edition,
    KeptDocument,
    Published,
    Report,
)
from services.ingest.model.byline import Byline
from services.ingest.model.job import Job, JobState
from services.ingest.ports.editions import NewEdition, Removal, Staged
from services.ingest.ports.index import ChunkKey

_DOCUMENT_COLUMNS = (
    *("book", "file_path", "born", "position", "title", "url", "content_hash", "digest"),
    *("chunk_count", "length", "text", "blocks", "sections", "markup"),
    *("depth", "part_titles", "images", "made_from", "report"),
)
_CHUNK_COLUMNS = (
    *("book", "chunk_id", "born", "collection", "file_path", "position"),
    *("start_offset", "end_offset", "token_count", "digest", "vector_key"),
)


LONG_S = 3600.0
"""Seconds for a statement on all of a large book."""
EDITION = (
    "number, title, language, languages, fingerprint, collection, chunk_count, recipe, "
    "authors, year"
)


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
                f"SELECT {EDITION} FROM editions {which}",  # noqa: S608 - our own names
                book,
            )
        return to_edition(row) if row else Edition()

    async def documents(self, book: str, edition: int) -> dict[str, KeptDocument]:
        with translated_errors():
            rows = await self._pool.fetch(
                "SELECT file_path, content_hash, made_from, chunk_count, report, images FROM documents "
                "WHERE book = $1 AND born <= $2 AND died > $2",
                book,
                edition,
            )
        return {row["file_path"]: _to_kept(row) for row in rows}

    async def published(
        self, book: str, edition: int, documents: Sequence[str]
    ) -> dict[str, Published]:
        with translated_errors():
            rows = await self._pool.fetch(
                "SELECT chunk_id, born, digest, file_path AS document, collection FROM chunks "
                "WHERE book = $1 AND born <= $2 AND died > $2 AND file_path = ANY($3::text[])",
                book,
                edition,
                list(documents),
            )
        return {row["chunk_id"]: Published(**row) for row in rows}

    async def chunk_keys(self, book: str, edition: int) -> set[ChunkKey]:
        with translated_errors():
            rows = await self._pool.fetch(
                "SELECT chunk_id, born FROM chunks WHERE book = $1 AND born <= $2 AND died > $2",
                book,
                edition,
                timeout=LONG_S,
            )
        return {(row["chunk_id"], row["born"]) for row in rows}

    async def sweep(self, job: Job, edition: int) -> None:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await _fence(connection, job)
                for table in ("documents", "chunks"):
                    await connection.execute(
                        f"DELETE FROM {table} WHERE book = $1 AND born > $2",  # noqa: S608 - our own names
                        job.order.book,
                        edition,
                    )
                    await connection.execute(
                        f"UPDATE {table} SET died = $3 "  # noqa: S608 - our own names
                        "WHERE book = $1 AND died > $2 AND died < $3",
                        job.order.book,
                        edition,
                        ALIVE,
                    )
                await delete_unused(connection, job.order.book)
                await delete_unused_originals(connection, job.order.book)

    async def stage(self, job: Job, part: Staged) -> None:
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                if part.claims:
                    await end_documents(connection, job, part.claims)
                else:
                    await _fence(connection, job)
                # Its edition 0 is none: nobody sees the book before it is published.
                await connection.execute(
                    "INSERT INTO books (slug) VALUES ($1) ON CONFLICT DO NOTHING", part.book
                )
                await _write_documents(connection, part)
                pictures = [image for one in part.documents for image in one.images]
                await write_images(connection, part.book, pictures)
                await write_originals(connection, part.book, part.documents)
                await _write_chunks(connection, part)

    async def publish(self, job: Job, edition: NewEdition, warnings: Sequence[str]) -> None:
        new = edition.edition
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await end_job(connection, job, JobState.PUBLISHED, new.number, warnings=warnings)
                await _write_edition(
                    connection=connection,
                    book=edition.book,
                    edition=new,
                    report=edition.report,
                    document_count=edition.document_count,
                    chunk_count=new.chunk_count,
                )
                await _check_staged(connection, edition)

    async def remove(self, job: Job, removal: Removal) -> None:
        edition = removal.edition
        gone = (removal.book, edition.number, ALIVE, removal.document)
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await end_job(connection, job, JobState.PUBLISHED, edition.number)
                await _write_edition(
                    connection=connection,
                    book=removal.book,
                    edition=edition,
                    report=removal.report,
                    document_count=removal.document_count,
                    chunk_count=edition.chunk_count,
                )
                for table in ("documents", "chunks"):
                    await connection.execute(
                        f"UPDATE {table} SET died = $2 WHERE book = $1 AND died = $3 "  # noqa: S608 - our own names
                        "AND ($4 = '' OR file_path = $4)",
                        *gone,
                    )

    async def load_vectors(self, keys: Sequence[str]) -> dict[str, bytes]:
        # As text[] no index of the column, which is char(64), would do: all vectors would be read.
        with translated_errors():
            rows = await self._pool.fetch(
                "SELECT vector_key, vector FROM vectors WHERE vector_key = ANY($1::bpchar[])",
                list(keys),
            )
        return {row["vector_key"]: row["vector"] for row in rows}

    async def save_vectors(self, vectors: Mapping[str, bytes]) -> None:
        with translated_errors():
            # In the order of their keys, so that two replicas with equal texts never wait in a ring.
            keys = sorted(vectors)
            await self._pool.execute(
                "INSERT INTO vectors (vector_key, vector) "
                "SELECT * FROM unnest($1::text[], $2::bytea[]) ON CONFLICT DO NOTHING",
                keys,
                [vectors[key] for key in keys],
            )


def to_edition(row: "asyncpg.Record") -> Edition:
    fields = dict(row)
    byline = Byline(tuple(fields.pop("authors")), fields.pop("year"))
    own = {"languages": tuple(row["languages"]), "recipe": json.loads(row["recipe"])}
    return Edition(**{**fields, **own, "byline": byline})


async def _write_edition(
    connection: Connection,
    book: str,
    edition: Edition,
    report: Report,
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
        book,
        edition.number,
    )
    if status != "INSERT 0 1":
        raise RuntimeError(f"edition {edition.number} of {book} is not the next one")
    await connection.execute(
        "INSERT INTO editions (book, number, title, language, fingerprint, collection, "
        "document_count, chunk_count, recipe, reasons, report, authors, year, languages) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        book,
        edition.number,
        edition.title,
        edition.language,
        edition.fingerprint,
        edition.collection,
        document_count,
        chunk_count,
        json.dumps(dict(edition.recipe)),
        list(report.reasons),
        json.dumps(asdict(report)),
        *edition.byline,
        list(edition.languages),
    )


async def leave_current(connection: Connection, book: str) -> None:
    """Record when the current edition stops being current."""
    await connection.execute(
        "UPDATE editions SET superseded_at = now() FROM books "
        "WHERE slug = $1 AND book = slug AND number = edition",
        book,
    )


async def _fence(connection: Connection, job: Job) -> None:
    """Keep the job from being handed over until the transaction ends. Raises LeaseLost."""
    owned = await connection.fetchval(
        "SELECT 1 FROM jobs WHERE job_id = $1 AND token = $2 AND state = 'running' FOR SHARE",
        UUID(job.job_id),
        job.token,
    )
    if owned is None:
        raise LeaseLost


async def _write_documents(connection: Connection, part: Staged) -> None:
    """Close the validity of documents that changed or vanished, and write the new ones."""
    # Without any, the statement would still look through all rows of the book, part after part.
    if part.replaced:
        await connection.execute(
            "UPDATE documents SET died = $2 "
            "WHERE book = $1 AND born < $2 AND died > $2 AND file_path = ANY($3::text[])",
            part.book,
            part.edition,
            list(part.replaced),
        )
    await connection.copy_records_to_table(
        "documents",
        records=[_document_row(part, record) for record in part.documents],
        columns=_DOCUMENT_COLUMNS,
        timeout=300,
    )


async def _write_chunks(connection: Connection, part: Staged) -> None:
    if part.died:
        await connection.execute(
            "UPDATE chunks SET died = $2 "
            "WHERE book = $1 AND born < $2 AND died > $2 AND chunk_id = ANY($3::bpchar[])",
            part.book,
            part.edition,
            list(part.died),
        )
    await connection.copy_records_to_table(
        "chunks",
        records=[_chunk_row(part, record) for record in part.born],
        columns=_CHUNK_COLUMNS,
        timeout=300,
    )


async def _check_staged(connection: Connection, new: NewEdition) -> None:
    """Raise IndexDiffers unless the rows are those of the edition that is published."""
    for table, expected in (
        ("documents", new.document_count),
        ("chunks", new.edition.chunk_count),
    ):
        found = await connection.fetchval(
            f"SELECT count(*) FROM {table} WHERE book = $1 AND born <= $2 AND died > $2",  # noqa: S608 - our own names
            new.book,
            new.edition.number,
        )
        if found != expected:
            raise IndexDiffers(f"{found} rows of {table} instead of {expected}")


def _to_kept(row: "asyncpg.Record") -> KeptDocument:
    report = read_document_report(row["report"]) if row["report"] else None
    used = read_used(row["images"])
    return KeptDocument(row["content_hash"], row["made_from"], row["chunk_count"], report, used)


def _document_row(part: Staged, record: DocumentRecord) -> tuple[object, ...]:
    document = record.document
    blocks = [[b.kind, b.start, b.end, b.level, b.label, b.page] for b in document.blocks]
    sections = [
        [list(s.path), s.anchor, s.level, s.start, s.own_end, s.end] for s in document.sections
    ]
    return (
        *(part.book, document.path, part.edition, document.position, document.title),
        *(document.url, document.content_hash, record.digest, record.chunk_count),
        *(len(document.text), document.text, json.dumps(blocks), json.dumps(sections)),
        *(json.dumps(document.markup), document.depth, document.part_titles),
        json.dumps(document.images),
        *(record.made_from, json.dumps(asdict(record.report))),
    )


def _chunk_row(part: Staged, record: ChunkRecord) -> tuple[object, ...]:
    chunk = record.chunk
    return (
        *(part.book, chunk.chunk_id, part.edition, part.collection, chunk.document),
        *(chunk.position, chunk.start, chunk.end, chunk.token_count),
        *(record.digest, record.vector_key),
    )

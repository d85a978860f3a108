"""Take a backup: the database at one moment, then the points that belong to it."""

from typing import Any

import msgspec

from deploy.backup.files import Files
from deploy.backup.manifest import FORMAT, BackupError, Manifest, SavedBook
from deploy.backup.points import BookAtMoment, save_points
from deploy.backup.tables import list_partitions, list_sequences, save_tables
from libs.postgres import Connection, list_migrations
from libs.vectors.qdrant import AsyncQdrantClient
from services.ingest.adapters.qdrant_index import point_id

_BOOKS = """
SELECT slug, edition, coalesce((SELECT max(number) FROM editions WHERE book = slug), 0) AS newest,
    NOT EXISTS (SELECT FROM editions WHERE book = slug AND number = edition AND chunk_count > 0)
    AS deleted
FROM books ORDER BY slug
"""
# Rows of an edition that is being made are none yet; its job begins anew after a restore.
_CHUNKS = "SELECT chunk_id, born, collection FROM chunks WHERE book = $1 AND born <= $2"
_READ_S = 600.0


async def take_backup(
    connection: Connection, client: AsyncQdrantClient, files: Files, version: str
) -> Manifest:
    """Write everything into `files`, which must be empty; services may go on meanwhile.

    Raises BackupError where a backup is there already or can't be written, Unavailable when the
    vector store does not answer.
    """
    if not await files.is_empty():
        raise BackupError("There is something already. Choose an empty place for each backup.")
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        migrations = await list_migrations(connection)
        if not migrations:
            raise BackupError("The database holds nothing of Quoth's: there is nothing to back up.")
        taken_at = await connection.fetchval("SELECT now()")
        partitions = await list_partitions(connection)
        tables = await save_tables(connection, files)
        sequences = await list_sequences(connection)
        editions = await connection.fetch(_BOOKS)
        books = [
            await _at_moment(connection, row["slug"], row["newest"])
            for row in editions
            if row["newest"]
        ]
    collections, missing = await save_points(client, files, books)
    manifest = Manifest(
        format=FORMAT,
        quoth=version,
        taken_at=taken_at,
        migrations=migrations,
        partitions=partitions,
        tables=tables,
        sequences=sequences,
        collections=collections,
        books=_saved_books({row["slug"]: row for row in editions}, books, missing),
    )
    await files.write_manifest(msgspec.json.format(msgspec.json.encode(manifest)))
    return manifest


async def _at_moment(connection: Connection, slug: str, newest: int) -> BookAtMoment:
    points: dict[str, set[str]] = {}
    for row in await connection.fetch(_CHUNKS, slug, newest, timeout=_READ_S):
        ids = points.setdefault(row["collection"], set())
        ids.add(point_id(row["chunk_id"], row["born"]))
    return BookAtMoment(slug, newest, points)


def _saved_books(
    rows: dict[str, Any], books: list[BookAtMoment], missing: dict[str, int]
) -> list[SavedBook]:
    return [
        SavedBook(
            book.slug,
            rows[book.slug]["edition"],
            sum(map(len, book.points.values())),
            missing[book.slug],
            rows[book.slug]["deleted"],
        )
        for book in books
    ]

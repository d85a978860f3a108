"""Restore a backup into an installation that holds nothing yet."""

from collections.abc import Mapping
from pathlib import Path

from deploy.backup.files import Files
from deploy.backup.manifest import Manifest, NotEmptyError
from deploy.backup.points import clear_points, holds_points, load_points
from deploy.backup.tables import find_rows, load_tables, make_schema
from libs.postgres import Connection
from libs.vectors.client import require_version
from libs.vectors.layout import Layout
from libs.vectors.qdrant import AsyncQdrantClient
from services.ingest.adapters.postgres_documents import begin_jobs_anew

_ANALYZE_S = 3600.0


async def restore_backup(
    connection: Connection,
    client: AsyncQdrantClient,
    files: Files,
    *,
    migrations: Mapping[str, Path],
    layout: Layout,
    clear: bool = False,
) -> Manifest:
    """Bring everything back: the database in one transaction, which ends after the vectors are there.

    With `clear`, points that an interrupted restore left beside an empty database go first. Raises
    NotEmptyError where the installation holds anything, BackupError when the backup can't be used; then
    nothing of it stays.
    """
    manifest = await files.manifest()
    await require_version(client)
    async with connection.transaction():
        await _require_empty(connection, client, clear=clear)
        await make_schema(connection, manifest, migrations)
        await load_tables(connection, files, manifest)
        await begin_jobs_anew(connection)
        try:
            await load_points(client, files, manifest.collections, layout)
        except BaseException:
            await clear_points(client)
            raise
    # The planner knows nothing of what has just come.
    await connection.execute("ANALYZE", timeout=_ANALYZE_S)
    return manifest


async def _require_empty(connection: Connection, client: AsyncQdrantClient, *, clear: bool) -> None:
    if held := await find_rows(connection):
        raise NotEmptyError(
            f"The database is not empty: {', '.join(held[:5])}. A backup is restored into a new "
            "installation only, so that nothing is lost."
        )
    if not await holds_points(client):
        return
    if not clear:
        raise NotEmptyError(
            "The vector store is not empty, though the database is. Look whether both are the right "
            "ones. What an interrupted restore has left goes by --clear-vectors."
        )
    await clear_points(client)

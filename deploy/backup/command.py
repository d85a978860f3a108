"""What `quoth backup` and `quoth restore` do, from the settings of the environment."""

import importlib.metadata
import os
from collections.abc import Mapping
from pathlib import Path

import asyncpg

from deploy.backup.files import open_files
from deploy.backup.manifest import BackupError, Manifest, NotEmptyError
from deploy.backup.notes import note_attempt, note_backup
from deploy.backup.restore import restore_backup
from deploy.backup.stores import open_stores, require_stores
from deploy.backup.take import take_backup
from deploy.embedded import PRIVATE
from deploy.local.instance import read_live_run
from deploy.local.settings import LocalSettings
from libs.postgres import translated_errors
from libs.settings import load_settings
from libs.vectors.layout import load_layout


async def back_up_to(place: str, environment: Mapping[str, str]) -> Manifest:
    """Raise BackupError, SettingsError, StartError or Unavailable, each with what to do."""
    os.umask(PRIVATE)
    settings = load_settings(LocalSettings, environment)
    require_stores(settings)
    async with open_stores(settings) as (connection, client):
        with translated_errors():
            await note_attempt(connection)
            files = open_files(place, make=True)
            version = importlib.metadata.version("quoth")
            manifest = await take_backup(connection, client, files, version)
            await note_backup(connection, manifest.taken_at)
            return manifest


async def restore_from(
    place: str, environment: Mapping[str, str], migrations: Mapping[str, Path], *, clear: bool
) -> Manifest:
    """Raise as back_up_to does, and where the installation is not empty.

    `migrations` are the folders of all services' migrations, by service.
    """
    files = open_files(place, make=False)
    await files.manifest()
    settings, layout = load_settings(LocalSettings, environment), load_layout(environment)
    async with open_stores(settings) as (connection, client):
        try:
            with translated_errors():
                return await restore_backup(
                    connection,
                    client,
                    files,
                    migrations=migrations,
                    layout=layout,
                    clear=clear,
                )
        except NotEmptyError as error:
            raise BackupError(f"{error} {name_target(settings)}") from error
        except asyncpg.PostgresError as error:
            raise BackupError(
                f"The database refuses what the backup holds (code {error.sqlstate}): see its log."
            ) from error


def name_target(settings: LocalSettings) -> str:
    """Say what was to be restored into, and how to name something else."""
    if settings.postgres_dsn and settings.qdrant_url:
        named = "QUOTH_POSTGRES_DSN and QUOTH_QDRANT_URL"
        return f"It was to go into the servers of {named}: name empty ones."
    run = read_live_run(settings.home)
    if run and int(run["pid"]) == os.getpid():
        run = {}  # this very command, which started the stores
    running = f", where Quoth is running as process {run['pid']}" if run else ""
    return (
        f"It was to go into QUOTH_HOME {settings.home}{running}: set QUOTH_HOME to a new folder"
        f"{' and QUOTH_PORT to other ports' if run else ''}, restore, and run `quoth up` with the same."
    )

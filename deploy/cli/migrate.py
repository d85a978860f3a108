"""`quoth migrate`: bring the schema of every service up to date, before any of them starts."""

import asyncio
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import asyncpg
import typer

from deploy.cli.options import AsJson
from deploy.cli.output import FAILED, WRONG_USE, Output
from libs.errors import QuothError
from libs.postgres import open_pool
from libs.settings import SettingsError

_SERVICES = Path(str(files("services")))

Dsn = Annotated[
    str,
    typer.Option(
        "--dsn", envvar="QUOTH_POSTGRES_DSN", help="Address of PostgreSQL.", show_default=False
    ),
]


def migrate(dsn: Dsn = "", as_json: AsJson = False) -> None:
    """Bring the schema of a PostgreSQL server of yours up to date; does nothing where it is.

    Services do the same when they start. Done before, a new version finds its tables there.
    """
    output = Output(as_json)
    if not dsn:
        output.fail("say where PostgreSQL is: --dsn or QUOTH_POSTGRES_DSN", WRONG_USE)
    try:
        applied = asyncio.run(migrate_all(dsn))
    except SettingsError as error:
        output.fail(str(error), WRONG_USE)
    except (OSError, QuothError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        # The error's own text may hold the address, and with it the password.
        output.fail(f"the schema can't be brought up to date: {type(error).__name__}", FAILED)
    output.give({"migrations": applied})
    for owner, count in applied.items():
        output.say(f"{owner}: {count} migrations are in place")


def owners() -> dict[str, Path]:
    """Return the folders of migrations by the service that they belong to."""
    folders = sorted(_SERVICES.glob("*/adapters/migrations"))
    return {folder.parents[1].name: folder for folder in folders}


async def migrate_all(dsn: str) -> dict[str, int]:
    """Apply what is missing; return how many migrations of each service are in place."""
    counts: dict[str, int] = {}
    for owner, folder in owners().items():
        pool = await open_pool(dsn, owner, folder, max_size=1)
        try:
            counts[owner] = await pool.fetchval(
                "SELECT count(*) FROM schema_migrations WHERE owner = $1 AND name !~ '^grants '",
                owner,
            )
        finally:
            await pool.close()
    return counts

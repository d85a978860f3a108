"""Commands of the operator that speak to PostgreSQL themselves: which one, and how they fail."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, TypeVar

import asyncpg
import typer

from deploy.cli.output import FAILED, NOT_RUNNING, WRONG_USE, Output
from deploy.local.instance import read_run
from deploy.local.processes import POSTGRES
from deploy.local.settings import LocalSettings
from libs.errors import QuothError
from libs.postgres import explain_refusal, open_pool
from libs.settings import SettingsError, load_settings
from services.generation.adapters.schema import MIGRATIONS

T = TypeVar("T")
DSN = "QUOTH_POSTGRES_DSN"

AuditDsn = Annotated[
    str,
    typer.Option(
        "--dsn",
        envvar=DSN,
        help="Address of PostgreSQL. Default: the one of `quoth up` in QUOTH_HOME.",
        show_default=False,
    ),
]


def find_dsn(dsn: str, output: Output) -> str:
    """Return the address of the database; ends the command where there is none."""
    if dsn:
        return dsn
    try:
        home = load_settings(LocalSettings, os.environ).home
    except SettingsError as error:
        output.fail(str(error), WRONG_USE)
    address = read_run(Path(home)).get("processes", {}).get(POSTGRES, {}).get("address", "")
    if not address:
        output.fail(
            f"no PostgreSQL runs in {home}: start `quoth up`, or say --dsn or {DSN}", NOT_RUNNING
        )
    return str(address)


def work_on_records(dsn: str, output: Output, work: Callable[[asyncpg.Pool], Awaitable[T]]) -> T:
    """Run `work` on the database of the record of answers, its schema brought up to date."""
    address = find_dsn(dsn, output)
    try:
        return asyncio.run(_with_pool(address, work))
    except SettingsError as error:
        output.fail(str(error), WRONG_USE)
    except QuothError as error:
        output.fail(error.message, FAILED)
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        output.fail(f"the record of answers can't be worked on: {explain_refusal(error)}", FAILED)


async def _with_pool(dsn: str, work: Callable[[asyncpg.Pool], Awaitable[T]]) -> T:
    pool = await open_pool(dsn, "generation", MIGRATIONS, max_size=2)
    try:
        return await work(pool)
    finally:
        await pool.close()

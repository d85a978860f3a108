"""Commands of the operator that speak to PostgreSQL themselves: which one, and how they fail."""

import asyncio
import os
import socket
import ssl
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
from libs.postgres import open_pool
from libs.settings import SettingsError, load_settings
from services.generation.adapters.schema import MIGRATIONS

T = TypeVar("T")
DSN = "QUOTH_POSTGRES_DSN"

# The first that fits counts.
_REFUSALS: tuple[tuple[tuple[type[Exception], ...], str], ...] = (
    (
        (ssl.SSLError,),
        "TLS with PostgreSQL fails: look at sslmode in its address and at PGSSLROOTCERT",
    ),
    (
        (socket.gaierror,),
        "the host in PostgreSQL's address has no address: look at its name",
    ),
    (
        (OSError, asyncpg.PostgresConnectionError, asyncpg.CannotConnectNowError),
        "PostgreSQL does not answer, or not with sslmode's TLS: start it, or look at host and port",
    ),
    (
        (asyncpg.ClientConfigurationError,),
        "PostgreSQL's address can't be read: it wants postgresql://user:password@host:5432/database",
    ),
    (
        (asyncpg.InvalidAuthorizationSpecificationError,),
        "PostgreSQL refuses the user or the password of its address",
    ),
    (
        (asyncpg.InvalidCatalogNameError,),
        "the database that PostgreSQL's address names is not there: make it first",
    ),
    (
        (asyncpg.InsufficientPrivilegeError,),
        "this user of PostgreSQL may not do that: connect as the tables' owner",
    ),
    (
        (asyncpg.ReadOnlySQLTransactionError,),
        "the database is read-only: name the server that takes writes",
    ),
    ((asyncpg.DiskFullError,), "PostgreSQL has no room left on its disk: free some, and try again"),
    (
        (asyncpg.TooManyConnectionsError,),
        "PostgreSQL has no connection left: try again in a moment",
    ),
)

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


def explain_refusal(error: Exception) -> str:
    """Say why PostgreSQL did not do what it was to do, and what helps.

    Not in the error's own words, which may hold the address, and with it the password.
    """
    for kinds, sentence in _REFUSALS:
        if isinstance(error, kinds):
            return sentence
    if isinstance(error, asyncpg.PostgresError):
        return f"PostgreSQL refuses it with code {error.sqlstate}; its log says more"
    return "the connection to PostgreSQL broke off: try again"


async def _with_pool(dsn: str, work: Callable[[asyncpg.Pool], Awaitable[T]]) -> T:
    pool = await open_pool(dsn, "generation", MIGRATIONS, max_size=2)
    try:
        return await work(pool)
    finally:
        await pool.close()

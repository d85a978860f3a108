"""`quoth migrate`: bring the schema of every service up to date, before any of them starts."""

import asyncio
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import asyncpg
import typer

from deploy.cli.options import AsJson
from deploy.cli.output import FAILED, WRONG_USE, Output
from libs.errors import Conflict, QuothError
from libs.postgres import explain_refusal, open_pool
from libs.settings import SettingsError
from services.gateway.adapters.postgres_keys import PostgresKeys
from services.gateway.keys import SCOPES, Grant, NewKey, take_key

_SERVICES = Path(str(files("services")))
_OPERATOR = "operator"
_KEY_S = 10.0
_NOT_DONE = "the schema can't be brought up to date"

Dsn = Annotated[
    str,
    typer.Option(
        "--dsn", envvar="QUOTH_POSTGRES_DSN", help="Address of PostgreSQL.", show_default=False
    ),
]
FirstKey = Annotated[
    Path | None,
    typer.Option(
        help="File with a key of yours that may do everything from now on, as the client `operator`: "
        "quoth_, 12 hexadecimal digits, _ and 32 or more random letters or digits. One that was "
        "revoked stays so, and where `operator` has another key that one counts.",
        show_default=False,
    ),
]


def migrate(dsn: Dsn = "", first_key: FirstKey = None, as_json: AsJson = False) -> None:
    """Bring the schema of a PostgreSQL server of yours up to date; does nothing where it is.

    Services do the same when they start. Done before, a new version finds its tables there.
    """
    output = Output(as_json)
    if not dsn:
        output.fail("say where PostgreSQL is: --dsn or QUOTH_POSTGRES_DSN", WRONG_USE)
    new = _read_key(first_key, output) if first_key else None
    try:
        applied = asyncio.run(migrate_all(dsn))
        admitted = asyncio.run(admit(dsn, new)) if new else ""
    except SettingsError as error:
        output.fail(str(error), WRONG_USE)
    except QuothError as error:
        output.fail(f"{_NOT_DONE}: {error.message}", FAILED)
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        output.fail(f"{_NOT_DONE}: {explain_refusal(error)}", FAILED)
    output.give({"migrations": applied})
    for owner, count in applied.items():
        output.say(f"{owner}: {count} migrations are in place")
    if admitted:
        output.say(f"{_OPERATOR}: {admitted}")


def _read_key(file: Path, output: Output) -> NewKey:
    try:
        new = take_key(file.read_text("ascii").strip())
    except OSError as error:
        output.fail(f"the file of --first-key can't be read: {error.strerror}", WRONG_USE)
    except ValueError:
        new = None
    if new is None:
        output.fail(
            "what the file of --first-key holds is no key: it wants quoth_, 12 hexadecimal digits, _ "
            "and 32 random letters or digits or more",
            WRONG_USE,
        )
    return new


async def admit(dsn: str, new: NewKey) -> str:
    """Let a key in that may do everything, unless it is known; returns what is the case now."""
    keys = PostgresKeys(dsn)
    try:
        if (stored := await keys.find_key(new.key_id, _KEY_S)) is None:
            try:
                await keys.add_key(Grant(_OPERATOR, SCOPES), new, _KEY_S)
            except Conflict:
                return "has another key"
            return f"the key {new.key_id} may do everything"
    finally:
        await keys.close()
    if stored.digest != new.digest:
        raise SettingsError("A key with this id is known, with another secret. Take another id.")
    return f"the key {new.key_id} is known, and {stored.key.state}"


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

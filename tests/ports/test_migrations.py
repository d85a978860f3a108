"""Migrations on a server: once each, unchanged, and with the rows of every earlier version."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from deploy.cli.migrate import owners
from libs.postgres import list_migrations, migrate, open_pool, read_scripts
from libs.postgres.migrations import bring_up_to_date, read_schema
from libs.settings import SettingsError
from services.gateway.adapters.postgres_keys import PostgresKeys
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.ingest.adapters.postgres_catalogue import PostgresCatalogue
from tests.support.audit import verifier
from tests.support.engines import PostgresNode, postgres_node
from tests.support.rows import LONG_AGO, fill_tables

OWNER = "test"
FIRST, SECOND = "CREATE TABLE one (a int)", "ALTER TABLE one ADD b int"
_names = (f"made_{number}" for number in count())
VERSIONS = [
    (owner, name) for owner, folder in owners().items() for name in list(read_scripts(folder))[:-1]
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresNode]:
    with postgres_node(tmp_path_factory.mktemp("postgres")) as node:
        yield node


@pytest.fixture
async def dsn(server: PostgresNode) -> str:
    """A database without tables."""
    name = next(_names)
    async with connected(server.dsn) as connection:
        await connection.execute(f"CREATE DATABASE {name}")
    return server.dsn.replace("/quoth?", f"/{name}?")


@asynccontextmanager
async def connected(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(dsn)
    try:
        yield connection
    finally:
        await connection.close()


def version(folder: Path, **scripts: str) -> Path:
    """Return the migrations of a version that has those scripts, by their names."""
    made = folder / next(_names) / "migrations"
    made.mkdir(parents=True)
    for name, script in scripts.items():
        (made / f"{name}.sql").write_text(script)
    return made


async def start(dsn: str, migrations: Path) -> None:
    await (await open_pool(dsn, OWNER, migrations, 1)).close()


async def fetch(dsn: str, statement: str) -> list[Any]:
    async with connected(dsn) as connection:
        return [tuple(row) for row in await connection.fetch(statement)]


async def test_a_database_keeps_what_each_migration_was(dsn: str, tmp_path: Path) -> None:
    await start(dsn, version(tmp_path, m1=FIRST, m2=SECOND))
    kept = await fetch(
        dsn, "SELECT name, length(checksum), needs FROM schema_migrations ORDER BY 1"
    )
    assert kept == [("m1", 64, None), ("m2", 64, None)]


async def test_services_that_start_together_apply_each_migration_once(
    dsn: str, tmp_path: Path
) -> None:
    made = version(tmp_path, m1=FIRST, m2=SECOND)
    await asyncio.gather(*(start(dsn, made) for _ in range(8)))
    async with connected(dsn) as connection:
        assert await list_migrations(connection) == {OWNER: ["m1", "m2"]}


@pytest.mark.fault("K1")
async def test_an_edited_migration_is_refused_by_its_name(dsn: str, tmp_path: Path) -> None:
    await start(dsn, version(tmp_path, m1=FIRST))
    with pytest.raises(SettingsError, match="another migration m1 than this version") as caught:
        await start(dsn, version(tmp_path, m1=FIRST + "; ", m2=SECOND))
    assert "\n" not in str(caught.value)
    async with connected(dsn) as connection:
        assert await list_migrations(connection) == {OWNER: ["m1"]}


async def test_former_code_goes_on_beside_what_a_later_version_added(
    dsn: str, tmp_path: Path
) -> None:
    former = version(tmp_path, m1=FIRST)
    await start(dsn, version(tmp_path, m1=FIRST, m2=SECOND))
    await start(dsn, former)
    async with connected(dsn) as connection:
        assert await list_migrations(connection) == {OWNER: ["m1", "m2"]}


@pytest.mark.fault("K1")
async def test_code_is_refused_by_tables_that_need_a_later_version(
    dsn: str, tmp_path: Path
) -> None:
    third = "-- What m2 made needless.\n-- needs m2\nALTER TABLE one DROP a"
    await start(dsn, version(tmp_path, m1=FIRST, m2=SECOND, m3=third))
    await start(dsn, version(tmp_path, m1=FIRST, m2=SECOND))
    with pytest.raises(SettingsError, match=r"of a later version of Quoth \(m3\)") as caught:
        await start(dsn, version(tmp_path, m1=FIRST))
    assert "\n" not in str(caught.value)


@pytest.mark.fault("K1")
async def test_a_running_version_meets_no_table_made_beyond_it_when_it_migrates(
    dsn: str, tmp_path: Path
) -> None:
    await start(dsn, version(tmp_path, m1=FIRST, m3="-- needs m3\nDROP TABLE one"))
    async with connected(dsn) as connection, connection.transaction():
        with pytest.raises(SettingsError, match="later version"):
            await migrate(connection, OWNER, {"m1": FIRST, "m2": SECOND})


async def make_former_ledger(dsn: str) -> None:
    """Leave a database as versions without checksums made it."""
    async with connected(dsn) as connection:
        await connection.execute(FIRST)
        await connection.execute(
            "CREATE TABLE schema_migrations (owner text, name text, "
            "applied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (owner, name))"
        )
        await connection.execute("INSERT INTO schema_migrations VALUES ($1, 'm1')", OWNER)


async def test_a_database_of_before_checksums_gets_them_when_services_start_together(
    dsn: str, tmp_path: Path
) -> None:
    await make_former_ledger(dsn)
    made = version(tmp_path, m1=FIRST)
    await asyncio.gather(*(start(dsn, made) for _ in range(8)))
    assert await fetch(dsn, "SELECT length(checksum) FROM schema_migrations") == [(64,)]
    with pytest.raises(SettingsError, match="another migration"):
        await start(dsn, version(tmp_path, m1=SECOND))


async def start_as(dsn: str, user: str, migrations: Path) -> None:
    async def become(connection: asyncpg.Connection) -> None:
        await connection.execute(f"SET SESSION AUTHORIZATION {user}")

    async with asyncpg.create_pool(dsn, min_size=1, max_size=1, init=become) as pool:
        await bring_up_to_date(pool, read_schema(OWNER, migrations))


async def test_a_user_who_may_not_add_checksums_goes_on_without_them(
    dsn: str, tmp_path: Path
) -> None:
    await make_former_ledger(dsn)
    user = next(_names)
    async with connected(dsn) as connection:
        await connection.execute(f"CREATE ROLE {user}")
        await connection.execute(f"GRANT SELECT ON schema_migrations TO {user}")
    await start_as(dsn, user, version(tmp_path, m1=FIRST))
    with pytest.raises(SettingsError, match="run `quoth migrate` first"):
        await start_as(dsn, user, version(tmp_path, m1=FIRST, m2=SECOND))


async def make_version(dsn: str, owner: str, last: str) -> dict[str, int]:
    """Make the tables of the version whose last migration is `last`, with rows; return how many."""
    scripts = read_scripts(owners()[owner])
    async with connected(dsn) as connection:
        async with connection.transaction():
            known = {name: script for name, script in scripts.items() if name <= last}
            await migrate(connection, owner, known)
        return await fill_tables(connection)


@pytest.mark.parametrize(("owner", "last"), VERSIONS)
async def test_rows_of_every_earlier_version_are_kept_and_read(
    dsn: str, owner: str, last: str
) -> None:
    before = await make_version(dsn, owner, last)
    await READERS[owner](dsn)
    for table, rows in before.items():
        assert await fetch(dsn, f"SELECT count(*) FROM {table}") == [(rows,)], table


async def read_books(dsn: str) -> None:
    pool = await open_pool(dsn, "ingest", owners()["ingest"])
    catalogue = PostgresCatalogue(pool)
    assert (await catalogue.get_book("x")).edition == 1
    number, view = await catalogue.get_document("x", 0, "x")
    assert (number, view.text) == (1, "x")
    await pool.close()


async def read_record(dsn: str) -> None:
    log = await PostgresAuditLog.open(dsn)
    report = await verifier(log.pool).verify()
    assert (report.faults, report.rows) == ([], 2)
    asked = await log.pool.fetch("SELECT timestamp FROM audit_rows ORDER BY 1")
    assert asked[0]["timestamp"] == LONG_AGO
    await log.close()


async def read_keys(dsn: str) -> None:
    store = PostgresKeys(dsn)
    stored = await store.find_key("x", 5.0)
    assert stored is not None
    assert (stored.key.client, stored.key.origins) == ("x", [])
    await store.close()


READERS = {"ingest": read_books, "generation": read_record, "gateway": read_keys}

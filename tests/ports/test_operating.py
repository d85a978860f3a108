"""The operator's commands that speak to PostgreSQL themselves, on a server."""

import asyncio
import json
from collections.abc import Iterator

import asyncpg
import pytest
from typer.testing import CliRunner, Result

from deploy.cli.app import app
from deploy.cli.migrate import owners
from tests.support.engines import PostgresNode, postgres_node


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresNode]:
    with postgres_node(tmp_path_factory.mktemp("postgres")) as node:
        yield node


def quoth(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_the_schema_of_every_service_is_brought_up_to_date_once(server: PostgresNode) -> None:
    first, again = (quoth("migrate", "--dsn", server.dsn, "--json") for _ in range(2))
    assert first.exit_code == again.exit_code == 0, first.output
    expected = {owner: len(list(folder.glob("*.sql"))) for owner, folder in owners().items()}
    assert {"ingest", "generation"} <= expected.keys()
    assert json.loads(first.stdout) == json.loads(again.stdout) == {"migrations": expected}


def execute(server: PostgresNode, *statements: str) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(server.dsn)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(work())


def test_a_schema_that_is_not_to_be_had_is_told_without_its_address(server: PostgresNode) -> None:
    # The server lets in nobody but its own user, who may do all but in a database that is read only.
    read_only = "ALTER DATABASE nobodys SET default_transaction_read_only = on"
    execute(server, "CREATE DATABASE nobodys TEMPLATE template0", read_only)
    dsn = server.dsn.replace("quoth@", "quoth:sesame@").replace("/quoth?", "/nobodys?")
    assert dsn != server.dsn
    result = CliRunner().invoke(app, ["migrate"], env={"QUOTH_POSTGRES_DSN": dsn})
    assert result.exit_code == 1
    assert "ReadOnlySQLTransaction" in result.stderr
    assert "sesame" not in result.output

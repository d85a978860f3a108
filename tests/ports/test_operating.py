"""The operator's commands that speak to PostgreSQL themselves, on a server."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from typer.testing import CliRunner, Result

from deploy.cli.app import app
from deploy.cli.migrate import owners
from libs.postgres import pool
from services.gateway.adapters.postgres_keys import PostgresKeys
from services.gateway.keys import SCOPES, is_genuine, read_key
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


def test_a_first_key_is_let_in_once_and_never_again_when_it_was_revoked(
    server: PostgresNode, tmp_path: Path
) -> None:
    execute(server, "CREATE DATABASE keyed")
    dsn, file = server.dsn.replace("/quoth?", "/keyed?"), tmp_path / "key"
    assert dsn != server.dsn

    def said(text: str) -> Result:
        file.write_text(text, "ascii")
        return quoth("migrate", "--dsn", dsn, "--first-key", str(file))

    key, other = f"quoth_{'0a' * 6}_{'s3cr-t_x' * 4}", f"quoth_{'0b' * 6}_{'S' * 32}"
    assert f"operator: the key {'0a' * 6} may do everything" in said(f"{key}\n").stdout
    assert "is known, and active" in said(key).stdout
    assert asyncio.run(is_let_in(dsn, key)) == list(SCOPES)
    assert asyncio.run(is_let_in(dsn, key[:-1] + "y")) == []
    assert "operator: has another key" in said(other).stdout
    execute_in(dsn, "UPDATE client_keys SET revoke_time = now()")
    assert "is known, and revoked" in said(key).stdout
    assert asyncio.run(is_let_in(dsn, key)) == []

    taken = said(key[:-1] + "y")
    assert (taken.exit_code, "with another secret" in taken.stderr) == (2, True)
    for wrong in ("quoth_0a_short", key.upper(), f"quoth_{'0a' * 6}_{'s' * 31}", ""):
        refused = said(wrong)
        assert (refused.exit_code, "no key" in refused.stderr) == (2, True)
        assert not wrong or wrong not in refused.output
    absent = quoth("migrate", "--dsn", dsn, "--first-key", str(tmp_path / "none"))
    assert (absent.exit_code, "can't be read: No such file" in absent.stderr) == (2, True)


async def is_let_in(dsn: str, text: str) -> list[str]:
    """What a key may do, as the gateway finds it."""
    keys = PostgresKeys(dsn)
    found = read_key(text)
    assert found is not None
    try:
        stored = await keys.find_key(found[0], 5.0)
    finally:
        await keys.close()
    return list(stored.key.scopes) if stored and is_genuine(stored, found[1]) else []


def execute(server: PostgresNode, *statements: str) -> None:
    execute_in(server.dsn, *statements)


def execute_in(dsn: str, *statements: str) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(dsn)
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
    assert "read-only: name the server that takes writes" in result.stderr
    assert "sesame" not in result.output


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("sesame", "wants postgresql://user:password@host:5432/database"),
        ("postgresql://quoth:sesame@/absent?host={host}", "is not there: make it first"),
        ("postgresql://nobody:sesame@/quoth?host={host}", "refuses the user or the password"),
        ("postgresql://quoth:sesame@127.0.0.1:1/quoth", "does not answer"),
        ("postgresql://quoth:sesame@no.invalid/quoth", "look at its name"),
    ],
)
def test_an_address_that_is_no_good_is_told_with_what_helps(
    server: PostgresNode, monkeypatch: pytest.MonkeyPatch, address: str, told: str
) -> None:
    monkeypatch.setattr(pool, "_PATIENCE_S", 0.0)
    result = quoth("migrate", "--dsn", address.format(host=server.dsn.rpartition("host=")[2]))
    assert result.exit_code == 1
    assert told in " ".join(result.stderr.split())
    assert not re.search("sesame|Error", result.output)

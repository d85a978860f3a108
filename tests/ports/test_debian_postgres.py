"""Debian's own PostgreSQL by TLS and password, and its PgBouncer in transaction mode before it."""

import asyncio
from collections.abc import Iterator

import asyncpg
import pytest

from libs.postgres import watch_postgres
from libs.postgres.pooled import is_pooled
from services.gateway.adapters.postgres_keys import PostgresKeys
from services.gateway.keys import Grant, TakenTokens, make_key
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from tests.support.debian_postgres import DEBIAN, DebianServers, debian_servers
from tests.support.generation_fakes import audit_row

pytestmark = pytest.mark.skipif(not DEBIAN, reason="Debian's PostgreSQL is not on this machine")

ROWS = 60


@pytest.fixture(scope="module")
def servers() -> Iterator[DebianServers]:
    with debian_servers() as running:
        yield running


@pytest.fixture(params=["direct", "pooled"])
def dsn(request: pytest.FixtureRequest, servers: DebianServers) -> str:
    address: str | None = getattr(servers, request.param)
    if address is None:
        pytest.skip("PgBouncer is not on this machine")
    return address


async def test_a_connection_pooler_is_recognised(dsn: str, servers: DebianServers) -> None:
    assert await is_pooled(dsn, 10) is (dsn == servers.pooled)


async def test_rows_of_two_replicas_at_once_are_all_kept(dsn: str) -> None:
    logs = [await PostgresAuditLog.open(dsn) for _ in range(2)]
    rows = [audit_row() for _ in range(ROWS)]
    try:
        await asyncio.gather(*(logs[n % 2].append(row, 30) for n, row in enumerate(rows)))
        kept = await logs[0].pool.fetchval(
            "SELECT count(*) FROM audit_logs WHERE log_id = ANY($1)", [row.log_id for row in rows]
        )
    finally:
        for log in logs:
            await log.close()
    assert kept == ROWS


@pytest.mark.control("V17")
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE audit_logs SET answer_text = 'other'",
        "DELETE FROM audit_logs",
        "TRUNCATE audit_logs",
        "ALTER TABLE audit_logs DISABLE TRIGGER ALL",
        "DROP TABLE audit_logs",
    ],
)
async def test_the_service_may_change_no_row_of_the_record(dsn: str, change: str) -> None:
    log = await PostgresAuditLog.open(dsn)
    try:
        await log.append(audit_row(), 30)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await log.pool.fetchval(change)
    finally:
        await log.close()


@pytest.mark.control("V17")
async def test_the_role_of_one_service_is_not_left_to_the_next(dsn: str) -> None:
    log, keys = await PostgresAuditLog.open(dsn), PostgresKeys(dsn)
    try:
        for _ in range(5):
            await asyncio.gather(*(log.append(audit_row(), 30) for _ in range(4)))
            # The owner of the tables, who may what the service may not.
            await keys.open()
            assert await keys._row(30, "SELECT current_user") == ("quoth",)
            assert await log.pool.fetchval("SELECT current_user") == "quoth_service"
    finally:
        await log.close()
        await keys.close()


async def test_keys_and_budgets_are_kept(dsn: str) -> None:
    keys, new = PostgresKeys(dsn), make_key()
    client = new.key_id
    try:
        await keys.add_key(Grant(client, scopes=("ask",)), new, 30)
        found = await keys.find_key(new.key_id, 30)
        assert found is not None
        taken = await asyncio.gather(*(keys.take_tokens(client, 10, 50, 30) for _ in range(8)))
        given = [one for one in taken if isinstance(one, TakenTokens)]
        assert len(given) == 5
        await keys.return_tokens(given[0], 10, 30)
        assert isinstance(await keys.take_tokens(client, 10, 50, 30), TakenTokens)
    finally:
        await keys.close()


async def test_postgresqls_standing_is_told(dsn: str) -> None:
    said: list[bool] = []

    async def note(answers: bool) -> None:
        said.append(answers)

    async def no_pause(_: float) -> None:
        if len(said) == 3:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await watch_postgres(dsn, note, no_pause)
    assert said == [True, True, True]

"""The chain of the audit's days on PostgreSQL: what it holds, and what breaks it."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from typer.testing import CliRunner

from deploy.cli.app import app
from libs.errors import Unavailable
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.generation.adapters.records.postgres_upkeep import PostgresUpkeep
from tests.support.audit import dsn_of, make_database, move_to, open_empty, unguarded, verifier
from tests.support.engines import PostgresNode, postgres_node
from tests.support.generation_fakes import audit_row, question, search_result

DAYS = ("2026-03-01", "2026-03-02", "2026-03-04")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresNode]:
    with postgres_node(tmp_path_factory.mktemp("postgres")) as node:
        yield node


@pytest.fixture
async def owner(server: PostgresNode) -> AsyncIterator[asyncpg.Connection]:
    """The owner of a database that has nothing yet, and may do everything."""
    await (await open_empty(server)).close()
    connection = await asyncpg.connect(dsn_of(server))
    yield connection
    await connection.close()


@pytest.fixture
async def log(server: PostgresNode, owner: asyncpg.Connection) -> AsyncIterator[PostgresAuditLog]:
    log = await PostgresAuditLog.open(dsn_of(server))
    yield log
    await log.close()


@pytest.fixture
async def rows(log: PostgresAuditLog, owner: asyncpg.Connection) -> list[Any]:
    """Two rows on each of three days that are sealed, and one of today; their ids."""
    ids = []
    for day in DAYS:
        for _ in range(2):
            row = audit_row(question=question(client_id="reader"), search=search_result())
            await log.append(row, 5.0)
            await move_to(owner, day, row.log_id)
            ids.append(row.log_id)
    await log.append(audit_row(), 5.0)
    await log._upkeep.seal_days()
    return ids


async def faults_of(log: PostgresAuditLog) -> str:
    return "\n".join((await verifier(log.pool).verify()).faults)


@pytest.mark.invariant("I3")
async def test_days_that_are_over_are_sealed_once_and_hold(
    log: PostgresAuditLog, rows: list[Any], owner: asyncpg.Connection
) -> None:
    report = await verifier(log.pool).verify()
    assert (report.faults, report.days, report.rows, report.waiting) == ([], 3, 7, 1)
    days = await owner.fetch("SELECT * FROM audit_days ORDER BY day")
    assert [str(day["day"]) for day in days] == list(DAYS)
    assert [day["previous"] for day in days] == [b"", days[0]["digest"], days[1]["digest"]]
    assert report.head == days[-1]["digest"].hex()
    assert await PostgresUpkeep(log.pool).seal_days() == []


@pytest.mark.invariant("I3")
@pytest.mark.control("V17")
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("answer_text = 'Another.'", "what was asked and answered"),
        ("user_query_text = 'Another?'", "what was asked and answered"),
        ("client_id = 'another'", "what was asked and answered"),
        ("confidence_score = 0.25", "when, where or how it ended"),
        ("success = NOT success", "when, where or how it ended"),
        ("timestamp = timestamp + interval '1 microsecond'", "when, where or how it ended"),
        ("book = 'another'", "when, where or how it ended"),
    ],
)
async def test_a_row_that_was_changed_is_named(
    log: PostgresAuditLog, rows: list[Any], owner: asyncpg.Connection, change: str, told: str
) -> None:
    async with unguarded(owner):
        await owner.execute(f"UPDATE audit_logs SET {change} WHERE log_id = $1", rows[2])
    faults = await faults_of(log)
    assert f"the row {rows[2]} of 2026-03-02 was changed: {told}" in faults


@pytest.mark.invariant("I3")
async def test_a_row_that_was_changed_with_its_hashes_breaks_its_day(
    log: PostgresAuditLog, rows: list[Any], owner: asyncpg.Connection
) -> None:
    async with unguarded(owner):
        await owner.execute("UPDATE audit_logs SET answer_text = 'No.' WHERE log_id = $1", rows[0])
        for name, made in (("content_hash", "audit_content_hash"), ("row_hash", "audit_row_hash")):
            await owner.execute(
                f"UPDATE audit_logs AS kept SET {name} = {made}(kept) WHERE log_id = $1", rows[0]
            )
    assert await faults_of(log) == "2026-03-01 has other rows than those it was sealed with"


@pytest.mark.invariant("I3")
async def test_a_row_that_was_removed_breaks_its_day(
    log: PostgresAuditLog, rows: list[Any], owner: asyncpg.Connection
) -> None:
    async with unguarded(owner):
        await owner.execute("DELETE FROM audit_logs WHERE log_id = $1", rows[5])
    assert await faults_of(log) == "2026-03-04 was sealed with 2 rows and has 1"


@pytest.mark.invariant("I3")
@pytest.mark.parametrize("day", ["2026-03-02", "2026-03-03"])
async def test_a_row_that_was_added_to_a_day_that_is_over_is_told(
    log: PostgresAuditLog, rows: list[Any], owner: asyncpg.Connection, day: str
) -> None:
    row = audit_row()
    await log.append(row, 5.0)
    await move_to(owner, day, row.log_id)
    assert f"{day} was sealed with 2 rows" in await faults_of(log) or (
        f"1 rows of {day} were added after" in await faults_of(log)
    )


@pytest.mark.invariant("I3")
async def test_a_day_that_was_removed_or_made_anew_breaks_the_chain(
    log: PostgresAuditLog, rows: list[Any], owner: asyncpg.Connection
) -> None:
    known = await owner.fetchval("SELECT digest FROM audit_days ORDER BY day DESC LIMIT 1")
    async with unguarded(owner):
        await owner.execute("DELETE FROM audit_days WHERE day = '2026-03-02'")
    assert "the digest of 2026-03-04 does not follow" in await faults_of(log)
    async with unguarded(owner):
        await owner.execute("UPDATE audit_logs SET answer_text = 'No.' WHERE log_id = $1", rows[0])
        for name, made in (("content_hash", "audit_content_hash"), ("row_hash", "audit_row_hash")):
            await owner.execute(f"UPDATE audit_logs AS kept SET {name} = {made}(kept)")
        await owner.execute("DELETE FROM audit_days")
    await log._upkeep.seal_days()
    assert await faults_of(log) == ""
    (fault,) = (await verifier(log.pool).verify(known)).faults
    assert known.hex() in fault


async def test_a_row_comes_to_no_day_that_is_sealed(
    log: PostgresAuditLog, owner: asyncpg.Connection
) -> None:
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    async with unguarded(owner):
        await owner.execute("INSERT INTO audit_days VALUES ($1, 0, '', '', '')", tomorrow)
    row = audit_row()
    await log.append(row, 5.0)
    kept = await owner.fetchval("SELECT chain_day FROM audit_logs WHERE log_id = $1", row.log_id)
    assert kept == tomorrow + timedelta(days=1)


async def test_sealing_waits_for_a_row_that_is_being_written(
    log: PostgresAuditLog, rows: list[Any], owner: asyncpg.Connection, server: PostgresNode
) -> None:
    row = audit_row()
    await log.append(row, 5.0)
    await move_to(owner, "2026-03-05", row.log_id)
    writer = await asyncpg.connect(dsn_of(server))
    async with writer.transaction():
        await writer.execute("LOCK TABLE audit_logs IN ROW EXCLUSIVE MODE")
        with pytest.raises(Unavailable, match="another transaction holds the lock"):
            await PostgresUpkeep(log.pool).seal_days()
    await writer.close()
    assert [day.row_count for day in await PostgresUpkeep(log.pool).seal_days()] == [1]


async def test_many_replicas_seal_a_day_once(
    log: PostgresAuditLog, rows: list[Any], owner: asyncpg.Connection
) -> None:
    row = audit_row()
    await log.append(row, 5.0)
    await move_to(owner, "2026-03-05", row.log_id)
    sealed = await asyncio.gather(
        *(PostgresUpkeep(log.pool).seal_days() for _ in range(4)), return_exceptions=True
    )
    assert sum(len(days) for days in sealed if isinstance(days, list)) == 1
    assert await faults_of(log) == ""


def quoth(server: PostgresNode, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["audit", *arguments, "--dsn", dsn_of(server)])


async def test_the_command_says_whether_the_record_holds(
    server: PostgresNode, rows: list[Any], owner: asyncpg.Connection
) -> None:
    good = await asyncio.to_thread(quoth, server, "verify", "--json")
    assert good.exit_code == 0, good.output
    told = json.loads(good.stdout)
    assert (told["holds"], told["rows"], told["days"]) == (True, 7, 3)
    known = await asyncio.to_thread(quoth, server, "verify", "--known", told["head"])
    assert known.exit_code == 0
    async with unguarded(owner):
        await owner.execute("DELETE FROM audit_logs WHERE log_id = $1", rows[0])
    bad = await asyncio.to_thread(quoth, server, "verify")
    assert bad.exit_code == 1
    assert "2026-03-01 was sealed with 2 rows and has 1" in bad.stdout
    wrong = await asyncio.to_thread(quoth, server, "verify", "--known", "abc")
    assert (wrong.exit_code, "64 hexadecimal" in wrong.stderr) == (2, True)


async def test_rows_of_before_the_chain_are_taken_into_it(server: PostgresNode) -> None:
    await make_database(server)
    old = await asyncpg.connect(dsn_of(server))
    await make_old(old)
    await old.close()
    log = await PostgresAuditLog.open(dsn_of(server))
    report = await verifier(log.pool).verify()
    await log.close()
    assert (report.faults, report.rows, report.days) == ([], 1, 1)


async def make_old(connection: asyncpg.Connection) -> None:
    """Make the tables of the version before the chain, and one row of then."""
    from services.generation.adapters.schema import MIGRATIONS

    await connection.execute(
        "CREATE TABLE schema_migrations (owner text, name text, "
        "applied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (owner, name))"
    )
    for script in sorted(MIGRATIONS.glob("000[1-6]*.sql")):
        await connection.execute(script.read_text())
        await connection.execute(
            "INSERT INTO schema_migrations VALUES ('generation', $1)", script.stem
        )
    await connection.execute(
        "CREATE TABLE audit_logs_2026_02 PARTITION OF audit_logs "
        "FOR VALUES FROM ('2026-02-01 00:00+00') TO ('2026-03-01 00:00+00')"
    )
    await connection.execute(
        "INSERT INTO audit_logs (log_id, query_id, request_id, client_id, book, edition, profile, "
        "user_query_text, source_mode, history, retrieval_query, chunks_retrieved_count, "
        "chunks_returned, llm_prompt, llm_response, answer_text, sentences, citations, degraded, "
        "timings, success, error_message, timestamp) VALUES (gen_random_uuid(), gen_random_uuid(), "
        "'', '', 'robots', 1, 'default', 'What?', 'full-book', '[]', '', 0, '[]', '', '', '', '[]', "
        "'[]', '[]', '[]', true, '', '2026-02-03 10:00+00')"
    )

"""How the record grows old: packed, archived in a folder or an S3 store, and whole all the while."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import pytest
import pytest_asyncio
from typer.testing import CliRunner

from deploy.cli.app import app
from libs.errors import InvalidInput, QuothError
from libs.settings import SettingsError, load_settings
from libs.telemetry.readers import EXPORTERS, HOST, PORT
from services.generation.adapters.records import duckdb_months, postgres_months, retain_process
from services.generation.adapters.records.archive_files import open_files, require_archive
from services.generation.adapters.records.postgres_answers import PostgresAnswers
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.generation.adapters.records.postgres_chain import SUMMARY
from services.generation.records.columns import COLUMNS, CSV_NULL
from services.generation.records.hashes import content_hash, row_hash
from services.generation.records.kept import QueryResult
from services.generation.records.ports import ArchiveFiles
from services.generation.records.query import named_columns
from services.generation.records.retention import Retained
from services.generation.records.subject import Subject
from services.generation.records.verify import ChainReport
from services.generation.settings import Retention
from tests.support.audit import (
    answered,
    dsn_of,
    erasure,
    exporter,
    keep_database,
    make_database,
    move_to,
    open_empty,
    querying,
    retention,
    unguarded,
    verifier,
)
from tests.support.engines import PostgresNode, postgres_node

pytest.importorskip("duckdb")
TODAY = date(2026, 11, 1)
MONTHS = ("2025-08", "2025-09", "2026-06", "2026-10")
"""Two for the archive, one to be packed, one that is hot."""
OTHER = {
    "boolean": "NOT success",
    "date": "'2001-01-01'",
    "integer": "-1",
    "real": "0.123",
    "text": "'another'",
    "uuid": "gen_random_uuid()",
}
"""Values that no row has, by their kind."""


_FOUR_MONTHS = "records_four_months"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresNode]:
    with postgres_node(tmp_path_factory.mktemp("postgres")) as node:
        yield node


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """The address of a fake of S3."""
    moto = pytest.importorskip("moto.server")
    fake = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    fake.start()
    host, port = fake.get_host_and_port()
    yield f"http://{host}:{port}"
    fake.stop()


@dataclass
class Bench:
    """A record of four months, and where its archive is."""

    log: PostgresAuditLog
    owner: asyncpg.Pool
    address: str
    rows: dict[str, list[UUID]]

    @property
    def files(self) -> ArchiveFiles:
        return open_files(self.address)

    async def retain(self, files: ArchiveFiles | None = None) -> Retained:
        pool = self.log.pool  # with the rights of the service alone
        done = await retention(pool, files or self.files).retain(TODAY)
        assert done is not None
        return done

    async def verify(self) -> ChainReport:
        return await verifier(self.log.pool, self.files).verify()

    async def query(self, sql: str, since: date = date.min, until: date = date.max) -> QueryResult:
        return await querying(self.log.pool, self.files).query(sql, since, until)


@pytest.fixture(params=["folder", "s3"])
def address(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "folder":
        return str(tmp_path / "archive")
    url = request.getfixturevalue("store")
    for name, value in {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    bucket = f"records-{tmp_path.name.replace('_', '-')}"[:60].lower().rstrip("-")
    # The fake of S3 makes a bucket for anybody.
    assert httpx.put(f"{url}/{bucket}", trust_env=False).is_success
    return f"s3://{bucket}/audit"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rows(server: PostgresNode) -> dict[str, list[UUID]]:
    """Rows of four months, sealed, in a database that is kept as a template; their ids."""
    log = await open_empty(server)
    owner = await asyncpg.connect(dsn_of(server))
    rows = {}
    for month in MONTHS:
        moment = datetime.fromisoformat(f"{month}-03T10:00:00.000123+00:00")
        await log._upkeep.make_partitions(moment)
        later = moment + timedelta(seconds=1)
        made = [
            answered(client="site", user="ann", word="sesame", timestamp=moment),
            answered(client="site", user="ben", word='a "b",\n\\N é 🙂', timestamp=later),
        ]
        rows[month] = [row.log_id for row in made]
        for row in made:
            await log.append(row, 5.0)
            await move_to(owner, f"{month}-03", row.log_id)
    await log._upkeep.seal_days()
    await owner.close()
    await log.close()
    await keep_database(server, _FOUR_MONTHS)
    return rows


@pytest.fixture
async def bench(
    server: PostgresNode, rows: dict[str, list[UUID]], address: str
) -> AsyncIterator[Bench]:
    await make_database(server, _FOUR_MONTHS)
    log = await PostgresAuditLog.open(dsn_of(server))
    owner = await asyncpg.create_pool(dsn_of(server), min_size=1, max_size=2)
    yield Bench(log, owner, address, rows)
    await owner.close()
    await log.close()


async def tables(bench: Bench, table: str) -> list[str]:
    found = await bench.owner.fetch(
        "SELECT month FROM audit_months($1::text::regclass) month", table
    )
    return [f"{row['month']:%Y-%m}" for row in found]


@pytest.mark.invariant("I3")
async def test_months_are_packed_and_archived_by_their_age_and_nothing_is_lost(
    bench: Bench,
) -> None:
    before = await bench.verify()
    done = await bench.retain()
    assert (done.packed, done.archived) == (
        ["2025-08", "2025-09", "2026-06"],
        ["2025-08", "2025-09"],
    )
    assert (done.rows, done.waiting) == (4, [])
    assert done.size > 0
    assert "2025-08" not in await tables(bench, "audit_logs")
    assert await tables(bench, "audit_warm") == ["2026-06"]
    after = await bench.verify()
    assert after.faults == []
    assert (after.rows, after.head) == (before.rows, before.head) == (8, before.head)
    again = await bench.retain()
    assert (again.packed, again.archived) == ([], [])


async def test_an_answer_is_read_again_from_a_packed_month(bench: Bench) -> None:
    await bench.retain()
    answers = PostgresAnswers(bench.log.pool)
    packed, archived = bench.rows["2026-06"][0], bench.rows["2025-08"][0]
    found = await answers.find_answer(packed, "site", 5.0)
    assert found is not None
    assert found.text == "It is sesame."
    assert await answers.find_answer(packed, "another", 5.0) is None
    assert await answers.find_answer(archived, "site", 5.0) is None


async def test_a_month_in_many_pieces_is_archived_and_asked_whole(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_months, "_PIECE_ROWS", 1)
    assert (await bench.retain()).rows == 4
    found = await bench.query("SELECT count(*), count(DISTINCT answer_id) FROM audit_logs")
    assert found.rows == [(8, 8)]


async def test_a_month_larger_than_the_memory_it_may_take_is_archived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duckdb_months, "_MEMORY", "120MB")
    monkeypatch.setattr(duckdb_months, "_LINE_BYTES", 1 << 20)
    values = {**dict.fromkeys(COLUMNS, CSV_NULL), "llm_prompt": f'"{"0123456789" * 2000}"'}
    pieces = [tmp_path / f"{number}.csv" for number in range(20)]
    for piece in pieces:
        piece.write_text(f"{','.join(values.values())}\n" * 500)
    assert sum(piece.stat().st_size for piece in pieces) > 190_000_000
    months, target = duckdb_months.DuckDBMonths(), tmp_path / "month.parquet"
    await months.write(pieces, target)
    assert await months.count(target, {"llm_prompt": "0123456789" * 2000}) == 10_000


async def test_a_month_that_is_not_sealed_waits(bench: Bench) -> None:
    async with bench.owner.acquire() as connection, unguarded(connection):
        await connection.execute("DELETE FROM audit_days WHERE day >= '2026-06-01'")
    done = await bench.retain()
    assert (done.waiting, done.packed) == (["2026-06"], ["2025-08", "2025-09"])
    assert len((await bench.query("SELECT log_id FROM audit_logs")).rows) == 8


class Forgetful:
    """An archive that keeps less than it is given."""

    def __init__(self, files: ArchiveFiles) -> None:
        self._files = files

    async def put(self, name: str, source: Path) -> None:
        from services.generation.adapters.records.duckdb_months import open_duckdb

        with open_duckdb() as duckdb:
            other = source.with_name("other.parquet")
            duckdb.execute(
                f"COPY (SELECT * FROM read_parquet('{source}') LIMIT 1) TO '{other}' (FORMAT parquet)"
            )
        await self._files.put(name, other)

    def at_hand(self, name: str) -> Any:
        return self._files.at_hand(name)

    async def delete(self, name: str) -> None:
        await self._files.delete(name)


@pytest.mark.invariant("I3")
async def test_a_month_stays_when_the_archive_gives_back_another_file(bench: Bench) -> None:
    with pytest.raises(QuothError, match="Nothing was dropped"):
        await bench.retain(Forgetful(bench.files))
    assert await tables(bench, "audit_warm") == ["2025-08", "2025-09", "2026-06"]
    assert (await bench.retain()).archived == ["2025-08", "2025-09"]
    assert (await bench.verify()).faults == []


@pytest.mark.invariant("I3")
async def test_the_database_drops_no_month_for_a_file_with_other_rows(bench: Bench) -> None:
    await bench.retain()
    with pytest.raises(asyncpg.ObjectNotInPrerequisiteStateError):
        await bench.log.pool.execute(
            "SELECT audit_drop_month(ROW('a', '2026-06-01'::date, 2, ''::bytea, ''::bytea, 1, now())"
            "::audit_archives)"
        )
    assert await tables(bench, "audit_warm") == ["2026-06"]


@pytest.mark.invariant("I3")
@pytest.mark.parametrize(
    "statement",
    [
        'UPDATE audit_warm SET kept = kept || \'{"answer_text": "No."}\'',
        "UPDATE audit_warm SET user_id = 'eve'",
        "DELETE FROM audit_warm",
        "TRUNCATE audit_warm",
    ],
)
async def test_packed_rows_are_neither_changed_nor_lost(bench: Bench, statement: str) -> None:
    await bench.retain()
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await bench.log.pool.execute(statement)
    with pytest.raises(asyncpg.RestrictViolationError):
        await bench.owner.execute(statement)
    async with bench.owner.acquire() as connection, unguarded(connection):
        await connection.execute(statement)
    assert (await bench.verify()).fault_count > 0


@pytest.mark.invariant("I3")
async def test_a_summary_that_says_what_its_row_does_not_is_told(bench: Bench) -> None:
    await bench.retain()
    assert (await bench.verify()).fault_count == 0
    columns = await bench.owner.fetch(
        "SELECT attname AS name, format_type(atttypid, NULL) AS kind FROM pg_attribute "
        "WHERE attrelid = 'audit_warm'::regclass AND attnum > 0 AND NOT attisdropped"
    )
    kinds = {column["name"]: column["kind"] for column in columns}
    assert kinds.keys() == {*SUMMARY, "kept"}
    for name in kinds.keys() - {"kept", "timestamp"}:  # that has it in its partition
        async with bench.owner.acquire() as connection, unguarded(connection):
            await connection.execute(f"UPDATE audit_warm SET {name} = {OTHER[kinds[name]]}")
            assert (await bench.verify()).fault_count > 0, name
            await connection.execute(
                f"UPDATE audit_warm AS warm SET {name} = (audit_unpacked(warm)).{name}"
            )
    assert (await bench.verify()).fault_count == 0


async def test_an_archive_that_was_changed_or_lost_is_told(bench: Bench, tmp_path: Path) -> None:
    await bench.retain()
    first, second = [row["name"] for row in await bench.owner.fetch("TABLE audit_archives")]
    async with bench.files.at_hand(second) as path:
        await bench.files.put(first, path)
    told = "\n".join((await bench.verify()).faults)
    assert f"{first} has other rows than those that were archived" in told
    await bench.files.delete(first)
    told = "\n".join((await bench.verify()).faults)
    assert f"the archive has no file {first}" in told
    with pytest.raises(SettingsError, match="QUOTH_AUDIT_ARCHIVE"):
        await verifier(bench.log.pool).verify()


async def test_a_query_sees_database_and_archive_as_one(bench: Bench) -> None:
    await bench.retain()
    sql = (
        "SELECT strftime(timestamp, '%Y-%m') AS month, count(*) AS asked, max(answer_text) AS said "
        "FROM audit_logs GROUP BY month ORDER BY month"
    )
    found = await bench.query(sql)
    assert found.columns == ("month", "asked", "said")
    assert [row[:2] for row in found.rows] == [(month, 2) for month in MONTHS]
    assert {row[2] for row in found.rows} == {"It is sesame."}
    some = await bench.query(sql, date(2025, 9, 1), date(2026, 7, 1))
    assert [row[0] for row in some.rows] == ["2025-09", "2026-06"]
    whole = await bench.query("SELECT * FROM audit_logs ORDER BY timestamp LIMIT 1")
    assert set(whole.columns) == set(COLUMNS)
    with pytest.raises(InvalidInput, match="DuckDB does not take that"):
        await bench.query("SELECT nothing FROM audit_logs")


@pytest.mark.parametrize(
    ("sql", "all_of_them"),
    [
        ("SELECT count(*) FROM audit_logs WHERE success", False),
        ("SELECT * FROM audit_logs", True),
        ("SELECT a.* FROM audit_logs a", True),
        ("FROM audit_logs", True),
        ("SELECT columns('user.*') FROM audit_logs", True),
    ],
)
def test_a_query_reads_the_columns_that_it_names(sql: str, all_of_them: bool) -> None:
    expected = set(COLUMNS) if all_of_them else {"success", "timestamp"}
    assert set(named_columns(sql)) == expected


async def test_erasing_reaches_what_is_packed_and_what_is_archived(bench: Bench) -> None:
    await bench.retain()
    names = {row["name"] for row in await bench.owner.fetch("TABLE audit_archives")}
    erased = await erasure(bench.owner, bench.files).erase(Subject(user="ann"))
    assert erased.rows == len(MONTHS)
    found = await bench.query("SELECT * FROM audit_logs")
    assert "sesame" not in str(found.rows)
    assert str(found.rows).count("🙂") > 0
    report = await bench.verify()
    assert (report.faults, report.erased, report.rows) == ([], 4, 8)
    now = {row["name"] for row in await bench.owner.fetch("TABLE audit_archives")}
    assert not now & names
    for gone in names:
        with pytest.raises(QuothError):
            async with bench.files.at_hand(gone):
                pass
    again = await erasure(bench.owner, bench.files).erase(Subject(user="ann"))
    assert again.rows == 0


async def test_an_export_has_what_is_archived(bench: Bench) -> None:
    fresh = await exporter(bench.owner).export(Subject(user="ann"))
    await bench.retain()
    held = await exporter(bench.owner, bench.files).export(Subject(user="ann"))

    def told(export: dict[str, Any]) -> list[dict[str, Any]]:
        questions = [
            {
                **row,
                "timestamp": datetime.fromisoformat(row["timestamp"].replace("+00", "+00:00")[:32]),
            }
            for row in export["questions"]
        ]
        return json.loads(json.dumps(questions, default=str, sort_keys=True))  # type: ignore[no-any-return]

    assert len(told(held)) == len(MONTHS)
    assert [row["answer_body"] for row in told(held)] == [row["answer_body"] for row in told(fresh)]
    assert [row.keys() for row in told(held)] == [row.keys() for row in told(fresh)]


async def test_the_hashes_of_the_archive_are_those_of_the_database(bench: Bench) -> None:
    names = ", ".join(
        f"(extract(epoch FROM timestamp) * 1000000)::bigint AS {name}"
        if name == "timestamp"
        else name
        for name in COLUMNS
    )
    for row in await bench.owner.fetch(f"SELECT {names} FROM audit_logs"):
        values = dict(row)
        assert content_hash(values) == row["content_hash"]
        assert row_hash(values) == row["row_hash"]
    columns = "SELECT column_name FROM information_schema.columns WHERE table_name = 'audit_logs'"
    assert {row[0] for row in await bench.owner.fetch(columns)} == set(COLUMNS)


async def test_one_of_many_replicas_retains(bench: Bench) -> None:
    done = await asyncio.gather(
        *(retention(bench.log.pool, bench.files).retain(TODAY) for _ in range(3))
    )
    assert sum(len(one.archived) for one in done if one is not None) == 2
    assert (await bench.verify()).faults == []


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ({"QUOTH_AUDIT_HOT_DAYS": "400"}, "QUOTH_AUDIT_WARM_DAYS must not be less"),
        ({"QUOTH_AUDIT_WARM_DAYS": "0"}, "QUOTH_AUDIT_WARM_DAYS"),
        ({"QUOTH_AUDIT_HOT_DAYS": "soon"}, "QUOTH_AUDIT_HOT_DAYS"),
    ],
)
def test_times_that_contradict_each_other_are_refused(told: dict[str, str], wrong: str) -> None:
    with pytest.raises(SettingsError, match=wrong):
        load_settings(Retention, told)


def test_a_bad_archive_address_or_missing_packages_are_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(SettingsError, match="a folder, or s3://bucket/prefix"):
        require_archive("ftp://host/archive")
    monkeypatch.setitem(sys.modules, "obstore", None)
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with pytest.raises(SettingsError, match=r"pip install 'quoth\[archive\]'"):
        require_archive("s3://bucket/archive")


async def test_the_commands_retain_verify_and_query(bench: Bench, server: PostgresNode) -> None:
    def quoth(*arguments: str) -> Any:
        where = ("--dsn", dsn_of(server), "--archive", bench.address)
        return CliRunner().invoke(app, ["audit", *arguments, *where])

    retained = await asyncio.to_thread(quoth, "retain", "--json")
    assert retained.exit_code == 0, retained.output
    assert json.loads(retained.stdout)["archived"][:2] == ["2025-08", "2025-09"]
    assert (await asyncio.to_thread(quoth, "verify")).exit_code == 0
    asked = await asyncio.to_thread(
        quoth, "query", "SELECT count(*) AS n FROM audit_logs", "--json"
    )
    assert json.loads(asked.stdout) == {"columns": ["n"], "rows": [[8]]}, asked.output
    wrong = await asyncio.to_thread(quoth, "query", "SELECT")
    assert (wrong.exit_code, "DuckDB" in wrong.stderr) == (1, True)


async def test_generation_starts_the_process_that_retains(
    bench: Bench, server: PostgresNode
) -> None:
    environment = {
        **os.environ,
        "QUOTH_POSTGRES_DSN": dsn_of(server),
        "QUOTH_AUDIT_ARCHIVE": bench.address,
    }
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "services.generation.retain"],
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert await bench.owner.fetchval("SELECT count(*) FROM audit_archives") >= 2


async def test_generation_counts_what_the_process_did_while_it_is_scraped(
    bench: Bench, server: PostgresNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: dict[str, int] = {}
    monkeypatch.setattr(retain_process, "count_upkeep", counted.__setitem__)
    with socket.create_server(("127.0.0.1", 0)) as generation:
        told = {
            "QUOTH_POSTGRES_DSN": dsn_of(server),
            "QUOTH_AUDIT_ARCHIVE": bench.address,
            EXPORTERS: "prometheus",
            HOST: "127.0.0.1",
            PORT: str(generation.getsockname()[1]),
        }
        for variable, value in told.items():
            monkeypatch.setenv(variable, value)
        await retain_process.retain_in_process()
    assert counted.keys() == {"packed_rows", "archived_rows"}
    assert counted["archived_rows"] > 0
    assert await bench.owner.fetchval("SELECT count(*) FROM audit_archives") >= 2

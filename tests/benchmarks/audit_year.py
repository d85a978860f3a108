"""Measure the record of answers at the size of a year: how long rows take to be added, verified, asked,
packed, archived and erased.

python -m tests.benchmarks.audit_year ROWS [--s3]

The rows are of fifteen months that are over, in a server and a folder of their own: with the usual
retention the last three stay as they are, nine are packed and three go to the archive. They are copies
of answers as the sample book gives them, each with its own ids, time, client, user and hashes. The
archive is a folder, or with --s3 a bucket of moto's fake, which runs in this process: its work is in
our own time and memory.
"""

import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import quantiles
from typing import Any

import asyncpg
import httpx
from moto.server import ThreadedMotoServer

from services.generation.adapters.record.archive_files import open_files
from services.generation.adapters.record.postgres_audit import PostgresAuditLog
from services.generation.adapters.record.postgres_upkeep import PostgresUpkeep
from services.generation.records.ports import ArchiveFiles
from services.generation.records.subject import Subject
from services.generation.records.upkeep import AuditUpkeep
from tests.benchmarks.audit_row import BOOK, make_row
from tests.support.audit import erasure, querying, retention, verifier
from tests.support.engines import PostgresNode, children_of, postgres_node

MONTHS = 15
WRITERS = 2
APPENDS = 300
USERS = 1000
BY_BOOK = "SELECT book, count(*), avg(confidence_score) FROM audit_logs GROUP BY book"
_AT_ONCE = 1000
_TICKS_A_S = os.sysconf("SC_CLK_TCK")
_EVER = (date(2000, 1, 1), date(2100, 1, 1))
# Not by the trigger, which has every row be of today.
_FILL = f"""
CREATE FUNCTION fill(first int, last int, since timestamptz, step interval) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    model audit_logs;
    kept audit_logs;
BEGIN
    SELECT * INTO model FROM audit_logs LIMIT 1;
    FOR number IN first..last LOOP
        kept := model;
        kept.log_id := gen_random_uuid();
        kept.answer_id := kept.log_id;
        kept.query_id := gen_random_uuid();
        kept.request_id := kept.query_id::text;
        kept.client_id := 'client-' || number % 7;
        kept.user_id := 'user-' || number % {USERS};
        kept.book := 'book-' || number % 5;
        kept.confidence_score := number % 100 / 100.0;
        kept.timestamp := since + number * step;
        kept.chain_day := (kept.timestamp AT TIME ZONE 'UTC')::date;
        kept.salt := uuid_send(gen_random_uuid());
        kept.content_hash := audit_content_hash(kept);
        kept.row_hash := audit_row_hash(kept);
        INSERT INTO audit_logs SELECT kept.*;
    END LOOP;
END $$
"""
_SIZES = """
SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = $1::text::regclass
"""


SERVER: list[int] = []
"""The process of the server whose time counts."""


def server_cpu_s() -> float:
    """CPU time of the server: of the connections that live, and of those that have ended."""
    [pid] = SERVER
    ended = sum(_ticks(pid))
    return (ended + sum(sum(_ticks(child)[:2]) for child in children_of(pid))) / _TICKS_A_S


def _ticks(pid: int) -> list[int]:
    """Its own time and that of its children who have ended: in user's and in system's mode."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return [0, 0, 0, 0]  # it has ended since it was listed, and counts with its parent
    return [int(value) for value in stat[11:15]]


def tell(step: str, took_s: float, **figures: Any) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = {"step": step, "took_s": round(took_s, 2), **figures, "peak_mib": peak}
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


@asynccontextmanager
async def timed(step: str, rows: int = 0, **figures: Any) -> AsyncIterator[dict[str, Any]]:
    """Tell how long the block took, and what it adds to the dictionary."""
    began, cpu_s = time.perf_counter(), server_cpu_s()
    own_s = time.process_time()
    yield figures
    took_s = time.perf_counter() - began
    figures["server_cpu_s"] = round(server_cpu_s() - cpu_s, 2)
    figures["own_cpu_s"] = round(time.process_time() - own_s, 2)
    if rows:
        figures["rows_per_s"] = round(rows / took_s)
    tell(step, took_s, **figures)


async def fill(dsn: str, rows: int, log: PostgresAuditLog) -> None:
    """Add rows that are spread evenly over the months that are over, and seal their days."""
    await log.append(make_row(BOOK.read_text("utf-8")), 60)
    since = _this_month()
    for _ in range(MONTHS):
        since = (since - timedelta(days=1)).replace(day=1)
    upkeep = AuditUpkeep(PostgresUpkeep(log.pool))
    for month in range(MONTHS):
        await upkeep.make_partitions(since + timedelta(days=31) * month)
    owner = await asyncpg.connect(dsn)
    await owner.execute(_FILL)
    await owner.close()
    async with timed("generate", rows):
        await asyncio.gather(*(_write(dsn, rows, writer, since) for writer in range(WRITERS)))
    # As autovacuum does it while rows come day by day.
    owner = await asyncpg.connect(dsn)
    async with timed("vacuum", rows):
        await owner.execute("VACUUM (ANALYZE) audit_logs", timeout=3600)
    await owner.close()
    async with timed("seal", rows):
        await upkeep.seal_days()


async def _write(dsn: str, rows: int, writer: int, since: datetime) -> None:
    mine = await asyncpg.connect(dsn)
    await mine.execute("SET session_replication_role = replica; SET synchronous_commit = off")
    step, share = (_this_month() - since) / rows, rows // WRITERS
    for first in range(writer * share, (writer + 1) * share, _AT_ONCE):
        until = min(first + _AT_ONCE, (writer + 1) * share) - 1
        await mine.execute("SELECT fill($1, $2, $3, $4)", first, until, since, step)
    await mine.close()


def _this_month() -> datetime:
    return datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


async def append(log: PostgresAuditLog) -> None:
    text, taken = BOOK.read_text("utf-8"), []
    for _ in range(APPENDS):
        row, began = make_row(text), time.perf_counter()
        await log.append(row, 60)
        taken.append(1000 * (time.perf_counter() - began))
    wall = quantiles(taken, n=20)
    tell("append", sum(taken) / 1000, p50_ms=round(wall[9], 2), p95_ms=round(wall[18], 2))


async def look(log: PostgresAuditLog, files: ArchiveFiles, when: str) -> None:
    """Verify and ask all there is."""
    async with timed(f"verify {when}") as told:
        report = await verifier(log.pool, files).verify()
        told |= {"rows": report.rows, "days": report.days, "faults": report.faults}
    async with timed(f"query {when}") as told:
        found = await querying(log.pool, files).query(BY_BOOK, *_EVER)
        told |= {"rows": sum(row[1] for row in found.rows)}
    for tier in ("audit_logs", "audit_warm"):
        tell(f"size of {tier} {when}", 0, bytes=int(await log.pool.fetchval(_SIZES, tier) or 0))


async def grow_old(log: PostgresAuditLog, files: ArchiveFiles) -> None:
    async with timed("retain") as told:
        done = await retention(log.pool, files).retain(datetime.now(UTC).date())
        told.update(vars(done))


async def erase(dsn: str, files: ArchiveFiles) -> None:
    """Erase with the rights of the owner, which the command has and the service has not."""
    async with (
        asyncpg.create_pool(dsn, min_size=1, max_size=2) as pool,
        timed("erase a user") as told,
    ):
        done = await erasure(pool, files).erase(Subject(user="user-1"))
        told["rows"] = done.rows


async def measure(node: PostgresNode, archive: str, rows: int) -> None:
    files = open_files(archive)
    log = await PostgresAuditLog.open(node.dsn)
    steps: tuple[Callable[[], Awaitable[None]], ...] = (
        lambda: fill(node.dsn, rows, log),
        lambda: append(log),
        lambda: look(log, files, "before"),
        lambda: grow_old(log, files),
        lambda: look(log, files, "after"),
        lambda: erase(node.dsn, files),
        lambda: look(log, files, "erased"),
    )
    for step in steps:
        await step()
    await log.close()


@contextmanager
def _archive(folder: Path, *, is_in_s3: bool) -> Iterator[str]:
    if not is_in_s3:
        folder.mkdir()
        yield str(folder)
        return
    fake = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    fake.start()
    host, port = fake.get_host_and_port()
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }
    httpx.put(f"http://{host}:{port}/records", trust_env=False).raise_for_status()
    yield "s3://records/audit"
    fake.stop()


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="quoth-year-") as folder,
        _archive(Path(folder, "archive"), is_in_s3="--s3" in sys.argv) as archive,
        postgres_node(Path(folder, "postgres")) as node,
    ):
        SERVER.extend(children_of(node.pid))
        asyncio.run(measure(node, archive, int(sys.argv[1])))


if __name__ == "__main__":
    main()

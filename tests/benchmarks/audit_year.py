"""Measure the record of answers at the size of a year: how long rows take to be added, verified, asked,
packed, archived and erased.

python -m tests.benchmarks.audit_year ROWS

The rows are of fifteen months that are over, in a server and a folder of their own: with the usual
retention the last three stay as they are, nine are packed and three go to the archive, a bucket of
moto's fake of S3 (a process of its own). Then the archive moves to a folder and a quarter passes: three
more months are packed, and three more go to the archive. The rows are copies of an answer as the
sample book gives it, each with its own ids, time, client, user and hashes.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import quantiles
from typing import Any

import asyncpg
import httpx

from deploy.evaluation.stack import free_ports
from services.generation.adapters.records.archive_files import open_files
from services.generation.adapters.records.audit_archive import archive_in
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.generation.adapters.records.postgres_upkeep import PostgresUpkeep
from services.generation.records.ports import ArchiveFiles
from services.generation.records.subject import Subject
from services.generation.records.upkeep import AuditUpkeep
from tests.benchmarks.audit_filling import fill
from tests.benchmarks.audit_row import BOOK, make_row
from tests.support.audit import erasure, querying, retention, verifier
from tests.support.engines import children_of, postgres_node

MONTHS = 15
APPENDS = 300
BY_BOOK = "SELECT book, count(*), avg(confidence_score) FROM audit_logs GROUP BY book"
_TICKS_A_S = os.sysconf("SC_CLK_TCK")
_QUARTER = timedelta(days=92)
_EVER = (date(2000, 1, 1), date(2100, 1, 1))
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


async def prepare(dsn: str, rows: int) -> None:
    """Add rows that are spread evenly over the months that are over, seal their days, and add some."""
    log = await PostgresAuditLog.open(dsn)
    await log.append(make_row(BOOK.read_text("utf-8")), 60)
    since = _this_month()
    for _ in range(MONTHS):
        since = (since - timedelta(days=1)).replace(day=1)
    async with timed("generate", rows):
        await fill(dsn, rows, since, _this_month())
    # As autovacuum does it while rows come day by day.
    owner = await asyncpg.connect(dsn)
    async with timed("vacuum", rows):
        await owner.execute("VACUUM (ANALYZE) audit_logs", timeout=3600)
    await owner.close()
    async with timed("seal", rows):
        await AuditUpkeep(PostgresUpkeep(log.pool)).seal_days()
    await append(log)
    await tell_sizes(log, "before")
    await log.close()


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
        told |= {"rows": report.rows, "days": report.days, "erased": report.erased}
        told |= {"faults": report.faults}
    async with timed(f"query {when}") as told:
        found = await querying(log.pool, files).query(BY_BOOK, *_EVER)
        told |= {"rows": sum(row[1] for row in found.rows)}


async def tell_sizes(log: PostgresAuditLog, when: str) -> None:
    for tier in ("audit_logs", "audit_warm"):
        tell(f"size of {tier} {when}", 0, bytes=int(await log.pool.fetchval(_SIZES, tier) or 0))


async def grow_old(log: PostgresAuditLog, files: ArchiveFiles, today: date, where: str) -> None:
    async with timed(f"retain, {where}") as told:
        done = await retention(log.pool, files).retain(today)
        told.update(vars(done))
    await tell_sizes(log, where)


async def erase(dsn: str, files: ArchiveFiles, user: str) -> None:
    """Erase with the rights of the owner, which the command has and the service has not."""
    async with (
        asyncpg.create_pool(dsn, min_size=1, max_size=2) as pool,
        timed(f"erase {user}") as told,
    ):
        told["rows"] = (await erasure(pool, files).erase(Subject(user=user))).rows


async def move(log: PostgresAuditLog, bucket: ArchiveFiles, folder: ArchiveFiles) -> None:
    """Copy the archive's files, as an operator does who keeps it elsewhere from now on."""
    names = [month.name for month in await archive_in(log.pool, bucket).list_months()]
    async with timed("move the archive", files=len(names)):
        for name in names:
            async with bucket.at_hand(name) as path:
                await folder.put(name, path)


async def measure(dsn: str, rows: int, place: Path) -> None:
    await prepare(dsn, rows)
    log, today = await PostgresAuditLog.open(dsn), datetime.now(UTC).date()
    folder = open_files(str(place / "archive"))
    with s3_fake() as address:
        bucket = open_files(address)
        await grow_old(log, bucket, today, "in S3")
        await erase(dsn, bucket, "user-1")
        await look(log, bucket, "in S3")
        await move(log, bucket, folder)
    await grow_old(log, folder, today + _QUARTER, "in a folder")
    await erase(dsn, folder, "user-2")
    await look(log, folder, "in a folder")
    await log.close()


@contextmanager
def s3_fake() -> Iterator[str]:
    """Have a bucket of moto's, and what reaches it in the environment."""
    port = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as fake:
        os.environ |= {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
        }
        try:
            patient = httpx.HTTPTransport(retries=10)
            with httpx.Client(transport=patient, timeout=60, trust_env=False) as client:
                client.put(f"{url}/records").raise_for_status()
            yield "s3://records/audit"
        finally:
            fake.terminate()


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="quoth-year-") as folder,
        postgres_node(Path(folder, "postgres")) as node,
    ):
        SERVER.extend(children_of(node.pid))
        asyncio.run(measure(node.dsn, int(sys.argv[1]), Path(folder)))


if __name__ == "__main__":
    main()

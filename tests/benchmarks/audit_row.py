"""Measure what an audit row takes beside a bare INSERT of as many bytes, on the same server.

python -m tests.benchmarks.audit_row ROWS [FOLDER]

FOLDER is where PostgreSQL and the synced file lie, below the system's own temporary one if it is not
given: in /dev/shm a sync costs nothing, and what is left is the product's own part. It takes 300 MB.

One after the other, in turns of another order each time, so that a busy disk or machine strikes all
alike: what a sync of 8 kB and the bare statements take is the disk's own, and only ratios of one run,
and what a row takes above the bare statement of its turn, say something.
"""

import asyncio
import itertools
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

import asyncpg

from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.generation.model import (
    Answer,
    Citation,
    ConfidenceLevel,
    Locator,
    Passage,
    PassageScores,
    Sentence,
    Verdict,
)
from services.generation.records.model import AuditRow
from services.generation.transcript import Transcript
from tests.benchmarks.environment import ROOT
from tests.support.engines import postgres_node
from tests.support.generation_fakes import audit_row, search_result

BOOK = ROOT / "deploy/samples/physical-ai/03-actuators.mdx"
PASSAGES, SENTENCES = 10, 5
WARM_UP = 20
BARE = "bare"
_PAGE = os.urandom(8192)
_PAGES = 2048

Store = Callable[[AuditRow], Awaitable[Any]]


@dataclass
class Way:
    """A way to store a row, and what each took: milliseconds of wall time and of its process' CPU."""

    store: Store
    process: int
    wall_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)

    async def measure(self, row: AuditRow) -> None:
        cpu, began = _cpu_ms(self.process), time.perf_counter()
        await self.store(row)
        self.wall_ms.append(1000 * (time.perf_counter() - began))
        self.cpu_ms.append(_cpu_ms(self.process) - cpu)


def _cpu_ms(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6


def make_row(text: str) -> AuditRow:
    """An answer as the sample book gives them: passages' places, quotations, the body in JSON."""
    pieces = [text[at : at + 300] for at in range(0, 300 * SENTENCES, 300)]
    place = Locator("03-actuators.mdx", 0, 300, ("Actuators", "Hydraulic actuators"), "/actuators")
    passages = tuple(
        Passage(f"{number:064}", place, text[:300], (), PassageScores(0.7, 0.6, 12.5, 1, 2))
        for number in range(PASSAGES)
    )
    row = audit_row(search=search_result(passages), transcript=Transcript("", text[:1500]))
    answer = Answer(
        answer_id=row.log_id,
        question=row.question,
        searched_question=row.question.text,
        profile=row.profile,
        create_time=row.timestamp,
        sentences=tuple(Sentence(piece, (n,)) for n, piece in enumerate(pieces, 1)),
        citations=tuple(
            Citation(n, piece, place, f"{n:064}", piece, Verdict.EXACT)
            for n, piece in enumerate(pieces, 1)
        ),
        confidence=0.8,
        confidence_level=ConfidenceLevel.HIGH,
    )
    return audit_row(**{**vars(row), "answer": answer})


async def _open(server: asyncpg.Connection, dsn: str, name: str) -> tuple[PostgresAuditLog, int]:
    await server.execute(f"CREATE DATABASE {name}")
    log = await PostgresAuditLog.open(dsn.replace("/quoth?", f"/{name}?"))
    return log, await log.pool.fetchval("SELECT pg_backend_pid()")


async def measure(rows: int, below: str | None) -> dict[str, Way]:
    with (
        tempfile.TemporaryDirectory(dir=below) as folder,
        postgres_node(Path(folder, "postgres")) as node,
    ):
        server = await asyncpg.connect(node.dsn)
        chained, chained_pid = await _open(server, node.dsn, "chained")
        unchained, unchained_pid = await _open(server, node.dsn, "unchained")
        owner = await asyncpg.connect(node.dsn.replace("/quoth?", "/unchained?"))
        await owner.execute("DROP TRIGGER audit_logs_chained ON audit_logs")
        for column in ("chain_day", "salt", "content_hash", "row_hash"):
            await owner.execute(f"ALTER TABLE audit_logs ALTER {column} DROP NOT NULL")
        await server.execute("CREATE TABLE bare (log_id uuid PRIMARY KEY, body text)")
        backend = await server.fetchval("SELECT pg_backend_pid()")
        text = BOOK.read_text("utf-8")
        body = await _bytes_of(chained, make_row(text))

        async def insert(row: AuditRow) -> None:
            await server.fetchval("INSERT INTO bare VALUES ($1, $2)", row.log_id, body)

        async def commit(row: AuditRow) -> None:
            await server.fetchval("INSERT INTO bare (log_id) VALUES ($1)", row.log_id)

        ways = {
            "sync": Way(_syncing(Path(folder, "synced")), os.getpid()),
            "commit": Way(commit, backend),
            BARE: Way(insert, backend),
            "without the chain": Way(lambda row: unchained.append(row, 60), unchained_pid),
            "audit row": Way(lambda row: chained.append(row, 60), chained_pid),
        }
        for _ in range(rows + WARM_UP):
            for way in random.sample(list(ways.values()), len(ways)):
                await way.measure(make_row(text))
        for connection in (server, owner):
            await connection.close()
        await chained.close()
        await unchained.close()
    return ways


def _syncing(path: Path) -> Store:
    """Return what writes a page over one that is there, as a log does, and syncs it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT)
    os.pwrite(file, _PAGE * _PAGES, 0)
    os.fsync(file)
    places = itertools.cycle(range(0, _PAGES * len(_PAGE), len(_PAGE)))

    async def sync(_: AuditRow) -> None:
        os.pwrite(file, _PAGE, next(places))
        os.fdatasync(file)

    return sync


async def _bytes_of(log: PostgresAuditLog, row: AuditRow) -> str:
    await log.append(row, 60)
    kept = await log.pool.fetchval(
        "SELECT to_jsonb(kept)::text FROM audit_logs AS kept WHERE log_id = $1", row.log_id
    )
    return str(kept)


def main() -> None:
    rows = int(sys.argv[1])
    ways = asyncio.run(measure(rows, sys.argv[2] if sys.argv[2:] else None))
    for name, way in ways.items():
        wall = quantiles(way.wall_ms[WARM_UP:], n=20)
        above = [one - bare for one, bare in zip(way.wall_ms, ways[BARE].wall_ms, strict=True)]
        told = {
            "p50_ms": wall[9],
            "p95_ms": wall[18],
            "above_bare_p50_ms": median(above[WARM_UP:]),
            "cpu_ms": mean(way.cpu_ms[WARM_UP:]),
        }
        figures = {key: round(value, 2) for key, value in told.items()}
        sys.stdout.write(json.dumps({"way": name, "rows": rows, **figures}) + "\n")


if __name__ == "__main__":
    main()

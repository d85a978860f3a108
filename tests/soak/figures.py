"""Measure a running product from outside: memory, descriptors, threads, rows, points, disk."""

import asyncio
import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
from qdrant_client import AsyncQdrantClient

from tests.benchmarks.processes import PROC, list_tree
from tests.soak.growth import Series
from tests.support.aside import environment_of
from tests.support.stack import NAMES, RunningStack

MIB = 1 << 20
ALLOWED = {
    "memory": ("MiB", 12.0),
    "shared memory": ("MiB", 32.0),
    "descriptors": ("", 8.0),
    "sockets": ("", 6.0),
    "threads": ("", 4.0),
    "children": ("", 2.0),
    "rows": ("", 50.0),
    "points": ("", 50.0),
    "disk": ("MiB", 16.0),
}
"""The unit of each measure, and what it may gain after the warm-up. Shared is what PostgreSQL keeps of
its tables: page after page is touched, up to its `shared_buffers` of 32 MB."""

ONE_CHANGE = {
    **dict.fromkeys(("public.chunks", "public.vectors", "qdrant"), 400.0),
    "public.documents": 100.0,
}
"""Rows or points that one large change of the edited book brings, and a later one takes away, by where
the text of books lies: by so much a third of the time may differ from another. What every change left
would be some thousands."""

ALONE = ("supervisor", "qdrant")
"""Who is measured without its children: they are the others, or come and go with the work, and how
many of them a third of the time has at its median is chance."""

TABLES = "postgres tables"
"""Mostly the record of answers, which is kept on purpose: held against the number of answers."""

RECORD = ("audit", "answer", "asked_once", "jobs")
"""How tables begin whose rows are kept on purpose: a row for each answer or job, and no more."""
_TABLES = (
    "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables "
    "WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
)
_DOWN = (
    OSError,
    KeyError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
_PROPORTIONAL, _SHARED = "Pss:", "Pss_Shmem:"


@dataclass
class Figures:
    """All samples so far, by who has it and what it is."""

    stack: RunningStack
    samples: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    async def sample(self) -> dict[tuple[str, str], float]:
        """Measure everything once and keep it; what can't be read at this moment is left out."""
        now = await asyncio.to_thread(self._from_outside)
        with contextlib.suppress(*_DOWN):
            now.update(await self._of_tables())
        with contextlib.suppress(Exception):  # the engine may be down, and says so in many ways
            now[("qdrant", "points")] = await self._points()
        for key, value in now.items():
            self.samples.setdefault(key, []).append(value)
        return now

    def series(self) -> list[Series]:
        """Return what was measured, each with what it may gain."""
        return [
            Series(owner, measure, *allowed_of(owner, measure), tuple(values))
            for (owner, measure), values in sorted(self.samples.items())
            if not (measure == "rows" and is_record(owner)) and owner != TABLES
        ]

    def gained(self, measure: str, owner: str) -> float:
        """Return the last sample less the first; 0 when there is none."""
        values = self.samples.get((owner, measure), [0.0])
        return values[-1] - values[0]

    def _from_outside(self) -> dict[tuple[str, str], float]:
        return {**dict(self._of_processes()), **dict(self._of_disk())}

    def _of_processes(self) -> Iterator[tuple[tuple[str, str], float]]:
        roots = {"supervisor": self.stack.supervisor.pid}
        for name in NAMES:
            with contextlib.suppress(KeyError, TypeError, ValueError):
                roots[name] = self.stack.pid(name)
        for name, pid in roots.items():
            tree = [stat.pid for stat in list_tree(pid)]
            pids = tree[:1] if name in ALONE else tree
            with contextlib.suppress(OSError):
                held = [_memory_of(one) for one in pids]
                yield (name, "memory"), sum(own for own, _ in held)
                yield (name, "shared memory"), sum(shared for _, shared in held)
                links = [link for one in pids for link in _links(one)]
                yield (name, "descriptors"), len(links)
                yield (name, "sockets"), sum(link.startswith("socket:") for link in links)
                yield (name, "threads"), sum(_threads(one) for one in pids)
                yield (name, "children"), len(tree if name == "qdrant" else pids) - 1

    def _of_disk(self) -> Iterator[tuple[tuple[str, str], float]]:
        home = self.stack.home
        yield ("postgres log of writes", "disk"), _size_mib(home / "postgres/cluster/pg_wal")
        yield (TABLES, "disk"), _size_mib(home / "postgres/cluster/base")
        for name in ("qdrant", "logs"):
            yield (f"{name} folder", "disk"), _size_mib(home / name)

    async def _of_tables(self) -> dict[tuple[str, str], float]:
        dsn = environment_of(self.stack, "ingest")["QUOTH_POSTGRES_DSN"]
        connection = await asyncpg.connect(dsn, timeout=20)
        try:
            names = [str(row[0]) for row in await connection.fetch(_TABLES)]
            return {
                (name, "rows"): float(
                    await connection.fetchval(f"SELECT count(*) FROM ONLY {name}")
                )
                for name in names
            }
        finally:
            await connection.close()

    async def _points(self) -> float:
        entry = self.stack.entry("qdrant")
        client = AsyncQdrantClient(
            host="127.0.0.1",
            grpc_port=int(entry["port"]),
            prefer_grpc=True,
            check_compatibility=False,
            headers={"api-key": entry["api_key"]},
        )
        try:
            collections = (await client.get_collections()).collections
            return float(
                sum([(await client.count(one.name, timeout=20)).count for one in collections])
            )
        finally:
            await client.close()


def is_record(table: str) -> bool:
    """Say whether a table is one of those that keep a row for each thing that was done."""
    return table.rpartition(".")[2].startswith(RECORD)


def _memory_of(pid: int) -> tuple[float, float]:
    """Return what a process has for itself in MiB, and its part of the memory that several share."""
    lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    parts = {name: int(size) / 1024 for name, size, *_ in map(str.split, lines[1:])}
    shared = parts.get(_SHARED, 0.0)
    return parts.get(_PROPORTIONAL, 0.0) - shared, shared


def _links(pid: int) -> list[str]:
    found = []
    for entry in (PROC / str(pid) / "fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(str(entry.readlink()))
    return found


def _threads(pid: int) -> int:
    return sum(1 for _ in (PROC / str(pid) / "task").iterdir())


def _size_mib(folder: Path) -> float:
    """Return what the folder takes; what is removed meanwhile, folders too, counts as nothing."""
    size = 0
    for inside, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                size += Path(inside, name).lstat().st_blocks * 512
    return size / MIB


def allowed_of(owner: str, measure: str) -> tuple[str, float]:
    """Return the unit of a measure, and what `owner` may gain of it."""
    unit, most = ALLOWED[measure]
    held = ONE_CHANGE.get(owner, 0.0) if measure in ("rows", "points") else 0.0
    return unit, most + held

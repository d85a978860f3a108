"""Measure what an ingest costs beside embedding, on a made-up book with vectors that cost nothing.

python -m tests.benchmarks.ingest_alone CACHE_DIR MEGABYTES

Prints JSON. The stores are the embedded engines; reading, comparing, staging and writing are the
product's own.
"""

import asyncio
import json
import os
import random
import re
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from libs.embedding import ModelStamp
from libs.embedding.port import Vectors
from libs.postgres import open_pool
from services.ingest.adapters.document_process import DocumentProcess
from services.ingest.adapters.postgres_jobs import PostgresJobs
from services.ingest.adapters.qdrant_index import QdrantIndex
from services.ingest.bootstrap import MIGRATIONS, Stores, make_worker
from services.ingest.model.book import Source, SourceFile
from services.ingest.model.job import Order
from tests.benchmarks.environment import ROOT
from tests.support.engines import postgres_node, qdrant_node

_DOCUMENT_BYTES = 40_000
_DIMENSIONS = 16
_WORDS = (
    *("the", "a", "of", "and", "to", "in", "servo", "motor", "angle", "control", "loop"),
    *("sensor", "frame", "robot", "joint", "torque", "signal", "encoder", "measures", "holds"),
    *("turns", "follows", "between", "under", "each", "another", "slowly", "quickly", "precise"),
)


class NoEmbedder:
    """Gives every text a vector at once."""

    stamp = ModelStamp("none", "1", _DIMENSIONS, 256, "none")

    async def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), _DIMENSIONS), np.float32)
        vectors[np.arange(len(texts)), [hash(text) % _DIMENSIONS for text in texts]] = 1
        return vectors


@dataclass(frozen=True)
class Alone:
    """Seconds and bytes; those of the child are of the process that reads documents."""

    source_mb: float
    chunks: int
    wall_s: float
    cpu_s: float
    child_cpu_s: float
    grown_mb: float
    """What the peak of the process is above what it held before it began."""
    child_peak_mb: float


def made_up(
    megabytes: float, seed: int = 7, *, document_bytes: int = _DOCUMENT_BYTES
) -> Iterator[SourceFile]:
    """Yield Markdown documents of a size, no paragraph like another."""
    chance = random.Random(seed)
    for number in range(max(1, round(megabytes * 1e6 / document_bytes))):
        parts, size = [f"# Chapter {number}"], 0
        while size < document_bytes:
            words = " ".join(chance.choices(_WORDS, k=chance.randint(8, 18)))
            sentence = f"{words.capitalize()} {chance.randint(0, 10**6)}."
            heading = chance.random() < 0.02
            parts.append(f"\n\n## Part {len(parts)}\n\n{sentence}" if heading else sentence)
            if chance.random() < 0.2:
                parts.append("\n\n")
            size += len(parts[-1]) + len(sentence)
        yield SourceFile(f"docs/chapter-{number:05}.md", " ".join(parts).encode())


async def ingest_alone(cache_dir: Path, megabytes: float, dsn: str, url: str) -> Alone:
    from libs.vectors.client import open_qdrant

    pool, client = await open_pool(dsn, "ingest", MIGRATIONS), open_qdrant(url)
    reader = DocumentProcess(cache_dir, timeout_s=300.0, memory_mib=2048)
    stores = Stores.on(pool, QdrantIndex(client, NoEmbedder.stamp))
    jobs = stores.jobs
    size = 0
    for batch in _batches(made_up(megabytes)):
        size += sum(len(file.data) for file in batch)
        # The worker's memory is measured, not that of the upload.
        job = await _add(jobs, pool, batch)
    before, held_mb, began = _cpu_s(resource.RUSAGE_SELF), peak_mb(os.getpid()), time.perf_counter()
    worker = make_worker(stores, NoEmbedder(), reader, lease_s=60.0)
    assert await worker.work_once()
    wall_s = time.perf_counter() - began
    ended = await jobs.get(job)
    assert ended.state.value == "published", ended.error
    child_peak_mb = max(map(peak_mb, _children()), default=0.0)
    await reader.close()
    await client.close()
    await pool.close()
    return Alone(
        source_mb=size / 1e6,
        chunks=ended.progress.chunks_total,
        wall_s=wall_s,
        cpu_s=_cpu_s(resource.RUSAGE_SELF) - before,
        child_cpu_s=_cpu_s(resource.RUSAGE_CHILDREN),
        grown_mb=peak_mb(os.getpid()) - held_mb,
        child_peak_mb=child_peak_mb,
    )


async def _add(jobs: PostgresJobs, pool: Any, batch: list[SourceFile]) -> str:
    """Queue the first files, and add the others to their job."""
    job_id = await pool.fetchval("SELECT job_id::text FROM jobs LIMIT 1")
    if job_id is None:
        return (await jobs.add(Order("made-up"), Source(batch))).job_id
    await pool.executemany(
        "INSERT INTO job_files (job_id, path, bytes, digest) VALUES ($1::uuid, $2, $3, $4)",
        [(job_id, file.path, file.data, file.content_hash) for file in batch],
    )
    return str(job_id)


def _batches(files: Iterator[SourceFile]) -> Iterator[list[SourceFile]]:
    batch: list[SourceFile] = []
    for file in files:
        batch.append(file)
        if len(batch) == 20:
            yield batch
            batch = []
    if batch:
        yield batch


def _cpu_s(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def peak_mb(pid: int) -> float:
    """Return the most memory that a process held. (ru_maxrss begins with its parent's.)"""
    status = Path(f"/proc/{pid}/status").read_text()
    [peak_kb] = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return int(peak_kb) / 1024


def _children() -> list[int]:
    return [
        int(pid)
        for task in Path("/proc/self/task").iterdir()
        for pid in (task / "children").read_text().split()
    ]


def measure_alone(cache_dir: Path, megabytes: float) -> Alone:
    """Run it in a process of its own, beside engines of its own."""
    import subprocess

    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="quoth-bench-")))
        qdrant = stack.enter_context(qdrant_node(folder / "qdrant"))
        postgres = stack.enter_context(postgres_node(folder / "postgres"))
        done = subprocess.run(
            [
                *(
                    sys.executable,
                    "-m",
                    "tests.benchmarks.ingest_alone",
                    str(cache_dir),
                    str(megabytes),
                ),
                *(postgres.dsn, qdrant.url),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    return Alone(**json.loads(done.stdout))


def main() -> None:
    cache_dir, megabytes = Path(sys.argv[1]), float(sys.argv[2])
    if len(sys.argv) == 3:
        found = measure_alone(cache_dir, megabytes)
    else:
        found = asyncio.run(ingest_alone(cache_dir, megabytes, *sys.argv[3:5]))
    sys.stdout.write(json.dumps(asdict(found)))


if __name__ == "__main__":
    main()

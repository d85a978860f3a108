"""Watch the memory of every process while a made-up folder of a given size is ingested.

python -m tests.benchmarks.ingest_large MEGABYTES CACHE_DIR [SECONDS]

The whole path, each part a process: `quoth ingest FOLDER`, the gateway, the ingest service with the
child that reads, the stores. Vectors cost nothing. Prints JSON; after SECONDS it stops where it is.
`curve` says, each time half as much again has been read, what every process holds: `rss` of the
largest, and `anon`, which is what no file on disk stands behind and can't be given back.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from libs.rpc.main import run_service
from libs.rpc.server import Register
from services.ingest.bootstrap import bootstrap
from services.ingest.settings import Settings
from tests.benchmarks.environment import ROOT
from tests.benchmarks.ingest_alone import NoEmbedder, made_up
from tests.benchmarks.processes import cpu_seconds, list_tree, status_mb
from tests.support.engines import postgres_node, qdrant_node

_BOOK = "made-up"
_DOCUMENT_BYTES = 100_000
_LOOK_EVERY_S = 1.0
_NOTE_AT_MB, _NOTE_AGAIN_AT = 4.0, 1.5
_STARTED_BY = {"ingest": "reader", "qdrant": "optimiser"}

Held = dict[str, dict[str, float]]


def write_folder(folder: Path, megabytes: float) -> float:
    """Write Markdown documents until they hold that much; return the megabytes."""
    size = 0
    for file in made_up(megabytes * 4, document_bytes=_DOCUMENT_BYTES):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        size += len(file.data)
        if size >= megabytes * 1e6:
            break
    return size / 1e6


def ingest_large(megabytes: float, cache_dir: Path, seconds: float) -> dict[str, Any]:
    """Ingest a folder; return sizes, seconds of CPU and peaks of memory in MB, by process."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(TemporaryDirectory(prefix="quoth-bench-")))
        source_mb = write_folder(home / "book", megabytes)
        qdrant = stack.enter_context(qdrant_node(home / "qdrant"))
        postgres = stack.enter_context(postgres_node(home / "postgres"))
        environment = {
            **os.environ,
            "QUOTH_POSTGRES_DSN": postgres.dsn,
            "QUOTH_QDRANT_URL": qdrant.url,
            "QUOTH_CACHE_DIR": str(cache_dir),
            "INGEST_LISTEN": "127.0.0.1:0",
            "QUOTH_PORT": "0",
        }
        service = [sys.executable, "-m", "tests.benchmarks.ingest_large", "serve"]
        ingest, address = stack.enter_context(_running(service, environment))
        environment["GATEWAY_INGEST"] = address
        gateway, url = stack.enter_context(
            _running([sys.executable, "-m", "services.gateway"], environment)
        )
        command = ["ingest", str(home / "book"), "--book", _BOOK, "--url", url, "--json"]
        began = time.perf_counter()
        client = subprocess.Popen(
            [sys.executable, "-m", "deploy.cli", *command],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(client.wait)
        stack.callback(client.terminate)
        roots = {"client": client.pid, "gateway": gateway.pid, "ingest": ingest.pid}
        roots |= {"qdrant": qdrant.pid, "postgres": postgres.pid}
        peaks: Held = {}
        curve: list[dict[str, Any]] = []
        note_at_mb = _NOTE_AT_MB
        while client.poll() is None and time.perf_counter() - began < seconds:
            held = _look(roots)
            _raise(peaks, held)
            job = asyncio.run(_job(postgres.dsn))
            if _read_mb(job, source_mb) >= note_at_mb:
                curve.append(_row(began, job, source_mb, roots, held))
                note_at_mb *= _NOTE_AGAIN_AT
                print(json.dumps(curve[-1]), file=sys.stderr)
            time.sleep(_LOOK_EVERY_S)
        job = asyncio.run(_job(postgres.dsn))
        curve.append(_row(began, job, source_mb, roots, _look(roots)))
    return {"source_mb": source_mb, "curve": curve, "peak_mb": peaks, "job": job}


def _look(roots: dict[str, int]) -> Held:
    """Return the MB of each part: resident of its largest process, anonymous of all together."""
    held: Held = {}
    for name, root in roots.items():
        for stat in list_tree(root):
            part = held.setdefault(
                name if stat.pid == root else _STARTED_BY.get(name, name), {"rss": 0, "anon": 0}
            )
            with suppress(OSError, KeyError):
                found = status_mb(stat.pid)
                part["rss"] = max(part["rss"], found["VmRSS"])
                part["anon"] += found["RssAnon"]
    return held


def _raise(peaks: Held, held: Held) -> None:
    for name, part in held.items():
        before = peaks.setdefault(name, part)
        peaks[name] = {kind: max(before[kind], part[kind]) for kind in part}


def _read_mb(job: dict[str, Any], source_mb: float) -> float:
    """Return what has been read and written; the documents are all of one size."""
    progress = job.get("progress") or {}
    total = progress.get("documents_total")
    return source_mb * progress["documents_done"] / total if total else 0.0


def _row(
    began: float, job: dict[str, Any], source_mb: float, roots: dict[str, int], held: Held
) -> dict[str, Any]:
    return {
        "read_mb": _read_mb(job, source_mb),
        "passages": (job.get("progress") or {}).get("chunks_done"),
        "wall_s": time.perf_counter() - began,
        "cpu_s": {name: cpu_seconds(pid) for name, pid in roots.items()},
        "held_mb": held,
    }


async def _job(dsn: str) -> dict[str, Any]:
    import asyncpg

    connection = await asyncpg.connect(dsn)
    row = await connection.fetchrow("SELECT state, error, progress FROM jobs")
    await connection.close()
    return {**row, "progress": json.loads(row["progress"])} if row else {}


@contextmanager
def _running(
    command: list[str], environment: dict[str, str]
) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


@asynccontextmanager
async def _open_service(settings: Settings) -> AsyncIterator[Register]:
    async with bootstrap(settings, embedder=NoEmbedder()) as service:
        worker = asyncio.create_task(service.worker.work())
        try:
            yield service.register
        finally:
            worker.cancel()
            with suppress(asyncio.CancelledError):
                await worker


def main() -> int:
    if sys.argv[1:] == ["serve"]:
        return run_service("ingest", Settings, _open_service)
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else float("inf")
    found = ingest_large(float(sys.argv[1]), Path(sys.argv[2]), seconds)
    sys.stdout.write(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())

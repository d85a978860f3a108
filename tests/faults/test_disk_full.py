"""A disk that is full at any step: the job says so, readers see what they saw, and it recovers.

G7 of the catalogue, on a small file system of its own; skipped where none may be mounted.
"""

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from quoth.ingest.v1 import ingest_service_pb2 as messages
from quoth.ingest.v1 import ingest_service_pb2_grpc

from deploy.evaluation.stack import free_ports
from deploy.local.settings import PORTS
from libs.embedding.port import Vectors
from libs.errors import Unavailable
from libs.postgres import open_pool
from libs.rpc.status import error_from_rpc
from services.ingest.bootstrap import MIGRATIONS
from services.ingest.model import JobState
from tests.support.engines import PostgresNode, QdrantNode, postgres_node, qdrant_node
from tests.support.ingest_bench import Bench
from tests.support.ingest_fakes import HashEmbedder, zipped
from tests.support.ingest_service import ingest_serving

OLD = {"a.md": "# A\n\nGears turn."}
NEW = {
    f"d{n}.md": f"# Doc {n}\n\n"
    + "\n\n".join(f"In part {k} of {n} the gear turns. " * 20 for k in range(20))
    for n in range(30)
}


class Disk:
    """A file system with little room."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        try:
            with self._ballast.open("wb", buffering=0) as file:
                while True:
                    file.write(b"x" * 4096)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise

    def clear(self) -> None:
        self._ballast.unlink()


@contextmanager
def small_disk(folder: Path, size_mib: int) -> Iterator[Disk]:
    folder.mkdir()
    options = f"size={size_mib}m"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if mounted.returncode:
        pytest.skip(f"no file system may be mounted here: {mounted.stderr.strip()}")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@asynccontextmanager
async def bench_on(postgres: PostgresNode, qdrant: QdrantNode) -> AsyncIterator[Any]:
    pool = await open_pool(postgres.dsn, "ingest", MIGRATIONS)
    client = qdrant.client()
    try:
        yield Bench(pool, client)
    finally:
        await client.close()
        await pool.close()


class Filling(HashEmbedder):
    """Fills the disk when the first text is to be embedded: the job is well under way."""

    def __init__(self, disk: Disk) -> None:
        super().__init__()
        self._disk: Disk | None = disk

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self._disk:
            self._disk.fill()
            self._disk = None
        return await super().embed(texts)


@asynccontextmanager
async def database_on(tmp_path: Path, disk: Disk) -> AsyncIterator[Any]:
    with qdrant_node(tmp_path / "qdrant") as qdrant, postgres_node(disk.folder / "data") as node:
        async with bench_on(node, qdrant) as bench:
            assert (await bench.ingest("full", OLD)).edition == 1
            yield bench


@pytest.mark.fault("G7")
async def test_a_source_that_the_database_has_no_room_for_is_refused_with_the_reason(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "disk", 96) as disk:
        async with database_on(tmp_path, disk) as bench:
            disk.fill()
            with pytest.raises(Unavailable, match="no room"):
                await bench.add("full", NEW)
            assert await bench.edition("full") == 1
            disk.clear()
            assert (await bench.ingest("full", NEW)).edition == 2


@pytest.mark.fault("G7")
async def test_a_job_whose_database_is_full_goes_on_when_there_is_room_again(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "disk", 96) as disk:
        async with database_on(tmp_path, disk) as bench:
            old = await bench.seen("full", 1)
            job = await bench.add("full", NEW)
            await work(bench, embedder=Filling(disk))
            held = await bench.jobs.get(job.job_id)
            assert held.state in (JobState.QUEUED, JobState.RUNNING)
            assert (await bench.edition("full"), await bench.seen("full", 1)) == (1, old)
            disk.clear()
            await bench.pool.execute("UPDATE jobs SET not_before = now()")
            await bench.expire("full")
            ended = await bench.finish(job.job_id)
            assert (ended.state, ended.edition) == (JobState.PUBLISHED, 2)


async def work(bench: Bench, **fields: Any) -> None:
    """Let a worker try; what it can't even write down is the next one's to find."""
    with suppress(Unavailable):
        await bench.worker(**fields).work_once()


@pytest.mark.fault("G7")
async def test_an_index_whose_disk_is_full_fails_the_job_and_comes_back(tmp_path: Path) -> None:
    with (
        small_disk(tmp_path / "disk", 128) as disk,
        postgres_node(tmp_path / "postgres") as postgres,
    ):
        data = disk.folder / "data"
        with qdrant_node(data) as node:
            async with bench_on(postgres, node) as bench:
                assert (await bench.ingest("full", OLD)).edition == 1
                old = await bench.seen("full", 1)
                disk.fill()
                job = await bench.add("full", NEW)
                for _ in range(3):
                    await bench.worker().work_once()
                    await bench.pool.execute("UPDATE jobs SET not_before = now()")
                failed = await bench.jobs.get(job.job_id)
                assert failed.state is JobState.FAILED
                assert "The vector store" in failed.error
                assert await bench.edition("full") == 1
        disk.clear()
        with qdrant_node(data) as node:
            async with bench_on(postgres, node) as bench:
                assert await bench.seen("full", 1) == old
                assert (await bench.ingest("full", NEW)).edition == 2
                assert len(await bench.seen("full", 2)) > 100


@pytest.mark.fault("G7")
async def test_an_upload_that_the_service_has_no_room_for_is_refused_with_the_reason(
    engines: tuple[QdrantNode, PostgresNode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(tmp_path / "disk", 1) as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk.folder))
        async with ingest_serving(engines) as channel:
            stub = ingest_service_pb2_grpc.IngestServiceStub(channel)
            header = messages.SourceHeader(file_name="a.txt", book="big")
            part = messages.StartIngestRequest(data=b"Gears turn. " * 80_000)
            parts = [messages.StartIngestRequest(header=header), *[part] * 12]
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.StartIngest(iter(parts), timeout=60)
            error = error_from_rpc(refused.value, "ingest")
            assert isinstance(error, Unavailable)
            assert "no room" in error.message
            small = [
                messages.StartIngestRequest(
                    header=messages.SourceHeader(file_name="a.zip", book="big")
                ),
                messages.StartIngestRequest(data=zipped(OLD)),
            ]
            assert (await stub.StartIngest(iter(small), timeout=60)).job.job_id


@pytest.mark.fault("G7")
def test_a_first_start_without_room_says_so_and_starts_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 16) as disk:
        home = disk.folder / "home"
        settings = {"QUOTH_HOME": str(home), "QUOTH_PORT": str(free_ports(PORTS))}
        done = subprocess.run(
            [sys.executable, "-m", "deploy.local"],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 1
        [line] = done.stderr.splitlines()
        assert "MiB of free disk, and a first start needs 256. Free some" in line
        assert not (home / "postgres").exists()

"""A disk that is full at any step: the job says so, readers see what they saw, and it recovers.

G7 of the catalogue, on a small file system of its own; skipped where none may be mounted.
"""

import errno
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from quoth.ingest.v1 import ingest_service_pb2 as messages
from quoth.ingest.v1 import ingest_service_pb2_grpc

from deploy.local.settings import PORTS
from libs.embedding.port import Vectors
from libs.errors import NoRoom, Unavailable
from libs.postgres import open_pool
from libs.rpc.status import error_from_rpc
from services.ingest.bootstrap import MIGRATIONS
from services.ingest.jobs import MAX_OUTAGES
from services.ingest.model.job import JobState
from tests.support.engines import PostgresNode, QdrantNode, postgres_node, qdrant_node
from tests.support.ingest_bench import Bench
from tests.support.ingest_fakes import HashEmbedder, zipped
from tests.support.ingest_service import ingest_serving
from tests.support.ports import free_ports
from tests.support.stack import RunningStack, eventually, running_stack

OLD = {"a.md": "# A\n\nGears turn."}
NEW = {
    f"d{n}.md": f"# Doc {n}\n\n"
    + "\n\n".join(f"In part {k} of {n} the gear turns. " * 20 for k in range(20))
    for n in range(30)
}


_LOOKS = 20
"""So many seconds a disk stays full: a job that counted them as tries would have had its last."""


class Disk:
    """A file system with little room."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self, leave_mib: int = 0) -> None:
        try:
            with self._ballast.open("wb", buffering=0) as file:
                while shutil.disk_usage(self.folder).free > leave_mib << 20:
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
                for _ in range(MAX_OUTAGES):
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


@pytest.mark.fault("G7")
async def test_below_the_floor_books_are_read_and_deleted_but_not_added_to(
    engines: tuple[QdrantNode, PostgresNode], tmp_path: Path
) -> None:
    two = {**OLD, "b.md": "# B\n\nServos turn."}
    with small_disk(tmp_path / "disk", 16) as disk:
        async with ingest_serving(engines, disk_folder=disk.folder, disk_floor_mib=8) as channel:
            stub = ingest_service_pb2_grpc.IngestServiceStub(channel)
            await ended(stub, (await stub.StartIngest(source_of("low", two))).job)
            disk.fill(leave_mib=4)
            document = messages.DeleteDocumentRequest(book="low", path="b.md")
            for call in (stub.StartIngest(source_of("more", OLD)), stub.DeleteDocument(document)):
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await call
                error = error_from_rpc(refused.value, "ingest")
                assert isinstance(error, NoRoom)
                assert "8 MiB must stay free" in error.message
            assert (await stub.GetBook(messages.GetBookRequest(slug="low"))).book.edition == 1
            deleted = await stub.DeleteBook(messages.DeleteBookRequest(book="low"))
            assert (await ended(stub, deleted.job)).state == messages.JOB_STATE_PUBLISHED
            disk.clear()
            assert (await stub.StartIngest(source_of("more", OLD))).job.job_id


def source_of(book: str, files: dict[str, str]) -> Any:
    header = messages.SourceHeader(file_name="a.zip", book=book)
    parts = (
        messages.StartIngestRequest(header=header),
        messages.StartIngestRequest(data=zipped(files)),
    )
    return iter(parts)


async def ended(stub: Any, job: Any) -> Any:
    async for response in stub.WatchIngest(messages.WatchIngestRequest(job_id=job.job_id)):
        job = response.job
    return job


@pytest.mark.fault("G7")
@pytest.mark.invariant("I8")
def test_the_product_on_a_full_disk_answers_says_so_and_comes_back_by_itself(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "disk", 512) as disk:
        book = tmp_path / "book"
        book.mkdir()
        (book / "a.md").write_text("# Gears\n\nA gear is a wheel with teeth.", "utf-8")
        with running_stack(disk.folder / "home", books={"gears": book}) as stack:
            disk.fill(leave_mib=64)
            eventually(lambda: readiness(stack)["degraded"], "readiness does not say so")
            assert readiness(stack)["status"] == "ready"
            stack.ask("gears", "What is a gear?")
            refused = stack.quoth("ingest", str(book), "--book", "more")
            assert refused.returncode != 0
            assert "128 MiB must stay free" in refused.stderr
            disk.fill()
            gone = stack.kill("retrieval")
            eventually(lambda: readiness(stack)["status"] != "ready", "nobody noticed")
            disk.clear()
            stack.wait_for_return("retrieval", gone)
            stack.wait_until_ready()
            stack.answers_soon("gears", "What is a gear?")
            eventually(lambda: not readiness(stack)["degraded"], "readiness still says so")
            assert stack.quoth("ingest", str(book), "--book", "more").returncode == 0
            assert stack.supervisor.poll() is None


def readiness(stack: RunningStack) -> dict[str, Any]:
    return dict(httpx.get(f"{stack.url}/readyz", timeout=5, trust_env=False).json())


@pytest.mark.fault("G7")
@pytest.mark.invariant("I4")
@pytest.mark.stack
@pytest.mark.timeout(900)
def test_a_job_under_way_when_the_disk_fills_waits_and_is_published_when_there_is_room(
    tmp_path: Path,
) -> None:
    with (
        small_disk(tmp_path / "disk", 512) as disk,
        running_stack(disk.folder / "home") as stack,
    ):
        begun = httpx.post(
            f"{stack.url}/v1/books/large/ingests",
            params={"file_name": "a.zip"},
            content=zipped(dict(list(NEW.items())[:6])),  # seconds of embedding
            headers={"content-type": "application/zip"},
            timeout=60,
            trust_env=False,
        )
        place = f"{stack.url}/v1/books/large/ingests/{begun.json()['job']['job_id']}"
        eventually(lambda: job_at(place)["stage"] == "embed", "it does not begin", 300)
        disk.fill()
        eventually(lambda: readiness(stack)["degraded"], "readiness does not say so")
        for _ in range(_LOOKS):  # the database too may have no room to say that it waits
            assert job_at(place)["state"] != "failed", job_at(place)
            time.sleep(1)
        disk.clear()
        eventually(lambda: job_at(place)["state"] not in ("queued", "running"), "no end", 600)
        assert job_at(place)["state"] == "published", job_at(place)


def job_at(place: str) -> dict[str, Any]:
    """Return the job, or one of no state while the services come back."""
    with suppress(httpx.HTTPError):
        found = httpx.get(place, timeout=10, trust_env=False)
        if found.status_code == 200:
            return dict(found.json().get("job") or found.json())
    return {"state": "", "stage": ""}

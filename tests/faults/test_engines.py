"""The engines under kill -9, stops at bad moments, and optimisation while they serve."""

import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import AsyncQdrantClient
from qdrant_client import grpc as q
from qdrant_client import models as m

from deploy.qdrant_node.store import Store
from deploy.qdrant_node.writes import WHOLE_UPSERT
from tests.support.engines import QdrantNode, children_of, eventually, is_alive, qdrant_node

SIZE = 16
BATCH = 40
NAME = "books"


def vector_of(number: int) -> list[float]:
    rng = random.Random(number)
    return [float(rng.randint(-99, 99)) for _ in range(SIZE)]


def point(number: int, **payload: object) -> m.PointStruct:
    sparse = m.SparseVector(indices=[number % 50, 50 + number % 7], values=[1.0, 2.0])
    return m.PointStruct(
        id=number,
        vector={"dense": vector_of(number), "bm25": sparse},
        payload={"number": number, "text": f"text {number} " * 20, **payload},
    )


async def create(client: AsyncQdrantClient, *, indexing_threshold: int | None = None) -> None:
    await client.create_collection(
        NAME,
        vectors_config={"dense": m.VectorParams(size=SIZE, distance=m.Distance.EUCLID)},
        sparse_vectors_config={"bm25": m.SparseVectorParams(modifier=m.Modifier.IDF)},
        # In kilobytes of vectors; the least makes graphs of a few hundred points.
        optimizers_config=m.OptimizersConfigDiff(indexing_threshold=indexing_threshold),
    )


async def contents(client: AsyncQdrantClient) -> dict[Any, tuple[object, object]]:
    records, _ = await client.scroll(NAME, limit=100_000, with_vectors=True)
    return {record.id: (record.payload, record.vector) for record in records}


def has(found: set[int], enough: int) -> bool:
    return len(found) >= enough


def expected(numbers: set[int], **payload: object) -> dict[Any, tuple[object, object]]:
    points = [point(number, **payload) for number in numbers]
    return {made.id: (made.payload, made.vector) for made in points}


@pytest.mark.parametrize("wait", [True, False], ids=["wait", "no wait"])
async def test_an_acknowledged_upsert_survives_kill_9_whole(tmp_path: Path, wait: bool) -> None:
    acknowledged: set[int] = set()
    begun = 0
    for _ in range(3):
        with qdrant_node(tmp_path / "data") as node:
            client = node.client()
            if not await client.collection_exists(NAME):
                await create(client)
            stored = await contents(client)
            assert acknowledged <= set(stored)
            assert len(stored) % BATCH == 0
            assert {number // BATCH for number in stored} == {
                number // BATCH for number in stored if number % BATCH == 0
            }
            assert stored == expected(set(stored))

            async def write(client: AsyncQdrantClient = client) -> None:
                nonlocal begun
                while True:
                    batch = range(begun, begun + BATCH)
                    begun += BATCH
                    await client.upsert(NAME, [point(n) for n in batch], wait=wait)
                    acknowledged.update(batch)

            writers = [asyncio.create_task(write()) for _ in range(3)]
            enough = len(acknowledged) + 10 * BATCH
            await reached(partial(has, acknowledged, enough), "too slow")
            node.kill()
            await asyncio.gather(*writers, return_exceptions=True)
            await client.close()
    with qdrant_node(tmp_path / "data") as node:
        client = node.client()
        stored = await contents(client)
        await client.close()
    assert acknowledged <= set(stored)
    assert stored == expected(set(stored))


async def test_the_log_alone_restores_what_was_written_after_the_last_flush(
    tmp_path: Path,
) -> None:
    """A power loss may leave the segments as they were last flushed; the log is synced."""
    data = tmp_path / "data"
    segments = data / NAME / "1" / "segments"
    with qdrant_node(data) as node:
        client = node.client()
        await create(client)
        shutil.copytree(segments, tmp_path / "flushed")
        await client.upsert(NAME, [point(n) for n in range(100)], wait=True)
        await client.set_payload(NAME, {"died": 2}, points=list(range(50)), wait=True)
        await client.delete(NAME, [99], wait=True)
        await client.close()
        node.kill()
    shutil.rmtree(segments)
    shutil.copytree(tmp_path / "flushed", segments)
    with qdrant_node(data) as node:
        client = node.client()
        stored = await contents(client)
        await client.close()
    assert stored == expected(set(range(50)), died=2) | expected(set(range(50, 99)))


@pytest.mark.parametrize("wait", [True, False], ids=["wait", "no wait"])
async def test_a_waited_for_write_is_synced_before_its_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait: bool
) -> None:
    """Held against the engine's own files, through the changes of segment of its log."""
    store = Store(tmp_path / "data")
    sizes = q.VectorParams(size=2, distance=q.Distance.Dot)
    store.create(
        q.CreateCollection(collection_name=NAME, vectors_config=q.VectorsConfig(params=sizes))
    )
    synced: list[bytes] = []
    real = os.fdatasync

    def record(descriptor: int) -> None:
        real(descriptor)
        # At once: the engine may give the file another name before the write is answered.
        synced.append(Path(f"/proc/self/fd/{descriptor}").read_bytes())

    monkeypatch.setattr(os, "fdatasync", record)
    filler = "x" * (3 << 20)
    for number in range(24):
        synced.clear()
        token = f"token {number} of 24"
        made = q.PointStruct(
            id=q.PointId(num=number),
            vectors=q.Vectors(vector=q.Vector(data=[1, 2])),
            payload={"text": q.Value(string_value=token + filler)},
        )
        upsert = q.UpsertPoints(collection_name=NAME, points=[made])
        await store.get(NAME).write(upsert, wait=wait)
        assert any(token.encode() in held for held in synced) is wait
    store.close()


async def test_a_client_that_gives_up_leaves_no_half_of_a_large_write(tmp_path: Path) -> None:
    store = Store(tmp_path / "data")
    sizes = q.VectorParams(size=2, distance=q.Distance.Dot)
    store.create(
        q.CreateCollection(collection_name=NAME, vectors_config=q.VectorsConfig(params=sizes))
    )
    points = [
        q.PointStruct(id=q.PointId(num=n), vectors=q.Vectors(vector=q.Vector(data=[1, 2])))
        for n in range(3 * WHOLE_UPSERT)
    ]
    collection = store.get(NAME)
    upsert = q.UpsertPoints(collection_name=NAME, points=points)
    writing = asyncio.create_task(collection.write(upsert, wait=False))
    await reached(collection.count, "the write does not begin", pause_s=0)
    assert collection.count() == WHOLE_UPSERT
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    await reached(lambda: collection.count() == len(points), "half of it is left")
    store.close()


def live_folder(data: Path) -> str:
    return str(json.loads((data / NAME / "live").read_text())["folder"])


def shard_folders(data: Path) -> list[str]:
    return sorted(path.name for path in (data / NAME).iterdir() if path.is_dir())


async def reached(condition: Callable[[], object], message: str, *, pause_s: float = 0.002) -> None:
    try:
        async with asyncio.timeout(30):
            while not condition():  # noqa: ASYNC110 - another process gives no event
                await asyncio.sleep(pause_s)
    except TimeoutError:
        pytest.fail(message)


async def test_reads_and_writes_go_on_while_a_collection_is_optimised(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with qdrant_node(data, optimise_at=300) as node:
        client = node.client()
        await create(client, indexing_threshold=1)
        await client.upsert(NAME, [point(n) for n in range(299)], wait=True)
        before = await client.get_collection(NAME)
        state = expected(set(range(299)))
        reads = 0

        async def read() -> None:
            nonlocal reads
            while True:
                found = await client.query_points(NAME, vector_of(7), using="dense", limit=1)
                assert [hit.id for hit in found.points] == [7]
                reads += 1

        async def change(number: int) -> None:
            await client.upsert(NAME, [point(number)], wait=number % 2 == 0)
            state.update(expected({number}))
            await client.delete(NAME, [number - 250], wait=False)
            del state[number - 250]
            mark = m.Filter(
                must=[m.FieldCondition(key="number", match=m.MatchValue(value=number - 1))]
            )
            await client.set_payload(NAME, {"died": number}, points=mark, wait=False)
            state[number - 1] = next(iter(expected({number - 1}, died=number).values()))

        # Point 7 is what the readers look for.
        reader = asyncio.create_task(read())
        written = 299
        async with asyncio.timeout(60):
            while live_folder(data) == "1" or written < 420:
                await change(written)
                written += 1
        assert not reader.done()
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
        assert reads > 20
        after = await client.get_collection(NAME)
        assert await contents(client) == state
        assert after.indexed_vectors_count
        assert before.indexed_vectors_count is not None
        # Sparse vectors count as indexed from the start; the dense ones are what came on top.
        assert after.indexed_vectors_count - before.indexed_vectors_count > 290
        await reached(lambda: shard_folders(data) == ["2"], "the old shard is not removed")
        await client.close()
        node.kill()
    with qdrant_node(data, optimise_at=300) as node:
        client = node.client()
        assert await contents(client) == state
        await client.close()


async def optimising(node: QdrantNode) -> tuple[AsyncQdrantClient, int]:
    """A client, and the process that optimises the collection it has filled."""
    client = node.client()
    await create(client, indexing_threshold=1)
    await client.upsert(NAME, [point(n) for n in range(400)], wait=True)
    await reached(lambda: children_of(node.pid), "no optimisation begins")
    (child,) = children_of(node.pid)
    return client, child


async def assert_intact(data: Path) -> None:
    assert live_folder(data) == "1"
    with qdrant_node(data) as node:
        client = node.client()
        assert await contents(client) == expected(set(range(400)))
        assert shard_folders(data) == ["1"]
        assert [path.name for path in (data / NAME).glob("*.journal")] == []
        await client.close()


async def test_a_kill_while_optimising_leaves_the_collection_and_no_process(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    with qdrant_node(data, optimise_at=300) as node:
        client, child = await optimising(node)
        # It has lowered its priority when it is under way; stopped, it cannot end by itself.
        lowered = min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)
        await reached(
            lambda: os.getpriority(os.PRIO_PROCESS, child) == lowered, "it does not begin"
        )
        os.kill(child, signal.SIGSTOP)
        node.kill()
        assert shard_folders(data) == ["1", "2"]
        eventually(lambda: not is_alive(child), "the optimising process outlives the node")
        await client.close()
    await assert_intact(data)


async def test_a_stop_while_optimising_is_clean(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with qdrant_node(data, optimise_at=300) as node:
        client, child = await optimising(node)
        assert node.stop() == 0
        assert not is_alive(child)
        assert shard_folders(data) == ["1"]
        await client.close()
    await assert_intact(data)


async def test_a_failed_optimisation_leaves_the_collection_as_it_was(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with qdrant_node(data, optimise_at=300) as node:
        client, child = await optimising(node)
        os.kill(child, signal.SIGKILL)
        await reached(lambda: shard_folders(data) == ["1"], "the copy is not removed")
        assert await contents(client) == expected(set(range(400)))
        await reached(lambda: "could not optimise" in node.complaints(), "it is not logged")
        await client.upsert(NAME, [point(0)], wait=True)
        await client.close()
    await assert_intact(data)


async def test_a_collection_removed_while_it_is_optimised_is_gone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with qdrant_node(data, optimise_at=300) as node:
        client, child = await optimising(node)
        assert await client.delete_collection(NAME)
        assert not is_alive(child)
        assert not (data / NAME).exists()
        await create(client)
        assert await contents(client) == {}
        await client.close()


async def test_half_a_creation_is_cleared_away_at_the_next_start(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with qdrant_node(data) as node:
        assert node.stop() == 0
    (data / NAME / "1").mkdir(parents=True)
    with qdrant_node(data) as node:
        client = node.client()
        assert not await client.collection_exists(NAME)
        await create(client)
        await client.close()


WAITS = "store.edge_config = lambda _: time.sleep(300)\n"
KILLS_ITS_NODE = (
    "def kill(_):\n"
    "    os.kill(os.getppid(), 9)\n"
    "    time.sleep(0.5)\n"
    "store.signal_on_parent_death = kill\n"
)


@pytest.mark.parametrize("child_does", [WAITS, KILLS_ITS_NODE + WAITS], ids=["opens", "starts"])
def test_a_node_killed_while_it_opens_leaves_nobody_in_its_folder(
    tmp_path: Path, child_does: str
) -> None:
    data = tmp_path / "data"
    store = Store(data)
    sizes = q.VectorParams(size=2, distance=q.Distance.Dot)
    store.create(
        q.CreateCollection(collection_name=NAME, vectors_config=q.VectorsConfig(params=sizes))
    )
    store.close()
    program = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from deploy.qdrant_node import store\n"
        "fork = os.fork\n"
        "def noted_fork():\n"
        "    child = fork()\n"
        "    mine = Path(f'{sys.argv[2]}.{os.getpid()}')\n"
        "    mine.write_text(f'{child or os.getpid()}\\n')\n"
        "    mine.replace(sys.argv[2])\n"
        "    return child\n"
        "os.fork = noted_fork\n"
        f"{child_does}"
        "store.Store(Path(sys.argv[1])).open()\n"
    )
    noted = tmp_path / "child"
    node = subprocess.Popen([sys.executable, "-c", program, str(data), str(noted)])
    try:
        eventually(noted.exists, "nothing is tried")
        child = int(noted.read_text())
        if child_does == WAITS:
            node.kill()
        node.wait(20)
        try:
            eventually(lambda: not is_alive(child), "the child outlives its node", 10)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
    finally:
        node.kill()
        node.wait()
    Store(data).close()


def test_the_node_ends_when_its_parent_does(tmp_path: Path) -> None:
    program = (
        "import os, subprocess, sys\n"
        "node = subprocess.Popen([sys.executable, '-m', 'deploy.qdrant_node', '--port', '0',"
        " '--data', sys.argv[1], '--parent-pid', str(os.getpid())], stdout=subprocess.PIPE)\n"
        "node.stdout.readline()\n"
        "print(node.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "data")],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    eventually(lambda: not is_alive(int(done.stdout)), "the node outlives its parent")


async def test_deleted_text_leaves_the_files_even_when_the_engine_is_killed_before(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    with qdrant_node(data) as node:
        client = node.client()
        await create(client)
        await client.upsert(NAME, [point(n, word=f"Querfeldein{n}") for n in range(20)], wait=True)
        await client.upsert(NAME, [point(n) for n in range(20, 60)], wait=True)
        await client.delete(NAME, list(range(20)), wait=True)
        await client.close()
        node.kill()
    assert files_with(data, b"Querfeldein")
    with qdrant_node(data) as node:
        client = node.client()
        eventually(lambda: not files_with(data, b"Querfeldein"), "it is still in the files")
        assert await contents(client) == expected(set(range(20, 60)))
        await client.close()


def files_with(folder: Path, word: bytes) -> list[Path]:
    with contextlib.suppress(FileNotFoundError):  # the engine replaces them meanwhile
        return [path for path in folder.rglob("*") if path.is_file() and word in path.read_bytes()]
    return [folder]

"""Measure one question to the retrieval service among a given number of chunks.

    python -m tests.benchmarks.scale CHUNKS PER_BOOK SEED CACHE_DIR

The chunks are the sample book's and altered copies of them (`grown`), put into the store's own
files by its engine: writing half a million points over gRPC would be most of the time. Collection
and indexes are made by ingest's adapter, HNSW graphs as the node makes them and after as many points.
Asked over gRPC: the retrieval service and the node are the product's processes.
"""

import asyncio
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc
import qdrant_edge as edge
from quoth.retrieval.v1 import retrieval_service_pb2, retrieval_service_pb2_grpc

from deploy.qdrant_node.__main__ import OPTIMISE_AT
from deploy.qdrant_node.optimise import Optimiser
from deploy.qdrant_node.store import Live, write_live
from libs.embedding.local import LocalEmbedder
from libs.vectors.schema import collection_name
from services.ingest.adapters.qdrant_index import QdrantIndex
from services.ingest.embed import ChunkEmbedder
from services.ingest.model.book import Chunk, ChunkVectors
from tests.benchmarks.corpora import sample_corpus, sample_questions
from tests.benchmarks.environment import ROOT
from tests.benchmarks.figures import Figures, percentile
from tests.benchmarks.grown import EDITION, Library, grow
from tests.benchmarks.measure_ingest import split_corpus
from tests.benchmarks.processes import cpu_seconds, memory, status_mb
from tests.support.engines import QdrantNode, qdrant_node

PER_BOOK = 1000
"""Chunks of a book of a library: some 500 pages."""

_WARM_UP = 10
_TOGETHER = 500
_TIMEOUT_S = 10.0
_LOOK_EVERY_S = 0.2


def measure_scale(figures: Figures, sizes: Sequence[int], seed: int, cache_dir: Path) -> None:
    """Measure each size twice: as one book, and as a library of books of PER_BOOK chunks."""
    for size in sizes:
        _measure_one(figures, f"scale.{size}", Library(size, size), seed, cache_dir)
        _measure_one(figures, f"scale.library.{size}", Library(size, PER_BOOK), seed, cache_dir)


def _measure_one(figures: Figures, name: str, library: Library, seed: int, cache_dir: Path) -> None:
    arguments = map(str, (library.size, library.per_book, seed, cache_dir))
    done = subprocess.run(
        [sys.executable, "-m", __name__, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    for part in ("retrieval", "store", "embedding"):
        figures.add(f"{name}.cpu.{part}", found["cpu_ms"][part], "ms CPU", guarded=True)
    figures.add(f"{name}.cpu", found["cpu_ms"]["all"], "ms CPU", guarded=True)
    for share in (50, 95, 99):
        figures.add(f"{name}.wall.p{share}", percentile(found["walls_ms"], share / 100), "ms")
    for stage, used_ms in found["stages_ms"].items():
        figures.add(f"{name}.stage.{stage}.p50", percentile(used_ms, 0.5), "ms")
    figures.add(f"{name}.resident", found["resident_mb"], "MB")
    figures.add(f"{name}.anonymous", found["anonymous_mb"], "MB")
    figures.add(f"{name}.disk", found["disk_bytes"] / library.size, "bytes a chunk")
    figures.add(f"{name}.graphs", found["graphs_cpu_s"], "s CPU")
    figures.add(f"{name}.graphs.anonymous", found["graphs_anonymous_mb"], "MB")


def _measure(library: Library, seed: int, cache_dir: Path) -> dict[str, Any]:
    chunks = split_corpus(sample_corpus(), cache_dir)
    embedder = LocalEmbedder(cache_dir)
    vectors = asyncio.run(ChunkEmbedder(embedder).embed(chunks))
    with TemporaryDirectory(prefix="quoth-bench-") as folder:
        store = Path(folder, "store")
        with qdrant_node(store) as node:
            asyncio.run(prepare(node, embedder))
        shard = store / collection_name(embedder.stamp) / "1"
        graphs_cpu_s, graphs_anonymous_mb = fill(shard, library, chunks, vectors, seed)
        # Or the node would arrange it all once more, beside the questions.
        write_live(shard.parent, Live(shard.name, library.size))
        disk_bytes = sum(path.stat().st_blocks * 512 for path in (shard / "segments").rglob("*"))
        with qdrant_node(store) as node, _retrieval(node, cache_dir) as (pid, address):
            found = asyncio.run(_ask(library, address, [pid, node.pid], seed))
            resident_mb = memory(node.pid).resident / 1e6
            anonymous_mb = status_mb(node.pid)["RssAnon"]
    return {
        **found,
        "cpu_ms": {**found["cpu_ms"], "embedding": _embedding_ms(embedder)},
        "resident_mb": resident_mb,
        "anonymous_mb": anonymous_mb,
        "disk_bytes": disk_bytes,
        "graphs_cpu_s": graphs_cpu_s,
        "graphs_anonymous_mb": graphs_anonymous_mb,
    }


async def prepare(node: QdrantNode, embedder: LocalEmbedder) -> None:
    """Make the model's collection, with its indexes."""
    client = node.client()
    await QdrantIndex(client, embedder.stamp).prepare()
    await client.close()


def fill(
    folder: Path,
    library: Library,
    chunks: Sequence[Chunk],
    vectors: Sequence[ChunkVectors],
    seed: int,
) -> tuple[float, float]:
    """Write the library, arranging it each time the node would.

    Returns the CPU seconds of that, and the most anonymous MB that it held.
    """
    points = grow(library, chunks, vectors, seed)
    optimiser = Optimiser(OPTIMISE_AT)
    written, cpu_s, most_mb = 0, 0.0, 0.0
    while part := min(optimiser.needed(written), library.size - written):
        _write(folder, islice(points, part))
        written += part
        # The last part may be smaller: it is arranged once no more comes.
        if written >= OPTIMISE_AT and part >= optimiser.worthwhile(written):
            spent_s, held_mb = _build_graphs(folder)
            cpu_s, most_mb = cpu_s + spent_s, max(most_mb, held_mb)
    return cpu_s, most_mb


def _write(folder: Path, points: Iterator[edge.Point]) -> None:
    shard = edge.EdgeShard.load(str(folder))
    while together := list(islice(points, _TOGETHER)):
        shard.update(edge.UpdateOperation.upsert_points(together))
        shard.flush()
    shard.close()


def _build_graphs(folder: Path) -> tuple[float, float]:
    """Return the CPU seconds it took, and the most anonymous MB that were held."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    module = "deploy.qdrant_node.optimise_shard"
    most_mb = 0.0
    child = subprocess.Popen([sys.executable, "-m", module, str(folder), str(os.getpid())])
    while child.poll() is None:
        most_mb = max(most_mb, status_mb(child.pid).get("RssAnon", 0.0))
        time.sleep(_LOOK_EVERY_S)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, child.args)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, most_mb


@contextmanager
def _retrieval(node: QdrantNode, cache_dir: Path) -> Iterator[tuple[int, str]]:
    """Run the service; yields its process and its address."""
    environment = {
        **os.environ,
        "QUOTH_QDRANT_URL": node.url,
        "QUOTH_CACHE_DIR": str(cache_dir),
        "RETRIEVAL_LISTEN": "127.0.0.1:0",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "services.retrieval"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        try:
            yield process.pid, process.stdout.readline().removeprefix("ready ").strip()
        finally:
            process.terminate()


async def _ask(library: Library, address: str, pids: Sequence[int], seed: int) -> dict[str, Any]:
    """Ask each labelled question once of a book of the library, one after the other."""
    questions = [question.text for question in sample_questions()]
    chance = random.Random(seed)
    walls_ms, stages_ms = [], defaultdict(list)
    async with grpc.aio.insecure_channel(address) as channel:
        stub = retrieval_service_pb2_grpc.RetrievalServiceStub(channel)

        async def ask(text: str) -> retrieval_service_pb2.SearchPassagesResponse:
            request = retrieval_service_pb2.SearchPassagesRequest(
                book=library.book_of(chance.randrange(library.size)),
                edition=EDITION,
                question=text,
            )
            found: retrieval_service_pb2.SearchPassagesResponse = await stub.SearchPassages(
                request, timeout=_TIMEOUT_S
            )
            return found

        for text in questions[:_WARM_UP]:
            await ask(f"Now, {text}")
        began_s = [cpu_seconds(pid) for pid in pids]
        for text in questions:
            began = time.perf_counter()
            answer = await ask(text)
            walls_ms.append(1e3 * (time.perf_counter() - began))
            for timing in answer.timings:
                stages_ms[timing.stage].append(timing.used_ms)
        spent_s = [cpu_seconds(pid) - s for pid, s in zip(pids, began_s, strict=True)]
    retrieval_ms, store_ms = (1e3 * spent / len(questions) for spent in spent_s)
    cpu_ms = {"all": retrieval_ms + store_ms, "retrieval": retrieval_ms, "store": store_ms}
    return {"walls_ms": walls_ms, "stages_ms": stages_ms, "cpu_ms": cpu_ms}


def _embedding_ms(embedder: LocalEmbedder) -> float:
    """Return the CPU time of embedding a question, without anything around it."""
    questions = [question.text for question in sample_questions()]
    began = time.process_time()
    asyncio.run(embedder.embed(questions))
    return 1e3 * (time.process_time() - began) / len(questions)


if __name__ == "__main__":
    size, per_book, first = map(int, sys.argv[1:4])
    sys.stdout.write(json.dumps(_measure(Library(size, per_book), first, Path(sys.argv[4]))))

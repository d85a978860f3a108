"""Search the same chunks in the embedded node and in Qdrant servers of your own.

    python -m tests.benchmarks.servers CHUNKS PER_BOOK SEED CACHE_DIR URL PID[,PID...]

URL is the servers' gRPC address and PID their processes on this machine; their collection is laid out
as QUOTH_QDRANT_SHARDS and its like say, written over gRPC, and deleted in the end. Both are asked by
retrieval's adapter, ten questions each in turns, so that both meet the same machine. Recall is of the
ten nearest chunks of the book, as NumPy finds them. Prints one line of JSON.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import qdrant_edge as edge
from qdrant_client import AsyncQdrantClient, models

from deploy.qdrant_node.store import Live, write_live
from libs.embedding import ModelStamp
from libs.embedding.local import LocalEmbedder
from libs.vectors.client import open_qdrant
from libs.vectors.layout import Layout, load_layout
from libs.vectors.parts import Parts
from libs.vectors.schema import BM25, DENSE, Payload, Scope, collection_name
from libs.vectors.sparse import SparseEncoder
from services.ingest.adapters.qdrant_index import QdrantIndex as WrittenIndex
from services.ingest.embed import ChunkEmbedder
from services.retrieval.adapters.qdrant_index import QdrantIndex
from services.retrieval.model import Candidate, QuestionVectors
from tests.benchmarks.corpora import sample_corpus, sample_questions
from tests.benchmarks.figures import percentile
from tests.benchmarks.grown import EDITION, LANGUAGE, Library, grow
from tests.benchmarks.measure_ingest import split_corpus
from tests.benchmarks.processes import cpu_seconds, memory
from tests.benchmarks.scale import fill, prepare
from tests.support.engines import qdrant_node

NEAREST = 10
_CANDIDATES = 50
_ROUNDS = 4
_TURN = 10
_BATCH = 250
_TOGETHER = 4
_TIMEOUT_S = 20.0
_TOLD_EVERY = 10_000
_QUIET_S = 5
"""Seconds for which servers say that they have nothing to optimise, before they are asked."""

Points = Callable[[], Iterator[edge.Point]]


@dataclass(frozen=True)
class Asked:
    """A question to one book, with the ids of the chunks that are nearest to it."""

    book: str
    vectors: QuestionVectors
    nearest: frozenset[str]


@dataclass
class Engine:
    """An engine with its processes, and what was seen of it."""

    index: QdrantIndex
    pids: Sequence[int]
    walls_ms: list[float] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)
    best: list[list[tuple[str, float]]] = field(default_factory=list)
    """Of each question the best by terms, with their scores."""

    cpu_s: float = 0.0

    def spent_s(self) -> float:
        return sum(map(cpu_seconds, self.pids))

    async def ask(self, asked: Asked) -> list[Candidate]:
        scope = Scope(asked.book, EDITION)
        found = await self.index.search(
            scope, [asked.vectors], limit=_CANDIDATES, timeout_s=_TIMEOUT_S
        )
        return found[0]

    async def measure(self, turn: Sequence[Asked]) -> None:
        before_s = self.spent_s()
        for asked in turn:
            began = time.perf_counter()
            found = await self.ask(asked)
            self.walls_ms.append(1e3 * (time.perf_counter() - began))
            near = {item.point.id for item in found if 0 < item.dense_rank <= NEAREST}
            self.recalls.append(len(near & asked.nearest) / NEAREST)
            by_terms = sorted((item for item in found if item.bm25_rank), key=_bm25_rank)
            self.best.append([(item.point.id, item.bm25) for item in by_terms[:NEAREST]])
        self.cpu_s += self.spent_s() - before_s

    def figures(self) -> dict[str, float]:
        asked = len(self.walls_ms)
        return {
            "p50_ms": percentile(self.walls_ms, 0.5),
            "p95_ms": percentile(self.walls_ms, 0.95),
            "cpu_ms": 1e3 * self.cpu_s / asked,
            "recall": sum(self.recalls) / asked,
            "resident_mb": sum(memory(pid).resident for pid in self.pids) / 1e6,
        }


def _bm25_rank(item: Candidate) -> int:
    return item.bm25_rank


async def measure(
    library: Library, seed: int, cache_dir: Path, url: str, pids: Sequence[int]
) -> dict[str, Any]:
    """Fill both, ask both, and return what each took and found."""
    embedder = LocalEmbedder(cache_dir)
    chunks = split_corpus(sample_corpus(), cache_dir)
    vectors = await ChunkEmbedder(embedder).embed(chunks)

    def points() -> Iterator[edge.Point]:
        return grow(library, chunks, vectors, seed)

    plan, layout, stamp = (
        await _plan(library, points, embedder, seed),
        load_layout(),
        embedder.stamp,
    )
    with TemporaryDirectory(prefix="quoth-bench-") as folder:
        store = Path(folder, "store")
        with qdrant_node(store) as node:
            await prepare(node, embedder)
        shard = store / collection_name(stamp) / "1"
        graphs_s, _ = fill(shard, library, chunks, vectors, seed)
        write_live(shard.parent, Live(shard.name, library.size))
        async with _filled(url, stamp, layout, points, pids) as (servers, filled):
            with qdrant_node(store) as node:
                client = node.client()
                one = Engine(QdrantIndex(client, stamp, Layout()), [node.pid])
                other = Engine(QdrantIndex(servers, stamp, layout), pids)
                await _ask([one, other], plan)
                told = {**one.figures(), "graphs_cpu_s": graphs_s}, {**other.figures(), **filled}
                await client.close()
    return {
        "chunks": library.size,
        "per_book": library.per_book,
        "asked": len(plan),
        "node": told[0],
        "servers": told[1],
        "same_best_by_terms": sum(map(_equal, one.best, other.best)),
    }


async def _ask(engines: Sequence[Engine], plan: Sequence[Asked]) -> None:
    for engine in engines:
        for asked in plan[: 2 * _TURN]:
            await engine.ask(asked)
    for first in range(0, len(plan), _TURN):
        for engine in engines:
            await engine.measure(plan[first : first + _TURN])


def _equal(one: Sequence[tuple[str, float]], other: Sequence[tuple[str, float]]) -> bool:
    """Whether both have the same scores in the same order; equal ones may change places."""
    first, second = ([score for _, score in best] for best in (one, other))
    return len(first) == len(second) and bool(np.allclose(first, second, rtol=1e-4))


async def _plan(
    library: Library, points: Points, embedder: LocalEmbedder, seed: int
) -> list[Asked]:
    """Return each labelled question a few times, of books by chance."""
    texts = [question.text for question in sample_questions()]
    dense, encoder = await embedder.embed(texts), SparseEncoder(LANGUAGE)
    chance = random.Random(seed)
    books = [library.book_of(chance.randrange(library.size)) for _ in range(_ROUNDS * len(texts))]
    ids: dict[str, list[str]] = {book: [] for book in books}
    rows: dict[str, list[Any]] = {book: [] for book in books}
    for point in points():
        book = _book_of(point)
        if book in ids:
            ids[book].append(str(point.id))
            rows[book].append(np.array(_vectors(point)[DENSE], np.float32))
    exact = {book: np.stack(vectors) for book, vectors in rows.items()}
    plan = []
    for turn, book in enumerate(books):
        text, own = texts[turn % len(texts)], dense[turn % len(texts)]
        nearest = np.argsort(-(exact[book] @ own))[:NEAREST]
        names = frozenset(ids[book][place] for place in nearest)
        plan.append(Asked(book, QuestionVectors(own, encoder.encode_question(text)), names))
    return plan


@asynccontextmanager
async def _filled(
    url: str, stamp: ModelStamp, layout: Layout, points: Points, pids: Sequence[int]
) -> AsyncIterator[tuple[AsyncQdrantClient, dict[str, float]]]:
    """Yield a client of servers that hold the points, and what it took; they are deleted after it."""
    client, name = open_qdrant(url), collection_name(stamp)
    if await client.collection_exists(name):
        raise SystemExit(f"{url} holds {name} already; take servers that are empty.")
    try:
        before_s, began = sum(map(cpu_seconds, pids)), time.perf_counter()
        await WrittenIndex(client, stamp, layout).prepare()
        await _write(client, name, points())
        written_s = time.perf_counter() - began
        await _settle(client, name)
        spent_s = sum(map(cpu_seconds, pids)) - before_s
        filled_s = time.perf_counter() - began
        yield client, {"written_s": written_s, "fill_s": filled_s, "fill_cpu_s": spent_s}
    finally:
        await client.delete_collection(name)
        await client.close()


async def _write(client: AsyncQdrantClient, name: str, points: Iterator[edge.Point]) -> None:
    parts, written = Parts(client), 0
    while together := list(islice(points, _TOGETHER * _BATCH)):
        by_part: dict[str | None, list[models.PointStruct]] = {}
        for point in together:
            part = await parts.of_book(name, _book_of(point), _TIMEOUT_S)
            by_part.setdefault(part, []).append(_for_server(point))
        batches = [
            (part, of_part[start : start + _BATCH])
            for part, of_part in by_part.items()
            for start in range(0, len(of_part), _BATCH)
        ]
        await asyncio.gather(
            *(client.upsert(name, batch, shard_key_selector=part) for part, batch in batches)
        )
        written += len(together)
        if not written % _TOLD_EVERY:
            print(f"{written} written", file=sys.stderr, flush=True)


def _for_server(point: edge.Point) -> models.PointStruct:
    vectors = _vectors(point)
    terms = vectors[BM25]
    sparse = models.SparseVector(indices=list(terms.indices), values=list(terms.values))
    vector = {DENSE: vectors[DENSE], BM25: sparse}
    return models.PointStruct(id=str(point.id), vector=vector, payload=point.payload)


def _vectors(point: edge.Point) -> dict[str, Any]:
    named: Any = point.vector
    return dict(named)


def _book_of(point: edge.Point) -> str:
    payload: Any = point.payload
    return str(payload[Payload.BOOK])


async def _settle(client: AsyncQdrantClient, name: str) -> None:
    quiet = 0
    while quiet < _QUIET_S:
        info = await client.get_collection(name)
        quiet = quiet + 1 if info.status is models.CollectionStatus.GREEN else 0
        await asyncio.sleep(1)


async def main() -> None:
    size, per_book, seed = map(int, sys.argv[1:4])
    pids = [int(pid) for pid in sys.argv[6].split(",")]
    told = await measure(
        Library(size, per_book), seed, Path(sys.argv[4]), url=sys.argv[5], pids=pids
    )
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    asyncio.run(main())

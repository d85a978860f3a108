"""A number of chunks in; what finding five passages among them costs, out.

    python -m tests.benchmarks.scale CHUNKS SEED CACHE_DIR

The chunks are the sample book's, copied with their sentences shuffled and their vectors moved a
little, and written through ingest's own adapter: nothing is embedded but the book and the
questions. Searched by retrieval's own stages against the product's Qdrant node.
"""

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from libs.embedding import Vectors
from libs.embedding.local import LocalEmbedder
from services.ingest.embed import embedding_text
from services.ingest.model import Chunk
from tests.benchmarks.corpora import sample_corpus, sample_questions
from tests.benchmarks.environment import ROOT
from tests.benchmarks.figures import Figures, percentile
from tests.benchmarks.measure_ingest import split_corpus
from tests.benchmarks.peers.ours import Quoth
from tests.benchmarks.processes import cpu_seconds, memory

_MOVED_BY = 0.03
_WARM_UP = 5


def measure_scale(figures: Figures, sizes: Sequence[int], seed: int, cache_dir: Path) -> None:
    for size in sizes:
        done = subprocess.run(
            [sys.executable, "-m", __name__, str(size), str(seed), str(cache_dir)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(done.stdout)
        name = f"scale.{size}"
        figures.add(f"{name}.cpu", found["cpu_ms"], "ms CPU", guarded=True)
        for share in (50, 95, 99):
            figures.add(f"{name}.wall.p{share}", percentile(found["walls_ms"], share / 100), "ms")
        figures.add(f"{name}.written", size / found["written_s"], "chunks/s", better="higher")
        figures.add(f"{name}.resident", found["resident_mb"], "MB")


def grow(
    chunks: Sequence[Chunk], vectors: Vectors, size: int, seed: int
) -> Iterator[tuple[Chunk, Vectors]]:
    """Yield `size` chunks with unit vectors: the given ones, then altered copies of them."""
    chance, noise = random.Random(seed), np.random.default_rng(seed)
    for number in range(size):
        turn, place = divmod(number, len(chunks))
        if not turn:
            yield chunks[place], vectors[place]
            continue
        step = noise.normal(0, _MOVED_BY, size=vectors.shape[1]).astype(np.float32)
        moved = vectors[place] + step
        copy = replace(
            chunks[place],
            chunk_id=f"{chunks[place].chunk_id}-{turn}",
            document=f"{turn}/{chunks[place].document}",
            position=number,
            body=_shuffled(chunks[place].body, chance),
        )
        yield copy, moved / np.linalg.norm(moved)


def _shuffled(text: str, chance: random.Random) -> str:
    """Return a text of the same length with its words in another order."""
    words = text.split(" ")
    chance.shuffle(words)
    return " ".join(words)


def _measure(size: int, seed: int, cache_dir: Path) -> dict[str, Any]:
    chunks = split_corpus(sample_corpus(), cache_dir)
    embedder = LocalEmbedder(cache_dir)
    vectors = asyncio.run(embedder.embed([embedding_text(chunk) for chunk in chunks]))
    grown = list(grow(chunks, vectors, size, seed))
    with TemporaryDirectory(prefix="quoth-bench-") as folder:
        system = Quoth(embedder, Path(folder, "store"), cache_dir)
        try:
            began = time.perf_counter()
            system.write([chunk for chunk, _ in grown], [vector for _, vector in grown])
            return {"written_s": time.perf_counter() - began, **_search(system)}
        finally:
            system.close()


def _search(system: Quoth) -> dict[str, Any]:
    questions = [question.text for question in sample_questions()]
    for question in questions[:_WARM_UP]:
        system.answer(question)
    walls_ms = []
    began_s = time.process_time() + cpu_seconds(system.helper)
    for question in questions:
        began = time.perf_counter()
        system.answer(question)
        walls_ms.append(1e3 * (time.perf_counter() - began))
    spent_s = time.process_time() + cpu_seconds(system.helper) - began_s
    return {
        "cpu_ms": 1e3 * spent_s / len(questions),
        "walls_ms": walls_ms,
        "resident_mb": memory(system.helper).resident / 1e6,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_measure(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))))

"""Measure what embedding texts takes by itself: the least that an ingest can cost.

python -m tests.benchmarks.embedding_floor CACHE_DIR < texts.json
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from libs.embedding.local import LocalEmbedder
from tests.benchmarks.environment import ROOT


@dataclass(frozen=True)
class Floor:
    """Seconds of a process of its own that did nothing else."""

    wall_s: float
    cpu_s: float


def measure_floor(texts: Sequence[str], cache_dir: Path) -> Floor:
    done = subprocess.run(
        [sys.executable, "-m", __name__, str(cache_dir)],
        cwd=ROOT,
        input=json.dumps(list(texts)),
        capture_output=True,
        text=True,
        check=True,
    )
    return Floor(**json.loads(done.stdout))


def main() -> None:
    texts = json.load(sys.stdin)
    embedder = LocalEmbedder(Path(sys.argv[1]))
    asyncio.run(embedder.embed(["warm up"] * 3))
    began, cpu = time.perf_counter(), time.process_time()
    asyncio.run(embedder.embed(texts))
    spent = {"wall_s": time.perf_counter() - began, "cpu_s": time.process_time() - cpu}
    sys.stdout.write(json.dumps(spent))


if __name__ == "__main__":
    main()

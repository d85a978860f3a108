"""Run one peer's whole path under the peers' own Python, and print its figures as a line.

    PYTHONPATH=<checkout> <peers' python> -m tests.benchmarks.peers.answer_path JOB.json

The job: system, documents [[path, text]], questions, warm_up, chunk_characters, cache_dir, folder.
"""

import asyncio
import json
import logging
import os
import sys
import time
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from libs.embedding import Vectors
from libs.embedding.local import LocalEmbedder
from tests.benchmarks.peers.systems import SYSTEMS, System
from tests.benchmarks.processes import cpu_seconds, memory

RESULT = "RESULT "


class Embedding:
    """The product's embedder, as itself and as a plain function; remembers what it was given."""

    def __init__(self, cache_dir: Path) -> None:
        self._embedder = LocalEmbedder(cache_dir)
        self._runner = asyncio.Runner()
        self.stamp = self._embedder.stamp
        self.seen: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.seen += texts
        return await self._embedder.embed(texts)

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        return [row.tolist() for row in self._runner.run(self.embed(texts))]


class Clock:
    """Wall and CPU seconds, the CPU time of a helper process included."""

    def __init__(self, helper: int = 0) -> None:
        self._helper = helper
        self._began = self._read()

    def spent(self) -> dict[str, float]:
        wall_s, cpu_s = self._read()
        return {"wall_s": wall_s - self._began[0], "cpu_s": cpu_s - self._began[1]}

    def _read(self) -> tuple[float, float]:
        helped_s = cpu_seconds(self._helper) if self._helper else 0.0
        return time.perf_counter(), time.process_time() + helped_s


def main() -> None:
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    embedding = Embedding(Path(job["cache_dir"]))
    embedding(["warm up"])
    began = Clock()
    system, package = open_system(job, embedding)
    helper = getattr(system, "helper", 0)
    measured: dict[str, Any] = {
        "system": job["system"],
        "version": version(package),
        "import": began.spent(),
    }
    embedding.seen.clear()
    began = Clock(helper)
    measured["chunks"] = system.ingest([(path, text) for path, text in job["documents"]])
    measured["ingest"] = began.spent()
    embedded = list(embedding.seen)
    began = Clock()
    embedding(embedded)
    measured["floor"] = began.spent()
    measured.update(_ask(system, job["questions"], job["warm_up"], helper))
    resident = [os.getpid(), helper] if helper else [os.getpid()]
    measured["resident_mb"] = (
        sum(memory(pid, with_children=False).resident for pid in resident) / 1e6
    )
    if close := getattr(system, "close", None):
        close()
    sys.stdout.write(RESULT + json.dumps(measured) + "\n")
    sys.stdout.flush()
    os._exit(0)  # some peers leave threads that never end


def open_system(job: dict[str, Any], embedding: Embedding) -> tuple[System, str]:
    """Return the system with everything imported, and the package whose version names it."""
    if job["system"] in SYSTEMS:
        kind = SYSTEMS[job["system"]]
        return kind(embedding, Path(job["folder"]), job["chunk_characters"]), kind.package
    # The peers' Python lacks what our own path imports.
    from tests.benchmarks.peers.ours import Quoth

    return Quoth(embedding, Path(job["folder"]), Path(job["cache_dir"])), Quoth.package


def _ask(system: System, questions: Sequence[str], warm_up: int, helper: int) -> dict[str, Any]:
    for question in questions[:warm_up]:
        system.answer(question)
    walls, found = [], []
    began = Clock(helper)
    for question in questions:
        at = time.perf_counter()
        text, passages = system.answer(question)
        walls.append(time.perf_counter() - at)
        if not text:
            raise RuntimeError("no text came back")
        found.append(passages)
    cpu_s = began.spent()["cpu_s"]
    return {"ask_cpu_ms": 1e3 * cpu_s / len(questions), "ask_walls_s": walls, "found": found}


if __name__ == "__main__":
    main()

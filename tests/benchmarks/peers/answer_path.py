"""One peer's whole path, run by the peers' own Python: a job file in, one line of figures out.

    PYTHONPATH=<checkout> <peers' python> -m tests.benchmarks.peers.answer_path JOB.json

The job: system, documents [[path, text]], questions, warm_up, chunk_characters, cache_dir, folder.
"""

import asyncio
import json
import logging
import os
import resource
import sys
import time
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from libs.embedding.local import LocalEmbedder
from tests.benchmarks.peers.systems import SYSTEMS, System

RESULT = "RESULT "


class Embedding:
    """The product's embedder as a plain function that remembers what it was given."""

    def __init__(self, cache_dir: Path) -> None:
        self._embedder = LocalEmbedder(cache_dir)
        self._runner = asyncio.Runner()
        self.seen: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        self.seen += texts
        vectors = self._runner.run(self._embedder.embed(texts))
        return [row.tolist() for row in vectors]


def main() -> None:
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    embedding = Embedding(Path(job["cache_dir"]))
    embedding(["warm up"])
    kind = SYSTEMS[job["system"]]
    began = _clock()
    system: System = kind(embedding, Path(job["folder"]), job["chunk_characters"])
    measured: dict[str, Any] = {
        "system": job["system"],
        "version": version(kind.package),
        "import": _since(began),
    }
    embedding.seen.clear()
    began = _clock()
    measured["chunks"] = system.ingest([(path, text) for path, text in job["documents"]])
    measured["ingest"] = _since(began)
    embedded = list(embedding.seen)
    began = _clock()
    embedding(embedded)
    measured["floor"] = _since(began)
    measured.update(_ask(system, job["questions"], job["warm_up"]))
    measured["resident_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    sys.stdout.write(RESULT + json.dumps(measured) + "\n")
    sys.stdout.flush()
    os._exit(0)  # some peers leave threads that never end


def _ask(system: System, questions: Sequence[str], warm_up: int) -> dict[str, Any]:
    for question in questions[:warm_up]:
        system.answer(question)
    walls, found = [], []
    began = _clock()
    for question in questions:
        at = time.perf_counter()
        text, passages = system.answer(question)
        walls.append(time.perf_counter() - at)
        if not text:
            raise RuntimeError("no text came back")
        found.append(passages)
    cpu_s = _since(began)["cpu_s"]
    return {"ask_cpu_ms": 1e3 * cpu_s / len(questions), "ask_walls_s": walls, "found": found}


def _clock() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(began: tuple[float, float]) -> dict[str, float]:
    return {"wall_s": time.perf_counter() - began[0], "cpu_s": time.process_time() - began[1]}


if __name__ == "__main__":
    main()

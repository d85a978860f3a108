"""Measure every installed peer on the same corpus and questions, or say why one is missing."""

import json
import os
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.corpora import Corpus, Question
from tests.benchmarks.environment import ROOT
from tests.benchmarks.figures import percentile, round_off

OURS = "Quoth, one process"
PYTHON = "BENCH_PEERS_PYTHON"
NAMES = ("LangChain", "LlamaIndex", "Haystack", "Chroma", "LanceDB", "txtai")
HOW_TO_INSTALL = (
    "python3 -m venv ~/quoth-peers && ~/quoth-peers/bin/pip install "
    "-r tests/benchmarks/peers/requirements.txt  (txtai: requirements-txtai.txt as well), then "
    f"{PYTHON}=~/quoth-peers/bin/python make bench"
)
_RESULT = "RESULT "
_TIMEOUT_S = 900.0


class PeerMissing(Exception):
    """A peer that can't be measured; the message says why, and what would help."""


def peers_python() -> Path | None:
    """Return the peers' interpreter, None when none is named or it is not there."""
    named = os.environ.get(PYTHON, "")
    # Not resolved: a virtual environment's python is a link, and the link is what matters.
    return (
        Path(named).expanduser().absolute() if named and Path(named).expanduser().exists() else None
    )


def measure_peer(
    name: str,
    python: Path,
    corpus: Corpus,
    questions: Sequence[Question],
    *,
    chunk_characters: int,
    cache_dir: Path,
    warm_up: int,
) -> dict[str, Any]:
    """Run one peer in a process of its own. Raises PeerMissing."""
    with TemporaryDirectory(prefix="quoth-bench-") as folder:
        job = {
            "system": name,
            "documents": corpus.texts(),
            "questions": [question.text for question in questions],
            "warm_up": warm_up,
            "chunk_characters": chunk_characters,
            "cache_dir": str(cache_dir),
            "folder": str(Path(folder, "store")),
        }
        path = Path(folder, "job.json")
        path.write_text(json.dumps(job), encoding="utf-8")
        measured = _run(name, python, path)
    found = measured.pop("found")
    hits = [
        question.is_found_in(passages) for question, passages in zip(questions, found, strict=True)
    ]
    walls_ms = [1e3 * wall for wall in measured.pop("ask_walls_s")]
    return {
        **measured,
        "ask_wall_ms": percentile(walls_ms, 0.5),
        "ask_wall_p95_ms": percentile(walls_ms, 0.95),
        "gold_in_top": statistics.fmean(hits),
        "megabytes": corpus.size_mb,
    }


def summarise_peer(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the medians of a peer's repeats, with the repeats of its CPU time."""

    def median(*keys: str) -> float:
        values = []
        for run in runs:
            value: Any = run
            for key in keys:
                value = value[key]
            values.append(float(value))
        return round_off(statistics.median(values))

    return {
        "system": runs[0]["system"],
        "version": runs[0]["version"],
        "chunks": runs[0]["chunks"],
        "import_s": median("import", "wall_s"),
        "ingest_wall_s": median("ingest", "wall_s"),
        "ingest_cpu_s": median("ingest", "cpu_s"),
        "floor_cpu_s": median("floor", "cpu_s"),
        "ask_cpu_ms": median("ask_cpu_ms"),
        "ask_cpu_ms_repeats": [round_off(run["ask_cpu_ms"]) for run in runs],
        "ask_wall_ms": median("ask_wall_ms"),
        "ask_wall_p95_ms": median("ask_wall_p95_ms"),
        "resident_mb": median("resident_mb"),
        "gold_in_top": median("gold_in_top"),
    }


def _run(name: str, python: Path, job: Path) -> dict[str, Any]:
    try:
        done = subprocess.run(
            [str(python), "-m", "tests.benchmarks.peers.answer_path", str(job)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PeerMissing(f"{name} was not done after {_TIMEOUT_S:.0f} s") from error
    for line in done.stdout.splitlines():
        if line.startswith(_RESULT):
            return dict(json.loads(line.removeprefix(_RESULT)))
    last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    if "ModuleNotFoundError" in last or "PackageNotFoundError" in last:
        raise PeerMissing(f"{name} is not installed ({last}); {HOW_TO_INSTALL}")
    raise PeerMissing(f"{name} failed: {last}")

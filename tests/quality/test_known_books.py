"""Least rates of right answers on each labelled book that is beside the checkout.

They stand some five points below what was measured: an answer that falls below them was made worse.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.evaluation.benchmarks.suite import Task, list_tasks
from tests.support.stack import CACHE

pytestmark = [pytest.mark.stack, pytest.mark.timeout(2400)]

SHARED = Path(__file__).parents[3] / "shared"

LEAST_CORRECT = {
    "physical_ai_golden": 0.61,
    "debian_faq_questions": 0.94,
    "rust_book_quizzes": 0.40,
}

CHAPTERS = {"rust_book_quizzes": "ch0[3-8]-*.md"}
"""Of the longest book a quarter is read, with half of its questions: `make eval` reads it whole."""


def _tasks() -> dict[str, Task]:
    tasks = list_tasks(SHARED) if SHARED.is_dir() else []
    return {task.name: task for task in tasks if task.benchmark == "golden"}


def take_chapters(questions: Path, book: Path, pattern: str, folder: Path) -> tuple[Path, Path]:
    """Copy some files of a book, and the questions about them; return where these and those are."""
    part, about = folder / "book", folder / questions.name
    part.mkdir()
    names = {Path(shutil.copy(path, part)).name for path in book.rglob(pattern)}
    lines = questions.read_text("utf-8").splitlines()
    taken = [line for line in lines if Path(json.loads(line)["gold_path"]).name in names]
    about.write_text("\n".join(taken), "utf-8")
    return about, part


@pytest.mark.parametrize("name", LEAST_CORRECT)
def test_no_known_book_is_answered_worse_than_its_least_rate(name: str, tmp_path: Path) -> None:
    task = _tasks().get(name)
    if task is None or task.ingest is None:
        pytest.skip("the labelled book is not beside the checkout")
    questions, book = task.paths[0], task.ingest
    if name in CHAPTERS:
        questions, book = take_chapters(questions, book, CHAPTERS[name], tmp_path)
    path = tmp_path / "golden.json"
    limits = (
        "--fail-under",
        f"correct={LEAST_CORRECT[name]}",
        "--fail-under",
        "quote_exact_rate=1",
    )
    command = ["eval", "golden", str(questions), "--ingest", str(book)]
    done = subprocess.run(
        [sys.executable, "-m", "deploy.cli", *command, "--json", str(path), *limits],
        env={**os.environ, "QUOTH_CACHE_DIR": str(CACHE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # One that took too long on a slow machine counts as wrong above; whatever else fails is a fault.
    errors = [row["error"] for row in json.loads(path.read_bytes())["rows"] if row["error"]]
    assert [one for one in errors if "timed out" not in one] == []

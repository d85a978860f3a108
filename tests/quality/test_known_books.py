"""Least rates of right answers on each labelled book that is beside the checkout.

They stand some five points below what was measured: an answer that falls below them was made worse.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from deploy.evaluation.benchmarks.suite import Task, list_tasks
from tests.quality.measured import measure
from tests.support.stack import RunningStack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(2400)]

SHARED = Path(__file__).parents[3] / "shared"

LEAST_CORRECT = {
    "physical_ai_golden": 0.71,
    "debian_faq_questions": 0.95,
    "rust_book_quizzes": 0.49,
}

PARTS = {
    "physical_ai_golden": ("docs/[!m]*/*.md", "docs/m*-[23]-*/*.md", "docs/m*/assessments/*.md"),
    "debian_faq_questions": ("[a-f]*.html",),
    "rust_book_quizzes": ("ch0[34]-*.md",),
}
"""Of each book a part is read, with what is asked of that: `make eval` reads it whole."""


def _tasks() -> dict[str, Task]:
    tasks = list_tasks(SHARED) if SHARED.is_dir() else []
    return {task.name: task for task in tasks if task.benchmark == "golden"}


def take_part(
    questions: Path, book: Path, patterns: Sequence[str], folder: Path
) -> tuple[Path, Path]:
    """Copy some files of a book, and the questions about no others; return where these and those are.

    What the book does not answer is about none of its files.
    """
    part, about = folder / "book", folder / questions.name
    names = set[str]()
    for path in (path for pattern in patterns for path in book.glob(pattern)):
        place = path.relative_to(book)
        names.add(place.as_posix())
        part.joinpath(place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, part / place)
    lines = questions.read_text("utf-8").splitlines()
    taken = [line for line in lines if names.issuperset(_files_of(json.loads(line)))]
    about.write_text("\n".join(taken), "utf-8")
    return about, part


def _files_of(row: dict[str, Any]) -> Iterator[str]:
    """Yield where what answers a question stands."""
    yield from (one["path"] for one in row.get("gold", ()))
    yield from [row["gold_path"]] if "gold_path" in row else ()


@pytest.mark.parametrize("name", LEAST_CORRECT)
def test_no_known_book_is_answered_worse_than_its_least_rate(
    name: str, sample_stack: RunningStack, tmp_path: Path
) -> None:
    task = _tasks().get(name)
    if task is None or task.ingest is None:
        pytest.skip("the labelled book is not beside the checkout")
    questions, book = take_part(task.paths[0], task.ingest, PARTS[name], tmp_path)
    path = tmp_path / "golden.json"
    limits = (f"correct={LEAST_CORRECT[name]}", "quote_exact_rate=1")
    under = (word for limit in limits for word in ("--fail-under", limit))
    done = measure(sample_stack, "golden", questions, book, "--json", str(path), *under)
    assert done.returncode == 0, done.stderr
    # One that took too long on a slow machine counts as wrong above; whatever else fails is a fault.
    errors = [row["error"] for row in json.loads(path.read_bytes())["rows"] if row["error"]]
    assert [one for one in errors if "timed out" not in one] == []

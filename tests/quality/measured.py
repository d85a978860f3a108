"""Measure a book of its own in a product that other files of tests share, and leave it as it was."""

import subprocess
from pathlib import Path

from deploy.evaluation.benchmarks.jobs import BOOK
from tests.support.stack import RunningStack

WITHIN_S = 2000.0
"""What an ingest may take that gives way to the tests beside it, and the questions."""


def measure(
    stack: RunningStack, kind: str, questions: Path, book: Path, *more: str
) -> "subprocess.CompletedProcess[str]":
    """Run `quoth eval KIND` on `book`, as people do; it is gone afterwards."""
    command = ("eval", kind, str(questions), "--ingest", str(book), "--url", stack.url)
    try:
        return stack.quoth(*command, *more, within_s=WITHIN_S)
    finally:
        if BOOK in (known["slug"] for known in stack.books()):
            gone = stack.quoth("delete", "--book", BOOK, "--yes")
            assert gone.returncode == 0, gone.stderr

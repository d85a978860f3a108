"""Texts in six languages answer the questions of each, by the command that people use."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.evaluation.report.result import read_result
from tests.support.stack import CACHE

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

QUESTIONS = Path(__file__).parent / "questions" / "village.jsonl"
LANGUAGES = ("en", "de", "fr", "pt", "ja", "ar")
MOST_REFUSED = 0.2
MOST_ANSWERED = 0.3


@pytest.mark.parametrize("kind", ["a folder", "one document"])
def test_each_language_of_a_book_is_answered_and_refused_as_if_it_were_alone(
    kind: str, tmp_path: Path
) -> None:
    kept, book = tmp_path / "village.json", QUESTIONS.with_suffix("")
    if kind == "one document":
        parts = [book.joinpath(f"{language}.md").read_text("utf-8") for language in LANGUAGES]
        book = tmp_path / "village.md"
        book.write_text("\n\n".join(parts), "utf-8")
    command = ["eval", "gate", str(QUESTIONS), "--ingest", str(book)]
    done = subprocess.run(
        [sys.executable, "-m", "deploy.cli", *command, "--json", str(kept)],
        env={**os.environ, "QUOTH_CACHE_DIR": str(CACHE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures = read_result(kept).figures
    assert figures["false_refusal_rate"] <= MOST_REFUSED, json.dumps(figures, indent=1)
    assert figures["false_answer_rate"] <= MOST_ANSWERED, json.dumps(figures, indent=1)

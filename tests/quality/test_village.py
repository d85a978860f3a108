"""Texts in six languages answer the questions of each, by the command that people use."""

import json
from pathlib import Path

import pytest

from deploy.evaluation.report.result import read_result
from tests.quality.measured import measure
from tests.support.stack import RunningStack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

QUESTIONS = Path(__file__).parent / "questions" / "village.jsonl"
LANGUAGES = ("en", "de", "fr", "pt", "ja", "ar")
MOST_REFUSED = 0.2
MOST_ANSWERED = 0.3


@pytest.mark.parametrize("kind", ["a folder", "one document"])
def test_each_language_of_a_book_is_answered_and_refused_as_if_it_were_alone(
    kind: str, sample_stack: RunningStack, tmp_path: Path
) -> None:
    kept, book = tmp_path / "village.json", QUESTIONS.with_suffix("")
    if kind == "one document":
        parts = [book.joinpath(f"{language}.md").read_text("utf-8") for language in LANGUAGES]
        book = tmp_path / "village.md"
        book.write_text("\n\n".join(parts), "utf-8")
    done = measure(sample_stack, "gate", QUESTIONS, book, "--json", str(kept))
    assert done.returncode == 0, done.stderr
    figures = read_result(kept).figures
    assert figures["false_refusal_rate"] <= MOST_REFUSED, json.dumps(figures, indent=1)
    assert figures["false_answer_rate"] <= MOST_ANSWERED, json.dumps(figures, indent=1)

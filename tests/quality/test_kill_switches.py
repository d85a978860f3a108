"""Least rates on the sample book: below them the product is not fit to be shown.

A right answer is one with the citation that the question needs, or a refusal where the book says
nothing (at least 80 %). A cited answer has a citation at each of its sentences (at least 90 %).
"""

import json
from pathlib import Path

import pytest

from deploy.evaluation.benchmarks.suite import SAMPLE_QUESTIONS
from deploy.evaluation.report.result import Result, read_result
from tests.support.stack import SAMPLE, RunningStack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

KILL_SWITCHES = ("correct=0.80", "cited=0.90", "quote_exact_rate=1.0")
FRAMED = Path(__file__).parent / "questions" / "framed" / "sample.jsonl"
"""The same questions as people type them: greetings, thanks, "could you tell me", what they tell."""


def _measure(stack: RunningStack, questions: Path, path: Path) -> Result:
    command = ("eval", "golden", str(questions), "--book", SAMPLE)
    done = stack.quoth(*command, "--json", str(path))
    assert done.returncode == 0, done.stderr
    return read_result(path)


@pytest.fixture(scope="module")
def measured(sample_stack: RunningStack, tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Golden questions to the sample book, by the command that people use."""
    path = tmp_path_factory.mktemp("quality") / "golden.json"
    command = ("eval", "golden", str(SAMPLE_QUESTIONS), "--book", SAMPLE)
    done = sample_stack.quoth(*command, "--json", str(path), "--fail-over", "n=1")
    # The limit is there to be broken: it shows that a limit ends the command as it should.
    assert done.returncode == 1, done.stderr
    assert "over 1" in done.stderr
    return read_result(path)


@pytest.mark.control("V22")
@pytest.mark.parametrize("limit", KILL_SWITCHES)
def test_no_kill_switch_trips_on_the_sample_book(measured: Result, limit: str) -> None:
    name, least = limit.split("=")
    assert measured.figure(name) >= float(least), json.dumps(measured.figures, indent=1)


def test_every_gold_quote_of_the_sample_book_stands_in_what_was_ingested(measured: Result) -> None:
    assert measured.figures["gold_not_located"] == 0, measured.notes


@pytest.mark.control("V5")
def test_no_order_in_a_question_is_obeyed(measured: Result) -> None:
    assert not measured.figures["injection_obeyed"]


def test_every_question_got_an_answer_or_a_refusal(measured: Result) -> None:
    assert measured.figures["errors"] == 0, measured.notes
    assert measured.figures["n"] == len(SAMPLE_QUESTIONS.read_text("utf-8").splitlines())


def test_a_question_in_everyday_words_finds_what_the_bare_one_does(
    measured: Result, sample_stack: RunningStack, tmp_path: Path
) -> None:
    framed = _measure(sample_stack, FRAMED, tmp_path / "framed.json")
    assert framed.figure("gold_cited") >= measured.figure("gold_cited") - 0.06
    assert framed.figure("false_refusal_rate") <= measured.figure("false_refusal_rate") + 0.12
    assert framed.figure("false_answer_rate") <= measured.figure("false_answer_rate") + 0.04

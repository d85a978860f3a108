"""Six criteria: each has a limit, and what is missed says what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.evaluation.benchmarks.jobs import Draw, pilot_job
from deploy.evaluation.benchmarks.pilot import CRITERIA, advise, judge, to_review
from deploy.evaluation.product import Product
from deploy.evaluation.session import Session
from tests.support.evaluation_fakes import FakeProduct, cited, refused

GOOD: dict[str, Any] = {
    "correct": 0.85,
    "cited": 0.9,
    "retrieval_recall_at_5": 0.9,
    "zero_result_rate": 0.1,
    "p95_ms": 900.0,
    "found_good": 0.8,
}
BAD = {
    "correct": 0.79,
    "cited": 0.69,
    "retrieval_recall_at_5": 0.79,
    "zero_result_rate": 0.16,
    "p95_ms": 5001.0,
    "found_good": 0.6,
}


def test_there_are_six_and_a_good_module_meets_them_all() -> None:
    assert {one.name for one in CRITERIA} == GOOD.keys()
    judged = judge(GOOD)
    assert (judged["criteria_met"], judged["criteria_missed"], judged["criteria_open"]) == (6, 0, 0)
    assert all(line.endswith("met") for line in advise(GOOD))


@pytest.mark.parametrize("name", BAD)
def test_each_is_missed_by_its_own_figure(name: str) -> None:
    figures = GOOD | {name: BAD[name]}
    assert judge(figures)["criteria_missed"] == 1
    [missed] = [line for line in advise(figures) if line.endswith("MISSED")]
    assert missed.startswith(name)


def test_too_few_right_answers_offer_the_other_chunks() -> None:
    assert advise(GOOD | {"correct": 0.79})[-1].endswith("--profile course-fixed")
    assert "--profile" not in "".join(advise(GOOD | {"correct": 0.8}))


def test_too_little_found_offers_the_large_model() -> None:
    offered = "QUOTH_EMBEDDER=openai QUOTH_EMBEDDER_MODEL=text-embedding-3-large"
    assert offered in advise(GOOD | {"zero_result_rate": 0.16})[-1]
    assert offered not in "".join(advise(GOOD | {"zero_result_rate": 0.15}))


async def test_a_module_is_ingested_asked_judged_and_gives_answers_to_read(tmp_path: Path) -> None:
    text = "The arm has six joints. It weighs nine kilograms."
    asked = {"joints": "The arm has six joints.", "weight": "It weighs nine kilograms.", "moon": ""}
    questions, module, read = tmp_path / "q.jsonl", tmp_path / "module", tmp_path / "read.md"
    module.mkdir()
    (module / "arm.md").write_text(text)
    rows = [
        {"id": name, "question": name, "answerable": bool(quote)}
        | ({"gold": [{"path": "arm.md", "quote": quote}]} if quote else {})
        for name, quote in asked.items()
    ]
    questions.write_text("\n".join(map(json.dumps, rows)))

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        quote = asked[body["question"]]
        return cited("arm.md", text, quote) if quote else refused()

    whole = {"document": "arm.md", "start": 0, "end": len(text)}
    fake = FakeProduct({"arm.md": text}, answer, lambda _: [whole])
    job = pilot_job(questions, module, Draw(), found_good=8, answers=read)
    async with Product("http://product", fake.transport) as product:
        measured = await job.measure(Session(product))
    assert (measured.figures["criteria_met"], measured.figures["criteria_open"]) == (6, 0)
    assert measured.figures["found_good"] == 0.8
    assert [line.split(":")[0] for line in measured.notes[:6]] == [one.name for one in CRITERIA]
    assert read.read_text().count("## ") == 2


def test_a_criterion_that_nobody_has_read_for_is_open() -> None:
    figures = GOOD | {"found_good": None}
    assert judge(figures)["criteria_open"] == 1
    assert advise(figures)[-1] == "found_good: open, at least 0.7, hoped for 0.9"


def test_ten_answers_from_all_over_are_given_to_read() -> None:
    rows = [
        {"question": f"Question {number}?", "text": f"Answer {number}.", "answered": number % 2}
        for number in range(60)
    ]
    text = to_review(rows)
    assert text.count("## ") == 10
    assert "Question 1?" in text
    assert "Answer 55." in text
    assert "Question 2?" not in text

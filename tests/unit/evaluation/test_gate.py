"""What a book of any language refuses and answers wrongly is counted by questions without gold."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from deploy.evaluation.benchmarks.gate import measure_gate
from deploy.evaluation.benchmarks.jobs import Draw, gate_job
from deploy.evaluation.datasets import DataError, Question, read_questions
from deploy.evaluation.product import Product
from deploy.evaluation.session import Session
from tests.support.evaluation_fakes import FakeProduct, Json, cited, refused

_TEXT = "交换分区应该是内存的两倍。"
_QUESTIONS = Path(__file__).parents[2] / "quality" / "questions" / "gate"


def _reply(said: Mapping[str, bool]) -> FakeProduct:
    def answer(body: Json) -> Json:
        return cited("a.md", _TEXT, _TEXT) if said[body["question"]] else refused()

    return FakeProduct({"a.md": _TEXT}, answer)


async def test_false_refusals_and_false_answers_are_counted_apart(tmp_path: Path) -> None:
    source = tmp_path / "a.md"
    source.write_text(_TEXT, "utf-8")
    said = {"one?": True, "two?": False, "three?": False, "four?": True, "five?": False}
    labels = [True, True, True, False, False]
    questions = [
        Question(str(number), text, answerable=label)
        for number, (text, label) in enumerate(zip(said, labels, strict=True))
    ]
    fake = _reply(said)
    async with Product("http://product", fake.transport) as product:
        measured = await measure_gate(Session(product), "measured", source, questions)
    figures = measured.figures
    assert (figures["answerable"], figures["wrongly_refused"]) == (3, 2)
    assert (figures["unanswerable"], figures["wrongly_answered"]) == (2, 1)
    assert figures["false_refusal_rate"] == pytest.approx(2 / 3)
    assert figures["false_answer_rate"] == 0.5
    refusals = [row["refusal"] for row in measured.rows]
    assert refusals == ["", "not_covered", "not_covered", "", "not_covered"]


def test_a_file_of_one_kind_of_question_measures_no_gate(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(json.dumps({"question": "What?", "answerable": True}), "utf-8")
    with pytest.raises(DataError, match="questions that it does not"):
        gate_job(file, tmp_path, Draw())


@pytest.mark.parametrize("language", ["en", "de", "fr", "ru", "ja", "zh"])
def test_our_own_questions_are_thirty_of_each_kind(language: str) -> None:
    questions = read_questions(_QUESTIONS / f"{language}.jsonl")
    assert len({question.text for question in questions}) == 60
    assert sum(question.answerable for question in questions) == 30

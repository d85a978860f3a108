"""Paragraphs of a manual with a question each, made into a judged collection."""

import json
from pathlib import Path

import pytest

from deploy.evaluation.datasets import read_retrieval
from tests.quality.paragraphs import main, paragraphs_of, rank_by_bm25

QUESTIONS = Path("tests/quality/questions/paragraphs")
PAGE = "<h1>機</h1><p>扉は赤い。</p><p>窓は青い硝子。</p><pre>扉</pre>"
ROWS = [
    {"id": "a", "question": "扉は何色ですか。", "path": "p.html", "begins": "扉は"},
    {"id": "b", "question": "青い窓は何ですか。", "path": "p.html", "begins": "窓は"},
]


def test_a_collection_has_each_paragraph_for_its_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p.html").write_text(PAGE, "utf-8")
    questions = tmp_path / "ja.jsonl"
    questions.write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    main(str(questions), str(tmp_path), str(tmp_path / "set"))
    judged = read_retrieval(tmp_path / "set")
    assert judged.documents == {"a": ("", "扉は赤い。"), "b": ("", "窓は青い硝子。")}
    assert judged.gains == {"q-a": {"a": 1.0}, "q-b": {"b": 1.0}}
    assert capsys.readouterr().out == "2 questions, 2 paragraphs, BM25 nDCG@10 1.000\n"


def test_a_paragraph_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "p.html").write_text(PAGE, "utf-8")
    with pytest.raises(LookupError, match="c: no paragraph"):
        paragraphs_of(tmp_path, [{"id": "c", "path": "p.html", "begins": "屋根"}])


def test_bm25_ranks_by_pairs_of_letters_and_by_words() -> None:
    texts = {"a": "扉は赤い。", "b": "窓は青い。", "c": "apt shows it"}
    assert rank_by_bm25("青い窓", texts) == ["b"]
    assert rank_by_bm25("what does apt do", texts)[0] == "c"


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_the_sets_kept_have_a_hundred_different_questions_and_paragraphs(language: str) -> None:
    lines = (QUESTIONS / f"{language}.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len({row["question"] for row in rows}) == 100
    assert len({(row["path"], row["begins"]) for row in rows}) == 100

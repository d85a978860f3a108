"""Files of every format are read; a file that breaks its format is refused with its place."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy.evaluation.benchmarks.jobs import Draw, golden_job
from deploy.evaluation.datasets import (
    DataError,
    Gold,
    read_chunks,
    read_claims,
    read_golden,
    read_planted,
    read_questions,
    read_refusals,
    read_retrieval,
)

SHARED = Path(__file__).parents[3].parent / "shared"


def _file(folder: Path, *lines: str) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_a_golden_row_keeps_gold_need_and_history(tmp_path: Path) -> None:
    [row] = read_golden(
        _file(
            tmp_path,
            '{"id": "a", "kind": "compare", "question": "q?", "answerable": true, "need": "all",'
            ' "gold": [{"path": "p.md", "quote": "one"}, {"path": "p.md", "quote": "two"}],'
            ' "history": [{"role": "user", "content": "h"}]}',
        )
    )
    assert row.gold == (Gold("p.md", "one"), Gold("p.md", "two"))
    assert row.need == "all"
    assert row.history == ({"role": "user", "content": "h"},)


def test_a_quiz_row_needs_no_more_than_the_document_of_its_answer(tmp_path: Path) -> None:
    [row] = read_golden(_file(tmp_path, '{"question": "q?", "gold_path": "ch1.md"}'))
    assert (row.answerable, row.gold) == (True, (Gold("ch1.md"),))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ('{"question": " ", "gold_path": "p"}', "needs question"),
        ('{"question": "q"}', "needs gold"),
        ('{"question": "q", "answerable": "no"}', "true or false"),
        ('{"question": "q", "gold": [{"path": "p"}]}', "path and quote"),
        ('{"question": "q", "gold_path": "p", "need": "some"}', "all or any"),
    ],
)
def test_a_row_that_breaks_the_form_is_named_by_its_line(
    tmp_path: Path, line: str, fault: str
) -> None:
    good = '{"question": "q?", "gold_path": "ch1.md"}'
    with pytest.raises(DataError, match=fault) as error:
        read_golden(_file(tmp_path, good, "", line))
    assert "rows.jsonl:3" in str(error.value)


def test_an_id_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    line = '{"id": "a", "question": "q?", "gold_path": "ch1.md"}'
    with pytest.raises(DataError, match="twice"):
        read_golden(_file(tmp_path, line, line))


@pytest.mark.parametrize(
    "read", [read_golden, read_claims, read_refusals, read_questions, read_planted]
)
def test_files_that_are_missing_or_empty_are_refused(
    tmp_path: Path, read: Callable[[Path], list[Any]]
) -> None:
    with pytest.raises(DataError, match="can't be read"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(DataError, match="no rows"):
        read(_file(tmp_path, ""))


def _collection(folder: Path, judgements: str) -> Path:
    (folder / "corpus.jsonl").write_text('{"id": "d1", "title": "T", "text": "one"}\n')
    (folder / "queries.jsonl").write_text(
        '{"id": "q1", "text": "one?"}\n{"id": "q2", "text": "two?"}\n'
    )
    (folder / "qrels.tsv").write_text(judgements)
    return folder


@pytest.mark.parametrize(
    "judgements", ["query-id\tcorpus-id\tscore\nq1\td1\t1\n", "q1\td1\t1\n", "q1\t0\td1\t1\n"]
)
def test_judgements_are_read_with_and_without_a_head(tmp_path: Path, judgements: str) -> None:
    found = read_retrieval(_collection(tmp_path, judgements))
    assert found.gains == {"q1": {"d1": 1.0}}
    assert found.questions == {"q1": "one?"}


def test_a_judgement_of_an_unknown_document_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="d9"):
        read_retrieval(_collection(tmp_path, "q1\td9\t1\n"))


def test_paragraphs_with_questions_are_a_collection_too(tmp_path: Path) -> None:
    form = '{"id": "%s", "question": "%s?", "context": "%s", "answerable": %s}'
    found = read_retrieval(
        _file(
            tmp_path,
            form % ("a", "one", "First.", "true"),
            form % ("b", "two", "First.", "false"),
            form % ("c", "three", "Second.", "true"),
        )
    )
    assert [text for _, text in found.documents.values()] == ["First.", "Second."]
    assert found.questions == {"a": "one?", "c": "three?"}
    first, second = found.documents
    assert found.gains == {"a": {first: 1.0}, "c": {second: 1.0}}


def test_paragraphs_without_an_answerable_question_are_refused(tmp_path: Path) -> None:
    row = '{"question": "two?", "context": "First.", "answerable": false}'
    with pytest.raises(DataError, match="answerable"):
        read_retrieval(_file(tmp_path, row))


def test_claims_may_come_with_sentences_for_context(tmp_path: Path) -> None:
    [row] = read_claims(
        _file(tmp_path, '{"context_sentences": ["A.", "B."], "claim": "c", "label": 0}')
    )
    assert (row.context, row.supported) == ("A. B.", False)


def test_a_limit_draws_the_same_rows_by_the_same_seed() -> None:
    rows = list(range(100))
    drawn = Draw(10, seed=4).from_rows(rows)
    assert drawn == Draw(10, seed=4).from_rows(rows) == sorted(drawn)
    assert drawn != Draw(10, seed=5).from_rows(rows)
    assert Draw().from_rows(rows) == rows


def test_golden_rows_without_a_book_are_no_job(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="--ingest"):
        golden_job(tmp_path / "none.jsonl", "", None, Draw())


@pytest.mark.skipif(not SHARED.exists(), reason="needs the labelled sets")
def test_the_labelled_sets_are_read() -> None:
    assert len(read_golden(SHARED / "books/physical_ai_golden.jsonl")) == 135
    assert len(read_golden(SHARED / "books/rust_book_quizzes.jsonl")) == 222
    assert len(read_golden(SHARED / "books/debian_faq_questions.jsonl")) == 121
    assert len(read_retrieval(SHARED / "data/retrieval/xquad_en").questions) == 1190
    chunk_set = read_chunks(SHARED / "data/retrieval/chunking_evaluation")
    assert len(chunk_set.questions) == 472
    assert sum(len(item.ranges) for item in chunk_set.questions) == 790
    assert len(read_refusals(SHARED / "data/refusal/squad2_dev.jsonl")) == 2242
    for path in (SHARED / "data/grounding").glob("*.jsonl"):
        assert read_claims(path)

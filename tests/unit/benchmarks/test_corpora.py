"""Books, questions and copies of chunks: what is measured is what is meant."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from libs.vectors.stored import decode_chunk
from services.ingest.model.book import Chunk, ChunkVectors
from tests.benchmarks.asking import fresh_words
from tests.benchmarks.corpora import (
    Question,
    first_documents,
    more_corpora,
    one_changed,
    open_corpus,
    sample_corpus,
    sample_questions,
)
from tests.benchmarks.environment import calibrate, describe_commit, describe_environment
from tests.benchmarks.grown import Library, grow
from tests.benchmarks.peers import side_by_side
from tests.benchmarks.peers.side_by_side import PYTHON, PeerMissing, measure_peer, summarise_peer


def test_the_sample_book_and_its_questions_are_at_hand() -> None:
    corpus, questions = sample_corpus(), sample_questions()
    assert len(corpus.documents) >= 8
    assert corpus.size_mb > 0.1
    assert len(questions) >= 30
    names = {name.as_posix() for name in corpus.documents}
    assert all(names.issuperset(question.documents) for question in questions)


def test_a_gold_quote_is_found_whatever_its_markup() -> None:
    question = Question("?", ("that is **72 minutes**;",), ("a.mdx",))
    assert question.is_found_in(["nothing", "for 1.2 h, that is 72 minutes, says the book"])
    assert not question.is_found_in(["that is 71 minutes"])


def test_one_document_is_changed_and_the_book_keeps_its_name() -> None:
    corpus = sample_corpus()
    before = dict(corpus.texts())
    with one_changed(corpus) as changed:
        after, digest = dict(changed.texts()), changed.digest()
    assert changed.slug == corpus.slug
    assert sorted(before) == sorted(after)
    assert sum(before[name] != after[name] for name in before) == 1
    assert digest != corpus.digest()


def test_a_smaller_book_has_the_first_documents_and_its_own_name() -> None:
    corpus = sample_corpus()
    with first_documents(corpus, 3) as part:
        assert part.texts() == corpus.texts()[:3]
        assert part.slug == f"{corpus.slug}-part"


def test_files_that_are_no_documents_are_not_counted(tmp_path: Path) -> None:
    for name in ("a.md", "quoth.toml", "picture.svg"):
        (tmp_path / name).write_text("text")
    assert open_corpus("book", tmp_path).documents == (Path("a.md"),)


def test_more_books_are_taken_where_they_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BENCH_BOOKS", str(tmp_path))
    assert more_corpora() == []
    folder = tmp_path / "rust_book" / "src"
    folder.mkdir(parents=True)
    (folder / "ch01.md").write_text("# One")
    assert [corpus.slug for corpus in more_corpora()] == ["rust-book"]


def test_no_question_is_asked_twice_in_the_same_words() -> None:
    questions = [Question(text, (), ()) for text in ("What?", "Why?")]
    asked = [fresh_words(questions, number, turn) for turn in ("", "stream") for number in range(6)]
    assert len(set(asked)) == len(asked)
    assert asked[:3] == ["What?", "Why?", "What? (1)"]


def test_grown_chunks_are_new_ones_with_unit_vectors_of_the_same_neighbourhood() -> None:
    text = "one two six"
    chunk = Chunk("1" * 32, "a.md", 0, 0, 11, text, ("A",), ("A",), "", "", 0, (), 3)
    own = np.eye(1, 384, dtype=np.float32)[0]
    points: list[Any] = list(grow(Library(5, 2), [chunk], [ChunkVectors(own)], seed=7))
    assert [point.payload["book"] for point in points] == [f"book-{n}" for n in (0, 0, 1, 1, 2)]
    assert len({str(point.id) for point in points}) == 5
    stored = [decode_chunk(point.payload["chunk"]) for point in points]
    assert stored[0].text == text
    assert len({held.text for held in stored}) > 3
    assert all(len(held.text) == len(text) for held in stored)
    for point in points:
        moved = np.array(point.vector["dense"])
        assert np.linalg.norm(moved) == pytest.approx(1.0, abs=1e-5)
        assert moved @ own > 0.8


def test_a_result_says_where_it_was_measured() -> None:
    environment = describe_environment()
    assert environment["cores"] >= 1
    assert environment["cpu"]
    assert "grpcio" in environment["packages"]
    assert calibrate() > 0
    assert set(describe_commit()) == {"commit", "dirty"}


def fake_python(folder: Path, script: str) -> Path:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def measure(python: Path, **changes: Any) -> dict[str, Any]:
    arguments = {"chunk_characters": 900, "cache_dir": python.parent, "warm_up": 0, **changes}
    questions = [Question("What?", ("seventy two",), ()), Question("Why?", ("not there",), ())]
    return measure_peer("LangChain", python, sample_corpus(), questions, **arguments)


def test_a_peer_that_is_not_installed_is_passed_over_with_a_hint(tmp_path: Path) -> None:
    python = fake_python(tmp_path, "echo \"ModuleNotFoundError: No module named 'x'\" >&2; exit 1")
    with pytest.raises(PeerMissing, match=r"LangChain is not installed.*requirements\.txt"):
        measure(python)


def test_a_peer_that_fails_is_passed_over_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(PeerMissing, match="LangChain failed: ValueError: bad"):
        measure(fake_python(tmp_path, "echo 'ValueError: bad' >&2; exit 1"))


def test_passages_of_a_peer_are_compared_with_the_gold_and_medians_taken(
    tmp_path: Path,
) -> None:
    spent = '{"wall_s": 2.0, "cpu_s": 1.0}'
    line = (
        '{"system": "LangChain", "version": "1", "chunks": 9, "resident_mb": 200, '
        f'"import": {spent}, "ingest": {spent}, "floor": {spent}, "ask_cpu_ms": 12.0, '
        '"ask_walls_s": [0.01, 0.03], "found": [["seventy-two minutes"], ["nothing"]]}'
    )
    run = measure(fake_python(tmp_path, f"echo noise; echo 'RESULT {line}'"))
    assert run["gold_in_top"] == 0.5
    assert run["ask_wall_ms"] == pytest.approx(20.0)
    summary = summarise_peer([run, {**run, "ask_cpu_ms": 20.0}, {**run, "ask_cpu_ms": 14.0}])
    assert summary["ask_cpu_ms"] == 14.0
    assert summary["ingest_cpu_s"] == 1.0


def test_the_peers_python_may_be_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(PYTHON, raising=False)
    assert side_by_side.peers_python() is None
    monkeypatch.setenv(PYTHON, str(tmp_path / "nowhere"))
    assert side_by_side.peers_python() is None

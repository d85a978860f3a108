"""The two functions that the source documents name: a text in, chunks out."""

from collections.abc import Callable
from itertools import pairwise
from math import inf, nan
from pathlib import Path

import pytest

from libs.errors import InvalidInput
from libs.tokens import TokenCounter
from services.ingest import chunking
from services.ingest.chunking import chunk_book_content, chunk_document
from services.ingest.model.book import Chunk

SENTENCE = "The servo number {} turns the arm by some degrees towards the wall."


@pytest.fixture(autouse=True)
def counter(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> TokenCounter:
    folder: Path = tmp_path_factory.getbasetemp() / "vocabulary"
    monkeypatch.setattr(chunking, "CACHE", folder)
    return TokenCounter(folder)


def prose(paragraphs: int) -> str:
    parts = (" ".join(SENTENCE.format(20 * p + s) for s in range(20)) for p in range(paragraphs))
    return "\n\n".join(parts)


def test_book_content_is_cut_at_paragraphs_to_about_the_target_with_an_overlap(
    counter: TokenCounter,
) -> None:
    chunks = chunk_book_content(prose(30))
    sizes = [chunk.token_count for chunk in chunks]
    assert len(chunks) > 2
    assert all(512 <= size <= 1024 for size in sizes)
    for before, after in pairwise(chunks):
        repeated = before.body[after.start - before.start :]
        assert 0 < counter.count(repeated) <= 128


def test_a_document_is_cut_at_sentences_with_a_fifth_repeated(counter: TokenCounter) -> None:
    chunks = chunk_document(prose(30))
    assert all(256 <= chunk.token_count <= 512 for chunk in chunks)
    # The last one is filled from the one before to its least size.
    for before, after in pairwise(chunks[:-1]):
        assert before.body.endswith(".")
        assert after.body.startswith("The servo")
        assert 0 < counter.count(before.body[after.start - before.start :]) <= 102


def test_a_short_text_is_one_chunk_and_an_empty_one_none() -> None:
    assert [chunk.body for chunk in chunk_book_content("One *short* text.")] == ["One short text."]
    assert chunk_document("") == []


@pytest.mark.parametrize(
    "sizes",
    [
        {"max_tokens": 0},
        {"max_tokens": -1},
        {"max_tokens": 100, "overlap_tokens": 800},
        {"overlap_tokens": 800},
        {"target_tokens": 0, "max_tokens": 0},
        {"max_tokens": nan},
    ],
)
def test_sizes_that_contradict_one_another_are_refused(sizes: dict[str, int]) -> None:
    with pytest.raises(InvalidInput, match="sizes of chunks"):
        chunk_book_content("Text.", **sizes)


@pytest.mark.parametrize("most", [1, 100, 512, 799])
def test_a_smaller_maximum_lowers_the_target_and_the_overlap(
    counter: TokenCounter, most: int
) -> None:
    chunks = chunk_book_content(prose(1 if most == 1 else 6), max_tokens=most)
    assert len(chunks) > 1
    assert most == 1 or all(chunk.token_count <= most for chunk in chunks)
    for before, after in pairwise(chunks[:-1]):
        repeated = before.body[after.start - before.start :]
        assert counter.count(repeated) <= 128 * most // 800


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_of_nothing_is_called_by_its_name(size: int) -> None:
    with pytest.raises(InvalidInput, match=f"chunk_size must be at least 1, not {size}"):
        chunk_document("Text.", size)
    with pytest.raises(InvalidInput, match=r"max.* tokens must|max_tokens: must be at least 1"):
        chunk_book_content("Text.", max_tokens=size, target_tokens=size, overlap_tokens=0)


@pytest.mark.parametrize(
    ("size", "overlap"),
    [(0, 0.2), (512, 1.0), (512, -0.1), (512, nan), (512, inf), (nan, 0.2), (512.5, 0.2)],
)
def test_an_overlap_of_all_or_less_than_nothing_is_refused(size: int, overlap: float) -> None:
    with pytest.raises(InvalidInput, match="sizes of chunks"):
        chunk_document("Text.", size, overlap)


@pytest.mark.parametrize("cut", [chunk_document, chunk_book_content])
def test_half_of_a_surrogate_pair_is_refused_by_its_place(
    cut: Callable[[str], list[Chunk]],
) -> None:
    with pytest.raises(InvalidInput, match=r"surrogate pair, U\+D83D, at 6"):
        cut("Robot \ud83d.")
    [chunk] = cut("Robot \U0001f916.")
    assert chunk.body == "Robot \U0001f916."

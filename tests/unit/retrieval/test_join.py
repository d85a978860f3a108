"""Passages that continue or repeat one another are one, and every character of it is the book's."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.retrieval.join import join_groups
from services.retrieval.model import Candidate, HighlightedPassage, Passage, Span
from services.retrieval.neighbours import MOST_CHARACTERS, gather_neighbours
from tests.support.retrieval_fakes import PARAGRAPH, make_chunk

WORDS = "hydraulic valves hold pressure while electric motors turn current into torque and heat"
DOCUMENT = f"{WORDS}.\n\nGears raise it, {WORDS}.\nBearings carry it, {WORDS}, 日本 👍."


def spans_of(text: str, start: int) -> list[Span]:
    spans, place = [], start
    for line in text.split("\n"):
        spans += [Span(place, place + len(line), PARAGRAPH)] if line else []
        place += len(line) + 1
    return spans


def passage(
    start: int,
    end: int,
    score: float = 0.5,
    *,
    gap: str = "",
    path: tuple[str, ...] = ("Book",),
    document: str = "a.md",
    page: int = 0,
) -> Passage:
    text = DOCUMENT[start:end]
    chunk = make_chunk(text, start=start, path=path, document=document, spans=spans_of(text, start))
    chunk = replace(chunk, gap=gap, page=page, chunk_id=f"{document}-{start}-{end}")
    return Passage(Candidate(chunk, score, score), score)


def score(passage: Passage) -> HighlightedPassage:
    """Score each span by its place in the document, and highlight those in the first half."""
    spans = passage.chunk.spans
    scores = tuple(span.start / len(DOCUMENT) for span in spans)
    return HighlightedPassage(passage, scores, tuple(value < 0.5 for value in scores))


def join(passages: list[Passage], limit: int = 50) -> tuple[HighlightedPassage, ...]:
    groups = gather_neighbours(passages, limit)
    return join_groups(groups, [score(one) for group in groups for one in group])


def join_passages(passages: list[Passage]) -> list[Passage]:
    return [item.passage for item in join(passages)]


FIRST_END = DOCUMENT.index("\n\n")
SECOND = FIRST_END + 2


def test_neighbours_become_one_passage_with_the_best_ones_scores_and_place() -> None:
    before, after = passage(0, FIRST_END, 0.4, gap="\n\n"), passage(SECOND, len(DOCUMENT), 0.8)
    other = passage(0, 20, 0.6, document="b.md")
    first, second = join_passages([after, other, before])
    assert (first.chunk.start, first.chunk.end) == (0, len(DOCUMENT))
    assert first.chunk.text == DOCUMENT
    assert (first.fused, first.candidate.dense) == (0.8, 0.8)
    assert first.chunk.chunk_id == after.chunk.chunk_id
    assert first.chunk.terms == before.chunk.terms | after.chunk.terms
    assert second == other


@pytest.mark.parametrize(
    ("changed", "joined"),
    [({}, 1), ({"path": ("Book", "Other")}, 2), ({"document": "b.md"}, 2), ({"gap": "\n"}, 2)],
)
def test_only_neighbours_in_one_section_are_joined(changed: dict[str, Any], joined: int) -> None:
    before = passage(0, FIRST_END, **({"gap": "\n\n"} | changed))
    assert len(join_passages([before, passage(SECOND, len(DOCUMENT))])) == joined


def test_passages_that_would_be_too_long_together_stay_apart() -> None:
    text = "x" * (MOST_CHARACTERS // 2 + 10)
    chunks = [replace(make_chunk(text), gap="\n"), make_chunk(text, start=len(text) + 1)]
    passages = [Passage(Candidate(chunk, 0.5, 0.5), 0.5) for chunk in chunks]
    assert join_passages(passages) == passages


def letters(*places: int) -> list[Passage]:
    """Return a passage of one character at each place, best first."""
    chunks = [make_chunk(DOCUMENT[place], start=place) for place in places]
    return [Passage(Candidate(chunk, 0.5, 0.5), 1 - at / 10) for at, chunk in enumerate(chunks)]


@pytest.mark.parametrize(
    ("places", "limit", "expected"),
    [
        ((0, 5, 8), 2, [(0, 1), (5, 6)]),
        ((0, 5, 8, 6, 1), 2, [(0, 2), (5, 7)]),
        ((0, 2, 8, 1), 2, [(0, 3)]),
        ((1, 0, 8), 2, [(0, 2)]),
        ((5, 4, 3, 2), 1, [(2, 6)]),
    ],
    ids=[
        "no more than the limit",
        "what continues a better one joins it from beyond the limit",
        "what connects two makes one of them",
        "what is joined makes no room for a worse one",
        "forwards and backwards",
    ],
)
def test_passages_are_gathered_in_the_order_of_their_best(
    places: tuple[int, ...], limit: int, expected: list[tuple[int, int]]
) -> None:
    found = join(letters(*places), limit)
    assert [(item.passage.chunk.start, item.passage.chunk.end) for item in found] == expected


def test_when_the_middle_is_cut_only_the_best_side_stays() -> None:
    first, _, last = letters(4, 5, 6)
    [found] = join_groups([[last, first]], [score(last), score(first)])
    assert found.passage == last


def test_a_joined_passage_keeps_the_scores_of_its_spans_and_of_its_best_part() -> None:
    before, after = passage(0, FIRST_END, 0.4, gap="\n\n"), passage(SECOND, len(DOCUMENT), 0.8)
    [found] = join([after, before])
    assert found.span_scores == (*score(before).span_scores, *score(after).span_scores)
    assert found.highlighted == (*score(before).highlighted, *score(after).highlighted)
    assert True in found.highlighted
    assert False in found.highlighted


def test_a_span_in_two_passages_has_the_better_score() -> None:
    one, two = passage(0, FIRST_END), passage(0, FIRST_END, 0.4)
    groups = [[one, two]]
    highlighted = [
        HighlightedPassage(one, (0.7,), (True,)),
        HighlightedPassage(two, (0.2,), (False,)),
    ]
    [found] = join_groups(groups, highlighted)
    assert (found.span_scores, found.highlighted) == ((0.7,), (True,))


def test_a_joined_passage_says_where_its_second_page_begins() -> None:
    before, after = passage(0, FIRST_END, gap="\n\n", page=3), passage(SECOND, 130, page=4)
    [joined] = join_passages([before, after])
    assert (joined.chunk.page, joined.chunk.page_breaks) == (3, ((SECOND, 4),))
    [same] = join_passages([before, passage(SECOND, 130, page=3)])
    assert same.chunk.page_breaks == ()


def test_a_joined_passage_says_where_its_sections_begin() -> None:
    before = passage(0, FIRST_END, gap="\n\n")
    after = passage(SECOND, 130)
    later = ((SECOND, ("Book",), "anchor"), (SECOND + 20, ("Book", "Gears"), "gears"))
    shared = replace(
        after, candidate=replace(after.candidate, found=replace(after.chunk, sections=later))
    )
    [joined] = join_passages([before, shared])
    assert joined.chunk.sections == ((0, ("Book",), "anchor"), later[1])
    [same] = join_passages([before, after])
    assert same.chunk.sections == ()


def test_a_joined_passage_lists_each_footnote_outside_of_it_once() -> None:
    before, after = passage(0, FIRST_END, gap="\n\n"), passage(SECOND, 130)
    notes = ("Not here.", "Gears raise it")
    chunks = [replace(one.candidate.chunk, footnotes=notes) for one in (before, after)]
    chunks[0] = replace(chunks[0], table_header="A | B")
    parts = [Passage(Candidate(chunk, 0.5, 0.5), 0.5) for chunk in chunks]
    [joined] = join_passages(parts)
    assert (joined.chunk.footnotes, joined.chunk.table_header) == (("Not here.",), "A | B")


PIECES = st.lists(
    st.tuples(st.integers(0, len(DOCUMENT) - 1), st.integers(1, 120)), min_size=1, max_size=6
)


@given(PIECES)
def test_every_character_is_the_documents_and_every_span_has_its_score(
    pieces: list[tuple[int, int]],
) -> None:
    given_ones = []
    for place, (start, length) in enumerate(pieces):
        end = min(start + length, len(DOCUMENT))
        blank = len(DOCUMENT[end:]) - len(DOCUMENT[end:].lstrip())
        given_ones.append(passage(start, end, 1 - place / 10, gap=DOCUMENT[end : end + blank]))
    found_ones = join(given_ones)
    joined = [item.passage for item in found_ones]
    covered = {at for one in given_ones for at in range(one.chunk.start, one.chunk.end)}
    found = {at for one in joined for at in range(one.chunk.start, one.chunk.end)}
    assert covered <= found
    assert all(DOCUMENT[at].isspace() for at in found - covered)
    for item in found_ones:
        chunk = item.passage.chunk
        assert DOCUMENT[chunk.start : chunk.end] == chunk.text
        assert list(chunk.spans) == sorted(chunk.spans)
        assert all(chunk.start <= span.start < span.end <= chunk.end for span in chunk.spans)
        own = {span: one.chunk for one in given_ones for span in one.chunk.spans}
        assert set(chunk.spans) <= set(own)
        assert list(item.span_scores) == [span.start / len(DOCUMENT) for span in chunk.spans]
    assert joined[0].fused == max(one.fused for one in joined)

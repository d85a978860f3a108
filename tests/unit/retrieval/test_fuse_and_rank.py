"""Two exact scores become one; the best passages, without repetitions, always in the same order."""

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from libs.defined_terms import keys_of
from libs.question.analyse import analyse_question
from services.retrieval.fuse import fuse_scores, min_max_normalise
from services.retrieval.model import Candidate, Chunk, FoundChunk, ResolvedSelection
from services.retrieval.rank import (
    boost_glossary,
    boost_selection,
    boost_title,
    name_related_sections,
    rank_passages,
    shared_part,
)
from tests.support.retrieval_fakes import make_candidate, make_chunk, make_passage, settings

SCORES = st.tuples(
    st.floats(-1, 1, allow_nan=False), st.floats(0, 40, allow_nan=False) | st.just(0.0)
)


def brute_force(scores: list[tuple[float, float]], alpha: float) -> list[float]:
    """Fuse by the definition, one candidate at a time."""
    fused = []
    for dense, bm25 in scores:
        parts = []
        for value, column in ((dense, [s[0] for s in scores]), (bm25, [s[1] for s in scores])):
            spread = max(column) - min(column)
            parts.append((value - min(column)) / spread if spread else float(max(column) > 0))
        fused.append(alpha * parts[0] + (1 - alpha) * parts[1])
    return fused


def test_only_candidates_that_are_ranked_or_tie_with_one_are_read() -> None:
    read: list[int] = []

    def found(place: int) -> FoundChunk:
        chunk = make_chunk("Text.", position=-place, start=place * 100, path=("Book", str(place)))

        def load() -> Chunk:
            read.append(place)
            return chunk

        return FoundChunk(chunk.terms, load)

    scores = [0.9, 0.8, 0.7, 0.3, 0.3, 0.1]
    fused = fuse_scores(
        [Candidate(found(place), score, 0.0, place) for place, score in enumerate(scores)],
        settings(fusion="dense"),
    )
    assert sorted(read) == [3, 4]
    assert [passage.candidate.dense_rank for passage in fused] == [0, 1, 2, 4, 3, 5]
    rank_passages(fused, 2)
    name_related_sections(fused)
    assert sorted(read) == [0, 1, 2, 3, 4]


@given(st.lists(SCORES, min_size=1, max_size=30), st.floats(0, 1))
def test_the_fused_score_is_the_weighted_sum_of_the_normalised_scores(
    scores: list[tuple[float, float]], alpha: float
) -> None:
    candidates = [make_candidate(*pair, position=place) for place, pair in enumerate(scores)]
    passages = fuse_scores(candidates, settings(alpha=alpha))
    expected = brute_force(scores, alpha)
    for passage in passages:
        assert passage.fused == pytest.approx(expected[passage.chunk.position], abs=1e-9)
        assert 0 <= passage.fused <= 1
    falling = [round(passage.fused, 6) for passage in passages]
    assert falling == sorted(falling, reverse=True)


@given(st.lists(SCORES, min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_the_candidates(
    scores: list[tuple[float, float]], shuffler: random.Random
) -> None:
    candidates = [make_candidate(*pair, position=place) for place, pair in enumerate(scores)]
    mixed = list(candidates)
    shuffler.shuffle(mixed)
    assert fuse_scores(mixed, settings()) == fuse_scores(candidates, settings())


def test_equal_scores_keep_the_reading_order() -> None:
    candidates = [make_candidate(0.4, 2.0, position=place) for place in (3, 1, 2)]
    random.Random(1).shuffle(candidates)
    assert [passage.chunk.position for passage in fuse_scores(candidates, settings())] == [1, 2, 3]


def test_a_chunk_that_shares_no_term_gets_nothing_from_bm25() -> None:
    first, second = fuse_scores([make_candidate(0.5, 0.0), make_candidate(0.5, 9.0)], settings())
    assert (first.fused, second.fused) == (1.0, 0.5)


def test_equal_scores_stretch_to_one_and_zeros_to_nothing() -> None:
    assert min_max_normalise([]) == []
    assert min_max_normalise([0.3]) == [1.0]
    assert min_max_normalise([0.0, 0.0]) == [0.0, 0.0]
    assert min_max_normalise([-0.2, -0.2]) == [0.0, 0.0]
    assert min_max_normalise([2.0, 2.0]) == [1.0, 1.0]


def test_only_as_many_as_asked_for_are_returned_best_first() -> None:
    passages = [make_passage(1 - place / 10, position=place) for place in range(8)]
    assert [passage.chunk.position for passage in rank_passages(passages, 3)] == [0, 1, 2]


def test_a_passage_that_mostly_repeats_a_better_one_is_left_out() -> None:
    text = "x" * 100
    better = make_passage(0.9, text=text, start=0)
    repeats = make_passage(0.8, text=text, start=40)
    touches = make_passage(0.7, text=text, start=60)
    elsewhere = make_passage(0.6, text=text, start=40, document="b.md")
    kept = rank_passages([better, repeats, touches, elsewhere], 5)
    assert kept == [better, touches, elsewhere]


def test_a_short_chunk_inside_a_long_one_is_a_repetition() -> None:
    assert shared_part(make_chunk("x" * 10, start=50), make_chunk("y" * 100, start=0)) == 1.0
    assert shared_part(make_chunk("x" * 10, start=100), make_chunk("y" * 100, start=0)) == 0.0


def test_related_sections_are_the_innermost_titles_nearest_first_without_repetition() -> None:
    paths = [("D", "A"), ("D", "A"), ("D",), ("D", "B", "C"), ("E", "F"), ("E", "G")]
    passages = [make_passage(path=path, position=place) for place, path in enumerate(paths)]
    assert name_related_sections(passages) == ["A", "C", "F"]


def test_titles_of_documents_fill_up_when_there_are_too_few_sections() -> None:
    passages = [make_passage(path=path) for path in (("D",), ("D", "A"), ("E",), ())]
    assert name_related_sections(passages) == ["A", "D", "E"]
    assert name_related_sections([]) == []


def test_titles_that_differ_in_punctuation_alone_are_one() -> None:
    titles = ("4.5. The reader's pump", "4.5 The reader’s pump", "»?«", "…", "Motors")
    passages = [make_passage(path=("D", title)) for title in titles]
    assert name_related_sections(passages) == ["4.5. The reader's pump", "»?«", "…"]


@given(st.lists(SCORES, min_size=1, max_size=20))
def test_dense_fusion_keeps_the_order_of_the_cosines(scores: list[tuple[float, float]]) -> None:
    candidates = [make_candidate(*pair, position=place) for place, pair in enumerate(scores)]
    passages = fuse_scores(candidates, settings(fusion="dense"))
    cosines = [passage.candidate.dense for passage in passages]
    spread = max(cosines) - min(cosines)
    assert all(one >= other - 1e-6 * spread for one, other in pairwise(cosines))


def test_scores_that_differ_only_by_rounding_keep_the_reading_order() -> None:
    candidates = [
        make_candidate(0.4 + place * 3e-8, 2.0, position=place) for place in (2, 0, 1)
    ] + [make_candidate(0.1, 0.0, position=3), make_candidate(0.9, 4.0, position=4)]
    places = [passage.chunk.position for passage in fuse_scores(candidates, settings())]
    assert places == [4, 0, 1, 2, 3]


def test_fixed_scales_do_not_depend_on_the_other_candidates() -> None:
    fixed = settings(alpha=0.85, normalisation="fixed")
    alone = fuse_scores([make_candidate(0.6, 10.0)], fixed)
    beside = fuse_scores([make_candidate(0.6, 10.0), make_candidate(0.2, 0.0, position=1)], fixed)
    assert alone[0].fused == beside[0].fused == pytest.approx(0.85 * 0.6 + 0.15 * 0.5)
    assert beside[1].fused == pytest.approx(0.85 * 0.2)


def test_a_negative_cosine_is_nothing_on_the_fixed_scale() -> None:
    fixed = settings(fusion="dense", normalisation="fixed")
    assert fuse_scores([make_candidate(-0.3, 0.0)], fixed)[0].fused == 0.0


def test_rank_fusion_adds_reciprocal_ranks_over_all_candidates() -> None:
    candidates = [
        make_candidate(0.9, 1.0, position=0),
        make_candidate(0.5, 9.0, position=1),
        make_candidate(0.7, 0.0, position=2),  # shares no term: in no list of BM25
    ]
    passages = fuse_scores(candidates, settings(fusion="rrf"))
    expected = {0: 1 / 61 + 1 / 62, 1: 1 / 63 + 1 / 61, 2: 1 / 62}
    for passage in passages:
        share = expected[passage.chunk.position] / (2 / 61)
        assert passage.fused == pytest.approx(share)
    assert [passage.chunk.position for passage in passages] == [0, 1, 2]


def test_first_in_both_lists_is_one_by_rank_fusion() -> None:
    first, _ = fuse_scores(
        [make_candidate(0.9, 3.0), make_candidate(0.1, 1.0, position=1)], settings(fusion="rrf")
    )
    assert first.fused == 1.0


@pytest.mark.parametrize(("boost", "order"), [(1.0, [0, 1, 2]), (1.2, [0, 2, 1]), (2.0, [2, 0, 1])])
def test_a_boost_moves_selected_passages_up_and_leaves_their_scores(
    boost: float, order: list[int]
) -> None:
    passages = [make_passage(score, position=place) for place, score in enumerate((0.9, 0.55, 0.5))]
    selection = ResolvedSelection("a.md", (2000, 2004), "Text")
    boosted = boost_selection(passages, selection, boost)
    assert [passage.chunk.position for passage in boosted] == order
    assert {passage.fused for passage in boosted} == {0.9, 0.55, 0.5}
    assert {passage.boost for passage in boosted if passage.chunk.position == 2} == {boost}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is a torque?", 1),
        ("Define torque.", 1),
        ("What does torque mean?", 1),
        ("What is backlash?", 0),
        ("How is torque measured?", 0),
        ("What is the torque that the knee of the walking robot needs on a slope?", 0),
    ],
)
def test_a_definition_question_puts_the_glossary_entry_first(question: str, first: int) -> None:
    entry: dict[str, Any] = {
        "text": "Torque\nForce times lever.",
        "path": ("Glossary of terms", "T"),
    }
    passages = [
        make_passage(0.6, position=0, text="The torque of the knee is 40 Nm.", path=("Legs",)),
        make_passage(0.5, position=1, **entry),
    ]
    ordered = boost_glossary(passages, analyse_question(question), 1.5)
    assert [passage.chunk.position for passage in ordered] == [first, 1 - first]
    assert [passage.fused for passage in ordered] == ([0.5, 0.6] if first else [0.6, 0.5])


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is repeat_gap?", 1),
        ("What does the repeat_gap option do?", 1),
        ("What does the repeat_gap mean?", 1),
        ("What does the gap option do?", 0),
        ("What does the repeat_gap of a remote do?", 0),
        ("Why is there a repeat_gap?", 0),
    ],
)
def test_an_entry_for_the_very_thing_comes_first(question: str, first: int) -> None:
    passages = [
        make_passage(0.6, position=0, text="The repeat_gap option of the remote."),
        make_passage(0.5, position=1, text="repeat_gap <length>"),
    ]
    keys = keys_of("repeat_gap <length>")
    found = passages[1].candidate.found
    assert isinstance(found, Chunk)
    chunk = structs.replace(found, terms=found.terms | keys)
    passages[1] = structs.replace(
        passages[1], candidate=structs.replace(passages[1].candidate, found=chunk)
    )
    ordered = boost_glossary(passages, analyse_question(question), 1.5)
    assert [passage.chunk.position for passage in ordered] == [first, 1 - first]


@pytest.mark.parametrize(
    ("title", "first"),
    [("Virtual packages", 0), ("3.6. Virtual packages", 0), ("Binary packages", 1)],
)
def test_an_entry_yields_to_the_section_that_is_called_by_all_that_is_asked_for(
    title: str, first: int
) -> None:
    titled = make_passage(0.6, position=0, text="It stands for others.", path=("Book", title))
    entry = make_passage(0.5, position=1, text="virtual\nNames were added.")
    found = entry.candidate.found
    assert isinstance(found, Chunk)
    chunk = structs.replace(found, terms=found.terms | keys_of("virtual"))
    entry = structs.replace(entry, candidate=structs.replace(entry.candidate, found=chunk))
    ordered = boost_glossary([titled, entry], analyse_question("What is a virtual package?"), 1.5)
    assert [passage.chunk.position for passage in ordered] == [first, 1 - first]


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("What is the sidebar?", [2, 0, 1, 3]),
        ("What does the sidebar option do?", [2, 0, 1, 3]),
        ("Where is the sidebar?", [0, 1, 2, 3]),
        ("What is the sidebar colour?", [0, 1, 2, 3]),
    ],
)
def test_how_the_section_of_the_thing_begins_comes_before_what_else_it_says(
    question: str, order: list[int]
) -> None:
    bar = "2.4. Sidebar"
    paths = ["Colours"], [bar, "Colours"], [bar, "Introduction"], ["Keys"]
    starts = {1: 900, 2: 100}
    passages = [
        make_passage(0.9 - at / 10, position=at, path=("Manual", *path), start=starts.get(at, 0))
        for at, path in enumerate(paths)
    ]
    ordered = boost_glossary(passages, analyse_question(question), 1.5)
    assert [passage.chunk.position for passage in ordered] == order


@pytest.mark.parametrize(
    ("question", "title", "leads"),
    [
        ("What holds the arm?", "What holds the arm?", True),
        ("what holds the arm", "4.1. What holds the arm?", True),
        ("What holds the arm?", "4.1. And what holds the arm?", False),
        ("What holds the arm?", "What holds", False),
        ("Arms?", "Arms", False),
    ],
)
def test_the_section_whose_title_is_the_question_comes_before_what_refers_to_it(
    question: str, title: str, *, leads: bool
) -> None:
    passages = [make_passage(0.9, position=0, path=("Book", "References"))]
    passages.append(make_passage(0.8, position=1, path=("Book", title)))
    passages.append(make_passage(0.5, position=2, path=("Book", title)))
    ordered = boost_title(passages, question, 1.5)
    assert [passage.chunk.position for passage in ordered] == ([1, 0, 2] if leads else [0, 1, 2])
    assert sorted(passage.fused for passage in ordered) == [0.5, 0.8, 0.9]


@pytest.mark.parametrize(
    ("question", "many"),
    [
        ("Compare all sensor types", True),
        ("What is the difference between ROS 1 and ROS 2?", True),
        ("List the actuators.", True),
        ("What are the stages of a gait?", True),
        ("Hydraulic vs electric?", True),
        ("How heavy is the robot?", False),
        ("Where is the battery?", False),
    ],
)
def test_questions_that_compare_or_enumerate_are_told_from_others(
    question: str, many: bool
) -> None:
    assert analyse_question(question).several_places is many


def test_other_sections_come_before_a_third_passage_of_one() -> None:
    passages = [make_passage(1.0, position=place, path=("Book", "A")) for place in range(4)]
    passages += [make_passage(0.5, position=9, path=("Book", "B"))]
    ranked = rank_passages(passages, 4, per_section=2)
    assert [passage.chunk.position for passage in ranked] == [0, 1, 9, 2]
    assert [passage.chunk.position for passage in rank_passages(passages, 4)] == [0, 1, 2, 3]


def test_passages_of_a_document_without_headings_keep_their_order() -> None:
    passages = [make_passage(1 - n / 10, position=n, path=("Transcript",)) for n in range(4)]
    passages.append(make_passage(0.1, position=9, path=("Other",), document="b.md"))
    ranked = rank_passages(passages, 4, per_section=2)
    assert [passage.chunk.position for passage in ranked] == [0, 1, 2, 3]

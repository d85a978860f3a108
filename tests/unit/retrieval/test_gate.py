"""The probability that the passages answer the question, and what it is made from."""

import pytest

from services.retrieval.gate import JUDGED, describe_result, judge_passages
from services.retrieval.model import Candidate, Passage, QuestionTerms
from tests.support.retrieval_fakes import make_chunk, open_gate, settings

TERMS = QuestionTerms({"hydraul": 2.0, "pressur": 1.0, "lidar": 1.0}, ["hydraul", "pressur"])


def found(*scores, text="Hydraulic pressure."):
    candidates = [
        Candidate(
            make_chunk(text, start=place * 100), dense, bm25, dense_rank=place + 1, bm25_rank=rank
        )
        for place, (dense, bm25, rank) in enumerate(scores)
    ]
    return candidates, [Passage(candidate, 1.0) for candidate in candidates]


def test_a_search_that_found_nothing_never_passes():
    verdict = judge_passages([], [], TERMS, open_gate(), settings(gate_threshold=0.1))
    assert (verdict.probability, verdict.passed, verdict.features) == (0.0, False, {})


def test_near_passages_pass_and_far_ones_do_not():
    near, far = found((0.8, 5.0, 1)), found((0.05, 0.0, 0))
    assert judge_passages(*near, TERMS, open_gate(), settings(gate_threshold=0.65)).passed
    assert not judge_passages(*far, TERMS, open_gate(), settings(gate_threshold=0.65)).passed


def test_the_threshold_itself_passes():
    candidates, passages = found((0.3, 1.0, 1))
    verdict = judge_passages(candidates, passages, TERMS, open_gate(), settings(gate_threshold=0.5))
    assert verdict.probability == pytest.approx(0.5)
    assert verdict.passed


def test_features_say_what_the_passages_cover():
    features = describe_result(*found((0.8, 6.0, 1), (0.5, 2.0, 0)), TERMS)
    assert features["cosine_first"] == features["cosine_best"] == 0.8
    assert features["coverage_best"] == features["coverage_unit"] == 0.75
    assert features["coverage_together"] == features["coverage_anywhere"] == 0.75
    assert features["agreement"] == pytest.approx(1 / JUDGED)
    assert features["bm25_lead"] == pytest.approx((6.0 - 8.0 / JUDGED) / 7.0)


def test_a_term_covered_by_no_passage_lowers_every_coverage():
    everywhere = QuestionTerms(TERMS.weights, list(TERMS.weights))
    with_lidar = describe_result(
        *found((0.8, 1.0, 1), text="Hydraulic lidar pressure."), everywhere
    )
    without = describe_result(*found((0.8, 1.0, 1)), TERMS)
    for name in ("coverage_unit", "coverage_best", "coverage_together", "coverage_anywhere"):
        assert without[name] < with_lidar[name]


def test_titles_count_for_the_units_below_them():
    chunk = make_chunk("It reaches 21 MPa.", path=("Hydraulic", "Pressure"))
    candidate = Candidate(chunk, 0.5, 1.0, 1, 1)
    features = describe_result([candidate], [Passage(candidate, 1.0)], TERMS)
    assert features["coverage_unit"] == 0.75


def test_passages_beyond_the_judged_ones_change_nothing_but_what_is_covered_anywhere():
    candidates, passages = found(*[(0.5, 1.0, 0)] * (JUDGED + 3))
    shorter = describe_result(candidates, passages[:JUDGED], TERMS)
    assert describe_result(candidates, passages, TERMS) == shorter


def test_a_chunk_without_units_is_described_too():
    chunk = make_chunk("Hydraulic.", units=())
    candidate = Candidate(chunk, 0.5, 0.0, 1, 0)
    features = describe_result([candidate], [Passage(candidate, 1.0)], QuestionTerms({}))
    assert features["coverage_unit"] == 0.0
    assert features["bm25_lead"] == 0.0


def raw(gate, threshold, low_score="refuse", **scores):
    candidates, passages = found(*scores.get("found", [(0.8, 5.0, 1), (0.6, 1.0, 2)]))
    changed = settings(gate=gate, gate_threshold=threshold, low_score=low_score)
    return judge_passages(candidates, passages, TERMS, open_gate(), changed)


@pytest.mark.parametrize(
    ("gate", "number"), [("max_dense", 0.8), ("mean_dense", 0.7), ("none", 1.0)]
)
def test_raw_gates_show_the_number_they_look_at(gate, number):
    assert raw(gate, 0.5).probability == pytest.approx(number)


def test_the_greatest_cosine_passes_at_its_threshold_and_not_below():
    assert raw("max_dense", 0.8).passed
    assert not raw("max_dense", 0.81).passed


def test_the_best_blend_has_to_be_above_its_threshold():
    best = raw("blend", 0.0).probability
    assert not raw("blend", best).passed
    assert raw("blend", best - 0.001).passed


def test_a_low_mean_is_answered_with_a_disclaimer_where_the_profile_says_so():
    assert not raw("mean_dense", 0.75).passed
    low = raw("mean_dense", 0.75, "disclaim")
    assert (low.passed, low.disclaim) == (True, True)
    enough = raw("mean_dense", 0.65, "disclaim")
    assert (enough.passed, enough.disclaim) == (True, False)


def test_nothing_found_is_refused_whatever_the_profile_says():
    for gate in ("none", "mean_dense"):
        changed = settings(gate=gate, low_score="disclaim")
        assert not judge_passages([], [], TERMS, open_gate(), changed).passed

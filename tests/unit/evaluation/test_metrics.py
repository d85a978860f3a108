"""Every figure against an independent computation, and planted faults against the right figure."""

import importlib
import math
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deploy.evaluation import metrics

SCORER = Path(__file__).parents[3].parent / "shared" / "tools" / "score_chunks.py"


@pytest.fixture(scope="module")
def independent() -> Any:
    """Two seconds to import: every worker imports the modules of all tests, and one runs these."""
    return importlib.import_module("sklearn.metrics")


def _random_scores(seed: int, rows: int = 200) -> tuple[list[float], list[bool]]:
    generator = np.random.default_rng(seed)
    labels = generator.random(rows) < 0.4
    scores = np.round(generator.random(rows) * 0.7 + labels * 0.3, 2)
    return scores.tolist(), labels.tolist()


def test_a_perfect_ranking_scores_one_everywhere() -> None:
    ranked, gains = ["a", "b", "c"], {"a": 1.0}
    assert metrics.ndcg_at(ranked, gains, 10) == 1.0
    assert metrics.recall_at(ranked, gains, 5) == 1.0
    assert metrics.reciprocal_rank_at(ranked, gains, 10) == 1.0


def test_one_relevant_document_at_rank_three_scores_a_half_and_a_third() -> None:
    ranked, gains = ["x", "y", "a"], {"a": 1.0}
    assert metrics.ndcg_at(ranked, gains, 10) == pytest.approx(1 / math.log2(4))
    assert metrics.reciprocal_rank_at(ranked, gains, 10) == pytest.approx(1 / 3)
    assert metrics.recall_at(ranked, gains, 2) == 0.0


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("depth", [1, 3, 10])
def test_ndcg_agrees_with_scikit_learn(independent: Any, seed: int, depth: int) -> None:
    generator = np.random.default_rng(seed)
    gains = generator.integers(0, 4, 30).astype(float)
    scores = generator.permutation(30).astype(float)
    if not gains.any():
        gains[0] = 1.0
    ranked = [str(at) for at in np.argsort(-scores)]
    found = metrics.ndcg_at(ranked, {str(at): gain for at, gain in enumerate(gains)}, depth)
    assert found == pytest.approx(independent.ndcg_score([gains], [scores], k=depth))


@pytest.mark.parametrize("seed", range(20))
def test_the_area_under_the_curve_agrees_with_scikit_learn(independent: Any, seed: int) -> None:
    scores, labels = _random_scores(seed)
    expected = independent.roc_auc_score(labels, scores)
    assert metrics.area_under_curve(scores, labels) == pytest.approx(expected)


def test_one_class_alone_has_no_area_under_the_curve() -> None:
    assert metrics.area_under_curve([0.1, 0.2], [True, True]) is None


@pytest.mark.parametrize("seed", range(4))
def test_decisions_agree_with_scikit_learn_at_every_threshold(independent: Any, seed: int) -> None:
    scores, labels = _random_scores(seed)
    decisions = metrics.every_decision(scores, labels)
    assert [item.threshold for item in decisions] == sorted(set(scores), reverse=True)
    for item in decisions:
        said = np.array(scores) >= item.threshold
        assert item.f1 == pytest.approx(independent.f1_score(labels, said))
        assert item.balanced_accuracy == pytest.approx(
            independent.balanced_accuracy_score(labels, said)
        )
        assert metrics.decide(scores, labels, item.threshold) == item


@pytest.mark.parametrize("seed", range(20))
def test_reliability_bins_agree_with_scikit_learn(independent: Any, seed: int) -> None:
    generator = np.random.default_rng(seed)
    confidences = generator.uniform(0.001, 0.999, 300)
    correct = generator.random(300) < confidences
    bins = metrics.reliability_bins(confidences.tolist(), correct.tolist())
    from sklearn.calibration import calibration_curve

    accuracy, said = calibration_curve(correct, confidences, n_bins=10)
    assert [item.accuracy for item in bins] == pytest.approx(accuracy)
    assert [item.confidence for item in bins] == pytest.approx(said)
    assert metrics.brier_score(confidences.tolist(), correct.tolist()) == pytest.approx(
        independent.brier_score_loss(correct, confidences)
    )


def test_answers_that_say_ninety_and_are_right_ninety_times_have_no_calibration_error() -> None:
    bins = metrics.reliability_bins([0.9] * 100, [True] * 90 + [False] * 10)
    assert metrics.calibration_error(bins) == pytest.approx(0.0)


def test_overconfidence_of_forty_points_is_a_calibration_error_of_forty_points() -> None:
    bins = metrics.reliability_bins([0.9] * 100, [True] * 50 + [False] * 50)
    assert metrics.calibration_error(bins) == pytest.approx(0.4)


def test_certainty_falls_into_the_last_bin() -> None:
    [found] = metrics.reliability_bins([1.0, 1.0], [True, False])
    assert (found.low, found.high, found.count) == (0.9, 1.0, 2)


def test_no_answers_have_no_calibration_error() -> None:
    assert metrics.calibration_error([]) is None


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=12))
def test_merged_ranges_hold_the_same_characters_once(pieces: list[tuple[int, int]]) -> None:
    ranges = [(start, start + size) for start, size in pieces]
    merged = metrics.merge(ranges)
    held = {at for start, end in ranges for at in range(start, end)}
    assert {at for start, end in merged for at in range(start, end)} == held
    assert metrics.length(merged) == len(held)


def test_a_chunk_that_is_the_excerpt_scores_one() -> None:
    found = metrics.chunk_figures([(10, 20)], [(10, 20)], 10, [(0, 9), (10, 20), (21, 30)])
    assert found == metrics.ChunkFigures(1.0, 1.0, 1.0, 1.0)


def test_a_chunk_of_another_place_scores_nothing_but_costs_precision() -> None:
    chunks = [(0, 9), (10, 20), (21, 30)]
    found = metrics.chunk_figures([(10, 20)], [(10, 20), (21, 30)], 19, chunks)
    assert found.recall == 1.0
    assert found.precision == pytest.approx(10 / 19)
    assert found.iou == pytest.approx(10 / 19)


def test_half_of_the_excerpt_is_half_of_the_recall() -> None:
    found = metrics.chunk_figures([(10, 20)], [(15, 40)], 25, [(0, 15), (15, 40)])
    assert found.recall == 0.5
    assert found.iou == pytest.approx(5 / 30)


@pytest.mark.skipif(not SCORER.exists(), reason="needs the reference scorer")
@pytest.mark.parametrize("seed", range(30))
def test_chunk_figures_agree_with_the_reference_scorer(seed: int) -> None:
    spec = spec_from_file_location("score_chunks", SCORER)
    assert spec is not None
    assert spec.loader is not None
    reference = module_from_spec(spec)
    spec.loader.exec_module(reference)
    generator = np.random.default_rng(seed)
    chunks = [
        (corpus, int(start), int(start + generator.integers(5, 40)))
        for corpus in ("one", "two")
        for start in generator.integers(0, 300, 15)
    ]
    starts = sorted(int(at) for at in generator.choice(range(0, 300, 40), 2, replace=False))
    references = [(start, start + int(generator.integers(5, 35))) for start in starts]
    ids = [int(at) for at in generator.choice(len(chunks), 5, replace=False)]
    question = {
        "corpus_id": "one",
        "references": [{"start_index": low, "end_index": high} for low, high in references],
    }
    expected = reference.score(chunks, [ids], [question])
    found = metrics.chunk_figures(
        references,
        [chunks[at][1:] for at in ids if chunks[at][0] == "one"],
        sum(chunks[at][2] - chunks[at][1] for at in ids),
        [chunk[1:] for chunk in chunks if chunk[0] == "one"],
    )
    assert found.recall == pytest.approx(expected["recall"])
    assert found.precision == pytest.approx(expected["precision"])
    assert found.iou == pytest.approx(expected["iou"])
    assert found.precision_omega == pytest.approx(expected["precision_omega"])


def test_percentiles_are_numpys() -> None:
    assert metrics.percentile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5
    assert metrics.percentile([], 0.5) is None

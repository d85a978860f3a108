"""Coefficients: learnt, measured on rows they have not seen, kept in a file, tied to a model."""

import json

import numpy as np
import pytest

from libs.calibration import SHIPPED, Calibration, load_calibration
from libs.calibration.fit import (
    LabelledRow,
    area_under_curve,
    calibration_error,
    cross_validate,
    fit_calibration,
)
from libs.embedding.local import LocalEmbedder
from libs.errors import WrongIndex
from libs.settings import SettingsError
from libs.vectors.schema import collection_name
from services.retrieval.gate import describe_result
from services.retrieval.model import Candidate, Passage, QuestionTerms
from tests.support.retrieval_fakes import make_chunk

SIMPLE = Calibration("stamp", ("a", "b"), (1.0, 0.0), (2.0, 1.0), (4.0, -1.0), 0.5)


def sample(size=400, seed=0):
    """Rows whose label follows `signal` with some noise; `noise` says nothing."""
    random = np.random.default_rng(seed)
    signal, noise = random.normal(size=size), random.normal(size=size)
    chance = 1 / (1 + np.exp(-2 * signal))
    return [
        LabelledRow({"signal": float(s), "noise": float(n)}, bool(random.random() < c), str(i))
        for i, (s, n, c) in enumerate(zip(signal, noise, chance, strict=True))
    ]


def test_the_probability_is_the_logistic_of_the_standardised_sum():
    expected = 1 / (1 + np.exp(-(0.5 + 4.0 * (2.0 - 1.0) / 2.0 - 3.0)))
    assert SIMPLE.probability({"a": 2.0, "b": 3.0, "unused": 9.0}) == pytest.approx(expected)


def test_extreme_features_stay_probabilities():
    assert SIMPLE.probability({"a": 1e9, "b": 0.0}) == 1.0
    assert SIMPLE.probability({"a": -1e9, "b": 0.0}) == pytest.approx(0.0)


def test_another_stamp_is_refused():
    SIMPLE.require_stamp("stamp")
    with pytest.raises(WrongIndex, match="calibrate first"):
        SIMPLE.require_stamp("other")


def test_a_calibration_survives_its_file(tmp_path):
    SIMPLE.save(tmp_path / "file.json")
    assert load_calibration(tmp_path / "file.json") == SIMPLE


@pytest.mark.parametrize(
    "change",
    [{"means": [1.0]}, {"deviations": [0.0, 1.0]}, {"coefficients": "much"}, {"stamp": None}],
)
def test_a_file_that_breaks_the_form_is_named(tmp_path, change):
    path = tmp_path / "file.json"
    SIMPLE.save(path)
    table = {**json.loads(path.read_text()), **change}
    path.write_text(json.dumps({key: value for key, value in table.items() if value is not None}))
    with pytest.raises(SettingsError, match=r"file\.json"):
        load_calibration(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SettingsError, match=r"none\.json"):
        load_calibration(tmp_path / "none.json")


def test_the_shipped_coefficients_are_for_the_packaged_model_and_the_gate_gives_their_features():
    shipped = load_calibration(SHIPPED)
    shipped.require_stamp(collection_name(LocalEmbedder.stamp))
    candidate = Candidate(make_chunk("Text."), 0.5, 1.0, 1, 1)
    features = describe_result([candidate], [Passage(candidate, 1.0)], QuestionTerms({"text": 1.0}))
    assert 0 < shipped.probability(features) < 1
    assert shipped.measured["auc"] > 0.9


def test_better_evidence_never_lowers_the_shipped_probability():
    assert all(coefficient > 0 for coefficient in load_calibration(SHIPPED).coefficients)


def test_the_fit_finds_the_signal():
    learnt = fit_calibration(sample(), ["signal", "noise"], "stamp")
    signal, noise = learnt.coefficients
    assert signal > 1
    assert abs(noise) < 0.3


def test_the_fit_is_where_the_penalised_likelihood_is_flat():
    rows = sample(200)
    learnt = fit_calibration(rows, ["signal", "noise"], "stamp", penalty=2.0)
    values = np.array([[row.features["signal"], row.features["noise"]] for row in rows])
    scaled = (values - np.array(learnt.means)) / np.array(learnt.deviations)
    labels = np.array([row.answerable for row in rows], float)
    weights = np.where(labels == 1, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    chances = np.array([learnt.probability(row.features) for row in rows])
    gradient = scaled.T @ (weights * (labels - chances)) - 2.0 * np.array(learnt.coefficients)
    assert gradient == pytest.approx([0, 0], abs=1e-6)


def test_rows_that_can_be_told_apart_perfectly_still_give_finite_coefficients():
    rows = [LabelledRow({"x": float(i)}, i >= 10, str(i)) for i in range(20)]
    (coefficient,) = fit_calibration(rows, ["x"], "stamp").coefficients
    assert 0 < coefficient < 100


def test_a_constant_feature_does_no_harm():
    rows = [LabelledRow({"x": float(i % 7), "one": 1.0}, i % 7 > 3, str(i)) for i in range(70)]
    assert fit_calibration(rows, ["x", "one"], "stamp").coefficients[1] == pytest.approx(0.0)


def test_cross_validation_tests_on_groups_it_has_not_learnt_from():
    # The group gives the label away; a row tested together with its own group would be certain.
    rows = [
        LabelledRow({"noise": float(i % 5)}, bool(i // 2 % 2), group=str(i // 2)) for i in range(80)
    ]
    chances = cross_validate(rows, ["noise"], folds=8)
    assert len(chances) == len(rows)
    assert area_under_curve(chances, [row.answerable for row in rows]) < 0.6


def test_cross_validation_ranks_unseen_rows_by_the_signal():
    rows = sample()
    chances = cross_validate(rows, ["signal", "noise"])
    labels = [row.answerable for row in rows]
    assert area_under_curve(chances, labels) > 0.8
    assert calibration_error(chances, labels) < 0.1


def test_area_under_the_curve_counts_pairs():
    assert area_under_curve([0.9, 0.8, 0.1], [True, True, False]) == 1.0
    assert area_under_curve([0.5, 0.5], [True, False]) == 0.5
    assert area_under_curve([0.1, 0.9], [True, False]) == 0.0


def test_calibration_error_is_the_mean_gap():
    assert calibration_error([1.0, 1.0, 0.0, 0.0], [True, True, False, False]) == 0.0
    assert calibration_error([0.95, 0.95], [True, False]) == pytest.approx(0.45)

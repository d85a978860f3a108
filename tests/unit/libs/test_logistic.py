"""Coefficients: fitted, measured on rows they have not seen, kept in a file, tied to a model."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deploy.evaluation import metrics
from deploy.evaluation.datasets import DataError
from deploy.evaluation.training.logistic import (
    LabelledRow,
    cross_validate,
    fit_model,
)
from libs.embedding.local import LocalEmbedder
from libs.errors import WrongIndex
from libs.ml import Band, LogisticModel, load_model, tell
from libs.settings import SettingsError
from libs.vectors.schema import collection_name
from services.retrieval.answerability import describe_result
from services.retrieval.model import Candidate, Passage
from services.retrieval.question_terms import QuestionTerms
from services.retrieval.settings import SHIPPED_MODEL
from tests.support.retrieval_fakes import make_chunk

SIMPLE = LogisticModel("stamp", ("a", "b"), (1.0, 0.0), (2.0, 1.0), (4.0, -1.0), 0.5)


def sample(size: int = 400, seed: int = 0) -> list[LabelledRow]:
    """Rows whose label follows `signal` with some noise; `noise` says nothing."""
    random = np.random.default_rng(seed)
    signal, noise = random.normal(size=size), random.normal(size=size)
    probability = 1 / (1 + np.exp(-2 * signal))
    return [
        LabelledRow({"signal": float(s), "noise": float(n)}, bool(random.random() < c), str(i))
        for i, (s, n, c) in enumerate(zip(signal, noise, probability, strict=True))
    ]


def test_the_probability_is_the_logistic_of_the_standardised_sum() -> None:
    expected = 1 / (1 + np.exp(-(0.5 + 4.0 * (2.0 - 1.0) / 2.0 - 3.0)))
    assert SIMPLE.probability({"a": 2.0, "b": 3.0, "unused": 9.0}) == pytest.approx(expected)


def test_extreme_features_stay_probabilities() -> None:
    assert SIMPLE.probability({"a": 1e9, "b": 0.0}) == 1.0
    assert SIMPLE.probability({"a": -1e9, "b": 0.0}) == pytest.approx(0.0)


def test_another_stamp_is_refused() -> None:
    SIMPLE.require_stamp("stamp")
    with pytest.raises(WrongIndex, match="calibrate first"):
        SIMPLE.require_stamp("other")


def test_a_calibration_survives_its_file(tmp_path: Path) -> None:
    SIMPLE.save(tmp_path / "file.json")
    assert load_model(tmp_path / "file.json") == SIMPLE


@pytest.mark.parametrize(
    "change",
    [{"means": [1.0]}, {"scales": [0.0, 1.0]}, {"coefficients": "much"}, {"stamp": None}],
)
def test_a_file_that_breaks_the_form_is_named(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "file.json"
    SIMPLE.save(path)
    table = {**json.loads(path.read_text()), **change}
    path.write_text(json.dumps({key: value for key, value in table.items() if value is not None}))
    with pytest.raises(SettingsError, match=r"file\.json"):
        load_model(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.json"):
        load_model(tmp_path / "none.json")


def test_the_shipped_coefficients_are_for_the_packaged_model_and_the_gate_gives_their_features() -> (
    None
):
    shipped = load_model(SHIPPED_MODEL)
    shipped.require_stamp(collection_name(LocalEmbedder.stamp))
    candidate = Candidate(make_chunk("Text."), 0.5, 1.0, 1, 1)
    features = describe_result([candidate], [Passage(candidate, 1.0)], QuestionTerms({"text": 1.0}))
    assert 0 < shipped.probability(features) < 1
    assert shipped.measured["auc"] > 0.9


def test_better_evidence_never_lowers_the_shipped_probability() -> None:
    assert all(coefficient > 0 for coefficient in load_model(SHIPPED_MODEL).coefficients)


def test_the_fit_finds_the_signal() -> None:
    fitted = fit_model(sample(), ["signal", "noise"], "stamp")
    signal, noise = fitted.coefficients
    assert signal > 1
    assert abs(noise) < 0.3


def test_the_fit_is_where_the_penalised_likelihood_is_flat() -> None:
    rows = sample(200)
    fitted = fit_model(rows, ["signal", "noise"], "stamp", penalty=2.0)
    values = np.array([[row.features["signal"], row.features["noise"]] for row in rows])
    scaled = (values - np.array(fitted.means)) / np.array(fitted.scales)
    labels = np.array([row.label for row in rows], float)
    weights = np.where(labels == 1, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    probabilities = np.array([fitted.probability(row.features) for row in rows])
    gradient = scaled.T @ (weights * (labels - probabilities)) - 2.0 * np.array(fitted.coefficients)
    assert gradient == pytest.approx([0, 0], abs=1e-6)


def test_rows_that_can_be_told_apart_perfectly_still_give_finite_coefficients() -> None:
    rows = [LabelledRow({"x": float(i)}, i >= 10, str(i)) for i in range(20)]
    (coefficient,) = fit_model(rows, ["x"], "stamp").coefficients
    assert 0 < coefficient < 100


def test_a_constant_feature_does_no_harm() -> None:
    rows = [LabelledRow({"x": float(i % 7), "one": 1.0}, i % 7 > 3, str(i)) for i in range(70)]
    assert fit_model(rows, ["x", "one"], "stamp").coefficients[1] == pytest.approx(0.0)


def test_cross_validation_tests_on_groups_it_was_not_fitted_to() -> None:
    # The group gives the label away; a row tested together with its own group would be certain.
    rows = [
        LabelledRow({"noise": float(i % 5)}, bool(i // 2 % 2), group=str(i // 2)) for i in range(80)
    ]
    probabilities = cross_validate(rows, ["noise"], folds=8)
    assert len(probabilities) == len(rows)
    area = metrics.area_under_curve(probabilities, [row.label for row in rows])
    assert area is not None
    assert area < 0.6


def test_cross_validation_ranks_unseen_rows_by_the_signal() -> None:
    rows = sample()
    probabilities = cross_validate(rows, ["signal", "noise"])
    labels = [row.label for row in rows]
    area = metrics.area_under_curve(probabilities, labels)
    assert area is not None
    assert area > 0.8
    bins = metrics.reliability_bins(probabilities, labels)
    assert (metrics.calibration_error(bins) or 0.0) < 0.1


@pytest.mark.parametrize(("penalty", "balanced"), [(0.5, True), (2.0, True), (60.0, False)])
def test_the_fit_agrees_with_newtons_method_on_our_weights_and_penalty(
    penalty: float, balanced: bool
) -> None:
    random = np.random.default_rng(7)
    rows = [replace(row, weight=float(random.uniform(0.2, 5.0))) for row in sample(300, seed=3)]
    fitted = fit_model(rows, ["signal", "noise"], "stamp", penalty, balanced=balanced)
    expected = newton(rows, ["signal", "noise"], penalty, balanced=balanced)
    assert [fitted.intercept, *fitted.coefficients] == pytest.approx(expected, abs=1e-4)


def newton(
    rows: list[LabelledRow], names: list[str], penalty: float, *, balanced: bool
) -> list[float]:
    """How the shipped coefficients were fitted before scikit-learn did it."""
    values = np.array([[row.features[name] for name in names] for row in rows])
    labels = np.array([row.label for row in rows], float)
    weights = np.array([row.weight for row in rows])
    if balanced:
        rate = weights @ labels / weights.sum()
        weights = weights * np.where(labels == 1, 0.5 / rate, 0.5 / (1 - rate))
    scaled = (values - values.mean(axis=0)) / values.std(axis=0)
    design = np.hstack([np.ones((len(rows), 1)), scaled])
    ridge = penalty * np.diag([0.0, *(1.0 for _ in names)])
    found = np.zeros(design.shape[1])
    for _ in range(50):
        odds = 1 / (1 + np.exp(-design @ found))
        gradient = design.T @ (weights * (labels - odds)) - ridge @ found
        hessian = (design * (weights * odds * (1 - odds))[:, None]).T @ design + ridge
        found = found + np.linalg.solve(hessian, gradient)
    return found.tolist()


def test_rows_of_one_label_cannot_be_fitted() -> None:
    with pytest.raises(DataError, match="both labels"):
        fit_model([LabelledRow({"x": 1.0}, True, "a")] * 3, ["x"], "stamp")


def test_a_file_of_the_last_version_says_deviations(tmp_path: Path) -> None:
    SIMPLE.save(tmp_path / "file.json")
    text = (tmp_path / "file.json").read_text().replace('"scales"', '"deviations"')
    (tmp_path / "file.json").write_text(text)
    assert load_model(tmp_path / "file.json") == SIMPLE


def test_a_renamed_feature_is_read_from_a_file_of_the_last_version(tmp_path: Path) -> None:
    replace(SIMPLE, features=("bm25_lead", SIMPLE.features[1])).save(tmp_path / "file.json")
    assert load_model(tmp_path / "file.json").features == ("bm25_margin", SIMPLE.features[1])


def test_coefficients_of_another_version_are_refused_by_name() -> None:
    SIMPLE.require_features({*SIMPLE.features, "another"})
    with pytest.raises(SettingsError, match=f"to {SIMPLE.features[0]}.*fit it again"):
        SIMPLE.require_features(set(SIMPLE.features[1:]))


BANDS = (Band(0.0, 0.1, 0.0, 0.69), Band(0.6, 0.05, 0.7, 0.85), Band(0.9, 0.0, 0.86, 1.0))


@pytest.mark.parametrize(
    ("probability", "told"),
    [(0.2, 0.3), (0.59, 0.69), (0.6, 0.7), (0.75, 0.8), (0.89, 0.85), (0.9, 0.9), (1.0, 1.0)],
)
def test_a_probability_is_told_by_its_band(probability: float, told: float) -> None:
    assert tell(probability, BANDS) == pytest.approx(told)
    assert tell(probability, ()) == probability


def test_calibrated_confidence_rises_with_the_probability() -> None:
    told = [tell(step / 1000, BANDS) for step in range(1001)]
    assert told == sorted(told)


def test_bands_are_kept_in_the_file_of_a_model(tmp_path: Path) -> None:
    model = LogisticModel("", ("x",), (0.0,), (1.0,), (1.0,), 0.0, bands=BANDS)
    model.save(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json") == model
    assert model.probability({"x": 2.0}) == 0.85

"""Labelled features in, coefficients and their quality on unseen rows out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from libs.calibration.calibration import Calibration

Floats = npt.NDArray[np.float64]

_STEPS = 100
_CONVERGED = 1e-9


@dataclass(frozen=True)
class LabelledRow:
    """One question. Rows of one `group` are never both learnt from and tested on.

    `weight` is what it counts among the rows of its label, or among all.
    """

    features: dict[str, float]
    answerable: bool
    group: str
    weight: float = 1.0


def fit_calibration(
    rows: Sequence[LabelledRow],
    names: Sequence[str],
    stamp: str,
    penalty: float = 1.0,
    *,
    balanced: bool = True,
) -> Calibration:
    """Learn from `rows` by Newton's method.

    Both labels count the same in total when `balanced`; otherwise the probability is that of the rows.
    `penalty` is the L2 weight on the coefficients, not on the intercept.
    """
    values = np.array([[row.features[name] for name in names] for row in rows], float)
    labels = np.array([row.answerable for row in rows], float)
    means, deviations = values.mean(axis=0), values.std(axis=0)
    deviations[deviations == 0] = 1.0
    weights = np.array([row.weight for row in rows])
    if balanced:
        rate = float(weights @ labels / weights.sum())
        weights = weights * np.where(labels == 1, 0.5 / rate, 0.5 / (1 - rate))
    learnt = _fit((values - means) / deviations, labels, weights, penalty)
    return Calibration(
        stamp=stamp,
        features=tuple(names),
        means=tuple(means.tolist()),
        deviations=tuple(deviations.tolist()),
        coefficients=tuple(learnt[1:].tolist()),
        intercept=float(learnt[0]),
    )


def _fit(values: Floats, labels: Floats, weights: Floats, penalty: float) -> Floats:
    design = np.hstack([np.ones((len(values), 1)), values])
    ridge = penalty * np.eye(design.shape[1])
    ridge[0, 0] = 1e-6  # keeps the step finite when one label alone would push it to infinity
    learnt = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(design @ learnt, -500, 500)))
        gradient = design.T @ (weights * (labels - chances)) - ridge @ learnt
        curvature = (design * (weights * chances * (1 - chances))[:, None]).T @ design + ridge
        step = np.linalg.solve(curvature, gradient)
        learnt = learnt + step
        if float(np.abs(step).max()) < _CONVERGED:
            break
    return np.asarray(learnt, float)


def cross_validate(
    rows: Sequence[LabelledRow],
    names: Sequence[str],
    folds: int = 10,
    penalty: float = 1.0,
    seed: int = 0,
    *,
    balanced: bool = True,
) -> list[float]:
    """Return each row's probability as given by coefficients learnt without its group."""
    groups = sorted({row.group for row in rows})
    order = np.random.default_rng(seed).permutation(len(groups))
    fold_of = {groups[index]: place % folds for place, index in enumerate(order)}
    chances = [0.0] * len(rows)
    for fold in range(folds):
        known = [row for row in rows if fold_of[row.group] != fold]
        if len(known) == len(rows):
            continue
        calibration = fit_calibration(known, names, "", penalty, balanced=balanced)
        for index, row in enumerate(rows):
            if fold_of[row.group] == fold:
                chances[index] = calibration.probability(row.features)
    return chances


def area_under_curve(chances: Sequence[float], labels: Sequence[bool]) -> float:
    """Return the probability that an answerable row gets the higher chance; ties count half."""
    good = np.array([chance for chance, label in zip(chances, labels, strict=True) if label])
    bad = np.array([chance for chance, label in zip(chances, labels, strict=True) if not label])
    above = (good[:, None] > bad[None, :]).mean()
    equal = (good[:, None] == bad[None, :]).mean()
    return float(above + equal / 2)


def calibration_error(chances: Sequence[float], labels: Sequence[bool], bins: int = 10) -> float:
    """Return the mean gap between chance and truth over bins of equal width, by their size."""
    gap = 0.0
    places = np.minimum((np.array(chances) * bins).astype(int), bins - 1)
    for place in range(bins):
        inside = places == place
        if inside.any():
            truth = np.array(labels, float)[inside].mean()
            gap += inside.mean() * abs(truth - np.array(chances)[inside].mean())
    return float(gap)

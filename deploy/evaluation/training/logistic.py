"""Fit a logistic model to labelled rows, and validate it on rows that it was not fitted to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from deploy.evaluation.datasets import DataError
from deploy.evaluation.extras import load_extra
from libs.ml.logistic import LogisticModel

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LabelledRow:
    """The features of one case and what it turned out to be.

    Rows of one `group` are never both fitted to and tested on. `weight` is what the row counts among
    the rows of its label, or among all.
    """

    features: dict[str, float]
    label: bool
    group: str
    weight: float = 1.0


def fit_model(
    rows: Sequence[LabelledRow],
    names: Sequence[str],
    stamp: str,
    penalty: float = 1.0,
    *,
    balanced: bool = True,
) -> LogisticModel:
    """Fit the features called `names`, brought to mean 0 and deviation 1.

    Both labels count the same in total when `balanced`; otherwise the probability is that of the rows.
    `penalty` is the L2 weight on the coefficients, not on the intercept: a half of it times their
    squares is added to the loss. Raises DataError for rows of one label.
    """
    labels = np.array([row.label for row in rows])
    if len(set(labels.tolist())) < 2:
        raise DataError("A logistic model needs rows of both labels.")
    means, scales, values = standardise([row.features for row in rows], names)
    weights = np.array([row.weight for row in rows])
    if balanced:
        rate = float(weights @ labels / weights.sum())
        weights = weights * np.where(labels, 0.5 / rate, 0.5 / (1 - rate))
    linear_model: Any = load_extra("sklearn.linear_model")
    fitted = linear_model.LogisticRegression(
        C=1 / penalty, solver="newton-cholesky", tol=1e-9, max_iter=200
    ).fit(values, labels, sample_weight=weights)
    return LogisticModel(
        stamp=stamp,
        features=tuple(names),
        means=tuple(means.tolist()),
        scales=tuple(scales.tolist()),
        coefficients=tuple(fitted.coef_[0].tolist()),
        intercept=float(fitted.intercept_[0]),
    )


def standardise(rows: Sequence[Any], names: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """Return means, scales and the standardised values; a constant feature keeps the scale 1."""
    values = np.array([[row[name] for name in names] for row in rows], float)
    means, scales = values.mean(axis=0), values.std(axis=0)
    scales[scales == 0] = 1.0
    return means, scales, (values - means) / scales


def minimise_bounded(loss: Callable[[Floats], tuple[float, Floats]], start: Floats) -> Floats:
    """Return where `loss`, told with its gradient, is least; all but the last stay at 0 or above."""
    optimize: Any = load_extra("scipy.optimize")
    found = optimize.minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * (len(start) - 1) + [(None, None)],
        options={"ftol": 1e-14, "gtol": 1e-9, "maxiter": 2000},
    )
    return np.asarray(found.x, float)


def cross_validate(
    rows: Sequence[LabelledRow],
    names: Sequence[str],
    folds: int = 10,
    penalty: float = 1.0,
    seed: int = 0,
    *,
    balanced: bool = True,
) -> list[float]:
    """Return each row's probability by a model that was fitted without its group."""
    groups = sorted({row.group for row in rows})
    order = np.random.default_rng(seed).permutation(len(groups))
    fold_of = {groups[index]: place % folds for place, index in enumerate(order)}
    probabilities = [0.0] * len(rows)
    for fold in range(folds):
        known = [row for row in rows if fold_of[row.group] != fold]
        if len(known) == len(rows):
            continue
        model = fit_model(known, names, "", penalty, balanced=balanced)
        for index, row in enumerate(rows):
            if fold_of[row.group] == fold:
                probabilities[index] = model.probability(row.features)
    return probabilities

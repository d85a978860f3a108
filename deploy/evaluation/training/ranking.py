"""Fit coefficients that put the right choices of each question first.

scikit-learn has no softmax over the choices of a question, so the loss is ours (a conditional logit
whose right choices share their probability) and SciPy minimises it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from deploy.evaluation.extras import load_extra
from deploy.evaluation.training.logistic import Floats, standardise
from libs.ml.logistic import LogisticModel

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Choices:
    """What one question can be answered with. `weight` is what the question counts."""

    features: Sequence[Mapping[str, float]]
    right: Sequence[bool]
    weight: float = 1.0


def fit_ranking(
    questions: Sequence[Choices], names: Sequence[str], penalty: float
) -> LogisticModel:
    """Fit so that the right choices of each question get most of its probability.

    A softmax over each question's choices; questions without a right choice teach nothing. The
    intercept, which changes no order, makes the mean probability the share of right choices.
    `penalty` is the L2 weight on the coefficients.
    """
    held = [item for item in questions if any(item.right)]
    rows = [row for item in held for row in item.features]
    right = np.array([label for item in held for label in item.right], float)
    starts = np.cumsum([0, *(len(item.right) for item in held[:-1])])
    owner = np.repeat(np.arange(len(held)), [len(item.right) for item in held])
    weights = np.array([item.weight for item in held])
    means, scales, values = standardise(rows, names)

    def loss(coefficients: Floats) -> tuple[float, Floats]:
        probabilities = _softmax(values @ coefficients, starts, owner)
        found = np.maximum(np.add.reduceat(probabilities * right, starts), 1e-300)
        wanted = probabilities * right / found[owner]
        slope = values.T @ ((wanted - probabilities) * weights[owner])
        size = -weights @ np.log(found) + penalty / 2 * coefficients @ coefficients
        return float(size), np.asarray(penalty * coefficients - slope, float)

    optimize: Any = load_extra("scipy.optimize")
    tolerances = {"ftol": 1e-14, "gtol": 1e-8, "maxiter": 2000}
    fitted = optimize.minimize(
        loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options=tolerances
    ).x
    return LogisticModel(
        stamp="",
        features=tuple(names),
        means=tuple(means.tolist()),
        scales=tuple(scales.tolist()),
        coefficients=tuple(fitted.tolist()),
        intercept=round(_intercept(values @ fitted, float(right.mean())), 6),
    )


def _softmax(logits: Floats, starts: Places, owner: Places) -> Floats:
    raised = np.exp(logits - np.maximum.reduceat(logits, starts)[owner])
    return np.asarray(raised / np.add.reduceat(raised, starts)[owner], float)


def _intercept(logits: Floats, rate: float) -> float:
    def excess(shift: float) -> float:
        return float((1 / (1 + np.exp(-(logits + shift)))).mean()) - rate

    # Where every choice is right no intercept is high enough.
    return (
        50.0 if excess(50.0) <= 0 else float(load_extra("scipy.optimize").brentq(excess, -50, 50))
    )

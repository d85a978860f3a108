"""Questions with choices, some of them right, in; coefficients that put the right ones first out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from libs.calibration.calibration import Calibration

Floats = npt.NDArray[np.float64]

_STEPS = 400
_MOMENTUM = 0.9
_RATE = 0.3


@dataclass(frozen=True)
class Choices:
    """What one question can be answered with. `weight` is what the question counts."""

    features: Sequence[Mapping[str, float]]
    right: Sequence[bool]
    weight: float = 1.0


def fit_ranking(questions: Sequence[Choices], names: Sequence[str], penalty: float) -> Calibration:
    """Learn to give the right choices of each question most of its probability.

    A softmax over each question's choices; questions without a right choice teach nothing. The
    intercept, which changes no order, makes the mean probability the share of right choices.
    `penalty` is the L2 weight on the coefficients.
    """
    held = [item for item in questions if any(item.right)]
    values = np.array([[row[name] for name in names] for item in held for row in item.features])
    right = np.array([label for item in held for label in item.right], float)
    starts = np.cumsum([0, *(len(item.right) for item in held[:-1])])
    owner = np.repeat(np.arange(len(held)), [len(item.right) for item in held])
    weights = np.array([item.weight for item in held])
    means, deviations = values.mean(axis=0), values.std(axis=0)
    deviations[deviations == 0] = 1.0
    scaled = (values - means) / deviations
    learnt = np.zeros(len(names))
    speed = np.zeros(len(names))
    for _ in range(_STEPS):
        ahead = learnt + _MOMENTUM * speed
        chances = _softmax(scaled @ ahead, starts, owner)
        wanted = _share(chances * right, starts, owner)
        gradient = scaled.T @ ((wanted - chances) * weights[owner]) - penalty * ahead
        speed = _MOMENTUM * speed + _RATE / weights.sum() * gradient
        learnt = learnt + speed
    return Calibration(
        stamp="",
        features=tuple(names),
        means=tuple(means.tolist()),
        deviations=tuple(deviations.tolist()),
        coefficients=tuple(learnt.tolist()),
        intercept=_intercept(scaled @ learnt, float(right.mean())),
    )


def _softmax(logits: Floats, starts: npt.NDArray[np.int64], owner: npt.NDArray[np.int64]) -> Floats:
    return _share(np.exp(logits - np.maximum.reduceat(logits, starts)[owner]), starts, owner)


def _share(amounts: Floats, starts: npt.NDArray[np.int64], owner: npt.NDArray[np.int64]) -> Floats:
    return np.asarray(amounts / np.maximum(np.add.reduceat(amounts, starts), 1e-300)[owner], float)


def _intercept(logits: Floats, rate: float) -> float:
    low, high = -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        if float((1 / (1 + np.exp(-(logits + middle)))).mean()) < rate:
            low = middle
        else:
            high = middle
    return round((low + high) / 2, 6)

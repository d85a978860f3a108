"""The model of paraphrases is fitted with the signs that its features mean."""

import numpy as np
import pytest

from deploy.evaluation.training import alignment
from deploy.evaluation.training.alignment import Flags, Floats
from services.generation.checks.alignment import FEATURES

FOR = FEATURES.index("known")


@pytest.fixture(scope="module")
def rows() -> tuple[Floats, Flags]:
    """Statements that are true the more of their words are known."""
    chance = np.random.default_rng(3)
    values = chance.random((400, len(FEATURES)))
    return values, values[:, FOR] + 0.2 * chance.random(400) > 0.6


def test_the_feature_that_separates_true_from_false_weighs_most(rows: tuple[Floats, Flags]) -> None:
    model = alignment.fit(*rows)
    assert max(range(len(FEATURES)), key=lambda at: abs(model.coefficients[at])) == FOR
    probabilities = alignment.probabilities_of(model, rows[0])
    assert probabilities[rows[1]].mean() > probabilities[~rows[1]].mean() + 0.3


def test_a_feature_never_counts_against_what_it_means(rows: tuple[Floats, Flags]) -> None:
    values, labels = rows
    model = alignment.fit(values, ~labels)
    assert model.coefficients[FOR] == 0

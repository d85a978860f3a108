"""How far figures can be trusted."""

import importlib
from typing import Any

import numpy as np
import pytest

from deploy.evaluation.report.intervals import (
    binomial_interval,
    compare_paired,
    mean_interval,
    rows_for,
)


@pytest.fixture(scope="module")
def stats() -> Any:
    """A second to import: every worker imports the modules of all tests, and one runs these."""
    return importlib.import_module("scipy.stats")


@pytest.mark.parametrize(("hits", "total"), [(0, 10), (3, 10), (10, 10), (92, 135), (1, 1)])
def test_binomial_intervals_are_wilsons(stats: Any, hits: int, total: int) -> None:
    expected = stats.binomtest(hits, total).proportion_ci(method="wilson")
    found = binomial_interval(hits, total)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_without_cases_any_rate_is_possible() -> None:
    found = binomial_interval(0, 0)
    assert (found.low, found.high) == (0.0, 1.0)


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5])
@pytest.mark.parametrize("half_width", [0.02, 0.05])
def test_rows_for_gives_the_fewest_rows_for_an_interval(rate: float, half_width: float) -> None:
    rows = rows_for(rate, half_width)
    enough, short = (
        binomial_interval(round(rate * count), count) for count in (rows, int(rows * 0.9))
    )
    assert (enough.high - enough.low) / 2 <= half_width
    assert (short.high - short.low) / 2 > half_width


def test_the_same_run_twice_differs_by_nothing() -> None:
    values = np.random.default_rng(1).random(100)
    found = compare_paired(values, values, seed=0)
    assert found.difference == 0.0
    assert found.is_noise


def test_a_clear_loss_is_more_than_noise() -> None:
    before = np.array([1.0] * 90 + [0.0] * 10)
    after = np.array([1.0] * 60 + [0.0] * 40)
    found = compare_paired(before, after, seed=0)
    assert found.difference == pytest.approx(-0.3)
    assert not found.is_noise
    assert found.interval.low < -0.3 < found.interval.high < 0


def test_one_lost_row_of_a_hundred_is_noise() -> None:
    before = np.array([1.0] * 90 + [0.0] * 10)
    after = np.array([1.0] * 89 + [0.0] * 11)
    assert compare_paired(before, after, seed=0).is_noise


def test_the_bootstrap_interval_agrees_with_scipys(stats: Any) -> None:
    generator = np.random.default_rng(3)
    before, after = generator.random(80), generator.random(80) + 0.1
    expected = stats.bootstrap(
        (after - before,), np.mean, n_resamples=10_000, method="percentile", rng=5
    ).confidence_interval
    found = compare_paired(before, after, seed=0).interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.01)


def test_a_seed_gives_the_same_interval_again() -> None:
    values = np.random.default_rng(3).random(50)
    assert compare_paired(values, values[::-1], seed=7) == compare_paired(
        values, values[::-1], seed=7
    )
    assert mean_interval(values.tolist(), seed=7) == mean_interval(values.tolist(), seed=7)

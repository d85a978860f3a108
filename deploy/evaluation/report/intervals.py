"""Say how far a figure can be trusted: intervals of rates, means and paired differences."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], float]

RESAMPLES = 10_000


@dataclass(frozen=True)
class Interval:
    """The ends between which a figure lies with the stated certainty."""

    low: float
    high: float


def binomial_interval(hits: int, total: int, certainty: float = 0.95) -> Interval:
    """Return Wilson's interval of a rate; (0, 1) without cases."""
    if not total:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf(0.5 + certainty / 2)
    rate = hits / total
    scale = 1 + z * z / total
    middle = (rate + z * z / (2 * total)) / scale
    half = z * math.sqrt(rate * (1 - rate) / total + z * z / (4 * total * total)) / scale
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def rows_for(rate: float, half_width: float, certainty: float = 0.95) -> int:
    """Return how many rows pin a rate near `rate` down to plus or minus `half_width`."""
    low, high = 1, 1 << 24
    while low < high:
        middle = (low + high) // 2
        interval = binomial_interval(round(rate * middle), middle, certainty)
        if (interval.high - interval.low) / 2 <= half_width:
            high = middle
        else:
            low = middle + 1
    return low


@dataclass(frozen=True)
class PairedDifference:
    """`after - before` over the rows that both runs have, with its interval."""

    before: float
    after: float
    interval: Interval
    rows: int

    @property
    def difference(self) -> float:
        return self.after - self.before

    @property
    def is_noise(self) -> bool:
        return self.interval.low <= 0.0 <= self.interval.high


def compare_paired(
    before: Floats,
    after: Floats,
    statistic: Statistic | None = None,
    *,
    seed: int,
    certainty: float = 0.95,
    resamples: int = RESAMPLES,
) -> PairedDifference:
    """Compare two runs over the same rows (first axis) by the paired bootstrap.

    Without a statistic the mean is compared.
    """
    rows = len(before)
    generator = np.random.default_rng(seed)
    if statistic is None:
        differences = _mean_differences(after - before, generator, resamples)
        ends = (float(before.mean()), float(after.mean()))
    else:
        picks = (generator.integers(0, rows, rows) for _ in range(resamples))
        differences = np.array([statistic(after[at]) - statistic(before[at]) for at in picks])
        ends = (statistic(before), statistic(after))
    tail = (1 - certainty) / 2
    low, high = np.nanquantile(differences, [tail, 1 - tail])
    return PairedDifference(*ends, Interval(float(low), float(high)), rows)


def _mean_differences(
    differences: Floats, generator: np.random.Generator, resamples: int
) -> Floats:
    rows = len(differences)
    found = [
        differences[generator.integers(0, rows, (min(256, resamples - done), rows))].mean(axis=1)
        for done in range(0, resamples, 256)
    ]
    return np.concatenate(found)


def mean_interval(values: Sequence[float], *, seed: int, certainty: float = 0.95) -> Interval:
    """Return the bootstrap interval of a mean."""
    held = np.asarray(values, dtype=np.float64)
    means = _mean_differences(held, np.random.default_rng(seed), 2_000)
    tail = (1 - certainty) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))

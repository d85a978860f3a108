"""Decide from samples over time whether something grows without bound."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

WARM_UP = 0.25
"""The share of the time that counts as warming up: caches fill, pools open."""
_PARTS = 3
_SHARE = 0.15
"""What a part may gain of itself, where that is more than what the series allows."""
_FEWEST = 4
"""Samples of a part below which nothing is said."""


@dataclass(frozen=True)
class Series:
    """What was measured of one thing, in order of time; all in one unit."""

    owner: str
    measure: str
    unit: str
    allowed: float
    """What may be gained between the first part after the warm-up and the last."""
    values: tuple[float, ...]


@dataclass(frozen=True)
class Growth:
    """The medians of the parts of a series after its warm-up, and what is said of them."""

    series: Series
    parts: tuple[float, ...]

    @property
    def gained(self) -> float:
        return self.parts[-1] - self.parts[0]

    @property
    def grows(self) -> bool:
        """Whether each part lies above the one before, and the last by more than may be."""
        allowed = max(self.series.allowed, _SHARE * self.parts[0])
        rising = all(a < b for a, b in pairwise(self.parts))
        return rising and self.gained > allowed


def judge(series: Series) -> Growth | None:
    """Return the growth of a series; None when it has too few samples to say anything."""
    warm = series.values[int(len(series.values) * WARM_UP) :]
    if len(warm) < _PARTS * _FEWEST:
        return None
    return Growth(series, tuple(median(part) for part in _split(warm)))


def _split(values: Sequence[float]) -> list[Sequence[float]]:
    bounds = [len(values) * part // _PARTS for part in range(_PARTS + 1)]
    return [values[a:b] for a, b in pairwise(bounds)]

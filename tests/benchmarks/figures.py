"""Make medians, spreads and percentiles of repeated measurements."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Better = Literal["lower", "higher"]


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` (0 to 1) of the values lie, interpolated; nan for none."""
    if not values:
        return math.nan
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    if ordered[below] == ordered[above]:
        return ordered[below]
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


@dataclass(frozen=True)
class Figure:
    """One measured quantity: its value in every repeat, and whether the guard watches it.

    What depends on who else uses the machine (wall time) is reported, not guarded.
    """

    unit: str
    repeats: tuple[float, ...]
    better: Better = "lower"
    guarded: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.repeats)

    @property
    def low(self) -> float:
        return min(self.repeats)

    @property
    def high(self) -> float:
        return max(self.repeats)

    def to_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "repeats": [round_off(value) for value in self.repeats],
            "median": round_off(self.median),
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "Figure":
        return Figure(value["unit"], tuple(value["repeats"]), value["better"], value["guarded"])


class Figures:
    """Collects figures by name, one repeat at a time."""

    def __init__(self) -> None:
        self._figures: dict[str, Figure] = {}

    def add(
        self,
        name: str,
        value: float,
        unit: str,
        *,
        better: Better = "lower",
        guarded: bool = False,
    ) -> None:
        """Add one repeat of `name`. Values that are not finite are left out."""
        if not math.isfinite(value):
            return
        known = self._figures.get(name)
        repeats = (*known.repeats, value) if known else (value,)
        self._figures[name] = Figure(unit, repeats, better, guarded)

    def all(self) -> dict[str, Figure]:
        return dict(sorted(self._figures.items()))


def round_off(value: float) -> float:
    """Return `value` with five significant digits: more is noise."""
    return float(f"{value:.5g}")

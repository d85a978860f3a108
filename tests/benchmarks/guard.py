"""Name the figures that got worse beyond noise since the last kept result."""

from dataclasses import dataclass

from tests.benchmarks.figures import Figure
from tests.benchmarks.result import Result

LEAST_CHANGE = 0.05
"""Smaller changes of a median are never named, however steady the repeats were."""
LEAST_CHANGE_UNREPEATED = 0.25
"""The same where a side was measured once only, so that its noise is not known."""


@dataclass(frozen=True)
class Worse:
    """A guarded figure that moved in the wrong direction; `ratio` is new ÷ old."""

    name: str
    before: Figure
    now: Figure

    @property
    def ratio(self) -> float:
        return self.now.median / self.before.median

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.before.median:.4g} → {self.now.median:.4g} {self.now.unit} "
            f"(×{self.ratio:.2f}; repeats {self.before.low:.4g}-{self.before.high:.4g} → "
            f"{self.now.low:.4g}-{self.now.high:.4g})"
        )


def find_previous(result: Result, kept: list[Result]) -> Result | None:
    """Return the last kept result of the same setup on the same machine."""
    earlier = [
        other for other in kept if other.name != result.name and other.is_comparable_with(result)
    ]
    return earlier[-1] if earlier else None


def find_worse(before: Result, now: Result) -> list[Worse]:
    """Return what got worse: every new repeat is worse than every old one, by enough to matter."""
    pairs = [
        Worse(name, before.figures[name], figure)
        for name, figure in now.figures.items()
        if figure.guarded and name in before.figures
    ]
    return [pair for pair in pairs if _is_worse(pair.before, pair.now)]


def _is_worse(before: Figure, now: Figure) -> bool:
    repeated = min(len(before.repeats), len(now.repeats)) > 1
    change = LEAST_CHANGE if repeated else LEAST_CHANGE_UNREPEATED
    if now.better == "lower":
        return now.low > before.high and now.median > before.median * (1 + change)
    return now.high < before.low and now.median < before.median / (1 + change)

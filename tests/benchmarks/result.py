"""Figures of a run in; a file kept in `results/` out, and read again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.figures import Figure

RESULTS = Path(__file__).parent / "results"
FORM = 1


@dataclass(frozen=True)
class Result:
    """One run. Only runs of the same `setup` and machine can be compared.

    `date` is in ISO form, with the time of day.
    """

    date: str
    commit: str
    dirty: bool
    setup: Mapping[str, Any]
    environment: Mapping[str, Any]
    figures: Mapping[str, Figure]
    overload: list[dict[str, Any]] = field(default_factory=list)
    peers: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        suffix = "-quick" if self.setup["mode"] == "quick" else ""
        return f"{self.date[:10]}-{self.commit}{suffix}"

    def value(self, name: str) -> float | None:
        """Return the median of a figure, None when it was not measured."""
        figure = self.figures.get(name)
        return figure.median if figure else None

    def is_comparable_with(self, other: "Result") -> bool:
        return self.setup == other.setup and all(
            self.environment.get(key) == other.environment.get(key) for key in ("cpu", "cores")
        )


def write_result(result: Result, folder: Path = RESULTS) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    value = {
        "form": FORM,
        **{name: getattr(result, name) for name in ("date", "commit", "dirty")},
        "setup": result.setup,
        "environment": result.environment,
        "figures": {name: figure.to_json() for name, figure in result.figures.items()},
        "overload": result.overload,
        "peers": result.peers,
        "notes": result.notes,
    }
    path = folder / f"{result.name}.json"
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    return path


def read_result(path: Path) -> Result:
    value = json.loads(path.read_text(encoding="utf-8"))
    figures = {name: Figure.from_json(figure) for name, figure in value.pop("figures").items()}
    value.pop("form")
    return Result(figures=figures, **value)


def read_results(folder: Path = RESULTS) -> list[Result]:
    """Return the kept results, oldest first."""
    return sorted((read_result(path) for path in folder.glob("*.json")), key=lambda r: r.date)

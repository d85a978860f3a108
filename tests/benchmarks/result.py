"""Keep the result of a run in `results/`, and read it again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.figures import Figure

RESULTS = Path(__file__).parent / "results"
EARLIER = "earlier.jsonl"
"""One line for each result that a newer one has replaced."""
SCHEMA = 1
_RENAMED = {
    "retrieval.blend": "retrieval.fuse",
    "retrieval.mark": "retrieval.highlight",
    "retrieval.gate": "retrieval.answerability",
}
"""Stages by the names that kept results have of them."""


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
    path = folder / f"{result.name}.json"
    path.write_text(json.dumps(as_table(result), indent=1) + "\n", encoding="utf-8")
    return path


def as_table(result: Result) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        **{name: getattr(result, name) for name in ("date", "commit", "dirty")},
        "setup": result.setup,
        "environment": result.environment,
        "figures": {name: figure.to_json() for name, figure in result.figures.items()},
        "overload": result.overload,
        "peers": result.peers,
        "notes": result.notes,
    }


def read_result(path: Path) -> Result:
    return _from_table(json.loads(path.read_text(encoding="utf-8")))


def _from_table(value: dict[str, Any]) -> Result:
    figures = {
        _name_of_today(name): Figure.from_json(figure)
        for name, figure in value.pop("figures").items()
    }
    for schema in ("schema", "form"):
        value.pop(schema, None)
    return Result(figures=figures, **value)


def _name_of_today(figure: str) -> str:
    for old, new in _RENAMED.items():
        if figure.startswith(f"stage.{old}."):
            return figure.replace(old, new, 1)
    return figure


def read_results(folder: Path = RESULTS) -> list[Result]:
    """Return the kept results, oldest first; of those replaced, what remains."""
    earlier = folder / EARLIER
    lines = earlier.read_text(encoding="utf-8").splitlines() if earlier.exists() else []
    results = [_from_table(json.loads(line)) for line in lines]
    results += [read_result(path) for path in folder.glob("*.json")]
    return sorted(results, key=lambda result: result.date)

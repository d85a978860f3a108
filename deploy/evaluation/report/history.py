"""Keep results beside the tests, draw RESULTS.md from them, and name what got worse.

Of each benchmark the newest result is kept whole; of those before it a line of figures.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from deploy.evaluation.metrics import Bin
from deploy.evaluation.report.comparison import Difference, compare, way
from deploy.evaluation.report.limits import numbers
from deploy.evaluation.report.plots import draw_history, draw_reliability
from deploy.evaluation.report.result import Result, Row, read_result, result_of
from deploy.evaluation.report.tables import show

CHECKOUT = Path(__file__).parents[3]
KEPT = CHECKOUT / "tests" / "quality" / "results"
REPORT = KEPT.parent / "RESULTS.md"
EARLIER = "earlier.jsonl"

_SHOWN = {
    "golden": (
        "correct",
        "gold_first",
        "gold_in_three",
        "precision",
        "answers_first",
        "answers_in_three",
        "useful",
        "judged_share",
        "characters_p50",
        "gold_cited",
        "false_answer_rate",
        "false_refusal_rate",
        "quote_exact_rate",
        "retrieval_recall_at_5",
        "confidence.ece",
        "p50_ms",
        "p95_ms",
    ),
    "retrieval": ("ndcg_at_10", "recall_at_5", "mrr_at_10", "p50_ms"),
    "chunks": (
        "recall",
        "precision",
        "iou",
        "precision_omega",
        "highlighted_recall",
        "highlighted_iou",
    ),
    "grounding": ("auc", "best_f1", "balanced_accuracy", "shipped.balanced_accuracy"),
    "refusal": ("answered_right", "false_answer_rate", "false_refusal_rate", "balanced_accuracy"),
    "injection": ("reached_reader", "refused_benign", "reached_model"),
    "formats": ("agreement", "text_agreement"),
}
_PREFACE = (
    "Drawn by `quoth eval all --keep` from the files in `results`; do not edit. The newest line of "
    "each table is what stands. What the figures mean, and where we stand: [README.md](README.md)."
)
_PARTS = ("by_kind", "files", "by_corpus")
_WORDS = (
    "question",
    "text",
    "shown",
    "sections",
    "pairs",
    "best",
    "draft",
    "seen",
    "own_words",
    "shown_if_cited",
)


def slug(result: Result) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", result.name.lower()).strip("-")


def keep(result: Result, folder: Path = KEPT) -> Path:
    """Write a result under its date and commit, without texts and paths: only its figures.

    Of the result of the same benchmark that was kept before, a line remains.
    """
    data = {Path(path).name: digest for path, digest in result.run["data"].items()}
    settings = {key: value for key, value in result.run["settings"].items() if key != "url"}
    kept = replace(
        result,
        rows=[_bare(row) for row in result.rows],
        run={**result.run, "data": data, "settings": settings},
        notes=[],
    )
    commit = result.run["commit"].rstrip("+") or "none"
    path = folder / f"{result.run['date'][:10]}-{commit}-{slug(result)}.json"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(_compact(kept.as_json()), "utf-8")
    _fold_earlier(path, slug(result), folder)
    return path


def _fold_earlier(newest: Path, name: str, folder: Path) -> None:
    whole = {path: read_result(path) for path in sorted(folder.glob("*.json")) if path != newest}
    older = {path: result for path, result in whole.items() if slug(result) == name}
    with (folder / EARLIER).open("a", encoding="utf-8") as file:
        for result in older.values():
            file.write(json.dumps(_summary(result), ensure_ascii=False) + "\n")
    for path in older:
        path.unlink()


def _summary(result: Result) -> dict[str, Any]:
    """Return a result without its rows and what was found of its parts."""
    parts = {name: value for name, value in result.figures.items() if name not in _PARTS}
    run = {key: result.run[key] for key in ("commit", "date", "data")}
    return {"benchmark": result.benchmark, **_numbers_of(parts), **run, "rows": []}


def _numbers_of(held: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name, value in held.items():
        known = _numbers_of(value) if isinstance(value, dict) else value
        if known != {} and not isinstance(known, (list, str)):
            found[name] = known
    return found


def _bare(row: Row) -> Row:
    return {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in row.items()
        if name not in _WORDS
    }


def _compact(table: dict[str, Any]) -> str:
    """Write figures for people, and the rows as a table, one line each."""
    rows = table.pop("rows")
    columns = list(dict.fromkeys(name for row in rows for name in row))
    head = json.dumps({**table, "columns": columns}, indent=1, ensure_ascii=False)
    lines = ",\n".join(
        json.dumps([_whole(row.get(name)) for name in columns], ensure_ascii=False) for row in rows
    )
    return f'{head.removesuffix("}").rstrip()},\n "rows": [\n{lines}\n]\n}}\n'


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def kept_results(folder: Path = KEPT) -> dict[str, list[Result]]:
    """Return the kept results by what they measure, oldest first."""
    found: dict[str, list[Result]] = {}
    earlier = folder / EARLIER
    lines = earlier.read_text("utf-8").splitlines() if earlier.exists() else []
    results = [result_of(json.loads(line)) for line in lines]
    for result in [*results, *(read_result(path) for path in sorted(folder.glob("*.json")))]:
        found.setdefault(slug(result), []).append(result)
    for results in found.values():
        results.sort(key=lambda result: str(result.run["date"]))
    return found


def worse_than_kept(result: Result, folder: Path = KEPT) -> list[Difference]:
    """Return the figures that are worse than in the last kept result, beyond noise."""
    known = kept_results(folder).get(slug(result))
    if not known:
        return []
    # As it would be kept: what rounding takes is no change.
    rounded = replace(result, rows=[_bare(row) for row in result.rows])
    differences = compare(known[-1], rounded, seed=result.run["seed"])
    # Times are the machine's as much as ours; the bench guards them by processor time.
    return [item for item in differences if item.verdict == "worse" and item.name != "ms"]


def draw_report(folder: Path = KEPT, report: Path = REPORT) -> None:
    """Draw RESULTS.md, and its plots beside the results, from what is kept."""
    parts = [
        "# Results",
        _PREFACE,
    ]
    for name, results in kept_results(folder).items():
        parts += _section(name, results, folder, report)
    report.write_text("\n\n".join(parts) + "\n", "utf-8")


def _section(name: str, results: Sequence[Result], folder: Path, report: Path) -> list[str]:
    newest = results[-1]
    columns = _SHOWN.get(newest.benchmark, tuple(numbers(newest.figures)))
    rates = [column for column in columns if not column.endswith("_ms")]
    plot = folder / "plots" / f"{name}.svg"
    dates = [_when(result) for result in results]
    draw_history(
        plot, newest.name, dates, {item: [_value(r, item) for r in results] for item in rates}
    )
    parts = [f"## {newest.name}", _history_table(columns, results), _image(plot, report)]
    confidence = newest.figures.get("confidence")
    if isinstance(confidence, dict) and confidence["bins"]:
        plot = folder / "plots" / f"{name}-confidence.svg"
        bins = [Bin(**item) for item in confidence["bins"]]
        draw_reliability(plot, {"confidence": bins}, newest.name)
        parts.append(_image(plot, report))
    tables = [_parts_table(newest.figures[name]) for name in _PARTS if name in newest.figures]
    return [*parts, *tables]


def _history_table(columns: Sequence[str], results: Sequence[Result]) -> str:
    lines = [["date", "commit", "n", *columns]]
    for result in results:
        held = [_value(result, column) for column in columns]
        shown = [
            "" if value is None else show(column, value)
            for column, value in zip(columns, held, strict=True)
        ]
        lines.append(
            [_when(result), result.run["commit"], str(result.figures.get("n", "")), *shown]
        )
    return _table(lines)


def _parts_table(parts: dict[str, Any]) -> str:
    flat = {part: numbers(held) for part, held in parts.items()}
    columns = list(dict.fromkeys(name for held in flat.values() for name in held))
    columns = [name for name in columns if name == "n" or way(name) is not None]
    lines = [["", *columns]]
    for part, held in flat.items():
        lines.append([part, *(show(name, held[name]) if name in held else "" for name in columns)])
    return _table(lines)


def _table(lines: Sequence[Sequence[str]]) -> str:
    head, *rest = [f"| {' | '.join(cells)} |" for cells in lines]
    return "\n".join([head, "|" + "---|" * len(lines[0]), *rest])


def _image(plot: Path, report: Path) -> str:
    return f"![{plot.stem}]({plot.relative_to(report.parent).as_posix()})"


def _when(result: Result) -> str:
    return str(result.run["date"])[:10]


def _value(result: Result, name: str) -> float | None:
    try:
        value = result.figure(name)
    except (KeyError, TypeError):
        return None
    return float(value) if isinstance(value, (int, float)) else None

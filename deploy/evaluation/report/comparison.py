"""Compare the figures of two results over the rows that both have."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deploy.evaluation import metrics
from deploy.evaluation.report.intervals import PairedDifference, compare_paired
from deploy.evaluation.report.result import Result, Row

Better = Literal["higher", "lower"]

HIGHER_IS_BETTER = (
    "gold_cited",
    "gold_first",
    "gold_in_three",
    "answers_first",
    "answers_in_three",
    "useful",
    "correct",
    "cited",
    "quote_exact_rate",
    "retrieval_recall_at_5",
    "ndcg_at_10",
    "recall_at_5",
    "mrr_at_10",
    "recall",
    "precision",
    "iou",
    "highlighted_recall",
    "highlighted_precision",
    "highlighted_iou",
    "precision_omega",
    "auc",
    "best_f1",
    "balanced_accuracy",
    "answered_right",
    "agreement",
    "text_agreement",
)
LOWER_IS_BETTER = (
    "false_answer_rate",
    "false_refusal_rate",
    "injection_obeyed",
    "gold_not_located",
    "zero_result_rate",
    "reached_reader",
    "refused_benign",
    "brier",
    "characters",
    "lead_characters",
)


@dataclass(frozen=True)
class Difference:
    """One figure in two runs over the same rows."""

    name: str
    better: Better
    paired: PairedDifference

    @property
    def verdict(self) -> Literal["better", "worse", "no difference"]:
        if self.paired.is_noise:
            return "no difference"
        grew = self.paired.difference > 0
        return "better" if grew == (self.better == "higher") else "worse"


def way(name: str) -> Better | None:
    """Return which way a figure is better, by the last part of its name; None when neither is."""
    last = name.rsplit(".", maxsplit=1)[-1]
    if last in HIGHER_IS_BETTER:
        return "higher"
    return "lower" if last in (*LOWER_IS_BETTER, "ece") or last.endswith("_ms") else None


def compare(before: Result, after: Result, *, seed: int) -> list[Difference]:
    """Compare the figures that both runs have, over the rows that both have."""
    pairs = _pairs(before.rows, after.rows)
    found = [
        *(_compare_means(name, "higher", pairs, seed) for name in HIGHER_IS_BETTER),
        *(_compare_means(name, "lower", pairs, seed) for name in (*LOWER_IS_BETTER, "ms")),
    ]
    curves = [
        _compare_scored(name, statistic, pairs, seed)
        for name, statistic in (("auc", _auc), ("best_f1", _best_f1))
    ]
    return [item for item in (*found, *curves) if item is not None]


def _pairs(before: list[Row], after: list[Row]) -> list[tuple[Row, Row]]:
    known = {_key(row): row for row in before}
    return [(known[_key(row)], row) for row in after if _key(row) in known]


def _key(row: Row) -> tuple[str, str]:
    return str(row.get("file", "")), str(row["id"])


def _compare_means(
    name: str, better: Better, pairs: list[tuple[Row, Row]], seed: int
) -> Difference | None:
    held = [(old.get(name), new.get(name)) for old, new in pairs]
    values = np.array([pair for pair in held if None not in pair], dtype=np.float64)
    if not len(values):
        return None
    return Difference(name, better, compare_paired(values[:, 0], values[:, 1], seed=seed))


def _compare_scored(
    name: str,
    statistic: Callable[[NDArray[np.float64]], float],
    pairs: list[tuple[Row, Row]],
    seed: int,
) -> Difference | None:
    scored = [
        (old, new) for old, new in pairs if {"score", "label"} <= old.keys() and "score" in new
    ]
    if len({old["label"] for old, _ in scored}) < 2:
        return None
    old, new = (
        np.array([[pair[side]["score"], pair[side]["label"]] for pair in scored], dtype=np.float64)
        for side in (0, 1)
    )
    return Difference(
        name, "higher", compare_paired(old, new, statistic, seed=seed, resamples=1_000)
    )


def _auc(rows: NDArray[np.float64]) -> float:
    area = metrics.area_under_curve(rows[:, 0].tolist(), (rows[:, 1] > 0).tolist())
    return float("nan") if area is None else area


def _best_f1(rows: NDArray[np.float64]) -> float:
    decisions = metrics.every_decision(rows[:, 0].tolist(), (rows[:, 1] > 0).tolist())
    return max(item.f1 for item in decisions)

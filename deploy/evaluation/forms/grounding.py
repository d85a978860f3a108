"""Labelled claims in; how well the product's own check tells the supported ones out."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from deploy.evaluation import metrics
from deploy.evaluation.progress import Progress
from deploy.evaluation.result import Measured, Row
from deploy.evaluation.rows import ClaimRow
from services.generation.ground import is_grounded
from services.generation.support import split_claim, support_of_claim


def score_claim(row: ClaimRow) -> float:
    """Return the probability in [0, 1] that the context supports the claim."""
    return support_of_claim(row.claim, row.context)


def is_shown(row: ClaimRow) -> bool:
    """Whether each sentence of the claim would be shown with the whole context as its quote."""
    return all(is_grounded(sentence, [row.context]) for sentence in split_claim(row.claim))


def measure_grounding(files: Mapping[str, Sequence[ClaimRow]], progress: Progress) -> Measured:
    """Score every claim of every file; the figures on top are the means over the files."""
    rows: list[Row] = []
    for name, claims in files.items():
        progress.begin(f"claims of {name}", len(claims))
        for claim in claims:
            label = float(claim.supported)
            rows.append(
                {
                    "file": name,
                    "id": claim.row_id,
                    "score": score_claim(claim),
                    "shown": float(is_shown(claim)),
                    "label": label,
                }
            )
            progress.step()
        progress.end()
    return summarise(rows)


def summarise(rows: Sequence[Row]) -> Measured:
    """Make the figures of scored claims."""
    names = list(dict.fromkeys(str(row["file"]) for row in rows))
    by_file = {name: _figures([row for row in rows if row["file"] == name]) for name in names}
    means = {
        key: _mean([figures[key] for figures in by_file.values()])
        for key in ("auc", "best_f1", "balanced_accuracy")
    }
    shipped = {
        key: fmean(figures["shipped"][key] for figures in by_file.values())
        for key in next(iter(by_file.values()))["shipped"]
    }
    figures = {"n": len(rows), **means, "shipped": shipped, "files": by_file}
    return Measured(figures, list(rows))


def _figures(rows: Sequence[Row]) -> dict[str, Any]:
    scores = [float(row["score"]) for row in rows]
    labels = [row["label"] > 0 for row in rows]
    decisions = metrics.every_decision(scores, labels)
    best = max(decisions, key=lambda decision: decision.f1)
    fairest = max(decisions, key=lambda decision: decision.balanced_accuracy)
    return {
        "n": len(rows),
        "supported": sum(labels),
        "auc": metrics.area_under_curve(scores, labels),
        "best_f1": best.f1,
        "best_f1_threshold": best.threshold,
        "balanced_accuracy": fairest.balanced_accuracy,
        "balanced_accuracy_threshold": fairest.threshold,
        "shipped": metrics.decide([float(row["shown"]) for row in rows], labels, 0.5).figures(),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    held = [value for value in values if value is not None]
    return fmean(held) if held else None

"""Labelled claims in; how well the product's own check tells the supported ones out."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from deploy.evaluation import metrics
from deploy.evaluation.progress import Progress
from deploy.evaluation.result import Measured, Row
from deploy.evaluation.rows import ClaimRow
from libs.text import sentence_ranges, terms
from services.generation.ground import is_grounded

SHIPPED_THRESHOLD = 0.5
"""Scores from here on are claims that the product would show."""


def score_claim(row: ClaimRow) -> float:
    """Return the support of a claim in [0.0, 1.0].

    A claim passes when each of its sentences does, as in an answer; claims that pass score 0.5 or
    more. Within either half the share of the claim's terms that the context holds decides.
    """
    sentences = [row.claim[start:end] for start, end in sentence_ranges(row.claim)] or [row.claim]
    passed = all(is_grounded(sentence, [row.context]) for sentence in sentences)
    wanted, given = set(terms(row.claim)), set(terms(row.context))
    coverage = len(wanted & given) / len(wanted) if wanted else 0.0
    return (passed + min(coverage, 0.999)) / 2


def measure_grounding(files: Mapping[str, Sequence[ClaimRow]], progress: Progress) -> Measured:
    """Score every claim of every file; the figures on top are the means over the files."""
    rows: list[Row] = []
    for name, claims in files.items():
        progress.begin(f"claims of {name}", len(claims))
        for claim in claims:
            label = float(claim.supported)
            rows.append(
                {"file": name, "id": claim.row_id, "score": score_claim(claim), "label": label}
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
        "shipped": metrics.decide(scores, labels, SHIPPED_THRESHOLD).figures(),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    held = [value for value in values if value is not None]
    return fmean(held) if held else None

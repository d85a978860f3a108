"""Measure how well the product's own check tells supported claims from others."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from deploy.evaluation import metrics
from deploy.evaluation.datasets import ClaimRow
from deploy.evaluation.progress import Progress
from deploy.evaluation.report.result import Measured, Row
from libs.ml import load_model
from libs.text import terms, words
from services.generation.checks.entailment import COEFFICIENTS, split_claim, support_of_claim
from services.generation.checks.facts import is_books_own

Score = Callable[[ClaimRow], float]


def _coverage(split: Callable[[str], list[str]]) -> Score:
    def share(row: ClaimRow) -> float:
        wanted = set(split(row.claim))
        return len(wanted & set(split(row.context))) / len(wanted) if wanted else 0.0

    return share


COVERAGE: Mapping[str, Score] = {
    "terms": _coverage(terms),
    "words": _coverage(words),
}
"""What support is held against: the share of a claim's terms, or words, that the context has."""


def score_claim(row: ClaimRow) -> float:
    """Return the probability in [0, 1] that the context supports the claim."""
    return support_of_claim(row.claim, row.context)


def is_shown(row: ClaimRow) -> bool:
    """Whether each sentence of the claim would be shown with the whole context as its quote."""
    return all(is_books_own(sentence, [row.context]) for sentence in split_claim(row.claim))


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
                    **{name: share(claim) for name, share in COVERAGE.items()},
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
    return Measured(figures, list(rows), _seen(names))


def _seen(names: Sequence[str]) -> list[str]:
    """Say which files the coefficients were fitted to: their figures here flatter."""
    fitted_to = load_model(COEFFICIENTS).data
    seen = [name for name in names if name in fitted_to]
    where = f"{COEFFICIENTS.name} has the figures when unseen."
    return [f"Support was fitted to {', '.join(seen)}: {where}"] if seen else []


def _figures(rows: Sequence[Row]) -> dict[str, Any]:
    labels = [row["label"] > 0 for row in rows]
    scores = {name: [float(row[name]) for row in rows] for name in ("score", *COVERAGE)}
    decisions = metrics.every_decision(scores["score"], labels)
    return {
        "n": len(rows),
        "supported": sum(labels),
        **_areas(scores["score"], labels),
        **{name: _areas(scores[name], labels) for name in COVERAGE},
        "balanced_accuracy": max(decision.balanced_accuracy for decision in decisions),
        "shipped": metrics.decide([float(row["shown"]) for row in rows], labels, 0.5).figures(),
    }


def _areas(scores: Sequence[float], labels: Sequence[bool]) -> dict[str, float | None]:
    return {
        "auc": metrics.area_under_curve(scores, labels),
        "best_f1": max(decision.f1 for decision in metrics.every_decision(scores, labels)),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    held = [value for value in values if value is not None]
    return fmean(held) if held else None

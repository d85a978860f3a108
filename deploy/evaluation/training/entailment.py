"""Fit the coefficients of the entailment score to labelled claims, and measure it on unseen ones.

    python -m deploy.evaluation.training.entailment ../shared/data/grounding/*.jsonl

A claim is supported when all its sentences are, so what is fitted is the product of the sentences'
probabilities. Every file counts the same, and both labels within it. A feature may only count the way
that its meaning says: with so few sources of data, a turned sign is an accident of one of them.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from deploy.evaluation import metrics
from deploy.evaluation.benchmarks.grounding import COVERAGE
from deploy.evaluation.datasets import ClaimRow, read_claims
from deploy.evaluation.training.logistic import minimise_bounded
from libs.ml import LogisticModel
from services.generation.checks.entailment import COEFFICIENTS, FEATURES, read_features, split_claim

Floats = npt.NDArray[np.float64]

STAMP = "words-3"
FOLDS = 10
_SPEAK_FOR = ("terms_known", "trigrams")
_PENALTY = 20.0


@dataclass(frozen=True)
class Sample:
    """Claims as features: `values` has a row a sentence, `owner` the number of its claim."""

    values: Floats
    owner: npt.NDArray[np.int64]
    labels: Floats
    files: npt.NDArray[np.int64]
    contexts: npt.NDArray[np.int64]

    def take(self, claims: npt.NDArray[np.bool_]) -> "Sample":
        """Return the part of the sample that holds these claims."""
        kept = claims[self.owner]
        numbers = np.cumsum(claims) - 1
        return Sample(
            self.values[kept],
            numbers[self.owner[kept]],
            self.labels[claims],
            self.files[claims],
            self.contexts[claims],
        )


def collect(files: Sequence[Sequence[ClaimRow]]) -> Sample:
    values: list[list[float]] = []
    owner: list[int] = []
    labels: list[float] = []
    sources: list[int] = []
    contexts: list[str] = []
    for number, claims in enumerate(files):
        for claim in claims:
            for sentence in split_claim(claim.claim):
                features = read_features(sentence, claim.context)
                values.append([features[name] for name in FEATURES])
                owner.append(len(labels))
            labels.append(float(claim.supported))
            sources.append(number)
            contexts.append(claim.context)
    known = {context: number for number, context in enumerate(dict.fromkeys(contexts))}
    return Sample(
        np.array(values, float),
        np.array(owner),
        np.array(labels),
        np.array(sources),
        np.array([known[context] for context in contexts]),
    )


def fit_support(sample: Sample) -> LogisticModel:
    """Fit with the sign of every coefficient held to what its feature means."""
    signs = np.array([1.0 if name in _SPEAK_FOR else -1.0 for name in FEATURES])
    means, scales = sample.values.mean(axis=0), sample.values.std(axis=0)
    scales[scales == 0] = 1.0
    values = (sample.values - means) / scales * signs
    weights = _weights(sample)
    penalty = _PENALTY / len(sample.labels)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        return _loss(parameters, values, sample, weights, penalty)

    fitted = minimise_bounded(loss, np.append(np.zeros(len(FEATURES)), 1.0))
    return LogisticModel(
        stamp=STAMP,
        features=FEATURES,
        means=tuple(means.tolist()),
        scales=tuple(scales.tolist()),
        coefficients=tuple((fitted[:-1] * signs).tolist()),
        intercept=float(fitted[-1]),
    )


def _weights(sample: Sample) -> Floats:
    weights = np.zeros(len(sample.labels))
    for number in np.unique(sample.files):
        for label in (0.0, 1.0):
            cell = (sample.files == number) & (sample.labels == label)
            if cell.any():
                weights[cell] = 1 / cell.sum()
    return np.asarray(weights / weights.sum(), float)


def _loss(
    parameters: Floats, values: Floats, sample: Sample, weights: Floats, penalty: float
) -> tuple[float, Floats]:
    """Return the penalised cross entropy of the claims, and its gradient."""
    coefficients = parameters[:-1]
    logits = values @ coefficients + parameters[-1]
    log_supported = np.minimum(_log_product(logits, sample), -1e-9)
    supported = np.exp(log_supported)
    likelihood = np.where(sample.labels > 0, log_supported, np.log1p(-supported))
    slope = -weights * (sample.labels - (1 - sample.labels) * supported / (1 - supported))
    by_logit = slope[sample.owner] / (1 + np.exp(logits))
    gradient = np.append(values.T @ by_logit + penalty * coefficients, by_logit.sum())
    return float(penalty / 2 * coefficients @ coefficients - weights @ likelihood), gradient


def _log_product(logits: Floats, sample: Sample) -> Floats:
    logs = -np.logaddexp(0, -logits)
    return np.asarray(np.bincount(sample.owner, logs, len(sample.labels)), float)


def probabilities_of(model: LogisticModel, sample: Sample) -> Floats:
    """Return the probability of each claim."""
    scaled = (sample.values - np.array(model.means)) / np.array(model.scales)
    logits = scaled @ np.array(model.coefficients) + model.intercept
    return np.asarray(np.exp(_log_product(logits, sample)), float)


def cross_validate(sample: Sample, groups: npt.NDArray[np.int64]) -> Floats:
    """Return each claim's probability by coefficients fitted without its group."""
    probabilities = np.zeros(len(sample.labels))
    for group in np.unique(groups):
        unseen = groups == group
        probabilities[unseen] = probabilities_of(
            fit_support(sample.take(~unseen)), sample.take(unseen)
        )
    return probabilities


def figures(scores: Sequence[float], labels: Sequence[float]) -> tuple[float, float]:
    """Return the area under the curve and the best F1."""
    truth = [label > 0 for label in labels]
    best = max(decision.f1 for decision in metrics.every_decision(scores, truth))
    return metrics.area_under_curve(scores, truth) or 0.0, best


def main(paths: Sequence[Path]) -> None:
    files = [read_claims(path) for path in paths]
    sample = collect(files)
    folds = np.random.default_rng(0).permutation(sample.contexts.max() + 1) % FOLDS
    claims = [claim for held in files for claim in held]
    ways = {
        **{
            f"coverage_of_{name}": np.array([share(claim) for claim in claims])
            for name, share in COVERAGE.items()
        },
        "unseen": cross_validate(sample, folds[sample.contexts]),
        "unseen_file": cross_validate(sample, sample.files),
    }
    measured: dict[str, float] = {}
    for way, scores in ways.items():
        for number, path in enumerate(paths):
            mine = sample.files == number
            area, best = figures(scores[mine].tolist(), sample.labels[mine].tolist())
            measured[f"{way}_auc_{path.stem}"] = round(area, 3)
            measured[f"{way}_f1_{path.stem}"] = round(best, 3)
        areas = [measured[f"{way}_auc_{path.stem}"] for path in paths]
        measured[f"{way}_auc"] = round(sum(areas) / len(areas), 3)
    data = ", ".join(f"{path.stem} ({len(held)})" for path, held in zip(paths, files, strict=True))
    model = replace(
        fit_support(sample),
        data=f"{data}; {FOLDS}-fold by context (unseen), and without the whole file (unseen_file)",
        measured=measured,
    )
    model.save(COEFFICIENTS)
    for name, value in measured.items():
        sys.stdout.write(f"{name:45} {value:.3f}\n")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])

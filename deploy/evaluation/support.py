"""Labelled claims in; out the coefficients of the support score, and how well it does when unseen.

    python -m deploy.evaluation.support ../shared/data/grounding/*.jsonl

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
from deploy.evaluation.forms.grounding import COVERAGE
from deploy.evaluation.rows import ClaimRow, read_claims
from libs.calibration import Calibration
from services.generation.support import COEFFICIENTS, FEATURES, read_features, split_claim

Floats = npt.NDArray[np.float64]

STAMP = "words-3"
FOLDS = 10
_SPEAK_FOR = ("terms_known", "triples")
_PENALTY = 20.0
_STEPS = 4000


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


def learn(sample: Sample) -> Calibration:
    """Fit by projected gradient descent with momentum; the signs of the coefficients are bounded."""
    signs = np.array([1.0 if name in _SPEAK_FOR else -1.0 for name in FEATURES])
    means, deviations = sample.values.mean(axis=0), sample.values.std(axis=0)
    deviations[deviations == 0] = 1.0
    values = (sample.values - means) / deviations * signs
    weights = _weights(sample)
    learnt = np.append(np.zeros(len(FEATURES)), 1.0)
    speed = np.zeros_like(learnt)
    for _ in range(_STEPS):
        ahead = learnt + 0.9 * speed
        gradient = _gradient(ahead, values, sample, weights)
        gradient[:-1] += _PENALTY / len(sample.labels) * ahead[:-1]
        moved = ahead - 0.3 * gradient
        moved[:-1] = np.maximum(moved[:-1], 0.0)
        learnt, speed = moved, moved - learnt
    return Calibration(
        stamp=STAMP,
        features=FEATURES,
        means=tuple(means.tolist()),
        deviations=tuple(deviations.tolist()),
        coefficients=tuple((learnt[:-1] * signs).tolist()),
        intercept=float(learnt[-1]),
    )


def _weights(sample: Sample) -> Floats:
    weights = np.zeros(len(sample.labels))
    for number in np.unique(sample.files):
        for label in (0.0, 1.0):
            cell = (sample.files == number) & (sample.labels == label)
            if cell.any():
                weights[cell] = 1 / cell.sum()
    return np.asarray(weights / weights.sum(), float)


def _gradient(learnt: Floats, values: Floats, sample: Sample, weights: Floats) -> Floats:
    logits = values @ learnt[:-1] + learnt[-1]
    chance = np.exp(np.minimum(_log_product(logits, sample), -1e-9))
    slope = -weights * (sample.labels - (1 - sample.labels) * chance / (1 - chance))
    by_logit = slope[sample.owner] / (1 + np.exp(logits))
    return np.append(values.T @ by_logit, by_logit.sum())


def _log_product(logits: Floats, sample: Sample) -> Floats:
    logs = -np.logaddexp(0, -logits)
    return np.asarray(np.bincount(sample.owner, logs, len(sample.labels)), float)


def judge(calibration: Calibration, sample: Sample) -> Floats:
    """Return the probability of each claim."""
    scaled = (sample.values - np.array(calibration.means)) / np.array(calibration.deviations)
    logits = scaled @ np.array(calibration.coefficients) + calibration.intercept
    return np.asarray(np.exp(_log_product(logits, sample)), float)


def judge_unseen(sample: Sample, groups: npt.NDArray[np.int64]) -> Floats:
    """Return each claim's probability by coefficients learnt without its group."""
    chances = np.zeros(len(sample.labels))
    for group in np.unique(groups):
        unseen = groups == group
        chances[unseen] = judge(learn(sample.take(~unseen)), sample.take(unseen))
    return chances


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
        "unseen": judge_unseen(sample, folds[sample.contexts]),
        "unseen_file": judge_unseen(sample, sample.files),
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
    calibration = replace(
        learn(sample),
        data=f"{data}; {FOLDS}-fold by context (unseen), and without the whole file (unseen_file)",
        measured=measured,
    )
    calibration.save(COEFFICIENTS)
    for name, value in measured.items():
        sys.stdout.write(f"{name:45} {value:.3f}\n")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])

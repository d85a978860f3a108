"""The figures of the field: of rankings, of probabilities, and of character ranges."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deploy.evaluation.extras import load_extra

Range = tuple[int, int]
Floats = NDArray[np.float64]


def recall_at(ranked: Sequence[str], relevant: Mapping[str, float], depth: int) -> float:
    """Return the share of the relevant ids among the first `depth`; 0.0 when none is relevant."""
    wanted = {name for name, gain in relevant.items() if gain > 0}
    return len(wanted.intersection(ranked[:depth])) / len(wanted) if wanted else 0.0


def reciprocal_rank_at(ranked: Sequence[str], relevant: Mapping[str, float], depth: int) -> float:
    """Return 1 / rank of the first relevant id among the first `depth`, else 0.0."""
    for rank, name in enumerate(ranked[:depth], start=1):
        if relevant.get(name, 0) > 0:
            return 1.0 / rank
    return 0.0


def ndcg_at(ranked: Sequence[str], relevant: Mapping[str, float], depth: int) -> float:
    """Return the normalised discounted gain, linear in the judged gain, in [0.0, 1.0]."""
    ideal = sorted((gain for gain in relevant.values() if gain > 0), reverse=True)[:depth]
    best = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(ideal, start=1))
    found = sum(
        max(relevant.get(name, 0.0), 0.0) / math.log2(rank + 1)
        for rank, name in enumerate(ranked[:depth], start=1)
    )
    return found / best if best else 0.0


@dataclass(frozen=True)
class Bin:
    """The answers whose confidence lies in [low, high); the last bin holds 1.0 too."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


def reliability_bins(
    confidences: Sequence[float], correct: Sequence[bool], bins: int = 10
) -> list[Bin]:
    """Return the bins that hold something, lowest first."""
    places = [min(int(value * bins), bins - 1) for value in confidences]
    found = []
    for place in range(bins):
        inside = [index for index, at in enumerate(places) if at == place]
        if inside:
            mean = sum(confidences[index] for index in inside) / len(inside)
            right = sum(correct[index] for index in inside) / len(inside)
            found.append(Bin(place / bins, (place + 1) / bins, len(inside), mean, right))
    return found


def calibration_error(bins: Iterable[Bin]) -> float | None:
    """Return the expected calibration error, in [0.0, 1.0]; None without answers."""
    held = list(bins)
    total = sum(item.count for item in held)
    if not total:
        return None
    return sum(item.count * abs(item.accuracy - item.confidence) for item in held) / total


def brier_score(probabilities: Sequence[float], correct: Sequence[bool]) -> float:
    """Return the mean squared distance of probability and outcome, in [0.0, 1.0]."""
    pairs = zip(probabilities, correct, strict=True)
    return sum((value - outcome) ** 2 for value, outcome in pairs) / len(probabilities)


def area_under_curve(scores: Sequence[float], labels: Sequence[bool]) -> float | None:
    """Return the probability that a positive scores above a negative, ties counting half.

    None when one of the classes is missing.
    """
    if len(set(labels)) < 2:
        return None
    return float(load_extra("sklearn.metrics").roc_auc_score(labels, scores))


@dataclass(frozen=True)
class Decision:
    """What "at or above the threshold means yes" gets right."""

    threshold: float
    precision: float
    recall: float
    specificity: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def balanced_accuracy(self) -> float:
        return (self.recall + self.specificity) / 2

    def figures(self) -> dict[str, float]:
        return {
            "threshold": self.threshold,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "balanced_accuracy": self.balanced_accuracy,
        }


def decide(scores: Sequence[float], labels: Sequence[bool], threshold: float) -> Decision:
    """Score one threshold. A rate without cases is 0.0."""
    said = np.asarray(scores, dtype=np.float64) >= threshold
    truth = np.asarray(labels, dtype=bool)
    return _decision(
        threshold, int((said & truth).sum()), int(said.sum()), int(truth.sum()), truth.size
    )


def every_decision(scores: Sequence[float], labels: Sequence[bool]) -> list[Decision]:
    """Score every threshold that makes a difference, highest first."""
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=bool)
    order = np.argsort(-values, kind="stable")
    values, hits = values[order], np.cumsum(truth[order])
    last = np.append(values[1:] != values[:-1], True) if values.size else np.zeros(0, dtype=bool)
    positives = int(truth.sum())
    return [
        _decision(float(values[at]), int(hits[at]), int(at) + 1, positives, truth.size)
        for at in np.flatnonzero(last)
    ]


def _decision(threshold: float, hits: int, said: int, positives: int, total: int) -> Decision:
    negatives = total - positives
    return Decision(
        threshold,
        precision=hits / said if said else 0.0,
        recall=hits / positives if positives else 0.0,
        specificity=1 - (said - hits) / negatives if negatives else 0.0,
    )


def merge(ranges: Iterable[Range]) -> list[Range]:
    """Return the ranges in order, those that overlap or touch made one."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def length(ranges: Iterable[Range]) -> int:
    return sum(end - start for start, end in ranges)


def meets(chunk: Range, references: Iterable[Range]) -> list[Range]:
    """Return what `chunk` shares with each reference; a chunk that only touches one shares nothing
    of it but counts, as in the chunking evaluation.
    """
    shared = []
    for start, end in references:
        low, high = max(chunk[0], start), min(chunk[1], end)
        if low <= high:
            shared.append((low, high))
    return shared


@dataclass(frozen=True)
class ChunkFigures:
    """Token-free chunk figures of one question, each in [0.0, 1.0]."""

    recall: float
    precision: float
    iou: float
    precision_omega: float


def chunk_figures(
    references: Sequence[Range],
    retrieved: Sequence[Range],
    retrieved_size: int,
    chunks: Sequence[Range],
) -> ChunkFigures:
    """Score one question by the definitions of the chunking evaluation.

    `retrieved` are the retrieved chunks of the reference's corpus, `retrieved_size` the characters
    of all retrieved chunks, `chunks` every chunk of that corpus.
    """
    hits = merge(piece for chunk in retrieved for piece in meets(chunk, references))
    found, wanted = length(hits), length(references)
    missed = _missed(references, hits)
    touching = [chunk for chunk in chunks if meets(chunk, references)]
    reachable = merge(piece for chunk in touching for piece in meets(chunk, references))
    bound = length(merge(touching)) + _missed(references, reachable)
    return ChunkFigures(
        recall=found / wanted if wanted else 0.0,
        precision=found / retrieved_size if retrieved_size else 0.0,
        iou=found / (retrieved_size + missed) if retrieved_size + missed else 0.0,
        precision_omega=length(reachable) / bound if reachable and bound else 0.0,
    )


def _missed(references: Sequence[Range], hits: Sequence[Range]) -> int:
    covered = length(merge(piece for reference in references for piece in meets(reference, hits)))
    return max(0, length(references) - covered)


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the `share` (0 to 1) quantile, linear between values; None without values."""
    return float(np.quantile(np.asarray(values, dtype=np.float64), share)) if values else None

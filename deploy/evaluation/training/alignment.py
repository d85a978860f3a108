"""Fit how likely a paraphrase is true by how its words stand to those of its proof.

    python -m deploy.evaluation.training.alignment [CLAIMS.jsonl]

It is fitted to our own true and false sentences about the sample book, those that the fact checks let
pass, and chooses the threshold on sentences that each fit did not see. CLAIMS, of another book, is only
measured on. A feature may only count the way that its meaning says.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from deploy.evaluation import metrics
from deploy.evaluation.training.logistic import minimise_bounded
from deploy.evaluation.training.paraphrases import LabelledStatement, read_paraphrases
from libs.ml import LogisticModel
from services.generation.checks.alignment import FEATURES, read_alignment
from services.generation.checks.copies import is_altered_copy
from services.generation.checks.facts import check_own_words, surroundings
from services.generation.checks.words_verifier import COEFFICIENTS
from services.generation.model import Statement

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

STAMP = "alignment-2"
FOLDS = 8
FALSE_SHOWN = 0.15
"""The share of our own false sentences that the threshold may let pass. They keep more of the truth's
words than a model's mistakes do: on one half of the recorded claims it lets 4 % pass."""

_SPEAK_FOR = ("known", "known_near", "known_in_one", "bound", "clause_least", "length", "in_order")
_PENALTY = 20.0


def read_claims(path: Path) -> list[LabelledStatement]:
    """Return the claims of `path`, as ../shared/data/drafts has them."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        claim = json.loads(line)
        parted = [text.partition("\n") for text in claim["passages"]]
        statement = Statement(
            claim["sentence"],
            tuple(claim["quotes"]),
            tuple(body for _, _, body in parted),
            tuple(title.removeprefix("Section: ") for title, _, _ in parted),
            claim["question"],
        )
        label = bool(claim["label"])
        found.append(LabelledStatement(statement, label, claim["category"], claim["draft"]))
    return found


def fit(values: Floats, labels: Flags) -> LogisticModel:
    """Fit with the sign of every coefficient held to what its feature means."""
    signs = np.array([1.0 if name in _SPEAK_FOR else -1.0 for name in FEATURES])
    means, scales = values.mean(axis=0), values.std(axis=0)
    scales[scales < 1e-6] = 1.0
    design = (values - means) / scales * signs
    weights = np.where(labels, 0.5 / labels.sum(), 0.5 / (~labels).sum())
    penalty = _PENALTY / len(labels)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        coefficients, logits = parameters[:-1], design @ parameters[:-1] + parameters[-1]
        slope = weights * (1 / (1 + np.exp(-logits)) - labels)
        gradient = np.append(design.T @ slope + penalty * coefficients, slope.sum())
        entropy = weights @ np.logaddexp(0.0, np.where(labels, -logits, logits))
        return float(penalty / 2 * coefficients @ coefficients + entropy), gradient

    fitted = minimise_bounded(loss, np.zeros(len(FEATURES) + 1))
    return LogisticModel(
        stamp=STAMP,
        features=FEATURES,
        means=tuple(means.tolist()),
        scales=tuple(scales.tolist()),
        coefficients=tuple((fitted[:-1] * signs).tolist()),
        intercept=float(fitted[-1]),
    )


def probabilities_of(model: LogisticModel, values: Floats) -> Floats:
    rows = (dict(zip(FEATURES, row, strict=True)) for row in values.tolist())
    return np.array([model.probability(row) for row in rows])


def cross_validate(values: Floats, labels: Flags, passed: Flags, groups: Sequence[str]) -> Floats:
    """Return each statement's probability by a model fitted without its group."""
    names = sorted(set(groups))
    order = np.random.default_rng(0).permutation(len(names))
    fold_of = {names[index]: place % FOLDS for place, index in enumerate(order)}
    folds = np.array([fold_of[group] for group in groups])
    probabilities = np.zeros(len(labels))
    for fold in range(FOLDS):
        known, unseen = (folds != fold) & passed, folds == fold
        model = fit(values[known], labels[known])
        probabilities[unseen] = probabilities_of(model, values[unseen])
    return probabilities


def choose_threshold(probabilities: Floats, labels: Flags, passed: Flags) -> float:
    """Return the least threshold that shows at most FALSE_SHOWN of the false statements."""
    false = np.sort(np.where(passed, probabilities, 0.0)[~labels])[::-1]
    return float(np.nextafter(false[int(FALSE_SHOWN * len(false))], 1.0))


def measure(
    name: str,
    probabilities: Floats,
    claims: Sequence[LabelledStatement],
    passed: Flags,
    threshold: float,
) -> dict[str, float]:
    """Return the shares that are shown, by the fact checks alone and with the model."""
    labels = np.array([claim.supported for claim in claims])
    shown = passed & (probabilities >= threshold)
    truth, scores = labels[passed].tolist(), probabilities[passed].tolist()
    return {
        f"{name}_true_passed": float(passed[labels].mean()),
        f"{name}_false_passed": float(passed[~labels].mean()),
        f"{name}_auc_of_passed": metrics.area_under_curve(scores, truth) or 0.0,
        f"{name}_true_shown": float(shown[labels].mean()),
        f"{name}_false_shown": float(shown[~labels].mean()),
    }


def _collect(claims: Sequence[LabelledStatement]) -> tuple[Floats, Flags, Flags]:
    read = [read_alignment(claim.statement) for claim in claims]
    values = np.array([[row[name] for name in FEATURES] for row in read], float)
    passed = np.array([_may_pass(claim.statement) for claim in claims])
    return values, np.array([claim.supported for claim in claims]), passed


def _may_pass(statement: Statement) -> bool:
    """Whether the verifier's verdict decides: it is asked, and the sentence is no altered copy."""
    copied = is_altered_copy(statement.text, surroundings(statement))
    return check_own_words(statement)[-1].passed and not copied


def main(paths: Sequence[Path]) -> None:
    own = read_paraphrases()
    values, labels, passed = _collect(own)
    unseen = cross_validate(values, labels, passed, [claim.group for claim in own])
    threshold = choose_threshold(unseen, labels, passed)
    model = replace(fit(values[passed], labels[passed]), threshold=threshold)
    measured = measure("unseen", unseen, own, passed, threshold)
    for path in paths:
        claims = read_claims(path)
        others, _, kept = _collect(claims)
        measured |= measure(path.stem, probabilities_of(model, others), claims, kept, threshold)
    data = f"paraphrases.jsonl ({len(own)}), {FOLDS}-fold by true sentence (unseen)"
    rounded = {name: round(value, 3) for name, value in measured.items()}
    replace(model, data=data, measured=rounded).save(COEFFICIENTS)
    for name, value in measured.items():
        sys.stdout.write(f"{name:45} {value:.3f}\n")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])

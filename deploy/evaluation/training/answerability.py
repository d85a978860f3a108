"""Fit the answerability classifier to labelled questions, and say what it changes."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from deploy.evaluation import metrics
from deploy.evaluation.benchmarks.golden import FALSE_PREMISE, INJECTION
from deploy.evaluation.datasets import PARAPHRASE, DataError, GoldenRow
from deploy.evaluation.report.intervals import Interval, binomial_interval, rows_for
from deploy.evaluation.report.result import hash_data
from deploy.evaluation.training.answers import FOLDS, LEAST_BOOKS
from deploy.evaluation.training.labelled_books import SELECTED
from deploy.evaluation.training.logistic import LabelledRow, cross_validate, fit_model
from deploy.evaluation.training.observe import Observed
from libs.ml import LogisticModel, load_model
from services.retrieval.answerability import SELECTION_FEATURES
from services.retrieval.settings import SHIPPED_MODEL

PENALTY = 3.0
_LEAST_ROWS = 20
_UNJUDGED = (FALSE_PREMISE, INJECTION, PARAPHRASE)
"""Kinds that are not fitted to. A false premise has passages that correct it and an injected order
hardly any. A question in other words than the book's is told by no feature from one that the book does
not answer (areas of .06 to .31 against near misses): at any weight it teaches to answer those."""
_REFUSED = 1.25
"""How much worse it is to refuse what the book answers than to answer what it does not, with as many
questions of either kind. On books left out, at 1, 1.25 and 1.5, of 465 answerable questions of the
visible sets 16, 14 and 11 are refused, of 225 of five manuals 37, 28 and 25; of 120 near misses beside
the open paraphrases 67, 68 and 71 are answered, of 87 of the manuals 22, 24 and 25. At 1.5 the sample
book falls below its least rate of right answers."""

_SEEMING = 0.5
"""Weight of a question that its selected paragraph only seems to answer. It differs by a word or two
from one that is answered, which no feature shows: at full weight many of those would be refused."""


@dataclass(frozen=True)
class Rate:
    """Errors among so many cases, with a confidence interval."""

    errors: int
    cases: int

    @property
    def value(self) -> float | None:
        return self.errors / self.cases if self.cases else None

    @property
    def interval(self) -> Interval:
        return binomial_interval(self.errors, self.cases)

    def rows_missing(self, half_width: float) -> int:
        """Return how many cases more would pin the rate down to plus or minus `half_width`."""
        return max(0, rows_for(self.value or 0.0, half_width) - self.cases)


@dataclass(frozen=True)
class AnswerabilityQuality:
    """Error rates of a classifier: answers where there are none, refusals where there is one."""

    false_answers: Rate
    false_refusals: Rate
    bins: list[metrics.Bin]
    auc: float | None
    brier: float

    @property
    def ece(self) -> float | None:
        return metrics.calibration_error(self.bins)


@dataclass(frozen=True)
class Point:
    """What a threshold would do."""

    threshold: float
    false_answers: float
    false_refusals: float


@dataclass(frozen=True)
class FittedAnswerability:
    """A fitted classifier; its quality before, and after on questions it did not see."""

    model: LogisticModel
    before: AnswerabilityQuality
    after: AnswerabilityQuality
    threshold: float
    curve: list[Point]


def select_rows(rows: Sequence[GoldenRow], elsewhere: Sequence[GoldenRow]) -> list[GoldenRow]:
    """Return the rows to fit to; questions about other books count as unanswerable."""
    own = [row for row in rows if row.kind not in _UNJUDGED]
    foreign = [
        replace(row, row_id=f"elsewhere/{row.row_id}", answerable=False, gold=(), selection=None)
        for row in elsewhere
        if row.answerable and row.selection is None and not row.history
    ]
    return [*own, *foreign]


def fit_answerability(
    observed: Sequence[Observed],
    threshold: float,
    seed: int,
    data: Sequence[Path],
    stamp: str,
) -> FittedAnswerability:
    """Fit the features that the shipped classifier uses, on the collection that `stamp` names.

    With questions about several books, what is measured is measured on books left out; else on
    questions left out. Raises DataError for too few rows of one label.
    """
    held = [item for item in observed if item.features]
    _require_both_labels(held)
    names = load_model(SHIPPED_MODEL).features
    by_book = len({item.book for item in held}) >= LEAST_BOOKS
    rows = [
        LabelledRow(item.features, item.answerable, item.book if by_book else item.row_id)
        for item in held
    ]
    folds = len({row.group for row in rows}) if by_book else FOLDS
    probabilities = [
        _lean(probability) for probability in cross_validate(rows, names, folds, PENALTY, seed)
    ]
    labels = [item.answerable for item in held]
    after = _quality(labels, probabilities, threshold)
    kinds = _false_answers_by_kind(held, probabilities, threshold)
    model = fit_model(rows, names, stamp, PENALTY)
    model = replace(
        model,
        intercept=model.intercept + math.log(_REFUSED),
        data=_named(data, held, "left-out books" if by_book else f"{FOLDS}-fold by question"),
        measured=_measured(after, threshold) | kinds,
    )
    points = curve(labels, probabilities)
    return FittedAnswerability(model, quality_before(held), after, threshold, points)


def _lean(probability: float) -> float:
    """Return the probability with the odds of an answer `_REFUSED` times what they are."""
    return _REFUSED * probability / (_REFUSED * probability + 1 - probability)


def says_what_to_do(item: Observed) -> bool:
    """Whether the classifier can learn from what was found: of a selection another one judges."""
    return item.kind not in _UNJUDGED and item.selection is None


def judge_left_out(observed: Sequence[Observed], least: float) -> list[Observed]:
    """Return what was found, each question judged as by a classifier that saw nothing of its book.

    Those asked of a selection stay as they are, and all where the books are too few; a probability of
    `least` passes. A classifier is surer of the questions that it was fitted to than of a reader's.
    """
    books = dict.fromkeys(item.book for item in observed)
    if len(books) < LEAST_BOOKS:
        return list(observed)
    names = load_model(SHIPPED_MODEL).features
    held = [item for item in observed if item.features and item.selection is None]
    told: dict[int, float] = {}
    for book in books:
        others = [item for item in held if item.book != book and says_what_to_do(item)]
        rows = [LabelledRow(item.features, item.answerable, item.book) for item in others]
        model = fit_model(rows, names, "", PENALTY)
        told |= {
            id(item): _lean(model.probability(item.features)) for item in held if item.book == book
        }
    return [
        replace(item, probability=told[id(item)], passed=told[id(item)] >= least)
        if id(item) in told
        else item
        for item in observed
    ]


def fit_selection(
    observed: Sequence[Observed], threshold: float, data: Sequence[Path], stamp: str
) -> LogisticModel:
    """Fit the classifier for questions about selected text; measured on questions left out.

    Raises DataError for too few rows of one label.
    """
    held = [item for item in observed if item.features and not item.analysis.deictic]
    _require_both_labels(held)
    rows = [
        LabelledRow(
            item.features,
            item.answerable,
            item.row_id.rpartition("/")[2],
            _SEEMING if item.kind == SELECTED and not item.answerable else 1.0,
        )
        for item in held
    ]
    probabilities = cross_validate(rows, SELECTION_FEATURES, FOLDS, PENALTY)
    labels = [item.answerable for item in held]
    quality = _quality(labels, probabilities, threshold)
    kinds = _false_answers_by_kind(held, probabilities, threshold)
    return replace(
        fit_model(rows, SELECTION_FEATURES, stamp, PENALTY),
        data=_named(data, held, f"{FOLDS}-fold by question"),
        measured=_measured(quality, threshold) | kinds,
    )


def _require_both_labels(observed: Sequence[Observed]) -> None:
    for label in (True, False):
        count = sum(item.answerable == label for item in observed)
        if count < _LEAST_ROWS:
            what = "answerable" if label else "unanswerable"
            raise DataError(f"{count} {what} questions are too few: {_LEAST_ROWS} at least.")


def curve(labels: Sequence[bool], probabilities: Sequence[float]) -> list[Point]:
    """Return what every threshold from 0.05 to 0.95 would let pass and refuse wrongly."""
    points = []
    for step in range(1, 20):
        found = _quality(labels, probabilities, step / 20)
        points.append(
            Point(
                step / 20,
                round(found.false_answers.value or 0.0, 4),
                round(found.false_refusals.value or 0.0, 4),
            )
        )
    return points


def _false_answers_by_kind(
    observed: Sequence[Observed], probabilities: Sequence[float], threshold: float
) -> dict[str, float]:
    """Return the errors of each kind of question, refusals of those that have an answer."""
    wrong: dict[str, list[bool]] = {}
    for item, probability in zip(observed, probabilities, strict=True):
        what = "false_refusals" if item.answerable else "false_answers"
        error = (probability >= threshold) != item.answerable
        wrong.setdefault(f"{what}_{item.kind}", []).append(error)
    return {name: round(sum(held) / len(held), 4) for name, held in sorted(wrong.items())}


def quality_before(observed: Sequence[Observed]) -> AnswerabilityQuality:
    """Return the quality of the classifier that is running."""
    labels = [item.answerable for item in observed]
    quality = _quality(labels, [item.probability for item in observed], 0.5)
    return replace(
        quality,
        false_answers=Rate(
            sum(item.passed and not item.answerable for item in observed), labels.count(False)
        ),
        false_refusals=Rate(
            sum(not item.passed and item.answerable for item in observed), labels.count(True)
        ),
    )


def _quality(
    labels: Sequence[bool], probabilities: Sequence[float], threshold: float
) -> AnswerabilityQuality:
    passed = [probability >= threshold for probability in probabilities]
    pairs = list(zip(passed, labels, strict=True))
    return AnswerabilityQuality(
        Rate(sum(yes and not label for yes, label in pairs), list(labels).count(False)),
        Rate(sum(label and not yes for yes, label in pairs), list(labels).count(True)),
        metrics.reliability_bins(probabilities, labels),
        metrics.area_under_curve(probabilities, labels),
        metrics.brier_score(probabilities, labels),
    )


def _named(data: Sequence[Path], observed: Sequence[Observed], how: str) -> str:
    answerable = sum(item.answerable for item in observed)
    names = ", ".join(path.name for path in data)
    return (
        f"{answerable} answerable and {len(observed) - answerable} unanswerable questions of "
        f"{names}; measured on {how}"
    )


def _measured(quality: AnswerabilityQuality, threshold: float) -> dict[str, float]:
    found = {
        "auc": quality.auc,
        "expected_calibration_error": quality.ece,
        "threshold": threshold,
        "false_answers": quality.false_answers.value,
        "false_refusals": quality.false_refusals.value,
    }
    return {name: round(value, 4) for name, value in found.items() if value is not None}


def write_answerability(
    fitted: FittedAnswerability, path: Path, data: Sequence[Path], command: str = ""
) -> None:
    """Write the classifier with its curve, its reliability and the hash of what it was fitted to."""
    write_model(
        fitted.model,
        path,
        data,
        command,
        curve=[asdict(item) for item in fitted.curve],
        reliability=[asdict(item) for item in fitted.after.bins],
    )


def write_model(
    model: LogisticModel, path: Path, data: Sequence[Path], command: str, **more: Any
) -> None:
    """Write coefficients with where they come from."""
    hashes = {item.name: hash_data(item) for item in data}
    table: dict[str, Any] = {
        **asdict(model),
        **more,
        "command": command,
        "data_sha256": hashlib.sha256("".join(hashes.values()).encode()).hexdigest(),
        "files_sha256": hashes,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(table, indent=2) + "\n", "utf-8")

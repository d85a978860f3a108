"""What was found for labelled questions in; a ranking of sentences and a confidence of answers out.

Every figure is of books left out: the ranking that chooses a book's sentences, and the confidence
that is told for them, are learnt from the other books.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from deploy.evaluation import metrics
from deploy.evaluation.forms.golden import FALSE_PREMISE
from deploy.evaluation.observe import Observed
from deploy.evaluation.places import overlaps
from deploy.evaluation.rows import DataError
from libs.calibration import Calibration
from libs.calibration.fit import LabelledRow, fit_calibration
from libs.calibration.rank import Choices, fit_ranking
from libs.profiles import Generation
from services.generation.adapters.extractive_answerer import choose_places
from services.generation.adapters.question_form import read_form
from services.generation.adapters.quotable import Quotable, list_quotables
from services.generation.adapters.unit_features import describe_units
from services.generation.address import unknown_names
from services.generation.model import Gate, Locator, Prompt, SearchResult
from services.generation.score import describe_answer, name_level

RANKING_PENALTY = 60.0
CONFIDENCE_PENALTY = 2.0
BOOK_WEIGHT = 100.0
"""What a book counts in all, however many questions it has."""

FOLDS = 10
LEAST_BOOKS = 3
_LEAST_ANSWERS = 10
_CONFIDENCE_FEATURES = ("unit", "lead", "rivals", "sources")


@dataclass(frozen=True)
class Judged:
    """One answer: what it quotes, whether that is right, and how sure it is said to be."""

    book: str
    kind: str
    answerable: bool
    right: bool
    characters: int
    features: dict[str, float]
    confidence: float = 0.0


def learn_ranking(observed: Sequence[Observed]) -> Calibration:
    """Learn from the questions whose gold is quotations."""
    return _fit_ranking(_choices(observed))


def learn_rankings_without(observed: Sequence[Observed]) -> dict[str, Calibration]:
    """Return for every book a ranking that is learnt without it."""
    choices = _choices(observed)
    books = dict.fromkeys(item.book for item in observed)
    return {
        book: _fit_ranking({name: held for name, held in choices.items() if name != book})
        for book in books
    }


def _fit_ranking(choices: Mapping[str, Sequence[Choices]]) -> Calibration:
    weighed = [
        replace(item, weight=BOOK_WEIGHT / len(held)) for held in choices.values() for item in held
    ]
    names = list(weighed[0].features[0])
    return fit_ranking(weighed, names, RANKING_PENALTY)


def _choices(observed: Sequence[Observed]) -> dict[str, list[Choices]]:
    """Return what every question can be answered with, by book."""
    found: dict[str, list[Choices]] = {}
    for item in observed:
        if item.answerable and item.exact and item.passages:
            quotables = list_quotables(item.passages)
            right = [_is_gold(quotable, item) for quotable in quotables]
            if any(right):
                form = read_form(item.searched)
                features = describe_units(item.searched, form, quotables)
                found.setdefault(item.book, []).append(Choices(features, right))
    return found


def _is_gold(quotable: Quotable, item: Observed) -> bool:
    document, unit = quotable.passage.locator.document, quotable.unit
    return any(
        document == name and overlaps((unit.start, unit.end), place)
        for gold in item.gold
        for name, place in gold.places
    )


def judge_answers(
    observed: Sequence[Observed], rankings: Mapping[str, Calibration], settings: Generation
) -> list[Judged]:
    """Answer what the gate lets pass, each book by its ranking."""
    return [
        _judge(item, rankings[item.book], settings)
        for item in observed
        if item.passages and item.passed and not _names_unknown(item)
    ]


def _names_unknown(item: Observed) -> bool:
    return item.marked is None and bool(unknown_names(item.searched, item.passages))


def _judge(item: Observed, ranking: Calibration, settings: Generation) -> Judged:
    prompt = Prompt(item.searched, item.passages, settings, marked=item.marked)
    places = choose_places(prompt, ranking)
    shown = [(place.document, place.unit.start, place.unit.end) for place in places]
    may_be_right = item.answerable or item.kind == FALSE_PREMISE
    search = SearchResult(item.passages, Gate(item.probability, 0.0, passed=True))
    return Judged(
        item.book,
        item.kind,
        item.answerable,
        may_be_right and item.is_met_by(shown),
        sum(end - start for _, start, end in shown),
        describe_answer(search, [Locator(*place) for place in shown]),
    )


def learn_confidence(judged: Sequence[Judged]) -> tuple[Calibration, list[Judged]]:
    """Learn when answers are right; return also the answers with their confidence when left out.

    Whole books are left out, or every tenth answer when there are too few books. Raises DataError for
    too few right or wrong answers.
    """
    for right in (True, False):
        count = sum(item.right == right for item in judged)
        if count < _LEAST_ANSWERS:
            what = "right" if right else "wrong"
            raise DataError(f"{count} {what} answers are too few: {_LEAST_ANSWERS} at least.")
    names = list(dict.fromkeys(item.book for item in judged))
    by_book = len(names) >= LEAST_BOOKS
    folds = [names.index(item.book) if by_book else at % FOLDS for at, item in enumerate(judged)]
    learnt = {
        fold: _fit_confidence(
            [item for item, other in zip(judged, folds, strict=True) if other != fold]
        )
        for fold in set(folds)
    }
    told = [
        replace(item, confidence=learnt[fold].probability(item.features))
        for item, fold in zip(judged, folds, strict=True)
    ]
    return _fit_confidence(judged), told


def _fit_confidence(judged: Sequence[Judged]) -> Calibration:
    counts = Counter(item.book for item in judged)
    rows = [
        LabelledRow(item.features, item.right, item.book, BOOK_WEIGHT / counts[item.book])
        for item in judged
    ]
    return fit_calibration(rows, _CONFIDENCE_FEATURES, "", CONFIDENCE_PENALTY, balanced=False)


def confidence_measured(told: Sequence[Judged]) -> dict[str, float]:
    """Return how well left-out answers were told right from wrong."""
    chances = [item.confidence for item in told]
    right = [item.right for item in told]
    bins = metrics.reliability_bins(chances, right)
    found = {
        "answers": float(len(told)),
        "auc_unseen_book": metrics.area_under_curve(chances, right),
        "expected_calibration_error_unseen_book": metrics.calibration_error(bins),
    }
    for level in ("high", "medium", "low"):
        held = [item.right for item in told if name_level(item.confidence).value == level]
        if held:
            found[f"{level}_right_unseen_book"] = fmean(held)
    return {name: round(value, 4) for name, value in found.items() if value is not None}


def gold_cited(observed: Sequence[Observed], judged: Sequence[Judged]) -> dict[str, float]:
    """Return by book the share of all answerable questions that were answered with gold."""
    asked = Counter(item.book for item in observed if item.answerable)
    right = Counter(item.book for item in judged if item.answerable and item.right)
    return {book: round(right[book] / count, 4) for book, count in asked.items()}

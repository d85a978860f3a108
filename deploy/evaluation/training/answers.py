"""Fit the ranking of sentences and the confidence of answers to what was found for questions.

Every figure is of books left out: the ranking that chooses a book's sentences, and the confidence
that is told for them, are fitted to the other books.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from types import MappingProxyType

from deploy.evaluation import metrics
from deploy.evaluation.benchmarks.golden import FALSE_PREMISE
from deploy.evaluation.datasets import DataError
from deploy.evaluation.judgements import ANSWERS, sentence_key
from deploy.evaluation.quotations import overlaps
from deploy.evaluation.training.logistic import LabelledRow, fit_model
from deploy.evaluation.training.observe import Observed
from deploy.evaluation.training.ranking import Choices, fit_ranking
from libs.ml import Band, LogisticModel, tell
from libs.profiles import Generation, load_profile
from services.generation.confidence import (
    ANSWER_FEATURES,
    HIGH,
    MEDIUM,
    describe_answer,
    most_of_reason,
    name_level,
    share_tellable,
)
from services.generation.coverage.entities import lacks_value, unknown_names
from services.generation.extractive.answerer import choose_places
from services.generation.extractive.candidates import CandidateSpan, list_candidates
from services.generation.extractive.features import describe_candidates, read_asked
from services.generation.extractive.places import Place
from services.generation.model import Gate, Locator, Prompt, SearchResult, SentenceRole

RANKING_PENALTY = 60.0
CONFIDENCE_PENALTY = 2.0
BOOK_WEIGHT = 100.0
"""What a book counts in all, however many questions it has."""

_DERIVED = frozenset({"excerpts", "paragraph"})
_DERIVED_SHARE = 0.3
"""What a book counts whose questions were written to fit a passage, and name its words.

It lowers the loss on books left out; .15 does as well."""

_HIGH_CITES, _MEDIUM_RIGHT = 0.97, 0.85
"""Shares of answers that the levels are fitted to, above what they promise of books left out: of high
ones that show gold, of medium ones that gold leads.

Gold is one place of several: where nearly all show it, a lead away from it is mostly right as well.
With medium ones that only show it in .88, between .79 and .90 it led 72 % of those to nine books."""

_HAIR = 1e-4
"""What parts a level from the next."""

_LEAST_KEPT = 40
"""Answers from which a share of right ones says something."""

FOLDS = 10
LEAST_BOOKS = 3
_LEAST_ANSWERS = 10


@dataclass(frozen=True)
class Judged:
    """One answer: whether its lead is right, what it shows, and how sure it is said to be."""

    book: str
    kind: str
    answerable: bool
    right: bool
    """Whether what leads meets the gold or was judged to answer: what only supports it tells no reader
    that another sentence is wrong."""

    cites_gold: bool
    characters: int
    features: dict[str, float]
    tellable: float = 1.0
    """What its confidence is multiplied by, by what the question holds."""

    most: float = 1.0
    """What its confidence is at most, by what the question asks and the lead says."""

    confidence: float = 0.0


def fit_sentence_ranking(observed: Sequence[Observed]) -> LogisticModel:
    """Fit to the questions whose gold is quotations."""
    return _fit_choices(_choices(observed))


def fit_rankings_without(observed: Sequence[Observed]) -> dict[str, LogisticModel]:
    """Return for every book a ranking that is fitted without it."""
    choices = _choices(observed)
    books = dict.fromkeys(item.book for item in observed)
    return {
        book: _fit_choices({name: held for name, held in choices.items() if name != book})
        for book in books
    }


def _fit_choices(choices: Mapping[str, Sequence[Choices]]) -> LogisticModel:
    weighed = [
        replace(item, weight=item.weight * BOOK_WEIGHT / len(held))
        for held in choices.values()
        for item in held
    ]
    names = list(weighed[0].features[0])
    return fit_ranking(weighed, names, RANKING_PENALTY)


def _choices(observed: Sequence[Observed]) -> dict[str, list[Choices]]:
    """Return what every question can be answered with, by book."""
    found: dict[str, list[Choices]] = {}
    for item in observed:
        if item.answerable and item.exact and item.passages:
            candidates = list_candidates(item.passages, item.analysis.language)
            right = [_is_gold(candidate, item) for candidate in candidates]
            if any(right):
                features = describe_candidates(read_asked(prompt_of(item), candidates), candidates)
                weight = _DERIVED_SHARE if item.kind in _DERIVED else 1.0
                found.setdefault(item.book, []).append(Choices(features, right, weight))
    return found


def prompt_of(item: Observed) -> Prompt:
    """Return what the answerer is given, with what was said before."""
    return Prompt(
        item.analysis,
        item.passages,
        load_profile("").generation,
        item.history,
        selection=item.selection,
        follow_up=item.asked if item.history and item.analysis.follow_up else "",
    )


def _is_gold(candidate: CandidateSpan, item: Observed) -> bool:
    document, span = candidate.passage.locator.document, candidate.span
    return any(
        document == name and overlaps((span.start, span.end), place)
        for gold in item.gold
        for name, place in gold.places
    )


def judge_answers(
    observed: Sequence[Observed],
    rankings: Mapping[str, LogisticModel],
    settings: Generation,
    supports: Mapping[str, LogisticModel] = MappingProxyType({}),
) -> list[Judged]:
    """Answer what the product would answer of these questions, each book by its ranking.

    What supports a lead is told by the book's own of `supports`, else by the shipped one.
    """
    answered = (
        _judge(item, rankings[item.book], settings, supports.get(item.book))
        for item in observed
        if item.passages and item.passed and not _lacks_asked(item)
    )
    return [judged for judged in answered if judged is not None]


def _lacks_asked(item: Observed) -> bool:
    """Whether no passage has what the question asks for, or a name that it asks about."""
    if lacks_value(item.analysis, item.passages):
        return True
    return item.selection is None and bool(unknown_names(item.analysis, item.passages))


def _judge(
    item: Observed, ranking: LogisticModel, settings: Generation, support: LogisticModel | None
) -> Judged | None:
    """Return the answer; None where no span can lead one."""
    places = choose_places(replace(prompt_of(item), settings=settings), ranking, support)
    if not places:
        return None
    shown, leads = _ranges(places), [place for place in places if place.role is SentenceRole.LEAD]
    texts = [item.passages[place.source - 1].text_of(place.span) for place in leads]
    grades = item.grades or {}
    may_be_right = item.answerable or item.kind == FALSE_PREMISE
    is_met = item.is_met_by(_ranges(leads))
    answers = any(grades.get(sentence_key(text)) == ANSWERS for text in texts)
    search = SearchResult(item.passages, Gate(item.probability, 0.0, passed=True))
    return Judged(
        item.book,
        item.kind,
        item.answerable,
        may_be_right and (is_met or answers),
        may_be_right and item.is_met_by(shown),
        sum(end - start for _, start, end in shown),
        describe_answer(
            search,
            [Locator(*place) for place in shown],
            item.analysis,
            of_selection=item.selection is not None,
        ),
        share_tellable(item.analysis),
        most_of_reason(item.analysis, texts[0]),
    )


def _ranges(places: Sequence[Place]) -> list[tuple[str, int, int]]:
    return [(place.document, place.span.start, place.span.end) for place in places]


def fit_confidence(judged: Sequence[Judged]) -> tuple[LogisticModel, list[Judged]]:
    """Fit how likely answers are right; return also the answers with their confidence when left out.

    Coefficients are fitted to whether an answer shows gold, bands to whether its lead is right. Whole
    books are left out, or every tenth answer when there are too few books. Raises DataError for too few
    answers that show gold, or that do not.
    """
    for right in (True, False):
        count = sum(item.cites_gold == right for item in judged)
        if count < _LEAST_ANSWERS:
            what = "right" if right else "wrong"
            raise DataError(f"{count} {what} answers are too few: {_LEAST_ANSWERS} at least.")
    names = list(dict.fromkeys(item.book for item in judged))
    by_book = len(names) >= LEAST_BOOKS
    folds = [names.index(item.book) if by_book else at % FOLDS for at, item in enumerate(judged)]
    fitted = {
        fold: _fit_answers(
            [item for item, other in zip(judged, folds, strict=True) if other != fold]
        )
        for fold in set(folds)
    }
    found = [
        replace(item, confidence=fitted[fold].probability(item.features))
        for item, fold in zip(judged, folds, strict=True)
    ]
    bands = {
        fold: _fit_bands([item for item, other in zip(found, folds, strict=True) if other != fold])
        for fold in set(folds)
    }
    told = [
        replace(item, confidence=min(item.most, tell(item.confidence, bands[fold]) * item.tellable))
        for item, fold in zip(found, folds, strict=True)
    ]
    return replace(_fit_answers(judged), bands=_fit_bands(found)), told


def _fit_bands(found: Sequence[Judged]) -> tuple[Band, ...]:
    """Return where each level begins so that it keeps what it promises, and how far answers are off.

    `found` are answers with the probability that others taught.
    """
    ordered = sorted(
        (item for item in found if min(item.tellable, item.most) == 1.0),
        key=lambda item: -item.confidence,
    )
    high = _count_kept([item.cites_gold for item in ordered], _HIGH_CITES)
    medium = high + _count_kept([item.right for item in ordered[high:]], _MEDIUM_RIGHT)
    levels = (
        (ordered[medium:], 0.0, MEDIUM - _HAIR),
        (ordered[high:medium], MEDIUM, HIGH),
        (ordered[:high], HIGH + _HAIR, 1.0),
    )
    bands: list[Band] = []
    for held, least, most in levels:
        if held:
            shift = fmean(item.right for item in held) - fmean(item.confidence for item in held)
            start = held[-1].confidence if bands else 0.0
            bands.append(Band(start, shift, least, most))
    return tuple(bands)


def _count_kept(held: Sequence[bool], least: float) -> int:
    """Return of how many of the first at least that share is true; 0 when of too few."""
    true, kept = 0, 0
    for count, one in enumerate(held, 1):
        true += one
        if count >= _LEAST_KEPT and true >= least * count:
            kept = count
    return kept


def _fit_answers(judged: Sequence[Judged]) -> LogisticModel:
    counts = Counter(item.book for item in judged)
    rows = [
        LabelledRow(item.features, item.cites_gold, item.book, BOOK_WEIGHT / counts[item.book])
        for item in judged
    ]
    return fit_model(rows, ANSWER_FEATURES, "", CONFIDENCE_PENALTY, balanced=False)


def confidence_measured(judged: Sequence[Judged]) -> dict[str, float]:
    """Return how well the confidence separates right answers from wrong ones, on books left out."""
    probabilities = [item.confidence for item in judged]
    right = [item.right for item in judged]
    bins = metrics.reliability_bins(probabilities, right)
    found = {
        "answers": float(len(judged)),
        "auc_unseen_book": metrics.area_under_curve(probabilities, right),
        "expected_calibration_error_unseen_book": metrics.calibration_error(bins),
    }
    for level in ("high", "medium", "low"):
        held = [item.right for item in judged if name_level(item.confidence).value == level]
        if held:
            found[f"{level}_right_unseen_book"] = fmean(held)
    return {name: round(value, 4) for name, value in found.items() if value is not None}


def gold_cited(observed: Sequence[Observed], judged: Sequence[Judged]) -> dict[str, float]:
    """Return by book the share of all answerable questions that were answered with gold."""
    asked = Counter(item.book for item in observed if item.answerable)
    right = Counter(item.book for item in judged if item.answerable and item.cites_gold)
    return {book: round(right[book] / count, 4) for book, count in asked.items()}

"""Fit how likely a piece helps beside a lead to what judges said of the pieces that were shown."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from deploy.evaluation.judgements import NEITHER, sentence_key
from deploy.evaluation.training.answers import BOOK_WEIGHT, prompt_of
from deploy.evaluation.training.logistic import LabelledRow, fit_model
from deploy.evaluation.training.observe import Observed
from libs.ml import LogisticModel
from services.generation.extractive.answerer import lead_answer
from services.generation.extractive.support import (
    FEATURES,
    describe_offer,
    list_offers,
    piece_around,
)

SUPPORT_PENALTY = 30.0

KEPT = 0.95
"""Share of the pieces that help of which the threshold still shows the offers, on books left out."""

_LEAST_BOOKS = 2
_HAIR = 5e-5


def grade_offers(
    observed: Sequence[Observed], rankings: Mapping[str, LogisticModel]
) -> list[LabelledRow]:
    """Return a row for each piece that judges graded, beside the lead of its book's ranking.

    What helps or answers is labelled true. Books count the same, however many pieces were graded.
    """
    rows = [
        LabelledRow(features, grade > NEITHER, item.book)
        for item in observed
        if item.grades and item.passages and item.analysis.about_book is None
        for features, grade in _graded(item, item.grades, rankings[item.book])
    ]
    counts = Counter(row.group for row in rows)
    return [replace(row, weight=BOOK_WEIGHT / counts[row.group]) for row in rows]


def _graded(
    item: Observed, grades: Mapping[str, int], ranking: LogisticModel
) -> list[tuple[dict[str, float], int]]:
    answer = lead_answer(prompt_of(item), ranking)
    found = []
    for offer in list_offers(answer):
        place, passage = piece_around(offer.item, answer.lead), offer.item.passage
        grade = grades.get(sentence_key(passage.text_of(place.span)))
        if grade is not None:
            found.append((describe_offer(offer), grade))
    return found


def fit_support(rows: Sequence[LabelledRow]) -> LogisticModel | None:
    """Fit to all rows, with the threshold that keeps most of what helps; None from too few books."""
    groups = dict.fromkeys(row.group for row in rows)
    if len(groups) < _LEAST_BOOKS or len({row.label for row in rows}) < 2:
        return None
    unseen = [(row.label, chance) for group in groups for row, chance in _left_out(rows, group)]
    threshold = choose_threshold(unseen)
    shown = [label for label, chance in unseen if chance >= threshold]
    return replace(
        _fit(rows),
        threshold=threshold,
        data=f"{len(rows)} graded pieces of {', '.join(groups)}",
        measured={
            "helpful_of_offered_unseen_book": round(fmean(label for label, _ in unseen), 4),
            "helpful_of_shown_unseen_book": round(fmean(shown), 4),
            "shown_unseen_book": round(len(shown) / len(unseen), 4),
        },
    )


def fit_supports_without(
    rows: Sequence[LabelledRow], books: Sequence[str]
) -> dict[str, LogisticModel]:
    """Return for every book what is fitted without it, as far as the others are enough."""
    fitted = {book: fit_support([row for row in rows if row.group != book]) for book in books}
    return {book: model for book, model in fitted.items() if model is not None}


def choose_threshold(told: Sequence[tuple[bool, float]]) -> float:
    """Return the greatest threshold that KEPT of what helps reaches; `told` are labels and chances."""
    helpful = sorted((chance for label, chance in told if label), reverse=True)
    last = max(0, min(len(helpful), round(KEPT * len(helpful))) - 1)
    return round(helpful[last] - _HAIR, 4)


def _left_out(rows: Sequence[LabelledRow], group: str) -> list[tuple[LabelledRow, float]]:
    model = _fit([row for row in rows if row.group != group])
    return [(row, model.probability(row.features)) for row in rows if row.group == group]


def _fit(rows: Sequence[LabelledRow]) -> LogisticModel:
    return fit_model(rows, list(FEATURES), "", SUPPORT_PENALTY, balanced=False)

"""Where a language model reads, the gate's threshold is what a curve and its declining say."""

import json

from deploy.evaluation.benchmarks.played_model import RecordedDraft
from deploy.evaluation.datasets import GoldenRow
from deploy.evaluation.training.answerability import Point, Rate
from deploy.evaluation.training.reader_threshold import (
    count_answered,
    fit_reader_threshold,
    rate_errors,
)
from libs.profiles import load_profile
from services.retrieval.settings import SHIPPED_MODEL

CURVE = [
    Point(threshold=0.1, false_answers=0.30, false_refusals=0.00),
    Point(threshold=0.3, false_answers=0.10, false_refusals=0.02),
    Point(threshold=0.5, false_answers=0.02, false_refusals=0.08),
]


def test_the_better_a_model_declines_the_lower_the_threshold() -> None:
    thresholds = [
        fit_reader_threshold(CURVE, Rate(errors, 100)).threshold for errors in (100, 50, 2)
    ]
    assert thresholds == [0.5, 0.3, 0.1]


def test_a_model_that_was_hardly_asked_is_not_taken_for_infallible() -> None:
    assert fit_reader_threshold(CURVE, Rate(0, 4)).threshold == 0.3


def test_the_threshold_that_asks_the_model_less_is_taken_when_points_are_equal() -> None:
    same = [Point(0.2, 0.1, 0.1), Point(0.4, 0.1, 0.1)]
    assert fit_reader_threshold(same, Rate(0, 0)).threshold == 0.4


def test_a_draft_without_sentences_has_declined() -> None:
    said = [{"text": "It is so.", "citations": []}]
    drafts = [
        RecordedDraft("miss", "?", []),
        RecordedDraft("told", "?", said),
        RecordedDraft("fp", "?", said),
        RecordedDraft("known", "?", said),
    ]
    rows = [
        GoldenRow("miss", "near_miss", "?", answerable=False),
        GoldenRow("told", "near_miss", "?", answerable=False),
        GoldenRow("fp", "false_premise", "?", answerable=False),
        GoldenRow("known", "fact", "?", answerable=True),
    ]
    assert count_answered(drafts, rows) == Rate(1, 2)


def test_the_shipped_threshold_is_the_fitted_one() -> None:
    # Four unanswerable questions are among the recorded drafts of 2026-11; the model declined all.
    recorded = Rate(0, 4)
    curve = [Point(**item) for item in json.loads(SHIPPED_MODEL.read_text("utf-8"))["curve"]]
    share = 1 / (recorded.cases + 2)
    settings = load_profile("").retrieval
    shipped = next(item for item in curve if item.threshold == settings.gate_threshold_model)
    best = fit_reader_threshold(curve, recorded)
    # The curve is drawn anew with every fit; what it takes for best may be the neighbour.
    assert rate_errors(shipped, share) - rate_errors(best, share) < 0.003
    assert shipped.threshold < settings.gate_threshold

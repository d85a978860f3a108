"""Fit the answerability threshold that holds where a language model reads the passages.

Such a model may itself say that they do not answer, so that a question let through wrongly is wrong
only as often as the model then answers it. One refused wrongly stays wrong.
"""

from collections.abc import Sequence
from pathlib import Path

from deploy.evaluation.benchmarks.drafts import read_drafts
from deploy.evaluation.benchmarks.golden import FALSE_PREMISE, INJECTION
from deploy.evaluation.benchmarks.played_model import RecordedDraft
from deploy.evaluation.benchmarks.suite import list_tasks
from deploy.evaluation.datasets import GoldenRow, read_golden
from deploy.evaluation.training.answerability import Point, Rate


def fit_reader_threshold(curve: Sequence[Point], answered: Rate) -> Point:
    """Return the point of the gate's curve with the fewest errors behind the model, both kinds alike.

    `answered` counts the unanswerable questions that a model answered. Few are known, so that their
    share is estimated by the rule of succession, which takes no model for infallible.
    """
    share = (answered.errors + 1) / (answered.cases + 2)
    return min(curve, key=lambda point: (rate_errors(point, share), -point.threshold))


def rate_errors(point: Point, answered: float) -> float:
    """Return the share refused wrongly plus the share let through and answered, in [0, 2]."""
    return round(point.false_refusals + answered * point.false_answers, 6)


def count_answered(drafts: Sequence[RecordedDraft], rows: Sequence[GoldenRow]) -> Rate:
    """Count the recorded drafts to questions that the book does not answer, and those that say so not.

    A false premise is for the model to correct and an order to ignore: both may be answered.
    """
    unanswerable = {
        row.row_id
        for row in rows
        if not row.answerable and row.kind not in (FALSE_PREMISE, INJECTION)
    }
    said = [bool(draft.sentences) for draft in drafts if draft.row_id in unanswerable]
    return Rate(sum(said), len(said))


def read_answered(data: Path | None) -> Rate:
    """Return the count over the recordings that a folder of labelled sets holds."""
    counts = [
        count_answered(read_drafts(task.paths[0]), read_golden(task.paths[1]))
        for task in list_tasks(data)
        if task.benchmark == "drafts"
    ]
    return Rate(sum(count.errors for count in counts), sum(count.cases for count in counts))

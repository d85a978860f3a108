"""What helps beside a lead is fitted to grades of what was shown, and measured on books not seen."""

from dataclasses import replace

import pytest

from deploy.evaluation.judgements import sentence_key
from deploy.evaluation.training.observe import Observed
from deploy.evaluation.training.support import (
    choose_threshold,
    fit_support,
    fit_supports_without,
    grade_offers,
)
from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import shipped_ranking
from services.generation.model import BlockKind, Locator, Passage, PassageScores, Span

LEAD = "The arm is strong: 40 kg."
HELPS = "The arm of the old machine was strong too: 30 kg."
IDLE = "How the arm was painted is told by nobody who was there in autumn."


def _passage(number: int, text: str, score: float) -> Passage:
    span = Span(0, len(text), BlockKind.PARAGRAPH, score)
    place = Locator(f"{number}.md", 0, len(text))
    return Passage(str(number), place, text, (span,), PassageScores(0.5, 0.5))


def _observed(at: int, book: str, grades: dict[str, int] | None) -> Observed:
    return Observed(
        book=book,
        row_id=str(at),
        kind="fact",
        answerable=True,
        features={},
        probability=0.9,
        passed=True,
        analysis=analyse_question("How strong is the arm?"),
        passages=(
            _passage(1, LEAD, 0.95),
            _passage(2, HELPS, 0.75 - 0.01 * at),
            _passage(3, IDLE, 0.85),
        ),
        grades=grades,
    )


def _grades(**others: int) -> dict[str, int]:
    return {
        sentence_key(text): grade for text, grade in ((LEAD, 2), (HELPS, 1), (IDLE, 0))
    } | others


RANKINGS = dict.fromkeys(("one", "two"), shipped_ranking())
JUDGED = [_observed(at, book, _grades()) for at in range(4) for book in ("one", "two")]


def test_pieces_are_rows_where_judges_graded_them() -> None:
    rows = grade_offers([*JUDGED, _observed(0, "one", None)], RANKINGS)
    assert len(rows) == 2 * len(JUDGED)
    assert sum(row.label for row in rows) == len(JUDGED)
    # Books count the same.
    uneven = grade_offers([JUDGED[0], JUDGED[2], JUDGED[1]], RANKINGS)
    weights = {book: sum(row.weight for row in uneven if row.group == book) for book in RANKINGS}
    assert weights["one"] == pytest.approx(weights["two"])


def test_the_fitted_model_tells_what_helps_from_what_does_not() -> None:
    rows = grade_offers(JUDGED, RANKINGS)
    fitted = fit_support(rows)
    assert fitted is not None
    for row in rows:
        assert (fitted.probability(row.features) >= fitted.threshold) is row.label
    assert fitted.measured["helpful_of_shown_unseen_book"] == 1.0


def test_a_book_is_judged_by_what_others_taught_if_they_are_enough() -> None:
    rows = grade_offers(JUDGED, RANKINGS)
    assert fit_supports_without(rows, ["one", "two"]) == {}
    third = [replace(row, group="three") for row in rows if row.group == "two"]
    without = fit_supports_without([*rows, *third], ["one"])
    assert without == {"one": fit_support([row for row in [*rows, *third] if row.group != "one"])}


def test_one_book_is_too_few() -> None:
    rows = grade_offers(JUDGED, RANKINGS)
    assert fit_support([row for row in rows if row.group == "one"]) is None
    assert fit_support([]) is None


def test_the_threshold_keeps_nineteen_of_twenty_that_help() -> None:
    told = [(True, at / 20) for at in range(20)] + [(False, 0.99)]
    threshold = choose_threshold(told)
    assert sum(label and chance >= threshold for label, chance in told) == 19

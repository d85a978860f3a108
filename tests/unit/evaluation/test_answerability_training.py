"""Labelled searches become a model that the product can load."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from deploy.evaluation.datasets import DataError, Gold, GoldenRow
from deploy.evaluation.product import Product
from deploy.evaluation.report.plots import draw_reliability
from deploy.evaluation.session import Session
from deploy.evaluation.training.answerability import (
    Rate,
    fit_answerability,
    fit_selection,
    judge_left_out,
    quality_before,
    select_rows,
    write_answerability,
)
from deploy.evaluation.training.observe import Observed, observe
from libs.ml import load_model
from libs.question.analyse import QuestionAnalysis
from services.retrieval.answerability import SELECTION_FEATURES
from services.retrieval.settings import SHIPPED_MODEL
from tests.support.evaluation_fakes import FakeProduct, refused


def _observed(count: int = 200, shift: float = 2.0) -> list[Observed]:
    generator = np.random.default_rng(0)
    names = load_model(SHIPPED_MODEL).features
    found = []
    for at in range(count):
        answerable = at % 2 == 0
        features = {name: float(generator.normal() + shift * answerable) for name in names}
        found.append(_seen(str(at), answerable, features))
    return found


def _seen(
    row_id: str,
    answerable: bool,
    features: dict[str, float],
    probability: float = 0.9,
    *,
    passed: bool = True,
    book: str = "book",
) -> Observed:
    return Observed(book, row_id, "fact", answerable, features, probability, passed)


def test_the_fitted_classifier_separates_questions_that_it_did_not_see(tmp_path: Path) -> None:
    data = tmp_path / "golden.jsonl"
    data.write_text("{}")
    fitted = fit_answerability(_observed(), 0.5, 0, [data], "stamp-1")
    assert fitted.after.auc is not None
    assert fitted.after.auc > 0.95
    assert fitted.before.false_answers == Rate(100, 100)
    assert fitted.before.false_refusals == Rate(0, 100)
    assert (fitted.after.false_answers.value or 0) < 0.15
    write_answerability(fitted, tmp_path / "calibration.json", [data], "quoth calibrate")
    written = json.loads((tmp_path / "calibration.json").read_text())
    assert len(written["data_sha256"]) == 64
    assert written["command"] == "quoth calibrate"
    assert [point["threshold"] for point in written["curve"]][:2] == [0.05, 0.1]
    loaded = load_model(tmp_path / "calibration.json")
    assert loaded.stamp == "stamp-1"
    assert "100 answerable and 100 unanswerable" in loaded.data


def test_a_question_is_judged_as_by_a_classifier_that_saw_nothing_of_its_book() -> None:
    learnt = [
        replace(item, book=f"book {at % 3}") for at, item in enumerate(_observed(300, shift=3.0))
    ]
    # What answers all other books' questions is what this one does not answer.
    odd = [
        replace(item, book="odd", answerable=not item.answerable, row_id=f"odd {item.row_id}")
        for item in _observed(60, shift=3.0)
    ]
    premise = replace(odd[0], kind="false_premise")
    judged = judge_left_out([*learnt, *odd, premise], 0.5)
    wrong = [item for item in judged if item.book == "odd" and item.passed != item.answerable]
    assert len(wrong) > 50
    assert sum(item.passed == item.answerable for item in judged[:300]) > 250
    assert judged[-1].probability == judged[300].probability
    assert judge_left_out(odd, 0.5) == odd


def test_features_that_say_nothing_are_not_made_to_say_something() -> None:
    fitted = fit_answerability(_observed(shift=0.0), 0.5, 0, [], "stamp-1")
    assert (fitted.after.auc or 0.0) < 0.62


def test_too_few_rows_of_one_label_are_refused() -> None:
    only = [item for item in _observed() if item.answerable]
    with pytest.raises(DataError, match="0 unanswerable"):
        fit_answerability(only, 0.5, 0, [], "stamp-1")


def test_errors_of_a_gate_are_counted_by_the_questions_it_let_pass() -> None:
    observed = [
        _seen("a", True, {}, 0.9, passed=False),
        _seen("b", True, {}, 0.9),
        _seen("c", False, {}, 0.1),
    ]
    quality = quality_before(observed)
    assert quality.false_refusals == Rate(1, 2)
    assert quality.false_answers == Rate(1, 1)


def test_a_higher_threshold_lets_less_pass_and_refuses_more() -> None:
    curve = fit_answerability(_observed(), 0.5, 0, [], "stamp-1").curve
    pairs = list(pairwise(curve))
    assert all(low.false_answers >= high.false_answers for low, high in pairs)
    assert all(low.false_refusals <= high.false_refusals for low, high in pairs)
    assert curve[0].false_answers > curve[-1].false_answers


def test_with_several_books_whole_books_are_left_out() -> None:
    observed = _observed()
    books = [replace(item, book=f"book-{at % 4}") for at, item in enumerate(observed)]
    alone = fit_answerability(observed, 0.5, 0, [], "stamp-1")
    together = fit_answerability(books, 0.5, 0, [], "stamp-1")
    assert "left-out books" in together.model.data
    assert "10-fold by question" in alone.model.data
    assert together.model.coefficients == alone.model.coefficients
    assert together.after.bins != alone.after.bins


def test_the_gate_for_selected_text_is_fitted_to_what_says_what_it_asks_for() -> None:
    generator = np.random.default_rng(0)

    def row(at: int, *, deictic: bool = False) -> Observed:
        answerable = at % 2 == 0
        features = {name: float(generator.normal() + 3 * answerable) for name in SELECTION_FEATURES}
        analysis = QuestionAnalysis("", deictic=deictic)
        return replace(_seen(f"selection/{at}", answerable, features), analysis=analysis)

    fitted = fit_selection([row(at) for at in range(60)], 0.5, [], "stamp-1")
    assert (fitted.features, fitted.stamp) == (SELECTION_FEATURES, "stamp-1")
    assert fitted.measured["auc"] > 0.9
    with pytest.raises(DataError, match="too few"):
        fit_selection([row(at, deictic=True) for at in range(60)], 0.5, [], "stamp-1")


def test_more_rows_are_asked_for_until_the_rate_is_known() -> None:
    assert Rate(5, 50).rows_missing(0.05) > 50
    assert Rate(500, 5000).rows_missing(0.05) == 0


def test_rows_whose_label_says_nothing_of_the_gate_are_left_out() -> None:
    rows = [
        GoldenRow("1", "fact", "q", True, (Gold("a.md", "x"),)),
        GoldenRow("2", "false_premise", "q", False),
        GoldenRow("3", "book_injection", "q", False),
        GoldenRow("4", "near_miss", "q", False),
    ]
    found = select_rows(rows, rows)
    assert [(row.row_id, row.answerable) for row in found] == [
        ("1", True),
        ("4", False),
        ("elsewhere/1", False),
    ]


async def test_the_gate_is_observed_through_the_search_of_the_product() -> None:
    fake = FakeProduct({"a.md": "text"}, lambda _: refused())
    row = GoldenRow("1", "fact", "q", True, (Gold("a.md", "x"),))
    async with Product("http://product", fake.transport) as product:
        [found] = await observe(Session(product), "book", "book", [row])
    assert (found.probability, found.passed, found.answerable) == (0.9, True, True)


@pytest.mark.parametrize("name", ["curve.svg", "curve.png"])
def test_the_diagram_is_drawn(tmp_path: Path, name: str) -> None:
    bins = fit_answerability(_observed(), 0.5, 0, [], "stamp-1").after.bins
    draw_reliability(tmp_path / name, {"after": bins}, "book")
    assert (tmp_path / name).stat().st_size > 1000


def test_a_diagram_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"\.svg or \.png"):
        draw_reliability(tmp_path / "curve.gif", {}, "book")

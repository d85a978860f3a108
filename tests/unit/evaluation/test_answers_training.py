"""A ranking and a confidence are fitted to labelled questions, and measured on books not seen."""

from dataclasses import replace
from statistics import fmean

import pytest

from deploy.evaluation.benchmarks.golden import LocatedGold
from deploy.evaluation.datasets import DataError, Gold
from deploy.evaluation.judgements import ANSWERS, sentence_key
from deploy.evaluation.training.answers import (
    Judged,
    confidence_measured,
    fit_confidence,
    fit_rankings_without,
    fit_sentence_ranking,
    gold_cited,
    judge_answers,
)
from deploy.evaluation.training.observe import Observed
from deploy.evaluation.training.ranking import Choices, fit_ranking
from libs.profiles import load_profile
from libs.question.analyse import analyse_question
from services.generation.confidence import ANSWER_FEATURES, HIGH, MEDIUM
from services.generation.extractive.support import shipped_support
from services.generation.model import BlockKind, Locator, Passage, PassageScores, Span

SETTINGS = load_profile("").generation
FIRST, SECOND = "The mast carries a lamp.", "Oil is drawn from a well."
TEXT = f"{FIRST} {SECOND}"


def _observed(at: int, *, right: bool = True, book: str = "") -> Observed:
    lamp = (0, len(FIRST))
    spans = (
        Span(*lamp, BlockKind.PARAGRAPH, 0.9 - 0.01 * at),
        Span(len(FIRST) + 1, len(TEXT), BlockKind.PARAGRAPH, 0.2),
    )
    passage = Passage(
        "c", Locator("a.md", 0, len(TEXT)), TEXT, spans, PassageScores(0.5 + 0.01 * at, 0.5)
    )
    place = lamp if right else (500, 501)
    return Observed(
        book=book or f"book-{at % 4}",
        row_id=str(at),
        kind="fact",
        answerable=True,
        features={},
        probability=0.9,
        passed=True,
        analysis=analyse_question("What does the mast carry?"),
        passages=(passage,),
        gold=(LocatedGold(Gold("a.md", "x"), (("a.md", place),)),),
    )


def test_the_fitted_ranking_puts_the_right_choice_first() -> None:
    pair = [{"good": 1.0, "noise": 0.0}, {"good": 0.0, "noise": 1.0}]
    questions = [Choices(pair, (True, False)), Choices(pair[::-1], (False, True))] * 5
    fitted = fit_ranking(questions, ["good", "noise"], penalty=0.1)
    assert fitted.probability(pair[0]) > 0.8
    assert fitted.probability(pair[1]) < 0.2


def test_questions_without_a_right_choice_teach_nothing() -> None:
    pair = [{"good": 1.0}, {"good": 0.0}]
    known = [Choices(pair, (True, False))]
    wrong = Choices([{"good": 0.0}, {"good": 9.0}], (False, False))
    assert fit_ranking(known, ["good"], 1.0) == fit_ranking([*known, wrong], ["good"], 1.0)


def test_heavier_questions_decide_the_fit() -> None:
    pair = [{"a": 1.0}, {"a": 0.0}]
    for heavy, light in ((5.0, 1.0), (1.0, 5.0)):
        questions = [Choices(pair, (True, False), heavy), Choices(pair, (False, True), light)]
        fitted = fit_ranking(questions, ["a"], 0.1)
        assert (fitted.coefficients[0] > 0) == (heavy > light)


def test_a_book_is_ranked_by_what_other_books_taught() -> None:
    observed = [_observed(at) for at in range(8)]
    rankings = fit_rankings_without(observed)
    assert set(rankings) == {f"book-{at}" for at in range(4)}
    without = fit_sentence_ranking([item for item in observed if item.book != "book-1"])
    assert rankings["book-1"] == without


def test_an_answer_is_right_when_it_shows_the_gold() -> None:
    observed = [_observed(0), _observed(1, right=False)]
    ranking = fit_sentence_ranking(observed)
    good, bad = judge_answers(observed, {item.book: ranking for item in observed}, SETTINGS)
    assert (good.right, bad.right) == (True, False)
    assert gold_cited(observed, [good, bad]) == {"book-0": 1.0, "book-1": 0.0}


def test_gold_that_only_supports_makes_no_right_answer() -> None:
    """A reader of the lead alone is told something else."""
    lamp, oil = "The mast carries a lamp.", "The lamp on the mast burns oil."
    text = f"{lamp} {oil}"
    spans = (
        Span(0, len(lamp), BlockKind.PARAGRAPH, 0.9),
        Span(len(lamp) + 1, len(text), BlockKind.PARAGRAPH, 0.8),
    )
    passage = Passage("c", Locator("a.md", 0, len(text)), text, spans, PassageScores(0.5, 0.5))
    behind = LocatedGold(Gold("a.md", "x"), (("a.md", (len(lamp) + 1, len(text))),))
    asked = replace(_observed(0), passages=(passage,), gold=(behind,))
    ranking = fit_sentence_ranking([_observed(0), _observed(4)])
    generous = replace(shipped_support(), intercept=99.0)
    (judged,) = judge_answers([asked], {"book-0": ranking}, SETTINGS, {"book-0": generous})
    assert (judged.right, judged.cites_gold) == (False, True)
    assert gold_cited([asked], [judged]) == {"book-0": 1.0}
    graded = replace(asked, grades={sentence_key(lamp): ANSWERS})
    (judged,) = judge_answers([graded], {"book-0": ranking}, SETTINGS)
    assert judged.right


def test_a_refused_question_counts_as_unanswered() -> None:
    observed = [replace(_observed(0), passed=False), _observed(4)]
    ranking = fit_sentence_ranking(observed)
    judged = judge_answers(observed, {"book-0": ranking}, SETTINGS)
    assert len(judged) == 1
    assert gold_cited(observed, judged) == {"book-0": 0.5}


def test_confidence_is_told_by_answers_of_other_books() -> None:
    observed = [_observed(at, right=at < 20) for at in range(40)]
    ranking = fit_sentence_ranking(observed)
    judged = judge_answers(observed, {item.book: ranking for item in observed}, SETTINGS)
    fitted, told = fit_confidence(judged)
    assert fitted.probability(judged[0].features) > fitted.probability(judged[-1].features)
    measured = confidence_measured(told)
    assert measured["auc_unseen_book"] > 0.9
    assert 0 <= measured["expected_calibration_error_unseen_book"] < 0.5


def _judged(at: int, tellable: float = 1.0) -> Judged:
    """Make an answer whose best span tells whether it is right: above .8 surely, below seldom so."""
    score = at % 100 / 100
    right = score > 0.8 or at % 10 in (1, 3, 5, 7, 8, 9)
    features = dict.fromkeys(ANSWER_FEATURES, 0.0) | {"best_span_score": score}
    return Judged(f"book-{at // 200}", "fact", True, right, right, 100, features, tellable)


def test_a_level_begins_where_answers_of_other_books_keep_what_it_promises() -> None:
    model, told = fit_confidence([_judged(at) for at in range(800)])
    high = [item.right for item in told if item.confidence > HIGH]
    low = [item.right for item in told if item.confidence < MEDIUM]
    assert len(high) > 40
    assert fmean(high) >= 0.95
    assert len(low) > 40
    assert fmean(low) < 0.8
    assert [band.most for band in model.bands] == sorted(band.most for band in model.bands)


def test_an_answer_about_a_program_is_told_with_less_confidence() -> None:
    items = [_judged(at, 0.5 if at % 100 == 99 else 1.0) for at in range(800)]
    _, told = fit_confidence(items)
    assert max(item.confidence for item in told if item.tellable < 1) <= 0.5
    assert max(item.confidence for item in told if item.tellable == 1) > HIGH


def test_a_span_without_the_required_value_is_no_answer() -> None:
    asked = replace(_observed(0), analysis=analyse_question("How heavy is it?"))
    ranking = fit_sentence_ranking([_observed(0), _observed(4)])
    assert judge_answers([asked], {"book-0": ranking}, SETTINGS) == []


def test_too_few_wrong_answers_are_refused() -> None:
    judged = judge_answers(
        items := [_observed(at) for at in range(40)],
        dict.fromkeys({item.book for item in items}, fit_sentence_ranking(items)),
        SETTINGS,
    )
    with pytest.raises(DataError, match="0 wrong answers"):
        fit_confidence(judged)

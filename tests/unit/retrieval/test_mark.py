"""How well each quotable piece matches the question, by words and, while there is time, by meaning."""

import pytest

from services.retrieval.mark import COMPARED_UNITS, SCORING_S, choose_units, mark_units, score_units
from services.retrieval.model import HEADING, QuestionTerms, Unit
from tests.support.retrieval_fakes import PARAGRAPH, FakeEmbedder, _direction, make_passage

QUESTION = "What pressure does the hydraulic actuator hold?"
LINES = "Valves are round.\nThe hydraulic actuator holds a pressure of 21 MPa.\nGears wear out."


def weigh(*texts):
    return QuestionTerms.weigh(QUESTION, [frozenset(text.lower().split()) for text in texts])


def test_a_term_weighs_more_the_rarer_it_is_and_most_when_it_is_nowhere():
    terms = QuestionTerms.weigh("robots lidar torque", [{"robot", "torqu"}, {"robot"}])
    weights = terms.weights
    assert weights["lidar"] > weights["torqu"] > weights["robot"] > 0


def test_coverage_is_a_weighted_share():
    terms = QuestionTerms({"a": 3.0, "b": 1.0})
    assert terms.covered_by({"a", "z"}) == 0.75
    assert terms.covered_by({"a", "b"}) == 1.0
    assert terms.covered_by(set()) == 0.0
    assert QuestionTerms({}).covered_by({"a"}) == 0.0


async def test_the_unit_that_answers_scores_best():
    passage = make_passage(text=LINES)
    question = _direction(QUESTION)
    marks = await mark_units(question, weigh(LINES), [passage], FakeEmbedder(), timeout_s=5)
    scores = marks.passages[0].unit_scores
    assert scores.index(max(scores)) == 1
    assert all(0 <= score <= 1 for score in scores)
    assert marks.complete


def test_a_heading_scores_below_a_sentence_of_the_same_words():
    text = "Hydraulic pressure\nHydraulic pressure"
    units = (Unit(0, 18, HEADING), Unit(19, 37, PARAGRAPH))
    heading, sentence = score_units(make_passage(text=text, units=units), weigh(text), {})
    assert 0 < heading < sentence


@pytest.mark.parametrize("kind", [3, 4, 5])
def test_list_items_table_rows_and_code_count_like_sentences(kind):
    text = "Hydraulic pressure\nHydraulic pressure"
    units = (Unit(0, 18, kind), Unit(19, 37, PARAGRAPH))
    first, second = score_units(make_passage(text=text, units=units), weigh(text), {})
    assert first == second


async def test_only_the_most_promising_units_are_embedded_each_once():
    text = "\n".join([f"Line {number} on gears." for number in range(40)] + ["The actuator."] * 2)
    embedder = FakeEmbedder()
    await mark_units(
        _direction(QUESTION), weigh(text), [make_passage(text=text)], embedder, timeout_s=5
    )
    assert len(embedder.embedded) == COMPARED_UNITS
    assert embedder.embedded[0] == "The actuator."
    assert embedder.embedded.count("The actuator.") == 1


def test_headings_are_never_embedded():
    units = (Unit(0, 18, HEADING),)
    passage = make_passage(text="Hydraulic pressure", units=units)
    assert choose_units([passage], weigh("hydraulic pressure")) == []


async def test_without_time_units_are_scored_by_words_alone():
    embedder = FakeEmbedder()
    marks = await mark_units(
        _direction(QUESTION),
        weigh(LINES),
        [make_passage(text=LINES)],
        embedder,
        timeout_s=SCORING_S,
    )
    assert embedder.embedded == []
    assert not marks.complete
    scores = marks.passages[0].unit_scores
    assert scores.index(max(scores)) == 1


async def test_a_model_that_is_too_slow_does_not_hold_the_answer_up():
    marks = await mark_units(
        _direction(QUESTION),
        weigh(LINES),
        [make_passage(text=LINES)],
        FakeEmbedder(delay_s=60),
        timeout_s=SCORING_S + 0.01,
    )
    assert not marks.complete
    assert len(marks.passages[0].unit_scores) == 3


async def test_no_passages_need_no_model():
    embedder = FakeEmbedder(delay_s=60)
    marks = await mark_units(_direction("x"), weigh(""), [], embedder, timeout_s=5)
    assert marks.passages == ()
    assert marks.complete

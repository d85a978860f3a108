"""How well each quotable piece matches the question, by words and by meaning."""

import numpy as np
import pytest
from msgspec.structs import replace

from libs.errors import QuothError
from libs.vectors.packed import pack_rows
from services.retrieval.highlight import HIGHLIGHT_SHARE, LAG, highlight_spans, score_spans
from services.retrieval.model import HEADING, Passage, Span
from services.retrieval.question_terms import QuestionTerms
from tests.support.retrieval_fakes import PARAGRAPH, _direction, make_passage

QUESTION = "What pressure does the hydraulic actuator hold?"
LINES = "Valves are round.\nThe hydraulic actuator holds a pressure of 21 MPa.\nGears wear out."


def weigh(*texts: str) -> QuestionTerms:
    return QuestionTerms.weigh(QUESTION, [frozenset(text.lower().split()) for text in texts])


def test_a_term_weighs_more_the_rarer_it_is_and_most_when_it_is_nowhere() -> None:
    terms = QuestionTerms.weigh("robots lidar torque", [{"robot", "torqu"}, {"robot"}])
    weights = terms.weights
    assert weights["lidar"] > weights["torqu"] > weights["robot"] > 0


def test_coverage_is_a_weighted_share() -> None:
    terms = QuestionTerms({"a": 3.0, "b": 1.0})
    assert terms.covered_by({"a", "z"}) == 0.75
    assert terms.covered_by({"a", "b"}) == 1.0
    assert terms.covered_by(set()) == 0.0
    assert QuestionTerms({}).covered_by({"a"}) == 0.0


def best(passage: Passage, question: str = QUESTION) -> int:
    scores = score_spans(_direction(question), weigh(passage.chunk.text), passage)
    assert all(0 <= score <= 1 for score in scores)
    return scores.index(max(scores))


def without_vectors(passage: Passage) -> Passage:
    chunk = replace(passage.chunk, span_vectors=b"")
    return replace(passage, candidate=replace(passage.candidate, found=chunk))


def test_the_span_that_answers_scores_best() -> None:
    assert best(make_passage(text=LINES)) == 1


def test_shared_words_decide_without_span_vectors() -> None:
    assert best(without_vectors(make_passage(text=LINES))) == 1


def test_meaning_decides_between_spans_of_the_same_words() -> None:
    text = "The actuator of hydraulic valves.\nHydraulic valves of the actuator.\nGears."
    passage = make_passage(text=text)
    # The second line's vector is the question's own; its words are those of the first.
    rows = np.array([_direction("gears"), _direction(QUESTION), _direction("gears")])
    chunk = replace(passage.chunk, span_vectors=pack_rows(rows))
    assert best(replace(passage, candidate=replace(passage.candidate, found=chunk))) == 1


def test_every_span_of_every_passage_is_scored() -> None:
    passages = [make_passage(text="\n".join(f"Line {n} on gears." for n in range(40)))] * 8
    highlighted = highlight_spans(_direction(QUESTION), weigh("gears"), passages)
    assert [len(item.span_scores) for item in highlighted] == [40] * 8


def test_the_spans_of_a_better_passage_score_higher() -> None:
    low, high = (make_passage(fused, text=LINES) for fused in (0.2, 0.9))
    scored = [score_spans(_direction(QUESTION), weigh(LINES), item)[1] for item in (low, high)]
    assert scored[0] < scored[1]


def test_a_heading_scores_below_a_sentence_of_the_same_words() -> None:
    text = "Hydraulic pressure\nHydraulic pressure"
    spans = (Span(0, 18, HEADING), Span(19, 37, PARAGRAPH))
    passage = make_passage(text=text, spans=spans)
    heading, sentence = score_spans(_direction(QUESTION), weigh(text), passage)
    assert 0 < heading < sentence


@pytest.mark.parametrize("kind", [3, 4, 5])
def test_list_items_table_rows_and_code_count_like_sentences(kind: int) -> None:
    text = "Hydraulic pressure\nHydraulic pressure"
    spans = (Span(0, 18, kind), Span(19, 37, PARAGRAPH))
    passage = make_passage(text=text, spans=spans)
    first, second = score_spans(_direction(QUESTION), weigh(text), passage)
    assert first == second


def test_vectors_that_do_not_fit_their_spans_are_a_damaged_passage() -> None:
    passage = make_passage(text=LINES)
    chunk = replace(passage.chunk, span_vectors=passage.chunk.span_vectors[:-1])
    damaged = replace(passage, candidate=replace(passage.candidate, found=chunk))
    with pytest.raises(QuothError, match="damaged"):
        score_spans(_direction(QUESTION), weigh(LINES), damaged)


def test_no_passages_give_no_highlights() -> None:
    assert highlight_spans(_direction("x"), weigh(""), []) == ()


def test_only_spans_near_the_best_score_of_the_search_are_highlighted() -> None:
    good, poor = make_passage(0.9, text=LINES), make_passage(0.1, 0.0, text="Robots walk on legs.")
    asked = (_direction(QUESTION), weigh(LINES))
    highlighted = highlight_spans(*asked, [good, poor])
    scores = [score for passage in (good, poor) for score in score_spans(*asked, passage)]
    carrying = [carries for item in highlighted for carries in item.highlighted]
    assert carrying == [score >= HIGHLIGHT_SHARE * max(scores) for score in scores]
    assert highlighted[0].highlighted[1]
    assert highlighted[1].highlighted == (False,)


def with_vectors(passage: Passage, *texts: str) -> Passage:
    rows = np.array([_direction(text) for text in texts])
    chunk = replace(passage.chunk, span_vectors=pack_rows(rows))
    return replace(passage, candidate=replace(passage.candidate, found=chunk))


def test_a_span_scores_less_for_lagging_behind_the_nearest_of_all_passages() -> None:
    near = with_vectors(make_passage(0.2, text="Gears."), QUESTION)
    far = with_vectors(make_passage(0.9, text="Valves.\nPumps."), "gears", QUESTION)
    question, terms = _direction(QUESTION), weigh("gears valves pumps")
    [first], (lagging, level) = (
        item.span_scores for item in highlight_spans(question, terms, [near, far])
    )
    assert first == score_spans(question, terms, near)[0]
    plain = score_spans(question, terms, far)
    [gears, nearest] = far.chunk.span_cosines(question)
    assert level == pytest.approx(plain[1], abs=1e-3)
    assert lagging == pytest.approx(max(0.0, plain[0] - LAG * (nearest - gears)), abs=1e-3)
    assert lagging < plain[0]


def test_a_heading_is_not_the_nearest_that_others_lag_behind() -> None:
    spans = (Span(0, 18, HEADING), Span(19, 37, PARAGRAPH))
    passage = make_passage(text="Hydraulic pressure\nHydraulic pressure", spans=spans)
    passage = with_vectors(passage, QUESTION, "gears")
    question, terms = _direction(QUESTION), weigh("hydraulic pressure")
    [highlighted] = highlight_spans(question, terms, [passage])
    assert highlighted.span_scores == score_spans(question, terms, passage)


def test_spans_that_match_nothing_are_not_highlighted() -> None:
    passage = make_passage(0.0, 0.0, text="Robots walk.")
    chunk = replace(passage.chunk, span_vectors=b"", terms=frozenset())
    nothing = replace(passage, candidate=replace(passage.candidate, found=chunk))
    [highlighted] = highlight_spans(_direction(QUESTION), weigh("gears"), [nothing])
    assert highlighted.span_scores == (0.0,)
    assert highlighted.highlighted == (False,)

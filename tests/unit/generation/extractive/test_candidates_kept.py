"""The spans of the last answers are kept: what differs in anything else than its id has its own."""

from dataclasses import replace

from services.generation.extractive.candidates import list_candidates
from tests.support.generation_fakes import PASSAGES


def test_the_same_passages_give_the_same_spans_in_a_list_of_its_own() -> None:
    first, second = list_candidates(PASSAGES), list_candidates(list(PASSAGES))
    assert all(one is other for one, other in zip(first, second, strict=True))
    first.clear()
    assert list_candidates(PASSAGES) == second


def test_a_passage_that_was_found_for_another_question_has_its_own_scores() -> None:
    [passage, *_] = PASSAGES
    spans = tuple(replace(span, score=0.125) for span in passage.spans)
    again = replace(passage, spans=spans)
    assert hash(again) == hash(passage)
    assert {item.score for item in list_candidates([passage])} == {0.8}
    assert {item.score for item in list_candidates([again])} == {0.125}

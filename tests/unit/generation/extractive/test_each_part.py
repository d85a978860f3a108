"""A question that names several parts of a book is answered from each of them."""

import pytest

from libs.ml import LogisticModel
from services.generation.extractive.answerer import lead_answer, shipped_ranking
from services.generation.model import Passage
from services.generation.parts_asked import PartsAsked
from tests.support.generation_fakes import passage, prompt

ARM = "The arm project counts for 15 % of the grade. Grippers are of rubber."
LEG = "The leg project counts for 20 % of the grade. Knees are of steel."
HAND = "Fingers are of wood. The hand project counts for 40 % of the grade."
TOLD = (
    "What share of the grade it does carry is said elsewhere."
    " The foot project counts for 40 % of the grade."
)
BOOK = f"{ARM}\n{LEG}\n{HAND}\n{TOLD}"
ASKED = "What share of the grade does each of the three projects carry?"
REST = "What share of the grade does it carry?"


@pytest.fixture
def ranking() -> LogisticModel:
    return shipped_ranking()


def passages_of(*texts: str, scores: tuple[float, ...] = ()) -> tuple[Passage, ...]:
    return tuple(passage(text, BOOK, scores=scores) for text in texts)


def lead_of_parts(
    passages: tuple[Passage, ...], ranking: LogisticModel, rest: str = REST
) -> list[str]:
    parts = PartsAsked(rest, tuple(frozenset({one.chunk_id}) for one in passages))
    answer = lead_answer(prompt(passages, ASKED, parts_asked=parts), ranking)
    return [passages[one.source - 1].text_of(one.span) for one in answer.lead]


def test_a_sentence_of_each_part_leads(ranking: LogisticModel) -> None:
    found = lead_of_parts(passages_of(ARM, LEG, HAND), ranking)
    assert [text for text in found if "%" in text] == [
        "The arm project counts for 15 % of the grade.",
        "The leg project counts for 20 % of the grade.",
        "The hand project counts for 40 % of the grade.",
    ]


def test_a_sentence_alike_to_another_part_s_leads_where_nothing_else_can(
    ranking: LogisticModel,
) -> None:
    near, far = passages_of(ARM, LEG), passages_of(TOLD, scores=(0.9, 0.0))
    found = lead_of_parts((*near, *far), ranking)
    assert found[-1] == "The foot project counts for 40 % of the grade."


def test_one_part_alone_leads_as_without_parts(ranking: LogisticModel) -> None:
    passages = passages_of(ARM)
    whole = lead_answer(prompt(passages, ASKED), ranking).lead
    found = lead_of_parts(passages, ranking)
    assert found == [passages[0].text_of(one.span) for one in whole]

"""What a question's sides find comes in turns, and each span has the best of its scores."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from libs.budget import Budget
from libs.budget.budget import set_current_budget
from libs.budget.stages import RETRIEVAL
from libs.vectors.schema import Scope
from services.retrieval.highlight import join_highlights
from services.retrieval.model import Candidate, Chunk, HighlightedPassage, Query, QuestionVectors
from services.retrieval.pipeline import search_passages
from services.retrieval.rank import MORE_FOR_SUB_QUESTIONS, interleave_passages
from tests.support.retrieval_fakes import ACTUATORS, FakeIndex, make_chunk, make_passage, make_tools


class CountingIndex(FakeIndex):
    """Notes how many questions each call of the store asks."""

    def __init__(self, *chunks: Chunk) -> None:
        super().__init__(*chunks)
        self.asked: list[int] = []

    async def search(
        self, scope: Scope, asked: Sequence[QuestionVectors], *, limit: int, timeout_s: float
    ) -> list[list[Candidate]]:
        self.asked.append(len(asked))
        return await super().search(scope, asked, limit=limit, timeout_s=timeout_s)


@pytest.fixture(autouse=True)
def budget() -> None:
    set_current_budget(Budget(5.0, RETRIEVAL))


def test_the_best_of_each_come_before_the_second_best_of_any() -> None:
    a, b, c, d, e, f = (make_passage(position=at) for at in range(6))
    assert interleave_passages([[a, b], [c], [d, e, f]]) == [a, c, d, b, e, f]


def test_no_searches_give_no_passages() -> None:
    assert interleave_passages([]) == []


def test_a_span_has_the_best_score_of_all_searches_and_is_highlighted_by_any() -> None:
    passage = make_passage()
    one = HighlightedPassage(passage, (0.2, 0.9), (False, True))
    other = HighlightedPassage(passage, (0.7, 0.1), (True, False))
    assert join_highlights([[one], [other]]) == (
        HighlightedPassage(passage, (0.7, 0.9), (True, True)),
    )


async def test_each_side_is_searched_in_one_call_and_the_gate_judges_the_whole() -> None:
    tools = make_tools(*ACTUATORS)
    index = CountingIndex(*ACTUATORS)
    query = Query("book", 1, "How do hydraulic actuators compare with electric motors?")
    result = await search_passages(query, replace(tools, index=index))
    assert index.asked == [3]
    assert {item.passage.chunk.section_path[-1] for item in result.passages} >= {
        "Hydraulic",
        "Electric",
    }


@pytest.mark.parametrize(
    ("question", "profile", "count"),
    [
        ("Compare pumps and motors.", "", 8 + MORE_FOR_SUB_QUESTIONS),
        ("List the pumps and motors.", "", 8),
        ("What is a pump?", "", 5),
        ("Compare pumps and motors.", "course", 5),
    ],
)
async def test_a_comparison_gets_more_passages_where_the_profile_allows(
    question: str, profile: str, count: int
) -> None:
    many = [
        make_chunk(f"Pump {at} drives a motor.", document=f"{at}.md", position=at)
        for at in range(20)
    ]
    result = await search_passages(Query("book", 1, question, profile), make_tools(*many))
    assert len(result.passages) == count


async def test_a_question_about_one_thing_is_searched_once() -> None:
    index = CountingIndex(*ACTUATORS)
    query = Query("book", 1, "What pressure does a hydraulic actuator hold?")
    await search_passages(query, replace(make_tools(*ACTUATORS), index=index))
    assert index.asked == [1]

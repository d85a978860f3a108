"""Reranking by a model: its order, within its time, and the fused order without it."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from libs.budget import Budget, Outcome
from libs.budget.budget import set_current_budget
from libs.budget.stages import RERANK, RETRIEVAL
from libs.errors import InvalidInput, Unavailable
from libs.profiles import SHIPPED
from services.retrieval.model import Query, SearchResult, Selection
from services.retrieval.pipeline import search_passages
from services.retrieval.rerank import LEAST_S, LEFT_OUT, MOST, rerank_passages
from services.retrieval.wire import result_to_proto
from tests.support.retrieval_fakes import ACTUATORS, make_passage, make_tools

QUERY = Query("book", 1, "What pressure does a hydraulic actuator hold?")


class FakeReranker:
    """Turns the order around, after a while or not at all. Notes what it is asked."""

    def __init__(self, *, error: Unavailable | None = None, delay_s: float = 0.0) -> None:
        self.error, self.delay_s = error, delay_s
        self.asked: list[tuple[str, Sequence[str]]] = []

    async def rate(self, question: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((question, texts))
        await asyncio.sleep(self.delay_s)
        if self.error:
            raise self.error
        return [float(place) for place in range(len(texts))]


@pytest.fixture(autouse=True)
def budget() -> Budget:
    fresh = Budget(5.0, RETRIEVAL)
    set_current_budget(fresh)
    return fresh


@pytest.fixture
def by_model(tmp_path: Path) -> Path:
    """A folder of profiles whose default one reranks by a model."""
    text = (SHIPPED / "default.toml").read_text()
    text = re.sub("^rerank = .*$", 'rerank = "model"', text, flags=re.MULTILINE)
    (tmp_path / "default.toml").write_text(text)
    return tmp_path


async def search(
    reranker: FakeReranker | None, profiles: Path = SHIPPED, query: Query = QUERY
) -> SearchResult:
    return await search_passages(
        query, make_tools(*ACTUATORS, profiles=profiles, reranker=reranker)
    )


def order(result: SearchResult) -> list[str]:
    return [item.passage.chunk.chunk_id for item in result.passages]


async def test_the_order_is_the_models_and_scores_and_gate_stay(by_model: Path) -> None:
    plain = await search(None)
    set_current_budget(Budget(5.0, RETRIEVAL))
    result = await search(FakeReranker(), by_model)
    assert order(result) == order(plain)[::-1]
    assert result.gate == plain.gate
    assert result.degraded == ()
    assert {m.passage for m in result.passages} == {m.passage for m in plain.passages}
    assert [timing.stage for timing in result.timings] == [stage.name for stage in RETRIEVAL]


async def test_the_model_reads_the_question_and_titles_with_each_text(by_model: Path) -> None:
    reranker = FakeReranker()
    await search(reranker, by_model)
    [(question, texts)] = reranker.asked
    assert question == QUERY.question
    assert texts[0] == f"Actuators > Hydraulic\n{ACTUATORS[0].text}"


async def test_a_profile_without_a_model_asks_none() -> None:
    reranker = FakeReranker()
    assert (await search(reranker)).degraded == ()
    assert reranker.asked == []


async def test_selected_text_taken_as_it_is_stays_in_reading_order(by_model: Path) -> None:
    path = by_model / "default.toml"
    path.write_text(path.read_text().replace('"restrict"', '"direct"'))
    reranker = FakeReranker()
    query = replace(QUERY, selection=Selection("a.md", (10, 250)))
    assert order(await search(reranker, by_model, query)) == [
        chunk.chunk_id for chunk in ACTUATORS[:2]
    ]
    assert reranker.asked == []


async def test_a_model_that_fails_leaves_the_fused_order_and_says_so(by_model: Path) -> None:
    plain = await search(None)
    result = await search(FakeReranker(error=Unavailable("gone")), by_model)
    assert order(result) == order(plain)
    assert list(result_to_proto(result).degraded) == [LEFT_OUT]


async def test_a_model_that_hangs_is_left_at_the_stages_end_and_the_answer_still_comes() -> None:
    # The stage is stopped at its own cap, long before a total that no slow machine reaches.
    budget = Budget(1000 * RERANK.cap_s, RETRIEVAL)
    passages = [make_passage(position=place) for place in range(3)]
    result = await rerank_passages("why?", passages, FakeReranker(delay_s=60), budget)
    assert result == (passages, (LEFT_OUT,))
    [timing] = budget.timings
    assert (timing.stage, timing.outcome) == (RERANK.name, Outcome.CAPPED)
    assert budget.left_s() > 0


async def test_with_too_little_time_the_model_is_not_asked() -> None:
    budget = Budget(LEAST_S, RETRIEVAL, clock=lambda: 0.0)
    passages = [make_passage(position=place) for place in range(3)]
    reranker = FakeReranker()
    assert await rerank_passages("why?", passages, reranker, budget) == (passages, (LEFT_OUT,))
    assert reranker.asked == []


async def test_only_the_first_are_sent_and_the_others_stay_behind_them(budget: Budget) -> None:
    passages = [make_passage(position=place) for place in range(MOST + 2)]
    ordered, _ = await rerank_passages("why?", passages, FakeReranker(), budget)
    assert list(ordered) == [*passages[:MOST][::-1], *passages[MOST:]]


async def test_equal_ratings_keep_the_fused_order(budget: Budget) -> None:
    class Indifferent:
        async def rate(self, question: str, texts: Sequence[str]) -> list[float]:
            return [0.5] * len(texts)

    passages = [make_passage(position=place) for place in range(5)]
    assert list((await rerank_passages("why?", passages, Indifferent(), budget))[0]) == passages


async def test_a_single_passage_costs_no_call(budget: Budget) -> None:
    reranker = FakeReranker()
    await rerank_passages("why?", [make_passage()], reranker, budget)
    assert reranker.asked == []


async def test_without_a_key_the_profile_says_what_to_set(by_model: Path) -> None:
    with pytest.raises(InvalidInput, match="RETRIEVAL_RERANKER_KEY"):
        await search(None, by_model)

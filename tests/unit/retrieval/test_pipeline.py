"""The stages together, on fakes: what comes out, within which time, and the same every time."""

from dataclasses import replace

import pytest

from libs.budget import Budget, Outcome
from libs.budget.budget import set_current_budget
from libs.budget.stages import RETRIEVAL
from libs.errors import DeadlineExceeded, InvalidInput, NotFound, Unavailable, WrongIndex
from services.retrieval.model import Query, Selection
from services.retrieval.pipeline import search_passages
from tests.support.retrieval_fakes import (
    ACTUATORS,
    STAMP,
    FakeEmbedder,
    FakeIndex,
    make_tools,
    open_gate,
)

QUERY = Query("book", 1, "What pressure does a hydraulic actuator hold?")


@pytest.fixture(autouse=True)
def budget():
    fresh = Budget(5.0, RETRIEVAL)
    set_current_budget(fresh)
    return fresh


async def test_the_best_passage_comes_first_with_its_units_marked():
    result = await search_passages(QUERY, make_tools(*ACTUATORS))
    first = result.passages[0]
    assert first.passage.chunk is ACTUATORS[0]
    assert len(first.unit_scores) == len(ACTUATORS[0].units)
    assert result.verdict.passed
    assert result.related_sections[0] == "Hydraulic"
    assert result.degraded == ()


async def test_every_stage_is_run_once_and_in_order():
    result = await search_passages(QUERY, make_tools(*ACTUATORS))
    assert [timing.stage for timing in result.timings] == [stage.name for stage in RETRIEVAL]
    assert {timing.outcome for timing in result.timings} == {Outcome.OK}


async def test_the_same_question_gives_the_same_result():
    results = [await search_passages(QUERY, make_tools(*ACTUATORS)) for _ in range(3)]
    assert len({repr(replace(result, timings=())) for result in results}) == 1


async def test_the_verdict_does_not_depend_on_how_many_passages_are_asked_for():
    tools = make_tools(*ACTUATORS)
    one = await search_passages(replace(QUERY, max_passages=1), tools)
    all_of_them = await search_passages(replace(QUERY, max_passages=50), tools)
    assert (len(one.passages), len(all_of_them.passages)) == (1, 3)
    assert one.verdict == all_of_them.verdict


async def test_a_section_without_passages_is_an_empty_result_that_does_not_pass():
    query = replace(QUERY, section_path=("No such section",))
    result = await search_passages(query, make_tools(*ACTUATORS))
    assert result.passages == ()
    assert not result.verdict.passed
    assert result.related_sections == ()


async def test_a_book_without_a_single_point_was_indexed_with_another_model():
    with pytest.raises(WrongIndex, match="ingest it again"):
        await search_passages(replace(QUERY, book="other"), make_tools(*ACTUATORS))


async def test_an_empty_part_of_the_result_of_another_model_is_noticed_too():
    query = replace(QUERY, book="other", section_path=("A",))
    with pytest.raises(WrongIndex):
        await search_passages(query, make_tools(*ACTUATORS))


async def test_a_gate_learnt_on_another_model_refuses():
    other = open_gate(replace(STAMP, revision="2"))
    with pytest.raises(WrongIndex, match="calibrate first"):
        await search_passages(QUERY, make_tools(*ACTUATORS, calibration=other))


async def test_a_selection_restricts_and_says_when_it_was_widened():
    tools = make_tools(*ACTUATORS)
    query = replace(QUERY, selection=Selection("a.md", text="electric motor"))
    result = await search_passages(query, tools)
    assert {marked.passage.chunk.document for marked in result.passages} == {"a.md"}
    assert result.selection_widened


async def test_unknown_profiles_and_bad_queries_are_refused_before_anything_is_searched():
    index = FakeIndex(*ACTUATORS)
    tools = make_tools(index=index)
    with pytest.raises(NotFound):
        await search_passages(replace(QUERY, profile="nowhere"), tools)
    with pytest.raises(InvalidInput):
        await search_passages(replace(QUERY, question=""), tools)
    assert index.scopes == []


async def test_the_index_gets_no_more_time_than_the_stage_has():
    set_current_budget(Budget(0.5, RETRIEVAL))
    index = FakeIndex(*ACTUATORS)
    await search_passages(QUERY, make_tools(index=index))
    assert all(0 < allowed_s < 0.5 for allowed_s in index.allowed_s)


async def test_an_index_that_hangs_ends_at_the_deadline_with_its_stage_named():
    set_current_budget(Budget(0.05, RETRIEVAL))
    index = FakeIndex(*ACTUATORS)
    index.delay_s = 60
    with pytest.raises(DeadlineExceeded) as caught:
        await search_passages(QUERY, make_tools(index=index))
    assert caught.value.stage == "retrieval.search"


async def test_a_deadline_that_has_passed_starts_nothing():
    set_current_budget(Budget(0.0, RETRIEVAL))
    index = FakeIndex(*ACTUATORS)
    with pytest.raises(DeadlineExceeded):
        await search_passages(QUERY, make_tools(index=index))
    assert index.scopes == []


class _BrokenEmbedder(FakeEmbedder):
    async def embed(self, texts):
        return await super().embed(texts) * float("nan")


async def test_a_model_that_returns_no_numbers_is_unavailable():
    with pytest.raises(Unavailable):
        await search_passages(QUERY, make_tools(*ACTUATORS, embedder=_BrokenEmbedder()))


class _SlowForUnits(FakeEmbedder):
    async def embed(self, texts):
        if texts != [QUERY.question]:
            self.delay_s = 60
        return await super().embed(texts)


async def test_units_are_marked_by_words_when_their_meaning_takes_too_long():
    set_current_budget(Budget(0.2, RETRIEVAL))
    result = await search_passages(QUERY, make_tools(*ACTUATORS, embedder=_SlowForUnits()))
    assert result.degraded == ("mark",)
    assert result.verdict.passed
    assert max(result.passages[0].unit_scores) > 0

"""The stages together, on fakes: what comes out, within which time, and the same every time."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from libs.budget import Budget, Outcome
from libs.budget.budget import set_current_budget
from libs.budget.stages import RERANK, RETRIEVAL
from libs.embedding.local import LocalEmbedder
from libs.embedding.port import Vectors
from libs.errors import DeadlineExceeded, InvalidInput, NotFound, Unavailable, WrongIndex
from libs.profiles import SHIPPED
from libs.text import content_terms
from services.retrieval.model import Query, Selection
from services.retrieval.pipeline import search_passages
from tests.support.retrieval_fakes import (
    ACTUATORS,
    STAMP,
    FakeEmbedder,
    FakeEncoder,
    FakeIndex,
    make_chunk,
    make_tools,
    open_gate,
)

QUERY = Query("book", 1, "What pressure does a hydraulic actuator hold?")


@pytest.fixture(autouse=True)
def budget() -> Budget:
    fresh = Budget(5.0, RETRIEVAL)
    set_current_budget(fresh)
    return fresh


async def test_the_best_passage_comes_first_with_its_spans_highlighted() -> None:
    result = await search_passages(QUERY, make_tools(*ACTUATORS))
    first = result.passages[0]
    assert first.passage.chunk is ACTUATORS[0]
    assert len(first.span_scores) == len(ACTUATORS[0].spans)
    assert result.gate.passed
    assert result.related_sections[0] == "Hydraulic"


async def test_every_stage_is_run_once_and_in_order() -> None:
    result = await search_passages(QUERY, make_tools(*ACTUATORS))
    always = [stage.name for stage in RETRIEVAL if stage is not RERANK]
    assert [timing.stage for timing in result.timings] == always
    assert {timing.outcome for timing in result.timings} == {Outcome.OK}


async def test_the_same_question_gives_the_same_result() -> None:
    results = [await search_passages(QUERY, make_tools(*ACTUATORS)) for _ in range(3)]
    assert len({repr(replace(result, timings=())) for result in results}) == 1


async def test_the_gate_does_not_depend_on_how_many_passages_are_asked_for() -> None:
    tools = make_tools(*ACTUATORS)
    one = await search_passages(replace(QUERY, max_passages=1), tools)
    all_of_them = await search_passages(replace(QUERY, max_passages=50), tools)
    assert (len(one.passages), len(all_of_them.passages)) == (1, 3)
    assert one.gate == all_of_them.gate


async def test_a_section_without_passages_is_an_empty_result_that_does_not_pass() -> None:
    query = replace(QUERY, document="a.md", section_path=("ROS 2",))
    result = await search_passages(query, make_tools(*ACTUATORS))
    assert result.passages == ()
    assert not result.gate.passed
    assert result.related_sections == ()


COMMON = (
    *(make_chunk(f"The robot turns {n}.", document="a.md", start=40 * n) for n in range(30)),
    make_chunk("The robot falls.", document="b.md", path=("Falling",)),
    make_chunk("A gyroscope drifts.", document="b.md", start=50, path=("Drift",)),
    make_chunk("A gyroscope hums.", document="c.md"),
    make_chunk("The drift is small.", document="d.md"),
)


@pytest.mark.parametrize("part", [{"document": "b.md"}, {"section_path": ("Drift",)}])
async def test_a_part_of_the_book_is_judged_by_how_rare_words_are_in_all_of_it(
    part: dict[str, Any],
) -> None:
    query = replace(QUERY, question="Does the gyroscope of the robot drift?")
    whole = await search_passages(query, make_tools(*COMMON))
    narrowed = await search_passages(replace(query, **part), make_tools(*COMMON))
    assert whole.passages[0].passage.chunk is narrowed.passages[0].passage.chunk
    # "Robot" says little, and no other chunk of the part being near says nothing.
    for feature in ("coverage_span", "coverage_best", "coverage_anywhere"):
        assert narrowed.gate.features[feature] == whole.gate.features[feature], feature


@pytest.mark.parametrize("path", [("Nonesuch",), ("Actuators", "Nonesuch")])
async def test_a_section_that_the_edition_has_not_is_refused_by_name(path: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput, match=f'"{" > ".join(path)}" is no section of this edition'):
        await search_passages(replace(QUERY, section_path=path), make_tools(*ACTUATORS))


async def test_a_book_without_a_single_point_was_indexed_with_another_model() -> None:
    with pytest.raises(WrongIndex, match="ingest it again"):
        await search_passages(replace(QUERY, book="other"), make_tools(*ACTUATORS))


async def test_an_empty_part_of_the_result_of_another_model_is_noticed_too() -> None:
    query = replace(QUERY, book="other", section_path=("A",))
    with pytest.raises(WrongIndex):
        await search_passages(query, make_tools(*ACTUATORS))


@pytest.mark.fault("D5")
async def test_a_classifier_fitted_for_another_embedder_refuses() -> None:
    other = open_gate(replace(STAMP, revision="2"))
    with pytest.raises(WrongIndex, match="calibrate first"):
        await search_passages(QUERY, make_tools(*ACTUATORS, answerability_model=other))


async def test_a_selection_restricts_and_says_when_it_was_widened() -> None:
    tools = make_tools(*ACTUATORS)
    query = replace(QUERY, selection=Selection("a.md", text="electric motor"))
    result = await search_passages(query, tools)
    assert {item.passage.chunk.document for item in result.passages} == {"a.md"}
    assert result.selection_widened


PAGED = (
    make_chunk("A hydraulic actuator holds a pressure.", position=0, page=1),
    make_chunk("A pump holds a pressure of 5 bar.", start=100, position=1, page=2),
    make_chunk("A valve leaks.", start=200, position=2, page=2),
)


async def test_the_page_that_a_question_names_alone_may_answer() -> None:
    query = replace(QUERY, question="What pressure is held on page 2?")
    found = await search_passages(query, make_tools(*PAGED))
    assert {item.passage.chunk.page for item in found.passages} == {2}
    assert found.passages[0].passage.chunk is PAGED[1]
    query = replace(QUERY, question="What pressure is held on page 7?")
    assert not (await search_passages(query, make_tools(*PAGED))).passages


async def test_in_a_book_without_pages_a_question_that_names_one_searches_everything() -> None:
    query = replace(QUERY, question=f"{QUERY.question.rstrip('?')} on page 42?")
    found = await search_passages(query, make_tools(*ACTUATORS))
    assert found.passages[0].passage.chunk is ACTUATORS[0]


@pytest.mark.parametrize(
    "question",
    [
        "What does page 2 discuss?",
        "What is discussed on page 2?",
        "Worum geht es auf Seite 2?",
        "Que dit la page 2 ?",
        "第2页讲了什么？",
        "page 2?",
    ],
)
async def test_a_question_about_a_page_finds_the_whole_page_in_its_order(question: str) -> None:
    query = replace(QUERY, question=question)
    found = await search_passages(query, make_tools(*PAGED))
    assert [item.passage.chunk for item in found.passages] == [PAGED[1], PAGED[2]]
    assert found.gate.passed


async def test_a_question_for_the_page_of_a_thing_is_searched_by_the_thing_alone() -> None:
    embedder = FakeEmbedder()
    query = replace(QUERY, question="What page discusses the hydraulic actuator?")
    found = await search_passages(query, make_tools(*PAGED, embedder=embedder))
    assert embedder.embedded == ["the hydraulic actuator"]
    assert found.passages[0].passage.chunk is PAGED[0]
    assert found.searched == ""


async def test_a_page_and_a_chapter_of_the_request_limit_the_search() -> None:
    found = await search_passages(replace(QUERY, page="2"), make_tools(*PAGED))
    assert {item.passage.chunk.page for item in found.passages} == {2}
    found = await search_passages(replace(QUERY, chapter="Electric"), make_tools(*ACTUATORS))
    assert {item.passage.chunk.section_path[-1] for item in found.passages} == {"Electric"}


async def test_unknown_profiles_and_bad_queries_are_refused_before_anything_is_searched() -> None:
    index = FakeIndex(*ACTUATORS)
    tools = make_tools(index=index)
    with pytest.raises(NotFound):
        await search_passages(replace(QUERY, profile="nowhere"), tools)
    with pytest.raises(InvalidInput):
        await search_passages(replace(QUERY, question=""), tools)
    assert index.scopes == []


async def test_the_index_gets_no_more_time_than_the_stage_has() -> None:
    set_current_budget(Budget(0.5, RETRIEVAL))
    index = FakeIndex(*ACTUATORS)
    await search_passages(QUERY, make_tools(index=index))
    assert all(0 < allowed_s < 0.5 for allowed_s in index.allowed_s)


@pytest.mark.fault("D2")
@pytest.mark.invariant("I5")
async def test_an_index_that_hangs_ends_at_the_deadline_with_its_stage_named() -> None:
    set_current_budget(Budget(0.3, RETRIEVAL))
    index = FakeIndex(*ACTUATORS)
    index.delay_s = 60
    with pytest.raises(DeadlineExceeded) as caught:
        await search_passages(QUERY, make_tools(index=index))
    assert caught.value.stage == "retrieval.search"


async def test_a_deadline_that_has_passed_starts_nothing() -> None:
    set_current_budget(Budget(0.0, RETRIEVAL))
    index = FakeIndex(*ACTUATORS)
    with pytest.raises(DeadlineExceeded):
        await search_passages(QUERY, make_tools(index=index))
    assert index.scopes == []


class _BrokenEmbedder(FakeEmbedder):
    """Gives something else than vectors after the first `good` texts."""

    def __init__(self, damage: Callable[[Vectors], Vectors], good: int = 0) -> None:
        super().__init__()
        self.damage, self.good = damage, good

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = await super().embed(texts)
        return rows if len(self.embedded) <= self.good else self.damage(rows)


@pytest.mark.fault("D5")
@pytest.mark.parametrize(
    "damage",
    [
        lambda rows: rows * float("nan"),
        lambda rows: rows * float("inf"),
        lambda rows: rows * 0.0,
        lambda rows: rows[:, 1:],
        lambda rows: rows[1:],
    ],
    ids=["nan", "inf", "zero", "other dimension", "none"],
)
async def test_a_model_that_gives_damaged_vectors_is_unavailable(
    damage: Callable[[Vectors], Vectors],
) -> None:
    broken = _BrokenEmbedder(damage)
    with pytest.raises(Unavailable):
        await search_passages(QUERY, make_tools(*ACTUATORS, embedder=broken))
    # With a selection, the question is embedded once more by itself.
    query = replace(QUERY, selection=Selection("a.md", text="electric motor"))
    broken = _BrokenEmbedder(damage, good=1)
    with pytest.raises(Unavailable):
        await search_passages(query, make_tools(*ACTUATORS, embedder=broken))
    assert len(broken.embedded) == 2


@pytest.mark.fault("D5")
async def test_a_model_that_hangs_ends_at_the_deadline_with_its_stage_named() -> None:
    set_current_budget(Budget(0.05, RETRIEVAL))
    index = FakeIndex(*ACTUATORS)
    hanging = FakeEmbedder(delay_s=60)
    with pytest.raises(DeadlineExceeded) as caught:
        await search_passages(QUERY, make_tools(index=index, embedder=hanging))
    assert caught.value.stage == "retrieval.embed"


async def test_highlighting_embeds_nothing_but_the_question() -> None:
    embedder = FakeEmbedder()
    result = await search_passages(QUERY, make_tools(*ACTUATORS, embedder=embedder))
    assert embedder.embedded == [QUERY.question]
    assert max(result.passages[0].span_scores) > 0


async def test_no_more_than_the_beginning_of_a_long_selection_is_embedded() -> None:
    embedder = FakeEmbedder()
    text = "a motor turns the knee " * 200
    query = replace(QUERY, selection=Selection("a.md", text=text.strip()))
    await search_passages(query, make_tools(make_chunk(text.strip()), embedder=embedder))
    assert max(map(len, embedder.embedded)) <= len(QUERY.question) + 1 + 1000


SELECTED = Selection("a.md", text="electric motor")
SHORT = replace(QUERY, question="Zebra?", selection=SELECTED)


def changed_profile(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    """Write the default profile with some settings changed."""
    text = (SHIPPED / "default.toml").read_text()
    for name, value in changes:
        text = re.sub(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "default.toml").write_text(text)
    return tmp_path


async def test_neighbours_are_one_passage_where_the_profile_joins_them(tmp_path: Path) -> None:
    first = make_chunk("A hydraulic actuator turns pressure into force.", path=("One",))
    first = structs.replace(first, gap="\n\n")
    second = make_chunk("It holds a pressure of 21 MPa.", start=first.end + 2, path=("One",))
    query = replace(QUERY, question="What pressure does a hydraulic actuator hold?")
    results = {}
    for joins in ("false", "true"):
        profiles = changed_profile(tmp_path / joins, ("join_neighbours", joins))
        results[joins] = await search_passages(query, make_tools(first, second, profiles=profiles))
    apart, together = results["false"], results["true"]
    assert len(apart.passages) == 2
    [joined] = together.passages
    assert together.gate == apart.gate
    assert joined.span_scores == tuple(item.span_scores[0] for item in apart.passages)
    assert joined.passage.chunk.text == f"{first.text}\n\n{second.text}"
    assert len(joined.span_scores) == len(joined.highlighted) == 2


async def test_a_question_is_judged_alone_against_the_selected_text() -> None:
    """With the text it would always be near: that text is what is searched."""
    tools = make_tools(*ACTUATORS)
    assert not (await search_passages(SHORT, tools)).gate.passed
    asks_of_it = replace(SHORT, question="What turns current into torque?")
    assert (await search_passages(asks_of_it, tools)).gate.passed


async def test_a_question_that_points_at_the_selected_text_is_answered_from_it() -> None:
    result = await search_passages(replace(SHORT, question="Explain this."), make_tools(*ACTUATORS))
    assert result.gate.passed


async def test_selected_text_has_a_classifier_of_its_own_where_one_was_fitted() -> None:
    never = replace(open_gate(), intercept=-1000.0)
    query = replace(SHORT, question="What turns current into noise?")
    result = await search_passages(query, make_tools(*ACTUATORS, selection_model=never))
    assert not result.gate.passed
    assert {"cosine_span", "coverage_near", "terms_missing"} <= result.gate.features.keys()
    assert (await search_passages(QUERY, make_tools(*ACTUATORS, selection_model=never))).gate.passed


async def test_spans_are_highlighted_by_the_question_not_by_the_selected_text() -> None:
    query = replace(QUERY, question="What raises the torque?", selection=SELECTED)
    result = await search_passages(query, make_tools(*ACTUATORS))
    electric = next(item for item in result.passages if item.passage.chunk is ACTUATORS[1])
    assert electric.span_scores[1] > electric.span_scores[0]


async def test_selected_text_taken_as_it_is_comes_in_reading_order_and_always_passes(
    tmp_path: Path,
) -> None:
    folder = changed_profile(tmp_path, ("selection_policy", '"direct"'), ("top_k", "1"))
    query = replace(QUERY, question="Zebra?", selection=Selection("a.md", (10, 250)))
    result = await search_passages(query, make_tools(*ACTUATORS, profiles=folder))
    assert [item.passage.chunk for item in result.passages] == list(ACTUATORS[:2])
    assert result.gate.passed
    assert not result.selection_widened


async def test_a_boosted_selection_changes_the_order_and_searches_everything(
    tmp_path: Path,
) -> None:
    query = replace(QUERY, question="Which pressure?", selection=SELECTED)
    results = []
    for boost in ('"none"', '"boost"'):
        folder = tmp_path / boost.strip('"')
        folder.mkdir()
        changed_profile(folder, ("selection_policy", '"boost"'), ("rerank", boost))
        tools = make_tools(*ACTUATORS, profiles=folder)
        results.append(await search_passages(query, tools))
    plain, boosted = results
    by_chunk = [
        {item.passage.chunk.chunk_id: item.passage.fused for item in result.passages}
        for result in results
    ]
    assert by_chunk[0] == by_chunk[1]
    assert len(plain.passages) == len(ACTUATORS)
    assert boosted.passages[0].passage.chunk is ACTUATORS[1]
    assert boosted.passages[0].passage.boost == 2.0
    assert plain.gate.features.keys() == boosted.gate.features.keys()


async def test_a_raw_gate_needs_no_fitted_model(tmp_path: Path) -> None:
    low = (("gate_threshold", "0.1"), ("gate_threshold_model", "0.1"))
    folder = changed_profile(tmp_path, ("gate", '"max_dense"'), *low)
    other = open_gate(replace(STAMP, revision="2"))
    tools = make_tools(*ACTUATORS, answerability_model=other, profiles=folder)
    assert (await search_passages(QUERY, tools)).gate.passed


@pytest.mark.parametrize(("model", "passed"), [(STAMP.name, True), ("of somebody else", False)])
async def test_a_raw_score_is_held_against_the_threshold_of_its_embedding_model(
    tmp_path: Path, model: str, passed: bool
) -> None:
    measured = ("gate_thresholds", f'{{ "{model}" = 0.1 }}')
    folder = changed_profile(tmp_path, ("gate", '"max_dense"'), ("gate_threshold", "1.0"), measured)
    gate = (await search_passages(QUERY, make_tools(*ACTUATORS, profiles=folder))).gate
    assert (gate.passed, gate.threshold) == (passed, 0.1 if passed else 1.0)


async def test_a_question_that_compares_gets_more_passages(tmp_path: Path) -> None:
    folder = changed_profile(tmp_path, ("top_k", "1"), ("list_top_k", "3"))
    tools = make_tools(*ACTUATORS, profiles=folder)
    assert len((await search_passages(QUERY, tools)).passages) == 1
    query = replace(QUERY, question="Compare hydraulic actuators and electric motors.")
    assert len((await search_passages(query, tools)).passages) == 3


async def test_a_book_is_searched_by_the_terms_of_its_language() -> None:
    index, asked = FakeIndex(*ACTUATORS), []
    index.spoken = ("ja", "en")

    def encoder_of(languages: Sequence[str]) -> FakeEncoder:
        asked.append(languages)
        return FakeEncoder()

    await search_passages(QUERY, make_tools(index=index, encoder_of=encoder_of))
    assert asked == [("ja", "en")]


async def test_vectors_weigh_less_in_a_language_that_the_model_does_not_know() -> None:
    embedder = FakeEmbedder()
    embedder.stamp = replace(STAMP, name=LocalEmbedder.stamp.name)
    index = FakeIndex(*ACTUATORS)
    tools = make_tools(
        index=index, embedder=embedder, answerability_model=open_gate(embedder.stamp)
    )
    second = {}
    for language in ("en", "de", "zh"):
        index.spoken = (language,)
        second[language] = (await search_passages(QUERY, tools)).passages[1].passage.fused
    assert second["en"] == second["de"] != second["zh"]


def test_text_without_spaces_counts_by_pairs_of_characters() -> None:
    assert content_terms("液压力 of ROS2") == ["液压", "压力", "ros2"]
    assert content_terms("力") == ["力"]

"""A question's walk: each stage that a pipeline calls is passed once, and the folder shows the way."""

from collections.abc import Collection
from pathlib import Path

import pytest

from libs.budget import Budget, stages
from libs.budget.budget import set_current_budget
from libs.ml import load_model
from libs.tokens import TokenCounter
from services.generation.extractive.answerer import ExtractiveAnswerer
from services.generation.model import Answer
from services.generation.pipeline import Pipeline
from services.generation.settings import CONFIDENCE, RANKING
from services.retrieval.model import Query, Selection
from services.retrieval.pipeline import search_passages
from tests.support.generation_fakes import FakeAuditLog, FakeSource, ensemble, question
from tests.support.retrieval_fakes import ACTUATORS, make_chapter, make_tools
from tests.support.walk import list_returns, list_rooms, recorded_walk

_LONG_S = 500.0
"""Recording takes its time, and no budget is tested here."""


def check_walk(walk: list[str], expected: list[str], data: Collection[str]) -> None:
    rooms = list_rooms(walk, data)
    assert rooms == expected
    assert list_returns(rooms) == []


SEARCHED = (
    *("scope", "book_name", "embed", "search", "spelling", "fuse", "rank"),
    *("neighbours", "read", "highlight", "join"),
)
SPOKEN_OF = {"model", "state", "languages", "question_terms", "defined"}
"""Modules of data, which several stages speak of."""

PLAIN = "What pressure does a hydraulic actuator hold?"


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(Query("book", 1, PLAIN), id="plain"),
        pytest.param(
            Query("book", 1, "How do hydraulic actuators compare with electric motors?"),
            id="of two things",
        ),
        pytest.param(
            Query("book", 1, PLAIN, selection=Selection("a.md", text="electric motor")),
            id="about selected text",
        ),
    ],
)
async def test_a_question_passes_each_stage_of_retrieval_once(query: Query) -> None:
    # What the first search of a process makes takes longer, recorded, than a stage has.
    set_current_budget(Budget(_LONG_S, stages.RETRIEVAL, clock=lambda: 0.0))
    await search_passages(query, make_tools(*ACTUATORS))
    set_current_budget(Budget(_LONG_S, stages.RETRIEVAL, clock=lambda: 0.0))
    with recorded_walk("retrieval") as walk:
        found = await search_passages(query, make_tools(*ACTUATORS))
    assert found.passages
    check_walk(walk, [*SEARCHED, "answerability"], SPOKEN_OF)


@pytest.mark.parametrize(
    ("asked", "at_last"), [("What is this book about?", []), ("List the chapters.", ["about_book"])]
)
async def test_a_question_about_the_book_comes_back_only_to_cut_titles(
    asked: str, at_last: list[str]
) -> None:
    set_current_budget(Budget(_LONG_S, stages.RETRIEVAL, clock=lambda: 0.0))
    book = (
        make_chapter("index.md", 0, "The Robot Book", "This book explains robots."),
        make_chapter("1.md", 1, "1. Motors", "A motor turns current into torque."),
        make_chapter("2.md", 2, "2. Sensors", "A lidar measures distances."),
    )
    with recorded_walk("retrieval") as walk:
        found = await search_passages(Query("book", 1, asked), make_tools(*book))
    assert found.passages
    rooms = list_rooms(walk, {*SPOKEN_OF, "outline", "adapters"})
    way = ("scope", "embed", "search", "fuse", "read", "about_book", "highlight", "join")
    assert (rooms, list_returns(rooms)) == ([*way, *at_last], at_last)


async def test_a_question_passes_each_stage_of_generation_once(tmp_path: Path) -> None:
    pipeline = Pipeline(
        source=FakeSource(),
        answerers={"extractive": ExtractiveAnswerer(load_model(RANKING))},
        log=FakeAuditLog(),
        counter=TokenCounter(tmp_path),
        prompt_tokens=6000,
        ensemble=ensemble(),
        confidence=load_model(CONFIDENCE),
    )
    set_current_budget(Budget(_LONG_S, stages.GENERATION, clock=lambda: 0.0))
    with recorded_walk("generation") as walk:
        events = [event async for event in pipeline.answer_question(question())]
    await pipeline.close()
    assert isinstance(events[-1], Answer)
    # Each step is noted for the record as it is made: to note is to go nowhere.
    check_walk(
        walk,
        [
            *("accept", "rewrite", "retrieve", "refuse", "prompt", "verify", "writing"),
            *("confidence", "coverage"),
        ],
        {"model", "transcript", "records"},
    )


def test_a_walk_that_comes_back_is_told() -> None:
    assert list_rooms(["rank", "rank", "model", "join", "rank"], {"model"}) == [
        *("rank", "join", "rank")
    ]
    assert list_returns(["rank", "join", "rank", "join"]) == ["rank", "join"]

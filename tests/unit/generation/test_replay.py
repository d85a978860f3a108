"""A recorded answer is rebuilt as it was, and what is not the same any more is said."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from libs.budget import stages
from libs.budget.budget import Budget, set_current_budget
from libs.ml import load_model
from libs.tokens import TokenCounter
from services.generation.adapters.records.postgres_answers import encode_answer
from services.generation.bootstrap import describe_settings
from services.generation.extractive.answerer import ExtractiveAnswerer
from services.generation.model import Answer, Message, Role
from services.generation.pipeline import EXTRACTIVE, NO_SETTINGS, Pipeline
from services.generation.ports import Answerer
from services.generation.replay import (
    RECORDED,
    UNKNOWN_SETTINGS,
    NoRecord,
    RecordedAnswer,
    RecordedAnswerer,
    Replayed,
    compare,
    replay,
)
from services.generation.settings import RANKING, Settings
from tests.support.generation_fakes import (
    DOCUMENT,
    PASSAGE_TEXTS,
    FakeAuditLog,
    FakeSource,
    ensemble,
    passage,
    question,
    search_result,
)

ASKED = "What does a hydraulic actuator do?"
TEXT = "A hydraulic actuator turns the pressure of a fluid into force."
DRAFT = json.dumps(
    {
        "sentences": [{"text": TEXT, "citations": [{"source": 1, "quote": TEXT}]}],
        "confidence": 0.9,
    }
)
LINES = f"{TEXT} [1]"
SETTINGS = describe_settings(Settings())


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> TokenCounter:
    return TokenCounter(tmp_path_factory.getbasetemp() / "cache")


Open = Callable[..., Pipeline]


@pytest.fixture
def opened(counter: TokenCounter) -> Open:
    def opened(
        answerer: str = EXTRACTIVE,
        response: str = "",
        source: FakeSource | None = None,
        log: Any = None,
        made_with: Any = SETTINGS,
    ) -> Pipeline:
        answerers: dict[str, Answerer] = {
            EXTRACTIVE: ExtractiveAnswerer(load_model(RANKING)),
            RECORDED: RecordedAnswerer(response, "some-model"),
        }
        return Pipeline(
            source=source or FakeSource(),
            answerers=answerers,
            log=log or NoRecord(),
            counter=counter,
            prompt_tokens=6000,
            ensemble=ensemble(),
            answerer=answerer,
            made_with=made_with,
        )

    return opened


async def record(pipeline: Pipeline, log: FakeAuditLog, **fields: Any) -> RecordedAnswer:
    """Answer a question, and return what its row has."""
    set_current_budget(Budget(5.0, stages.GENERATION, clock=lambda: 0.0))
    asked = question(ASKED, **fields)
    _ = [event async for event in pipeline.answer_question(asked)]
    (row,) = log.rows
    assert row.answer
    assert row.answer.sentences
    kept = msgspec.json.decode(encode_answer(row.answer), type=Answer)
    return RecordedAnswer(kept, asked.history, row.transcript.response, row.made_with)


async def test_an_extractive_answer_is_rebuilt_byte_for_byte(opened: Open) -> None:
    log = FakeAuditLog()
    recorded = await record(opened(log=log), log)
    replayed = await replay(recorded, opened(recorded.answerer))
    assert replayed.identical
    assert all(change.is_same for change in replayed.sentences)
    assert (len(replayed.sentences), replayed.others, replayed.notes) == (
        len(recorded.answer.sentences),
        [],
        [],
    )
    assert len(log.rows) == 1  # nobody was given what was rebuilt


async def test_another_text_of_the_book_shows_in_the_sentences(opened: Open) -> None:
    log = FakeAuditLog()
    recorded = await record(opened(log=log), log)
    planted = DOCUMENT.replace("pressure of a fluid", "pressure of oil")
    texts = [text.replace("pressure of a fluid", "pressure of oil") for text in PASSAGE_TEXTS]
    found = search_result(tuple(passage(text, planted) for text in texts))
    replayed = await replay(recorded, opened(source=FakeSource(found)))
    assert not replayed.identical
    changed = [change for change in replayed.sentences if not change.is_same]
    assert any("pressure of a fluid" in (change.recorded or "") for change in changed)
    assert any("pressure of oil" in (change.rebuilt or "") for change in changed)


@pytest.mark.parametrize("draft", [DRAFT, LINES], ids=["object", "lines"])
async def test_the_draft_of_a_model_is_read_from_the_row(opened: Open, draft: str) -> None:
    log = FakeAuditLog()
    recorded = await record(opened(RECORDED, draft, log=log), log)
    assert (recorded.answerer, recorded.response) == (RECORDED, draft)
    replayed = await replay(recorded, opened(recorded.answerer, recorded.response))
    assert replayed.identical
    other = "Hydraulic lines do not tolerate dirt. [1]"
    changed = await replay(recorded, opened(recorded.answerer, other))
    assert not changed.identical


async def test_a_question_made_whole_by_a_model_stands_before_its_draft(opened: Open) -> None:
    history = (
        Message(Role.USER, "What is a hydraulic actuator?"),
        Message(Role.ASSISTANT, "A hydraulic actuator turns pressure into force."),
    )
    whole = "What does a hydraulic actuator do?"
    log = FakeAuditLog()
    set_current_budget(Budget(5.0, stages.GENERATION, clock=lambda: 0.0))
    asked = question("What does it do?", history=history)
    response = f"{whole}\n{LINES}"
    _ = [event async for event in opened(RECORDED, response, log=log).answer_question(asked)]
    (row,) = log.rows
    assert row.answer
    assert row.transcript.response == response
    kept = msgspec.json.decode(encode_answer(row.answer), type=Answer)
    recorded = RecordedAnswer(kept, history, response, row.made_with)
    assert (await replay(recorded, opened(RECORDED, response))).identical


def notes(recorded: RecordedAnswer, now: dict[str, str]) -> Replayed:
    return compare(recorded, recorded.answer, now)


async def test_settings_that_differ_are_named(opened: Open) -> None:
    log = FakeAuditLog()
    recorded = await record(opened(log=log), log)
    now = dict(recorded.made_with)
    assert now.keys() == {*SETTINGS, "answerer", "profile"}
    assert notes(recorded, now).notes == []
    changed = notes(recorded, {**now, "verifier": "nli", "profile": "other"})
    assert [note.split(" was ")[0] for note in changed.notes] == [
        "settings: profile",
        "settings: verifier",
    ]
    old = replace(recorded, made_with=NO_SETTINGS)
    assert (old.answerer, notes(old, now).notes) == (EXTRACTIVE, [UNKNOWN_SETTINGS])


async def test_a_step_left_out_for_lack_of_time_is_said(opened: Open) -> None:
    log = FakeAuditLog()
    recorded = await record(opened(log=log), log)
    hurried = replace(recorded.answer, degraded=("rerank",))
    changed = compare(recorded, hurried, recorded.made_with)
    assert changed.notes == ["left out now for lack of time: rerank"]
    assert changed.others == ['degraded: [] then, ["rerank"] now']


async def test_a_refusal_that_became_an_answer_is_one_change(opened: Open) -> None:
    log = FakeAuditLog()
    recorded = await record(opened(log=log), log)
    refused = replace(await _refusal(opened), answer_id=recorded.answer.answer_id)
    changed = compare(recorded, refused, recorded.made_with)
    assert not changed.identical
    assert changed.sentences[0].recorded != changed.sentences[0].rebuilt
    assert any(other.startswith("refusal: null then") for other in changed.others)


async def _refusal(opened: Open) -> Answer:
    set_current_budget(Budget(5.0, stages.GENERATION, clock=lambda: 0.0))
    pipeline = opened(source=FakeSource(search_result(())))
    *_, answer = [event async for event in pipeline.answer_question(question(ASKED))]
    assert isinstance(answer, Answer)
    assert answer.refusal
    return answer

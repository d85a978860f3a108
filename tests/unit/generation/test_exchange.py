"""A request that comes twice is answered once, and sessions go before their questions, on fakes."""

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from libs.budget import stages
from libs.budget.budget import Budget, set_current_budget
from libs.errors import Conflict, InvalidInput, ModelUnavailable, NotFound, Unavailable
from libs.tokens import TokenCounter
from services.generation.exchange import Exchanges
from services.generation.model import Answer, DraftSentence, Replayed
from services.generation.pipeline import Pipeline
from services.generation.records import recall
from services.generation.records.model import AskedOnce
from services.generation.records.session import Session
from tests.support.generation_fakes import (
    FakeAnswerer,
    FakeAuditLog,
    FakeSource,
    ensemble,
    question,
    quoting,
)

FIRST = "A hydraulic actuator turns the pressure of a fluid into force."
ONCE = question(client_id="reader", request_key="key-1")


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> TokenCounter:
    return TokenCounter(tmp_path_factory.getbasetemp() / "cache")


@pytest.fixture
def log() -> FakeAuditLog:
    return FakeAuditLog()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "_PAUSE_S", 0.0)


@pytest.fixture
def ask(counter: TokenCounter, log: FakeAuditLog) -> Callable[..., Any]:
    async def ask(
        *draft: DraftSentence | Exception | None, asked: Any = ONCE
    ) -> tuple[Any, FakeAnswerer]:
        """Return the last event, and the answerer with what it was asked."""
        set_current_budget(Budget(5.0, stages.GENERATION))
        answerer = FakeAnswerer(list(draft))
        pipeline = Pipeline(
            source=FakeSource(),
            answerers={"extractive": answerer},
            log=log,
            counter=counter,
            prompt_tokens=6000,
            ensemble=ensemble(),
        )
        try:
            exchanges = Exchanges(pipeline, log)
            events = [event async for event in exchanges.answer_question(asked)]
        finally:
            await pipeline.close()
        return events[-1], answerer

    return ask


@pytest.mark.fault("A3")
async def test_the_same_request_gets_the_recorded_answer_and_asks_nobody(
    ask: Callable[..., Any], log: FakeAuditLog
) -> None:
    answer, _ = await ask(quoting(FIRST))
    replayed, answerer = await ask(quoting(FIRST))
    assert isinstance(answer, Answer)
    assert isinstance(replayed, Replayed)
    assert replayed.answer.answer_id == answer.answer_id
    assert replayed.answer.sentences == answer.sentences
    assert answerer.prompts == []
    assert len(log.rows) == 1


@pytest.mark.fault("A3")
async def test_a_request_of_a_later_edition_is_the_same(ask: Callable[..., Any]) -> None:
    answer, _ = await ask(quoting(FIRST))
    replayed, _ = await ask(quoting(FIRST), asked=replace(ONCE, edition=2, title="New"))
    assert replayed.answer.answer_id == answer.answer_id


@pytest.mark.fault("A3")
@pytest.mark.parametrize(
    "changed",
    [
        {"text": "What do hydraulic lines not tolerate?"},
        {"book": "another"},
        {"profile": "course"},
        {"section_path": ("Actuators",)},
        {"document": "a.md"},
        {"chapter": "Actuators"},
        {"page": "2"},
    ],
    ids=str,
)
async def test_the_key_with_another_question_says_what_is_wrong(
    ask: Callable[..., Any], log: FakeAuditLog, changed: dict[str, Any]
) -> None:
    await ask(quoting(FIRST))
    with pytest.raises(InvalidInput, match="another question"):
        await ask(quoting(FIRST), asked=replace(ONCE, **changed))
    assert len(log.rows) == 1


@pytest.mark.fault("A3")
async def test_another_clients_key_is_its_own(ask: Callable[..., Any], log: FakeAuditLog) -> None:
    await ask(quoting(FIRST))
    answer, _ = await ask(quoting(FIRST), asked=replace(ONCE, client_id="other"))
    assert isinstance(answer, Answer)
    assert len(log.rows) == 2


@pytest.mark.fault("A3")
async def test_a_request_that_failed_is_answered_when_it_comes_again(
    ask: Callable[..., Any], log: FakeAuditLog
) -> None:
    with pytest.raises(ModelUnavailable):
        await ask(ModelUnavailable("The language model does not answer."))
    answer, _ = await ask(quoting(FIRST))
    assert isinstance(answer, Answer)


@pytest.mark.fault("A3")
async def test_a_request_that_breaks_a_rule_leaves_its_key_free(
    ask: Callable[..., Any], log: FakeAuditLog
) -> None:
    with pytest.raises(InvalidInput, match="exceeds"):
        await ask(asked=replace(ONCE, text="why " * 2000))
    answer, _ = await ask(quoting(FIRST))
    assert isinstance(answer, Answer)


@pytest.mark.fault("A3")
async def test_one_of_two_questions_at_once_is_answered_and_the_other_told_to_wait(
    ask: Callable[..., Any], log: FakeAuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = asyncio.Event()
    hold = log.hold

    async def note(asked: AskedOnce, allowed_s: float) -> AskedOnce:
        holding = await hold(asked, allowed_s)
        held.set()
        return holding

    monkeypatch.setattr(log, "hold", note)
    running = asyncio.create_task(ask(None))
    await held.wait()
    with pytest.raises(Conflict, match="in a moment"):
        await ask(quoting(FIRST))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


@pytest.mark.fault("A3")
@pytest.mark.fault("D3")
async def test_without_the_store_nothing_is_answered_twice_by_chance(
    ask: Callable[..., Any], log: FakeAuditLog
) -> None:
    log.error = Unavailable("The database does not answer.")
    with pytest.raises(Unavailable):
        await ask(quoting(FIRST))


@pytest.mark.fault("A3")
async def test_without_a_key_every_request_is_answered(
    ask: Callable[..., Any], log: FakeAuditLog
) -> None:
    for _ in range(2):
        answer, _ = await ask(quoting(FIRST), asked=question())
        assert isinstance(answer, Answer)
    assert len(log.rows) == 2


async def begin(log: FakeAuditLog) -> Session:
    return await log.begin_session("robots", "reader", 1.0)


async def test_earlier_messages_of_a_session_go_before_its_next_question(
    ask: Callable[..., Any], log: FakeAuditLog
) -> None:
    session = await begin(log)
    asked = replace(ONCE, request_key="", session_id=session.session_id)
    await ask(quoting(FIRST), asked=asked)
    _, answerer = await ask(quoting(FIRST), asked=replace(asked, text="What does it turn?"))
    (prompt,) = answerer.prompts
    assert [message.content for message in prompt.history] == [ONCE.text, FIRST]
    said = log.sessions[session.session_id][1].messages
    assert [item.message.content for item in said[2:]] == ["What does it turn?", FIRST]


@pytest.mark.fault("T2")
@pytest.mark.control("V3")
@pytest.mark.parametrize(
    "foreign", [{"client_id": "other"}, {"book": "another"}, {"session_id": uuid.uuid4()}], ids=list
)
async def test_a_session_that_is_not_there_is_told_and_nothing_is_asked_without_it(
    ask: Callable[..., Any], log: FakeAuditLog, foreign: dict[str, Any]
) -> None:
    session = await begin(log)
    asked = replace(ONCE, session_id=session.session_id)
    with pytest.raises(NotFound, match="session"):
        await ask(quoting(FIRST), asked=replace(asked, **foreign))
    assert log.rows == []
    assert log.held == {}


@pytest.mark.fault("D3")
async def test_without_the_store_of_sessions_no_question_is_asked_without_its_history(
    ask: Callable[..., Any], log: FakeAuditLog
) -> None:
    session = await begin(log)
    log.error = Unavailable("The database does not answer.")
    with pytest.raises(Unavailable):
        await ask(quoting(FIRST), asked=question(session_id=session.session_id))


@pytest.mark.fault("A3")
async def test_a_request_in_a_session_that_comes_twice_is_one_turn(
    ask: Callable[..., Any], log: FakeAuditLog
) -> None:
    session = await begin(log)
    asked = replace(ONCE, session_id=session.session_id)
    await ask(quoting(FIRST), asked=asked)
    replayed, _ = await ask(quoting(FIRST), asked=asked)
    assert isinstance(replayed, Replayed)
    assert len(log.sessions[session.session_id][1].messages) == 2

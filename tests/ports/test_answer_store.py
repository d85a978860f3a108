"""What every store of answers must do, run on the fake and on PostgreSQL."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from libs.budget import Outcome, StageTiming
from libs.errors import Unavailable
from services.generation.adapters.records.postgres_answers import PostgresAnswers
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.generation.adapters.records.postgres_upkeep import PostgresUpkeep
from services.generation.model import (
    Answer,
    Check,
    CheckKind,
    Citation,
    ConfidenceLevel,
    Grounding,
    Message,
    Refusal,
    RefusalCode,
    Role,
    Selection,
    Sentence,
    SentenceKind,
    SentenceRole,
    Verdict,
    Withheld,
)
from services.generation.records.model import AskedOnce, AuditRow, Feedback, FeedbackReason, Rating
from services.generation.records.ports import AuditLog, KeptAnswers
from services.generation.transcript import ModelUse, Usage
from tests.support.engines import PostgresNode, postgres_node
from tests.support.generation_fakes import PASSAGES, FakeAuditLog, audit_row, question

READER = "reader"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresNode]:
    with postgres_node(tmp_path_factory.mktemp("postgres")) as node:
        yield node


@pytest.fixture(params=["fake", "postgres"])
async def records(
    request: pytest.FixtureRequest, server: PostgresNode
) -> AsyncIterator[tuple[AuditLog, KeptAnswers]]:
    if request.param == "fake":
        fake = FakeAuditLog()
        yield fake, fake
        return
    log = await PostgresAuditLog.open(server.dsn)
    yield log, PostgresAnswers(log.pool)
    await log.close()


def answered(**fields: object) -> AuditRow:
    """A row of an answer that has everything an answer may have."""
    asked = question(client_id=READER, selection=Selection("actuators.mdx", 3, 9), title="Robots")
    row = audit_row(question=asked)
    checks = (Check(CheckKind.QUOTE, True, "character by character"),)
    passage = PASSAGES[0]
    whole = {
        "answer_id": row.log_id,
        "question": row.question,
        "searched_question": "What does it do?",
        "profile": "default",
        "create_time": row.timestamp,
        "sentences": (
            Sentence("It moves.", (1,), checks, SentenceKind.PARAPHRASED, 0.912345678),
            Sentence("It holds.", (1,), stands_in=True, role=SentenceRole.SUPPORT),
        ),
        "citations": (
            Citation(1, "force", passage.locator, "c-1", "into force", Verdict.NORMALISED, "A | B"),
        ),
        "confidence": 0.75,
        "confidence_level": ConfidenceLevel.MEDIUM,
        "grounding": Grounding.SUPPORTED,
        "degraded": ("verifier_late",),
        "timings": (StageTiming("generation.retrieve", 2000.0, 12.5, Outcome.OK),),
        "checks": checks,
        "withheld": (Withheld("Actuators sing.", checks, replaced=True),),
        "model_use": ModelUse("gpt", Usage(10, 20), 0.003),
        "omitted": ("c-2",),
        "suggested_questions": ("What holds it?",),
        "missing_entities": ("radar",),
    }
    return replace(row, answer=Answer(**{**whole, **fields}))  # type: ignore[arg-type]


async def test_an_answer_is_found_as_it_was_recorded(
    records: tuple[AuditLog, KeptAnswers],
) -> None:
    log, answers = records
    row = answered()
    assert row.answer
    await log.append(row, 1.0)
    assert await answers.find_answer(row.log_id, READER, 1.0) == row.answer


async def test_a_refusal_is_found_too(records: tuple[AuditLog, KeptAnswers]) -> None:
    log, answers = records
    refusal = Refusal(RefusalCode.NOT_COVERED, "It does not say.", ("Motors",), ("What is it?",))
    row = answered(sentences=(), citations=(), refusal=refusal)
    await log.append(row, 1.0)
    found = await answers.find_answer(row.log_id, READER, 1.0)
    assert found is not None
    assert found.refusal == refusal


@pytest.mark.control("V3")
async def test_another_client_s_answer_is_not_found(
    records: tuple[AuditLog, KeptAnswers],
) -> None:
    log, answers = records
    row = answered()
    await log.append(row, 1.0)
    for client in ("", "reader-2", "READER"):
        assert await answers.find_answer(row.log_id, client, 1.0) is None
    assert await answers.find_answer(uuid.uuid4(), READER, 1.0) is None
    up = Feedback(Rating.UP)
    assert await answers.rate_answer(row.log_id, "reader-2", up, 1.0) is None


async def test_a_question_without_an_answer_has_none(
    records: tuple[AuditLog, KeptAnswers],
) -> None:
    log, answers = records
    row = audit_row(question=question(client_id=READER), error="model_unavailable")
    await log.append(row, 1.0)
    assert await answers.find_answer(row.log_id, READER, 1.0) is None
    assert await answers.rate_answer(row.log_id, READER, Feedback(Rating.UP), 1.0) is None


async def test_the_last_word_on_an_answer_is_kept(
    records: tuple[AuditLog, KeptAnswers],
) -> None:
    log, answers = records
    row = answered()
    await log.append(row, 1.0)
    first = await answers.rate_answer(row.log_id, READER, Feedback(Rating.UP), 1.0)
    said = Feedback(Rating.DOWN, FeedbackReason.WRONG, "It is 20 MPa.")
    last = await answers.rate_answer(row.log_id, READER, said, 1.0)
    assert first is not None
    assert first.create_time is not None
    assert last is not None
    assert last.create_time is not None
    assert last == replace(said, create_time=last.create_time)
    assert last.create_time.astimezone(UTC) >= first.create_time
    if isinstance(answers, PostgresAnswers):
        statement = "SELECT book, rating, reason, comment FROM answer_feedback WHERE answer_id = $1"
        kept = await answers._pool.fetch(statement, row.log_id)
        assert [tuple(record) for record in kept] == [
            (row.question.book, "down", "wrong", "It is 20 MPa.")
        ]


async def test_the_conversation_is_not_kept_a_second_time_with_the_answer(
    server: PostgresNode,
) -> None:
    log = await PostgresAuditLog.open(server.dsn)
    asked = question(client_id=READER, history=(Message(Role.USER, "A secret of before?"),))
    row = replace(answered(question=asked), question=asked)
    await log.append(row, 1.0)
    statement = "SELECT answer_body, history FROM audit_logs WHERE log_id = $1"
    (kept,) = await log.pool.fetch(statement, row.log_id)
    await log.close()
    assert "A secret of before?" in kept["history"]
    assert "A secret of before?" not in kept["answer_body"]


def once(key: str = "", fingerprint: bytes = b"a", client: str = READER) -> AskedOnce:
    return AskedOnce(client, key or uuid.uuid4().hex, fingerprint, uuid.uuid4())


def again(first: AskedOnce, fingerprint: bytes = b"a") -> AskedOnce:
    return replace(first, answer_id=uuid.uuid4(), fingerprint=fingerprint)


@pytest.mark.fault("A3")
async def test_the_first_of_equal_requests_counts(
    records: tuple[AuditLog, KeptAnswers],
) -> None:
    _, answers = records
    first = once()
    assert await answers.hold(first, 1.0) == first
    assert await answers.hold(again(first), 1.0) == first
    assert await answers.hold(again(first, b"b"), 1.0) == first
    another = once(first.key, client="reader-2")
    assert await answers.hold(another, 1.0) == another


@pytest.mark.fault("A3")
async def test_one_of_many_equal_requests_at_once_counts(
    records: tuple[AuditLog, KeptAnswers],
) -> None:
    _, answers = records
    first = once()
    asked = [again(first) for _ in range(8)]
    holding = await asyncio.gather(*(answers.hold(one, 5.0) for one in asked))
    assert len({one.answer_id for one in holding}) == 1


@pytest.mark.fault("A3")
async def test_a_request_that_failed_gives_way_to_the_same_one_alone(
    records: tuple[AuditLog, KeptAnswers],
) -> None:
    log, answers = records
    first = await answers.hold(once(), 1.0)
    await log.append(audit_row(log_id=first.answer_id, error="deadline_exceeded"), 1.0)
    assert await answers.hold(again(first, b"b"), 1.0) == first
    second = again(first)
    assert await answers.hold(second, 1.0) == second


@pytest.mark.fault("A3", "P3")
async def test_a_request_that_nobody_answers_any_more_gives_way(server: PostgresNode) -> None:
    log = await PostgresAuditLog.open(server.dsn)
    answers = PostgresAnswers(log.pool)
    first = await answers.hold(once(), 1.0)
    await log.pool.execute(
        "UPDATE asked_once SET held_at = held_at - interval '16 seconds' WHERE request_key = $1",
        first.key,
    )
    second = again(first)
    assert await answers.hold(second, 1.0) == second
    answered_row = answered()
    await log.append(replace(answered_row, log_id=second.answer_id), 1.0)
    await log.pool.execute(
        "UPDATE asked_once SET held_at = held_at - interval '16 seconds' WHERE request_key = $1",
        first.key,
    )
    assert await answers.hold(again(first), 1.0) == second
    await log.close()


async def test_a_request_is_remembered_for_a_day(server: PostgresNode) -> None:
    log = await PostgresAuditLog.open(server.dsn)
    answers = PostgresAnswers(log.pool)
    old, young = await answers.hold(once(), 1.0), await answers.hold(once(), 1.0)
    await log.pool.execute(
        "UPDATE asked_once SET held_at = held_at - interval '25 hours' WHERE request_key = $1",
        old.key,
    )
    await PostgresUpkeep(log.pool).purge()
    assert await answers.hold(again(young), 1.0) == young
    after = again(old)
    assert await answers.hold(after, 1.0) == after
    await log.close()


async def test_a_request_that_nothing_was_recorded_of_is_forgotten(
    records: tuple[AuditLog, KeptAnswers],
) -> None:
    _, answers = records
    first = await answers.hold(once(), 1.0)
    await answers.forget(first, 1.0)
    second = again(first, b"b")
    assert await answers.hold(second, 1.0) == second


async def find_until_refused(answers: PostgresAnswers) -> None:
    while True:  # processes take a moment to end
        await answers.find_answer(uuid.uuid4(), READER, 1.0)


@pytest.mark.fault("P6", "D3")
async def test_without_its_server_nothing_is_found(tmp_path: Path) -> None:
    with postgres_node(tmp_path) as node:
        log = await PostgresAuditLog.open(node.dsn)
        node.kill()
        with pytest.raises(Unavailable):
            await find_until_refused(PostgresAnswers(log.pool))
        await log.close()

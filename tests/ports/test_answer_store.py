"""What every store of answers must do, run on the fake and on PostgreSQL."""

import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from libs.budget import Outcome, StageTiming
from libs.errors import Unavailable
from services.generation.adapters.postgres_answers import PostgresAnswers
from services.generation.adapters.postgres_audit import PostgresAuditLog
from services.generation.audit import AuditRow, Feedback, FeedbackReason, Rating
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
from services.generation.ports import AnswerStore, AuditLog
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
) -> AsyncIterator[tuple[AuditLog, AnswerStore]]:
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
    records: tuple[AuditLog, AnswerStore],
) -> None:
    log, answers = records
    row = answered()
    assert row.answer
    await log.append(row, 1.0)
    assert await answers.find_answer(row.log_id, READER, 1.0) == row.answer


async def test_a_refusal_is_found_too(records: tuple[AuditLog, AnswerStore]) -> None:
    log, answers = records
    refusal = Refusal(RefusalCode.NOT_COVERED, "It does not say.", ("Motors",), ("What is it?",))
    row = answered(sentences=(), citations=(), refusal=refusal)
    await log.append(row, 1.0)
    found = await answers.find_answer(row.log_id, READER, 1.0)
    assert found is not None
    assert found.refusal == refusal


@pytest.mark.control("V3")
async def test_another_client_s_answer_is_not_found(
    records: tuple[AuditLog, AnswerStore],
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
    records: tuple[AuditLog, AnswerStore],
) -> None:
    log, answers = records
    row = audit_row(question=question(client_id=READER), error="model_unavailable")
    await log.append(row, 1.0)
    assert await answers.find_answer(row.log_id, READER, 1.0) is None
    assert await answers.rate_answer(row.log_id, READER, Feedback(Rating.UP), 1.0) is None


async def test_the_last_word_on_an_answer_is_kept(
    records: tuple[AuditLog, AnswerStore],
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

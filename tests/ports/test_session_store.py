"""What every store of sessions must do, run on the fake and on PostgreSQL."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from libs.budget import Budget
from libs.budget.stages import GENERATION
from libs.errors import Unavailable
from services.gateway.errors import STATUS_BY_KIND, problem_response
from services.generation.adapters.records.postgres_answers import PostgresAnswers
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.generation.adapters.records.postgres_review import PostgresReview
from services.generation.adapters.records.postgres_upkeep import PostgresUpkeep
from services.generation.model import Answer, Citation, Refusal, RefusalCode, Sentence, Verdict
from services.generation.records.model import AuditRow
from services.generation.records.ports import AuditLog, KeptAnswers
from services.generation.records.recall import recall_session
from services.generation.records.record import record_answer
from services.generation.records.review import ReviewFilter
from services.generation.records.session import EXCHANGES, Session
from tests.support.busy import busy
from tests.support.engines import PostgresNode, postgres_node
from tests.support.generation_fakes import PASSAGES, FakeAuditLog, audit_row, question

READER, BOOK = "reader", "robots"


@dataclass
class Records:
    """A log and the sessions that its rows are added to."""

    log: AuditLog
    kept: KeptAnswers

    async def begin(self) -> Session:
        return await self.kept.begin_session(BOOK, READER, 1.0)

    async def read(self, session: Session) -> Session:
        found = await self.kept.find_session(session.session_id, READER, 1.0)
        assert found is not None
        return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresNode]:
    with postgres_node(tmp_path_factory.mktemp("postgres")) as node:
        yield node


@pytest.fixture
async def postgres(server: PostgresNode) -> AsyncIterator[Records]:
    log = await PostgresAuditLog.open(server.dsn)
    yield Records(log, PostgresAnswers(log.pool))
    await log.close()


@pytest.fixture(params=["fake", "postgres"])
async def records(request: pytest.FixtureRequest, server: PostgresNode) -> AsyncIterator[Records]:
    if request.param == "fake":
        fake = FakeAuditLog()
        yield Records(fake, fake)
        return
    log = await PostgresAuditLog.open(server.dsn)
    yield Records(log, PostgresAnswers(log.pool))
    await log.close()


def turn(session: Session, asked: str, said: str = "It moves.") -> AuditRow:
    row = audit_row(question=question(asked, client_id=READER, session_id=session.session_id))
    passage = PASSAGES[0]
    citation = Citation(1, "force", passage.locator, passage.chunk_id, "force", Verdict.EXACT)
    answer = Answer(
        row.log_id,
        row.question,
        asked,
        "default",
        row.timestamp,
        sentences=(Sentence(said, (1,)),),
        citations=(citation,),
    )
    return replace(row, answer=answer)


def said_in(session: Session) -> list[str]:
    return [item.message.content for item in session.messages]


async def test_an_answer_is_added_to_its_session_with_its_row(records: Records) -> None:
    session = await records.begin()
    assert session.messages == ()
    row = turn(session, "What does it do?")
    await records.log.append(row, 1.0)
    found = await records.read(session)
    assert said_in(found) == ["What does it do?", "It moves."]
    answered = found.messages[1]
    assert (answered.answer_id, answered.chunk_ids) == (str(row.log_id), (PASSAGES[0].chunk_id,))
    assert answered.create_time >= session.create_time


async def test_a_refusal_is_added_too_and_a_failure_is_not(records: Records) -> None:
    session = await records.begin()
    refused = turn(session, "Who won?")
    assert refused.answer
    refusal = Refusal(RefusalCode.NOT_COVERED, "The book does not say.")
    refused = replace(refused, answer=replace(refused.answer, refusal=refusal, sentences=()))
    await records.log.append(refused, 1.0)
    failed = replace(turn(session, "And now?"), answer=None, error="unavailable")
    await records.log.append(failed, 1.0)
    assert said_in(await records.read(session)) == ["Who won?", "The book does not say."]


@pytest.mark.fault("A2")
async def test_the_same_row_again_adds_no_second_turn(records: Records) -> None:
    session = await records.begin()
    row = turn(session, "What does it do?")
    for _ in range(3):
        await records.log.append(row, 1.0)
    assert len((await records.read(session)).messages) == 2


@pytest.mark.fault("T2")
async def test_turns_at_once_are_all_kept_and_none_is_mixed(
    records: Records, server: PostgresNode
) -> None:
    session = await records.begin()
    logs = [records.log]
    if isinstance(records.log, PostgresAuditLog):
        logs.append(await PostgresAuditLog.open(server.dsn))
    rows = [turn(session, f"Question {n}?", f"Answer {n}.") for n in range(20)]
    await asyncio.gather(
        *(logs[number % len(logs)].append(row, 10.0) for number, row in enumerate(rows))
    )
    said = said_in(await records.read(session))
    pairs = list(zip(said[::2], said[1::2], strict=True))
    assert sorted(pairs) == sorted((f"Question {n}?", f"Answer {n}.") for n in range(20))
    for log in logs[1:]:
        assert isinstance(log, PostgresAuditLog)
        await log.close()


async def test_the_last_fifty_messages_are_kept_and_five_exchanges_used(records: Records) -> None:
    session = await records.begin()
    for number in range(27):
        await records.log.append(turn(session, f"Question {number}?"), 1.0)
    found = await records.read(session)
    assert len(found.messages) == 50
    assert said_in(found)[0] == "Question 2?"
    asked = [message.content for message in found.history[::2]]
    assert asked == [f"Question {number}?" for number in range(27 - EXCHANGES, 27)]


async def test_a_question_of_selected_text_alone_is_no_history(records: Records) -> None:
    session = await records.begin()
    for asked in ("What does it do?", "", "And without it?"):
        await records.log.append(turn(session, asked), 1.0)
    found = await records.read(session)
    assert len(found.messages) == 6
    said = [message.content for message in found.history[::2]]
    assert said == ["What does it do?", "And without it?"]


@pytest.mark.control("V3")
@pytest.mark.fault("T2")
async def test_another_clients_session_and_another_books_are_not_there(records: Records) -> None:
    session, kept = await records.begin(), records.kept
    for client in ("", "other"):
        assert await kept.find_session(session.session_id, client, 1.0) is None
        assert await kept.resume_session(session.session_id, client, BOOK, 1.0) is None
        assert not await kept.end_session(session.session_id, client, 1.0)
    assert await kept.resume_session(session.session_id, READER, "another", 1.0) is None
    assert await kept.resume_session(uuid.uuid4(), READER, BOOK, 1.0) is None
    assert await records.read(session)


@pytest.mark.fault("T2")
async def test_a_session_that_was_ended_is_gone_and_an_answer_to_it_is_still_recorded(
    records: Records,
) -> None:
    session, kept = await records.begin(), records.kept
    assert await kept.end_session(session.session_id, READER, 1.0)
    assert await kept.find_session(session.session_id, READER, 1.0) is None
    row = turn(session, "What does it do?")
    await records.log.append(row, 1.0)
    assert await kept.find_answer(row.log_id, READER, 1.0) is not None
    assert await kept.find_session(session.session_id, READER, 1.0) is None


async def age(postgres: Records, session: Session, minutes: int) -> None:
    """Let time pass, by the clock of the store."""
    assert isinstance(postgres.log, PostgresAuditLog)
    await postgres.log.pool.execute(
        "UPDATE sessions SET expires_at = expires_at - make_interval(mins => $2) "
        "WHERE session_id = $1",
        session.session_id,
        minutes,
    )


@pytest.mark.fault("T2")
async def test_a_session_ends_after_half_an_hour_without_a_question(postgres: Records) -> None:
    session = await postgres.begin()
    half_an_hour = timedelta(minutes=30)
    assert abs(session.expire_time - session.create_time - half_an_hour) < timedelta(seconds=1)
    await age(postgres, session, 29)
    resumed = await postgres.kept.resume_session(session.session_id, READER, BOOK, 1.0)
    assert resumed is not None
    assert resumed.expire_time >= session.expire_time
    await age(postgres, session, 31)
    assert await postgres.kept.find_session(session.session_id, READER, 1.0) is None
    assert await postgres.kept.resume_session(session.session_id, READER, BOOK, 1.0) is None
    assert not await postgres.kept.end_session(session.session_id, READER, 1.0)


async def test_ended_sessions_are_purged_and_no_others(postgres: Records) -> None:
    assert isinstance(postgres.log, PostgresAuditLog)
    ended, running = await postgres.begin(), await postgres.begin()
    await age(postgres, ended, 31)
    await PostgresUpkeep(postgres.log.pool).purge()
    left = await postgres.log.pool.fetch("SELECT session_id FROM sessions")
    ids = {record["session_id"] for record in left}
    assert running.session_id in ids
    assert ended.session_id not in ids


async def test_the_row_says_in_which_session_it_was_asked(postgres: Records) -> None:
    assert isinstance(postgres.log, PostgresAuditLog)
    session = await postgres.begin()
    row = turn(session, "What does it do?")
    await postgres.log.append(row, 1.0)
    statement = "SELECT session_id FROM audit_logs WHERE log_id = $1"
    assert await postgres.log.pool.fetchval(statement, row.log_id) == session.session_id


@pytest.mark.parametrize("hidden", [chr(0), chr(0xD800)])
async def test_characters_that_postgresql_cannot_hold_are_written_out_in_a_session_too(
    postgres: Records, hidden: str
) -> None:
    session = await postgres.begin()
    await postgres.log.append(turn(session, "What?", f"a{hidden}b"), 1.0)
    assert said_in(await postgres.read(session))[1] == f"a\\u{ord(hidden):04x}b"


@pytest.mark.fault("D3")
async def test_without_a_free_connection_sessions_are_refused_in_time_and_kept_again_after(
    postgres: Records, server: PostgresNode
) -> None:
    session, waited = await postgres.begin(), 0.2
    names = (session.session_id, READER)
    log = postgres.log
    assert isinstance(log, PostgresAuditLog)
    async with busy(log.pool):
        for call in (
            postgres.kept.begin_session(BOOK, READER, waited),
            postgres.kept.find_session(*names, waited),
            postgres.kept.resume_session(*names, BOOK, waited),
            postgres.kept.end_session(*names, waited),
            postgres.kept.find_answer(uuid.uuid4(), READER, waited),
            PostgresReview(log.pool).list_answers(ReviewFilter(), None, 10, waited),
        ):
            with pytest.raises(Unavailable, match="more to do than it can") as caught:
                await call
            assert STATUS_BY_KIND[caught.value.kind] == 503
            assert problem_response(caught.value).headers["retry-after"] == "1"
    assert await postgres.read(session) == session


@pytest.mark.fault("D3")
async def test_a_turn_that_finds_no_free_connection_is_refused_before_its_stage_is_over(
    postgres: Records,
) -> None:
    session = await postgres.begin()
    log, asked = postgres.log, turn(session, "What does it do?").question
    assert isinstance(log, PostgresAuditLog)
    async with busy(log.pool):
        with pytest.raises(Unavailable):
            await recall_session(postgres.kept, asked, Budget(5.0, GENERATION))
        with pytest.raises(Unavailable):
            await record_answer(log, turn(session, "And?"), Budget(5.0, GENERATION))
    assert (await recall_session(postgres.kept, asked, Budget(5.0, GENERATION))).history == ()

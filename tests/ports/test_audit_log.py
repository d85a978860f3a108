"""What every audit log must do, run on the fake and on PostgreSQL; then what PostgreSQL alone must."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from libs.budget import Outcome, StageTiming
from libs.errors import DeadlineExceeded, Unavailable
from libs.settings import SettingsError
from services.gateway.adapters.postgres_keys import PostgresKeys
from services.gateway.errors import STATUS_BY_KIND, problem_response
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.generation.model import (
    Answer,
    Citation,
    ConfidenceLevel,
    Message,
    Refusal,
    RefusalCode,
    Role,
    Selection,
    Sentence,
    SentenceReleased,
    Verdict,
)
from services.generation.records.model import AuditRow
from services.generation.transcript import Transcript
from tests.support.busy import busy
from tests.support.engines import PostgresNode, postgres_node
from tests.support.generation_fakes import (
    PASSAGES,
    FakeAuditLog,
    audit_row,
    question,
    search_result,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresNode]:
    with postgres_node(tmp_path_factory.mktemp("postgres")) as node:
        yield node


@pytest.fixture
async def postgres(server: PostgresNode) -> AsyncIterator[PostgresAuditLog]:
    log = await PostgresAuditLog.open(server.dsn)
    yield log
    await log.close()


@pytest.fixture(params=["fake", "postgres"])
async def log(
    request: pytest.FixtureRequest, postgres: PostgresAuditLog
) -> FakeAuditLog | PostgresAuditLog:
    return FakeAuditLog() if request.param == "fake" else postgres


@pytest.fixture
async def owner(
    server: PostgresNode, postgres: PostgresAuditLog
) -> AsyncIterator[asyncpg.Connection]:
    """The owner of the tables, whom no rights hold back."""
    connection = await asyncpg.connect(server.dsn)
    yield connection
    await connection.close()


async def rows_of(log: FakeAuditLog | PostgresAuditLog, row: AuditRow) -> list[Any]:
    if isinstance(log, FakeAuditLog):
        return [kept for kept in log.rows if kept.log_id == row.log_id]
    return await fetch(log, "SELECT * FROM audit_logs WHERE log_id = $1", row.log_id)


async def fetch(log: PostgresAuditLog, statement: str, *values: UUID) -> list[asyncpg.Record]:
    async with log._pool.acquire() as connection:
        return await connection.fetch(statement, *values)


def answer(row: AuditRow, **fields: Any) -> Answer:
    whole = {
        "answer_id": row.log_id,
        "question": row.question,
        "searched_question": row.question.text,
        "profile": "default",
        "create_time": row.timestamp,
    }
    return Answer(**{**whole, **fields})


async def test_a_row_is_there_once_it_is_appended(log: FakeAuditLog | PostgresAuditLog) -> None:
    row = audit_row()
    await log.append(row, 1.0)
    assert len(await rows_of(log, row)) == 1


@pytest.mark.fault("A2")
async def test_the_same_row_again_changes_nothing(log: FakeAuditLog | PostgresAuditLog) -> None:
    row = audit_row()
    await asyncio.gather(*(log.append(row, 1.0) for _ in range(5)))
    assert len(await rows_of(log, row)) == 1


async def test_many_rows_at_once_are_all_kept(log: FakeAuditLog | PostgresAuditLog) -> None:
    rows = [audit_row() for _ in range(40)]
    await asyncio.gather(*(log.append(row, 5.0) for row in rows))
    for row in rows:
        assert len(await rows_of(log, row)) == 1


async def test_an_answer_is_kept_in_the_columns_of_the_specification(
    postgres: PostgresAuditLog,
) -> None:
    row = audit_row(
        question=question(
            client_id="reader-1",
            selection=Selection("actuators.mdx", 3, 9),
            history=(Message(Role.USER, "Earlier?"),),
        ),
        searched_question="Earlier? What does it do?",
        search=search_result(),
        transcript=Transcript("prompt", "response"),
        timings=(StageTiming("generation.retrieve", 2000.0, 12.5, Outcome.OK),),
    )
    citation = Citation(
        1, "force", PASSAGES[0].locator, PASSAGES[0].chunk_id, "into force", Verdict.EXACT
    )
    row = audit_row(
        **{
            **vars(row),
            "answer": answer(
                row,
                sentences=(Sentence("It moves.", (1,)),),
                citations=(citation,),
                confidence=0.75,
                confidence_level=ConfidenceLevel.MEDIUM,
            ),
        }
    )
    await postgres.append(row, 1.0)
    (kept,) = await rows_of(postgres, row)
    assert kept["answer_id"] == row.log_id
    assert kept["user_query_text"] == row.question.text
    assert kept["source_mode"] == "context-restricted"
    assert kept["retrieval_query"] == "Earlier? What does it do?"
    assert kept["chunks_retrieved_count"] == 2
    assert json.loads(kept["chunks_returned"])[0]["chunk_id"] == PASSAGES[0].chunk_id
    assert kept["retrieval_latency_ms"] == 12.5
    assert (kept["llm_prompt"], kept["llm_response"]) == ("prompt", "response")
    assert kept["answer_text"] == "It moves."
    assert kept["confidence_score"] == 0.75
    assert json.loads(kept["citations"])[0]["quote"] == "force"
    assert kept["success"]
    assert kept["client_id"] == "reader-1"
    assert kept["timestamp"] == row.timestamp


async def test_a_refusal_and_a_failure_tell_what_they_are(postgres: PostgresAuditLog) -> None:
    refused, failed = audit_row(), audit_row(error="model_unavailable")
    refusal = Refusal(RefusalCode.NOT_COVERED, "The book does not say.")
    refused = audit_row(**{**vars(refused), "answer": answer(refused, refusal=refusal)})
    await postgres.append(refused, 1.0)
    await postgres.append(failed, 1.0)
    (kept,) = await rows_of(postgres, refused)
    assert (kept["success"], kept["refusal_code"]) == (True, "not_covered")
    (kept,) = await rows_of(postgres, failed)
    assert (kept["success"], kept["error_message"]) == (False, "model_unavailable")
    assert kept["answer_id"] is None


async def test_text_that_only_looks_like_a_nul_is_kept(postgres: PostgresAuditLog) -> None:
    row = audit_row()
    text = "In JSON a NUL is \\u0000, and a tab \t."
    row = audit_row(**{**vars(row), "answer": answer(row, sentences=(Sentence(text, (1,)),))})
    await postgres.append(row, 1.0)
    (kept,) = await rows_of(postgres, row)
    assert json.loads(kept["sentences"])[0][0] == text


@pytest.mark.parametrize("hidden", [chr(0), chr(0xD800)])
async def test_characters_that_postgresql_cannot_hold_are_written_out(
    postgres: PostgresAuditLog, hidden: str
) -> None:
    row = audit_row(
        transcript=Transcript("prompt", f"a{hidden}b"), error="", searched_question=f"x{hidden}"
    )
    sentence = Sentence(f"It{hidden}moves.", (1,))
    row = audit_row(**{**vars(row), "answer": answer(row, sentences=(sentence,))})
    await postgres.append(row, 1.0)
    (kept,) = await rows_of(postgres, row)
    assert kept["llm_response"] == f"a\\u{ord(hidden):04x}b"
    assert f"\\u{ord(hidden):04x}" in json.loads(kept["sentences"])[0][0]


async def test_partitions_are_made_ahead_by_month(postgres: PostgresAuditLog) -> None:
    now = datetime.now(UTC)
    found = await fetch(
        postgres,
        "SELECT inhrelid::regclass::text AS name FROM pg_inherits "
        "WHERE inhparent = 'audit_logs'::regclass",
    )
    names = {record["name"] for record in found}
    assert f"audit_logs_{now:%Y_%m}" in names
    assert len(names) >= 3


async def test_no_partition_is_made_while_an_answer_waits_but_soon_after(
    postgres: PostgresAuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = datetime.now(UTC) + timedelta(days=400)
    row = audit_row(timestamp=later)
    with pytest.raises(Unavailable, match="Try again"):
        await postgres.append(row, 5.0)
    assert postgres._upkeep._hurried.is_set()
    await postgres._upkeep.make_partitions(later)
    await asyncio.gather(
        postgres.append(row, 5.0), postgres.append(audit_row(timestamp=later), 5.0)
    )
    assert len(await rows_of(postgres, row)) == 1


async def test_december_is_followed_by_january(postgres: PostgresAuditLog) -> None:
    await postgres._upkeep.make_partitions(datetime(2031, 12, 31, 23, 59, tzinfo=UTC))
    found = await fetch(postgres, "SELECT to_regclass('audit_logs_2032_01') AS name")
    assert found[0]["name"] == "audit_logs_2032_01"


def released(text: str, number: int) -> SentenceReleased:
    passage = PASSAGES[0]
    citation = Citation(number, text, passage.locator, passage.chunk_id, text, Verdict.EXACT)
    return SentenceReleased(Sentence(text, (number,)), (citation,))


ONE, TWO, THREE = (released(text, at + 1) for at, text in enumerate(("One.", "Two.", "Three.")))


async def release(log: PostgresAuditLog, row: AuditRow) -> AuditRow:
    """Release three sentences, the last two together; returns the row with them."""
    await log.release(row, (ONE,), 1.0)
    await log.release(replace(row, released=(ONE,)), (TWO, THREE), 1.0)
    return replace(row, released=(ONE, TWO, THREE))


def shown_in(kept: asyncpg.Record) -> list[str]:
    return [item[0] for item in json.loads(kept["sentences"])]


async def journal_of(log: PostgresAuditLog, row: AuditRow) -> int:
    (found,) = await fetch(
        log,
        "SELECT (SELECT count(*) FROM audit_opened WHERE log_id = $1) "
        "+ (SELECT count(*) FROM audit_released WHERE log_id = $1) AS rows",
        row.log_id,
    )
    return int(found["rows"])


@pytest.mark.fault("P3")
@pytest.mark.invariant("I3")
async def test_a_row_left_open_is_closed_as_interrupted_with_all_that_was_shown(
    postgres: PostgresAuditLog,
) -> None:
    row = await release(postgres, audit_row(question=question(client_id="reader-1")))
    assert await postgres._upkeep.close_rows(0.0) == 1
    (kept,) = await rows_of(postgres, row)
    assert (kept["success"], kept["error_message"]) == (False, "interrupted")
    assert kept["answer_text"] == "One. Two. Three."
    assert shown_in(kept) == ["One.", "Two.", "Three."]
    assert [item["n"] for item in json.loads(kept["citations"])] == [1, 2, 3]
    assert (kept["client_id"], kept["timestamp"]) == ("reader-1", row.timestamp)
    assert (kept["user_query_text"], kept["answer_id"]) == (row.question.text, None)
    assert await journal_of(postgres, row) == 0


async def test_a_row_is_open_for_as_long_as_its_question_may_take(
    postgres: PostgresAuditLog,
) -> None:
    row = await release(postgres, audit_row())
    assert await postgres._upkeep.close_rows() == 0
    assert await rows_of(postgres, row) == []
    assert await journal_of(postgres, row) == 2
    await postgres._upkeep.close_rows(0.0)


async def test_a_row_that_was_completed_stays_and_its_journal_is_cleared(
    postgres: PostgresAuditLog,
) -> None:
    row = await release(postgres, audit_row())
    whole = replace(row, answer=answer(row, sentences=(ONE.sentence, THREE.sentence)))
    await postgres.append(whole, 1.0)
    assert await postgres._upkeep.close_rows(0.0) == 0
    (kept,) = await rows_of(postgres, row)
    assert shown_in(kept) == ["One.", "Three."]
    ((text, *_, citations),) = json.loads(kept["taken_back"])
    assert (text, citations[0]["quote"]) == ("Two.", "Two.")
    assert await journal_of(postgres, row) == 0


async def test_a_failure_s_row_has_what_was_shown(postgres: PostgresAuditLog) -> None:
    row = await release(postgres, audit_row(error="cancelled"))
    await postgres.append(row, 1.0)
    (kept,) = await rows_of(postgres, row)
    assert (kept["error_message"], kept["success"]) == ("cancelled", False)
    assert shown_in(kept) == ["One.", "Two.", "Three."]
    await postgres._upkeep.close_rows(0.0)


@pytest.mark.fault("P9")
@pytest.mark.invariant("I3")
async def test_an_answer_whose_row_was_closed_before_it_was_whole_is_not_released(
    postgres: PostgresAuditLog,
) -> None:
    row = await release(postgres, audit_row())
    await postgres._upkeep.close_rows(0.0)
    with pytest.raises(Unavailable, match="Ask again"):
        await postgres.append(replace(row, answer=answer(row)), 1.0)
    (kept,) = await rows_of(postgres, row)
    assert kept["error_message"] == "interrupted"


@pytest.mark.fault("A2")
async def test_the_same_sentences_again_change_nothing(postgres: PostgresAuditLog) -> None:
    row = audit_row()
    for _ in range(2):
        await release(postgres, row)
    assert await journal_of(postgres, row) == 2
    await postgres._upkeep.close_rows(0.0)


async def test_many_upkeeps_close_a_row_once(
    postgres: PostgresAuditLog, server: PostgresNode
) -> None:
    row = await release(postgres, audit_row())
    others = [await PostgresAuditLog.open(server.dsn) for _ in range(3)]
    await asyncio.gather(*(log._upkeep.close_rows(0.0) for log in [postgres, *others]))
    for log in others:
        await log.close()
    assert len(await rows_of(postgres, row)) == 1


async def test_a_row_of_a_month_without_a_partition_is_closed_too(
    postgres: PostgresAuditLog,
) -> None:
    row = await release(postgres, audit_row(timestamp=datetime(2019, 2, 3, tzinfo=UTC)))
    assert await postgres._upkeep.close_rows(0.0) == 1
    assert len(await rows_of(postgres, row)) == 1


CHANGES = [
    "UPDATE audit_logs SET answer_text = '' WHERE log_id = $1",
    "DELETE FROM audit_logs WHERE log_id = $1",
    "UPDATE audit_opened SET answer_text = '' WHERE log_id = $1",
    "DELETE FROM audit_opened WHERE log_id = $1",
    "UPDATE audit_released SET text = '' WHERE log_id = $1",
    "DELETE FROM audit_released WHERE log_id = $1",
    "TRUNCATE audit_logs",
    "TRUNCATE audit_opened, audit_released",
    "TRUNCATE audit_released",
]
# Closing a row needs these: that nothing else leaves so is the triggers' work.
CLOSING = [
    change
    for change in CHANGES
    if change.startswith(("DELETE FROM audit_o", "DELETE FROM audit_r"))
]


@pytest.mark.parametrize("statement", CHANGES)
@pytest.mark.invariant("I3")
async def test_not_even_the_owner_changes_or_loses_what_is_recorded(
    postgres: PostgresAuditLog, owner: asyncpg.Connection, statement: str
) -> None:
    kept, opened = audit_row(), audit_row()
    await postgres.append(kept, 1.0)
    await release(postgres, opened)
    row = kept if "audit_logs" in statement else opened
    with pytest.raises(asyncpg.RestrictViolationError):
        await owner.execute(statement, *([row.log_id] if "$1" in statement else []))
    await postgres._upkeep.close_rows(0.0)
    assert len(await rows_of(postgres, row)) == 1


@pytest.mark.parametrize("statement", [change for change in CHANGES if change not in CLOSING])
@pytest.mark.control("V17")
@pytest.mark.invariant("I3")
async def test_the_service_has_no_right_to_change_what_is_recorded(
    postgres: PostgresAuditLog, statement: str
) -> None:
    row = audit_row()
    await postgres.append(row, 1.0)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await fetch(postgres, statement, *([row.log_id] if "$1" in statement else []))


@pytest.mark.control("V17")
@pytest.mark.invariant("I3")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_logs_{month} SET answer_text = ''",
        "DROP TABLE audit_logs_{month}",
        "ALTER TABLE audit_logs DISABLE TRIGGER ALL",
        "INSERT INTO audit_days SELECT * FROM audit_days",
        "DROP TABLE audit_opened CASCADE",
    ],
)
async def test_the_service_may_not_go_round_the_triggers(
    postgres: PostgresAuditLog, statement: str
) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await fetch(postgres, statement.format(month=f"{datetime.now(UTC):%Y_%m}"))


async def test_opened_rows_have_the_columns_of_the_audits_rows(
    postgres: PostgresAuditLog,
) -> None:
    columns = "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = "
    logs, opened = [
        {tuple(record) for record in await fetch(postgres, f"{columns}'{table}'")}
        for table in ("audit_logs", "audit_opened")
    ]
    assert {name for name, _ in opened - logs} == {"opened_at"}
    assert {name for name, _ in logs - opened} == {
        *("chain_day", "salt", "content_hash", "row_hash", "erasure_id")
    }


@pytest.mark.fault("P6")
async def test_upkeep_goes_on_when_the_server_is_back(
    postgres: PostgresAuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.generation.records.upkeep._AFTER_FAILURE_S", 0.0)
    worked = asyncio.Event()
    failures = [Unavailable("The database does not answer.")] * 3

    async def make_partitions(moment: datetime) -> None:
        if failures:
            raise failures.pop()
        worked.set()

    monkeypatch.setattr(postgres._upkeep, "make_partitions", make_partitions)
    postgres._upkeep.hurry()
    await worked.wait()


@pytest.mark.invariant("I3")
async def test_the_row_is_durable_even_where_the_server_commits_lazily(
    postgres: PostgresAuditLog,
    owner: asyncpg.Connection,
) -> None:
    await owner.execute("ALTER ROLE CURRENT_USER SET synchronous_commit = off")
    settings = []
    await owner.execute(
        "CREATE OR REPLACE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM pg_notify('commits', current_setting('synchronous_commit')); RETURN NEW; "
        "END $$"
    )
    await owner.execute(
        # Deferred: what counts is the setting at the commit.
        "CREATE CONSTRAINT TRIGGER note_commit AFTER INSERT ON audit_logs "
        "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_commit()"
    )
    heard = asyncio.Event()

    def note(*said: Any) -> None:
        settings.append(said[-1])
        heard.set()

    await owner.add_listener("commits", note)
    await postgres.append(audit_row(), 1.0)
    await heard.wait()
    await owner.remove_listener("commits", note)
    await owner.execute("DROP TRIGGER note_commit ON audit_logs")
    await owner.execute("ALTER ROLE CURRENT_USER RESET synchronous_commit")
    assert settings == ["on"]


@pytest.mark.fault("D3")
async def test_a_row_that_waits_too_long_is_a_deadline_not_an_answer(
    postgres: PostgresAuditLog, owner: asyncpg.Connection
) -> None:
    async with owner.transaction():
        await owner.execute("LOCK TABLE audit_logs IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(DeadlineExceeded):
            await postgres.append(audit_row(), 0.2)


@pytest.mark.fault("D3")
async def test_without_a_free_connection_a_row_is_refused_in_time_and_taken_again_after(
    postgres: PostgresAuditLog,
) -> None:
    row = audit_row()
    async with busy(postgres.pool):
        with pytest.raises(Unavailable, match="Too many answers wait") as caught:
            await postgres.append(row, 0.2)
    assert STATUS_BY_KIND[caught.value.kind] == 503
    assert problem_response(caught.value).headers["retry-after"] == "1"
    await postgres.append(row, 5.0)
    assert len(await rows_of(postgres, row)) == 1


@pytest.fixture
async def slow_record(owner: asyncpg.Connection) -> AsyncIterator[None]:
    """Have the database take a tenth of a second for each row of the record."""
    await owner.execute(
        "CREATE OR REPLACE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM pg_sleep(0.1); RETURN NEW; END $$"
    )
    await owner.execute(
        "CREATE TRIGGER take_long BEFORE INSERT ON audit_logs "
        "FOR EACH ROW EXECUTE FUNCTION take_long()"
    )
    yield
    await owner.execute("DROP TRIGGER take_long ON audit_logs")


@pytest.mark.fault("A1")
@pytest.mark.invariant("I3", "I9")
async def test_more_rows_than_a_slow_record_can_take_are_refused_and_none_that_was_taken_is_lost(
    postgres: PostgresAuditLog, slow_record: None
) -> None:
    rows = [audit_row() for _ in range(20 * postgres.pool.get_max_size())]
    ends = await asyncio.gather(
        *(postgres.append(row, 0.5) for row in rows), return_exceptions=True
    )
    taken = [row for row, end in zip(rows, ends, strict=True) if end is None]
    refused = [end for end in ends if isinstance(end, Unavailable)]
    late = [end for end in ends if isinstance(end, DeadlineExceeded)]
    assert len(taken) + len(refused) + len(late) == len(rows)
    assert taken
    assert {STATUS_BY_KIND[end.kind] for end in refused} == {503}
    assert {problem_response(end).headers["retry-after"] for end in refused} == {"1"}
    for row in taken:
        assert len(await rows_of(postgres, row)) == 1
    assert postgres.pool.get_size() <= postgres.pool.get_max_size()
    again = audit_row()
    await postgres.append(again, 5.0)
    assert len(await rows_of(postgres, again)) == 1


async def append_until_refused(log: PostgresAuditLog) -> None:
    while True:  # processes take a moment to end, and what they still take is on disk
        await log.append(audit_row(), 1.0)


@pytest.mark.fault("P6", "D3")
async def test_without_its_server_a_row_is_not_stored(tmp_path: Path) -> None:
    with postgres_node(tmp_path) as node:
        log = await PostgresAuditLog.open(node.dsn)
        node.kill()
        with pytest.raises(Unavailable):
            await append_until_refused(log)
        await log.close()


@pytest.mark.fault("A2", "D3")
async def test_a_connection_that_broke_is_tried_once_more(
    postgres: PostgresAuditLog, server: PostgresNode
) -> None:
    connection = await asyncpg.connect(server.dsn)
    await connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    await connection.close()
    row = audit_row()
    await postgres.append(row, 1.0)
    assert len(await rows_of(postgres, row)) == 1


@pytest.mark.fault("K1")
@pytest.mark.parametrize("open_it", [PostgresAuditLog.open, lambda dsn: PostgresKeys(dsn).open()])
@pytest.mark.parametrize(
    ("dsn", "helps"),
    [
        ("not a dsn", "it wants postgresql://"),
        ("postgresql://quoth@127.0.0.1:5432/x?host=/nowhere", "look at host and port"),
    ],
)
async def test_a_database_that_cannot_be_opened_is_told_in_one_line(
    dsn: str, helps: str, open_it: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("libs.postgres.pool._PATIENCE_S", 0.0)
    with pytest.raises(SettingsError, match=f"QUOTH_POSTGRES_DSN .*{helps}"):
        await open_it(dsn)

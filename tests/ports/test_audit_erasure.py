"""What erasing takes and leaves, and what an export holds, on PostgreSQL."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from typer.testing import CliRunner

from deploy.cli.app import app
from services.generation.adapters.records.postgres_answers import PostgresAnswers
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.generation.records.model import AskedOnce, Feedback, Rating
from services.generation.records.subject import Subject
from tests.support.audit import (
    answered,
    dsn_of,
    erasure,
    exporter,
    move_to,
    open_empty,
    unguarded,
    verifier,
)
from tests.support.engines import PostgresNode, postgres_node

SECRET = "sesame"
"""A word that stands in everything of one user, and in nothing else."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("postgres")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[PostgresNode]:
    with postgres_node(folder) as node:
        yield node


@dataclass
class Bench:
    """The record, its owner, and what was asked: ids of rows by whom they are of."""

    log: PostgresAuditLog
    answers: PostgresAnswers
    owner: asyncpg.Pool
    rows: dict[str, UUID]
    session: UUID

    async def erase(self, **whose: Any) -> Any:
        return await erasure(self.owner).erase(Subject(**whose))

    async def erased_rows(self) -> set[str]:
        found = await self.owner.fetch("SELECT log_id FROM audit_logs WHERE erasure_id IS NOT NULL")
        gone = {row["log_id"] for row in found}
        return {name for name, log_id in self.rows.items() if log_id in gone}

    async def dump(self) -> str:
        tables = ("audit_logs", "audit_opened", "audit_released", "sessions", "answer_feedback")
        found = [
            await self.owner.fetchval(f"SELECT json_agg(kept)::text FROM {table} AS kept")
            for table in (*tables, "asked_once", "audit_erasures", "answer_grades")
        ]
        return "\n".join(filter(None, found))


@pytest.fixture
async def bench(server: PostgresNode) -> AsyncIterator[Bench]:
    log = await open_empty(server)
    owner = await asyncpg.create_pool(dsn_of(server), min_size=1, max_size=2)
    answers = PostgresAnswers(log.pool)
    session = (await answers.begin_session("robots", "site", 5.0)).session_id
    rows = {
        "ann": answered(client="site", user="ann", session=session, word=SECRET),
        "ben": answered(client="site", user="ben"),
        "other ann": answered(client="elsewhere", user="ann"),
        "cook book": answered(client="site", user="", book="cooking"),
    }
    for row in rows.values():
        await log.append(row, 5.0)
    await answers.rate_answer(
        rows["ann"].log_id, "site", Feedback(Rating.DOWN, comment=f"No {SECRET}!"), 5.0
    )
    await answers.hold(AskedOnce("site", SECRET, b"print", rows["ann"].log_id), 5.0)
    ids = {name: row.log_id for name, row in rows.items()}
    await owner.execute(
        "INSERT INTO answer_grades (answer_id, grade, note, document, quote, client_id) "
        "VALUES ($1, 'wrong', $2, 'a.md', $2, 'reviewer')",
        ids["ann"],
        SECRET,
    )
    yield Bench(log, answers, owner, ids, session)
    await owner.close()
    await log.close()


@pytest.mark.parametrize(
    ("whose", "gone"),
    [
        ({"user": "ann"}, {"ann", "other ann"}),
        ({"user": "ann", "client": "site"}, {"ann"}),
        ({"client": "site"}, {"ann", "ben", "cook book"}),
        ({"book": "cooking"}, {"cook book"}),
        ({"user": "nobody"}, set()),
    ],
)
async def test_rows_of_a_subject_are_erased_and_no_others(
    bench: Bench, whose: dict[str, str], gone: set[str]
) -> None:
    erased = await bench.erase(**whose)
    assert erased.rows == len(gone)
    assert await bench.erased_rows() == gone
    assert (await verifier(bench.log.pool).verify()).faults == []


@pytest.mark.parametrize("by", ["user", "client", "session"])
async def test_nothing_of_what_was_asked_is_left_but_the_skeleton(bench: Bench, by: str) -> None:
    assert SECRET in await bench.dump()
    whose: dict[str, Any] = {"user": "ann", "client": "site", "session": bench.session}
    erased = await bench.erase(**{by: whose[by]})
    assert (erased.sessions, erased.feedback, erased.requests) == (1, 1, 1)
    assert SECRET not in await bench.dump()
    kept = await bench.owner.fetchrow(
        "SELECT * FROM audit_logs WHERE log_id = $1", bench.rows["ann"]
    )
    assert kept is not None
    assert (kept["book"], kept["edition"], kept["success"]) == ("robots", 1, True)
    assert (kept["client_id"], kept["user_id"], kept["session_id"], kept["salt"]) == (
        *("", None, None),
        b"",
    )
    (told,) = await bench.owner.fetch("SELECT * FROM audit_erasures")
    assert (told["scope"], told["row_count"], told["book"]) == (by, erased.rows, "")
    assert await bench.answers.find_answer(bench.rows["ann"], "site", 5.0) is None


async def test_nothing_of_it_is_left_in_the_files_either(bench: Bench, folder: Path) -> None:
    cluster = folder / "cluster"
    await bench.owner.execute("ANALYZE")
    await bench.owner.execute("CHECKPOINT")
    samples = "SELECT string_agg(histogram_bounds::text, '') FROM pg_stats"
    assert SECRET in await bench.owner.fetchval(samples)
    assert files_with(cluster, SECRET)
    erased = await bench.erase(user="ann", client="site")
    assert erased.left == ""
    assert files_with(cluster, SECRET) == []


def files_with(cluster: Path, word: str) -> list[str]:
    return [
        str(path.relative_to(cluster))
        for path in cluster.rglob("*")
        if path.is_file() and word.encode() in path.read_bytes()
    ]


async def test_the_chain_holds_when_sealed_rows_are_erased_and_when_erasures_are_sealed(
    bench: Bench,
) -> None:
    async with bench.owner.acquire() as connection:
        await move_to(connection, "2026-03-01", bench.rows["ann"])
    await bench.log._upkeep.seal_days()
    await bench.erase(user="ann")
    async with bench.owner.acquire() as connection, unguarded(connection):
        await connection.execute("UPDATE audit_erasures SET chain_day = '2026-03-02'")
    await bench.log._upkeep.seal_days()
    report = await verifier(bench.log.pool).verify()
    assert (report.faults, report.days, report.erased) == ([], 2, 2)
    async with bench.owner.acquire() as connection, unguarded(connection):
        await connection.execute("UPDATE audit_erasures SET scope = 'book'")
    (fault,) = (await verifier(bench.log.pool).verify()).faults
    assert fault == "2026-03-02 has other erasures than those it was sealed with"


async def test_erased_rows_without_an_erasure_are_named(bench: Bench) -> None:
    erasing = (
        "UPDATE audit_logs AS kept SET (answer_text, user_query_text, erasure_id) = "
        "(SELECT '', '', gen_random_uuid()) WHERE log_id = $1"
    )
    async with bench.owner.acquire() as connection, unguarded(connection):
        await connection.execute(erasing, bench.rows["ben"])
    faults = "\n".join((await verifier(bench.log.pool).verify()).faults)
    assert "1 rows name an erasure that is not recorded" in faults
    assert f"the row {bench.rows['ben']}" in faults


@pytest.mark.invariant("I3")
@pytest.mark.parametrize(
    "change",
    [
        "user_query_text = '', answer_text = ''",
        "erasure_id = (SELECT erasure_id FROM audit_erasures)",
        "erasure_id = gen_random_uuid()",
    ],
)
async def test_not_even_the_owner_erases_in_part_or_untold(bench: Bench, change: str) -> None:
    await bench.erase(book="cooking")
    with pytest.raises(asyncpg.RestrictViolationError):
        await bench.owner.execute(
            f"UPDATE audit_logs SET {change} WHERE log_id = $1", bench.rows["ben"]
        )


async def test_questions_being_answered_are_waited_for_and_erased_too(bench: Bench) -> None:
    row = answered(client="site", user="eve", word="ginger")
    await bench.log.release(replace(row, released=()), row.released, 5.0)

    async def answer_late() -> None:
        await asyncio.sleep(0.7)
        await bench.log.append(row, 5.0)

    erased, _ = await asyncio.gather(bench.erase(user="eve"), answer_late())
    assert erased.rows == 1
    assert "ginger" not in await bench.dump()


async def test_erasing_twice_changes_nothing_the_second_time(bench: Bench) -> None:
    await bench.erase(user="ann")
    again = await bench.erase(user="ann")
    assert (again.rows, again.sessions, again.feedback) == (0, 0, 0)
    assert await bench.owner.fetchval("SELECT count(*) FROM audit_erasures") == 1


async def test_an_export_has_all_that_is_kept_on_a_user_and_of_no_other(bench: Bench) -> None:
    held = await exporter(bench.owner).export(Subject(user="ann", client="site"))
    (row,) = held["questions"]
    assert (row["log_id"], row["user_query_text"]) == (str(bench.rows["ann"]), "What is sesame?")
    assert row["answer_body"]["sentences"][0]["text"] == "It is sesame."
    assert "salt" not in row
    assert [session["session_id"] for session in held["sessions"]] == [str(bench.session)]
    assert [said["comment"] for said in held["feedback"]] == ["No sesame!"]
    await bench.erase(user="ann", client="site")
    empty = await exporter(bench.owner).export(Subject(user="ann", client="site"))
    assert (empty["questions"], empty["sessions"], empty["feedback"]) == ([], [], [])


def quoth(server: PostgresNode, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["audit", *arguments, "--dsn", dsn_of(server)])


async def test_the_commands_export_and_erase(bench: Bench, server: PostgresNode) -> None:
    shown = await asyncio.to_thread(quoth, server, "export", "--user", "ann")
    assert shown.exit_code == 0, shown.output
    assert len(json.loads(shown.stdout)["questions"]) == 2
    whose = ("--user", "ann", "--client", "site")
    asked = await asyncio.to_thread(quoth, server, "erase", *whose)
    assert asked.exit_code == 1  # nobody said yes
    assert await bench.erased_rows() == set()
    done = await asyncio.to_thread(quoth, server, "erase", *whose, "--yes")
    assert (done.exit_code, "erased: 1 questions" in done.stdout) == (0, True), done.output
    for arguments in (("erase", "--yes"), ("export", "--session", "abc")):
        wrong = await asyncio.to_thread(quoth, server, *arguments)
        assert wrong.exit_code == 2

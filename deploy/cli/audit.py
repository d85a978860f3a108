"""`quoth audit`: verify, retain, query, export and erase the record of answers."""

import os
from dataclasses import asdict
from datetime import UTC, date, datetime
from typing import Annotated, Any
from uuid import UUID

import asyncpg
import typer

from deploy.cli.database import AuditDsn, work_on_records
from deploy.cli.options import AsJson
from deploy.cli.output import FAILED, WRONG_USE, Output
from deploy.cli.replay import replay_answer
from libs.settings import SettingsError, load_settings
from services.generation.adapters.records.archive_files import require_archive
from services.generation.adapters.records.audit_archive import open_archive
from services.generation.adapters.records.postgres_chain import PostgresChain
from services.generation.adapters.records.postgres_months import PostgresMonths
from services.generation.adapters.records.postgres_subjects import PostgresSubjects
from services.generation.adapters.records.postgres_upkeep import PostgresUpkeep
from services.generation.records.erasure import AuditErasure
from services.generation.records.export import AuditExport
from services.generation.records.kept import Erased, QueryResult
from services.generation.records.query import AuditQuery
from services.generation.records.retention import AuditRetention, Retained
from services.generation.records.subject import Subject
from services.generation.records.upkeep import AuditUpkeep
from services.generation.records.verify import AuditVerifier, ChainReport
from services.generation.settings import Retention

audit_app = typer.Typer(help="Look after the record of answers.", no_args_is_help=True)
_DIGEST_BYTES = 32

Session = Annotated[str, typer.Option(help="Id of a session.", show_default=False)]
User = Annotated[
    str,
    typer.Option(
        help="Id of a user, as a client sends it; give --client too where two clients may use the "
        "same.",
        show_default=False,
    ),
]
Client = Annotated[str, typer.Option(help="Name of a client.", show_default=False)]
Archive = Annotated[
    str,
    typer.Option(
        "--archive",
        envvar="QUOTH_AUDIT_ARCHIVE",
        help="Folder or s3://bucket/prefix of the months that have left the database.",
        show_default=False,
    ),
]
BookOf = Annotated[str, typer.Option("--book", help="Slug of a book.", show_default=False)]


@audit_app.command("verify")
def verify(
    *,
    known: Annotated[
        str,
        typer.Option(
            help="Digest of a day that was noted elsewhere, such as in generation's log: the chain "
            "must still have it.",
            show_default=False,
        ),
    ] = "",
    archive: Archive = "",
    dsn: AuditDsn = "",
    as_json: AsJson = False,
) -> None:
    """Check that no row was changed, added or removed; ends with 1 where one was."""
    output = Output(as_json)
    digest = _to_digest(known, output)

    async def work(pool: asyncpg.Pool) -> ChainReport:
        return await AuditVerifier(PostgresChain(pool), open_archive(pool, archive)).verify(digest)

    report = work_on_records(dsn, output, work)
    output.give({**asdict(report), "holds": not report.fault_count})
    output.say(f"{report.rows} rows; {report.days} days are sealed; {report.waiting} rows wait")
    if report.head:
        output.say(f"digest of the last sealed day: {report.head}")
    output.say_lines(report.faults)
    if report.fault_count:
        output.fail(f"the record does not hold: {report.fault_count} faults", FAILED)
    output.say("The record holds.")


def _to_digest(text: str, output: Output) -> bytes:
    try:
        digest = bytes.fromhex(text)
    except ValueError:
        digest = b"?"
    if digest and len(digest) != _DIGEST_BYTES:
        output.fail("--known takes a digest: 64 hexadecimal digits", WRONG_USE)
    return digest


@audit_app.command("retain")
def retain(*, archive: Archive = "", dsn: AuditDsn = "", as_json: AsJson = False) -> None:
    """Pack the months that are old enough, and move the oldest to the archive, if there is one.

    Generation does the same each hour. A month leaves the database once its file was read back.
    """
    output = Output(as_json)
    try:
        times = load_settings(Retention, os.environ)
    except SettingsError as error:
        output.fail(str(error), WRONG_USE)

    async def work(pool: asyncpg.Pool) -> Retained | None:
        if archive:
            require_archive(archive)
        tables, opened = PostgresMonths(pool), open_archive(pool, archive)
        retention = AuditRetention(tables, opened, times.hot_days, times.warm_days)
        return await retention.retain(datetime.now(UTC).date())

    done = work_on_records(dsn, output, work)
    if done is None:
        output.fail("another process is at it; nothing was done", FAILED)
    output.give(asdict(done))
    output.say(f"packed: {', '.join(done.packed) or 'nothing'}")
    output.say(f"archived: {', '.join(done.archived) or 'nothing'}")
    if done.archived:
        output.say(f"{done.rows} rows were archived, in {done.size} bytes")
    if done.waiting:
        output.say(f"not yet: {', '.join(done.waiting)}; days are not sealed, or somebody reads")


@audit_app.command("query")
def query(
    sql: Annotated[
        str,
        typer.Argument(help="SQL of DuckDB on the table audit_logs, in the database and archive."),
    ],
    *,
    since: Annotated[
        datetime | None,
        typer.Option(help="First day.", formats=["%Y-%m-%d"], show_default=False),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option(help="Day after the last.", formats=["%Y-%m-%d"], show_default=False),
    ] = None,
    archive: Archive = "",
    dsn: AuditDsn = "",
    as_json: AsJson = False,
) -> None:
    """Ask the whole record in SQL. It reads what it needs, so name columns rather than *."""
    output = Output(as_json)
    first = since.date() if since else date(1970, 1, 1)
    end = until.date() if until else date(9999, 1, 1)

    async def work(pool: asyncpg.Pool) -> QueryResult:
        querying = AuditQuery(PostgresMonths(pool), open_archive(pool, archive))
        return await querying.query(sql, first, end)

    found = work_on_records(dsn, output, work)
    rows = [[_to_plain(value) for value in row] for row in found.rows]
    output.give({"columns": found.columns, "rows": rows})
    output.show_rows(
        found.columns, [["" if one is None else str(one) for one in row] for row in rows]
    )


def _to_plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else str(value)


@audit_app.command("erase")
def erase(
    *,
    session: Session = "",
    user: User = "",
    client: Client = "",
    book: BookOf = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    archive: Archive = "",
    dsn: AuditDsn = "",
    as_json: AsJson = False,
) -> None:
    """Erase what was asked and answered, for good: of each row its skeleton and the fact stay.

    Where several are given, rows for which all hold. It needs the owner of the tables.
    """
    output = Output(as_json)
    subject = _to_subject(output, session, user, client, book)
    if not yes:
        typer.confirm(f"Erase everything of this {subject.scope}, for good?", abort=True, err=True)

    async def work(pool: asyncpg.Pool) -> Erased:
        upkeep, opened = AuditUpkeep(PostgresUpkeep(pool)), open_archive(pool, archive)
        return await AuditErasure(PostgresSubjects(pool), upkeep, opened).erase(subject)

    erased = work_on_records(dsn, output, work)
    output.give(asdict(erased))
    output.say(
        f"erased: {erased.rows} questions, {erased.sessions} sessions, {erased.feedback} pieces of "
        f"feedback, {erased.requests} remembered requests"
    )
    if erased.left:
        output.say(erased.left)


@audit_app.command("export")
def export(
    *,
    session: Session = "",
    user: User = "",
    client: Client = "",
    book: BookOf = "",
    archive: Archive = "",
    dsn: AuditDsn = "",
) -> None:
    """Print all that is kept on someone, as JSON. Where several are given, all must hold."""
    output = Output(as_json=True)
    subject = _to_subject(output, session, user, client, book)

    async def work(pool: asyncpg.Pool) -> dict[str, Any]:
        return await AuditExport(PostgresSubjects(pool), open_archive(pool, archive)).export(
            subject
        )

    output.give(work_on_records(dsn, output, work))


audit_app.command("replay")(replay_answer)


def _to_subject(output: Output, session: str, user: str, client: str, book: str) -> Subject:
    try:
        session_id = UUID(session) if session else None
    except ValueError:
        output.fail("--session takes the id of a session", WRONG_USE)
    subject = Subject(session_id, user, client, book)
    if not subject.given:
        output.fail("say whose: --session, --user, --client or --book", WRONG_USE)
    return subject

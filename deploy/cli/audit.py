"""`quoth audit`: verify the record of answers, erase and export what it holds on someone."""

from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

import asyncpg
import typer

from deploy.cli.database import AuditDsn, work_on_records
from deploy.cli.options import AsJson
from deploy.cli.output import FAILED, WRONG_USE, Output
from services.generation.adapters.audit_erasure import AuditErasure, Erased
from services.generation.adapters.audit_export import AuditExport
from services.generation.adapters.audit_subject import Subject
from services.generation.adapters.audit_verify import AuditVerifier, ChainReport

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
    dsn: AuditDsn = "",
    as_json: AsJson = False,
) -> None:
    """Check that no row was changed, added or removed; ends with 1 where one was."""
    output = Output(as_json)
    digest = _to_digest(known, output)

    async def work(pool: asyncpg.Pool) -> ChainReport:
        return await AuditVerifier(pool).verify(digest)

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


@audit_app.command("erase")
def erase(
    *,
    session: Session = "",
    user: User = "",
    client: Client = "",
    book: BookOf = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
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
        return await AuditErasure(pool).erase(subject)

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
    dsn: AuditDsn = "",
) -> None:
    """Print all that is kept on someone, as JSON. Where several are given, all must hold."""
    output = Output(as_json=True)
    subject = _to_subject(output, session, user, client, book)

    async def work(pool: asyncpg.Pool) -> dict[str, Any]:
        return await AuditExport(pool).export(subject)

    output.give(work_on_records(dsn, output, work))


def _to_subject(output: Output, session: str, user: str, client: str, book: str) -> Subject:
    try:
        session_id = UUID(session) if session else None
    except ValueError:
        output.fail("--session takes the id of a session", WRONG_USE)
    subject = Subject(session_id, user, client, book)
    if not subject.given:
        output.fail("say whose: --session, --user, --client or --book", WRONG_USE)
    return subject

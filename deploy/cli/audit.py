"""`quoth audit`: verify the record of answers."""

from dataclasses import asdict
from typing import Annotated

import asyncpg
import typer

from deploy.cli.database import AuditDsn, work_on_records
from deploy.cli.options import AsJson
from deploy.cli.output import FAILED, WRONG_USE, Output
from services.generation.adapters.audit_chain import AuditChain, ChainReport

audit_app = typer.Typer(help="Look after the record of answers.", no_args_is_help=True)
_DIGEST_BYTES = 32


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
        return await AuditChain(pool).verify(digest)

    report = work_on_records(dsn, output, work)
    output.give({**asdict(report), "holds": not report.fault_count})
    output.say(f"{report.rows} rows; {report.days} days are sealed; {report.unsealed} rows wait")
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

"""`quoth audit replay`: rebuild an answer from its row, and show what is not the same any more."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import asyncpg
import typer

from deploy.cli.database import AuditDsn, work_on_records
from deploy.cli.options import AsJson
from deploy.cli.output import FAILED, WRONG_USE, Output
from deploy.local.instance import read_run
from deploy.local.processes import CALLERS_SHOW, RETRIEVAL
from deploy.local.settings import LocalSettings
from libs.errors import NotFound
from libs.rpc.transport import Transport
from libs.settings import load_settings
from services.generation.adapters.records.audit_archive import open_archive
from services.generation.adapters.records.recorded_answers import find_recorded
from services.generation.bootstrap import open_replaying
from services.generation.clients import RetrievalClient
from services.generation.replay import Replayed, replay
from services.generation.settings import Settings

Archive = Annotated[
    str,
    typer.Option(
        "--archive",
        envvar="QUOTH_AUDIT_ARCHIVE",
        help="Folder or s3://bucket/prefix of the months that have left the database.",
        show_default=False,
    ),
]
_KEPT = "SELECT EXISTS (SELECT FROM editions WHERE book = $1 AND number = $2)"


def replay_answer(
    answer_id: Annotated[str, typer.Argument(help="Id of the answer, as `quoth ask` names it.")],
    *,
    archive: Archive = "",
    dsn: AuditDsn = "",
    as_json: AsJson = False,
) -> None:
    """Rebuild an answer from its row, and show sentence by sentence what differs; 1 where it does.

    It takes the settings of generation from the environment, and asks the running retrieval service
    for passages of the same edition. What a language model wrote is read from the row.
    """
    output = Output(as_json)
    try:
        wanted = UUID(answer_id)
    except ValueError:
        output.fail("an answer has an id as 6f1c8a52-0000-4000-8000-000000000001", WRONG_USE)

    async def work(pool: asyncpg.Pool) -> Replayed:
        recorded = await find_recorded(pool, open_archive(pool, archive), wanted)
        question = recorded.answer.question
        if not await _is_kept(pool, question.book, question.edition):
            raise NotFound(
                f"Edition {question.edition} of {question.book} is not kept any more: its answers "
                "can be read, but not rebuilt."
            )
        settings = load_settings(Settings, os.environ)
        source = _reach_retrieval(settings)
        try:
            async with open_replaying(settings, recorded, source) as pipeline:
                return await replay(recorded, pipeline)
        finally:
            await source.close()

    replayed = work_on_records(dsn, output, work)
    output.give({**asdict(replayed), "answer_id": answer_id})
    _show(replayed, output)
    if not replayed.identical:
        output.fail("the answer is not rebuilt as it was", FAILED)
    output.say("The answer is rebuilt as it was, byte for byte.")


async def _is_kept(pool: asyncpg.Pool, book: str, edition: int) -> bool:
    """Say whether ingest keeps an edition; True where this user may not look."""
    try:
        return bool(await pool.fetchval(_KEPT, book, edition))
    except (asyncpg.InsufficientPrivilegeError, asyncpg.UndefinedTableError):
        return True


def _reach_retrieval(settings: Settings) -> RetrievalClient:
    """Call the retrieval that is set, else that of `quoth up` in QUOTH_HOME, with its token."""
    told = dict(os.environ)
    if told.get("GENERATION_RETRIEVAL"):
        return RetrievalClient(settings.retrieval, load_settings(Transport, told))
    home = Path(load_settings(LocalSettings, told).home)
    running: dict[str, Any] = read_run(home).get("processes", {}).get(RETRIEVAL, {})
    token = running.get("service_token", "")
    if token and not any(told.get(name) for name in (CALLERS_SHOW, f"{CALLERS_SHOW}_FILE")):
        told[CALLERS_SHOW] = str(token)
    address = str(running.get("address") or settings.retrieval)
    return RetrievalClient(address, load_settings(Transport, told))


def _show(replayed: Replayed, output: Output) -> None:
    for change in replayed.sentences:
        if change.is_same:
            output.say(f"  {change.recorded}")
            continue
        if change.recorded is not None:
            output.say(f"- {change.recorded}", style="red")
        if change.rebuilt is not None:
            output.say(f"+ {change.rebuilt}", style="green")
    output.say_lines(replayed.others)
    output.say_lines(replayed.notes, style="yellow")

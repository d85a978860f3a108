"""`quoth ingest`: a path in; an upload, its progress, and a published edition out."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

from deploy.cli.client import Gateway, Json
from deploy.cli.output import FAILED, WRONG_USE, CommandError, Output
from deploy.cli.packing import open_source
from deploy.cli.progress import JobDisplay, display_for
from deploy.cli.reports import show_report

SLUG = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")


async def ingest_path(
    gateway: Gateway, path: Path, book: str, parameters: Mapping[str, str], display: JobDisplay
) -> Json:
    """Send `path` and follow its job. Returns the job as it ended."""
    return await _follow(gateway, book, await _send(gateway, path, book, parameters), display)


async def _send(gateway: Gateway, path: Path, book: str, parameters: Mapping[str, str]) -> Json:
    with open_source(path, allow_partial=bool(parameters.get("allow_partial"))) as source:
        return await gateway.start_ingest(
            book, source.path, {"file_name": source.file_name, **parameters}
        )


async def _follow(gateway: Gateway, book: str, job: Json, display: JobDisplay) -> Json:
    with display:
        display.show(job)
        async for state in gateway.follow_ingest(book, job["job_id"]):
            job = state
            display.show(job)
    return job


async def run_ingest(
    gateway: Gateway, output: Output, path: Path, book: str, parameters: Mapping[str, str]
) -> None:
    if not SLUG.fullmatch(book):
        raise CommandError(
            f"{book!r} can't name a book: use 1 to 64 lower-case letters, digits and hyphens, "
            "with no hyphen at either end.",
            WRONG_USE,
        )
    display = display_for(output.errors)
    job = await _send(gateway, path, book, parameters)
    try:
        job = await _follow(gateway, book, job, display)
    except asyncio.CancelledError:
        command = f"quoth cancel {job['job_id']} --book {book}"
        output.errors.print(f"The ingest goes on. To end it: {command}", markup=False)
        raise
    output.give({"job": job})
    if job.get("state") == "checked":
        show_report(output, job.get("report") or {}, is_dry=True)
        return
    output.say_lines([f"! {text}" for text in job.get("warnings") or []], style="yellow")
    if job.get("state") != "published":
        reason = job.get("error") or job.get("state") or "no reason given"
        raise CommandError(f"{book} was not published: {reason}", FAILED)
    output.say(summarise(job), style="green")


def summarise(job: Json) -> str:
    """Return one line about a job that was published."""
    if not job.get("documents_done"):
        return f"{job.get('book', '')}: nothing has changed since edition {job.get('edition', '')}."
    return (
        f"{job.get('book', '')}: edition {job.get('edition', '')} published, "
        f"{job.get('documents_done', 0)} documents, {job.get('chunks_total', 0)} passages "
        f"({job.get('chunks_reused', 0)} unchanged)."
    )

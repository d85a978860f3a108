"""`quoth ingest`: send a book, show its progress, and say how it ended."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

from deploy.cli.books import NOT_FOUND
from deploy.cli.output import FAILED, WRONG_USE, CommandError, Output
from deploy.cli.progress import display_for
from deploy.cli.reports import show_report
from deploy.rest_client.client import Gateway, Json, ProblemError
from deploy.rest_client.ingest import follow_job, send_path

SLUG = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")
_LONGEST_SLUG = 64
_ENDING = re.compile(r"(\.tar)?\.[a-z0-9]+$")


async def run_ingest(
    gateway: Gateway, output: Output, path: Path, book: str | None, parameters: Mapping[str, str]
) -> None:
    named = book is None
    if book is None:
        book = await name_new_book(gateway, path)
    if not SLUG.fullmatch(book):
        raise CommandError(
            f"{book!r} can't name a book: use 1 to 64 lower-case letters, digits and hyphens, "
            "with no hyphen at either end.",
            WRONG_USE,
        )
    display = display_for(output.errors)
    job = await send_path(gateway, path, book, parameters)
    if named:
        output.say(f"The book is called {book}.")
    output.errors.print(f"Job {job['job_id']}", style="dim", markup=False, highlight=False)
    try:
        job = await follow_job(gateway, book, job, display)
    except asyncio.CancelledError:
        output.errors.print(f"The ingest goes on. {tell_how_to_end(book, job)}", markup=False)
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


def tell_how_to_end(book: str, job: Json) -> str:
    """Return how a job that nobody watches any more is ended, and how it is seen."""
    end = f"To end it: quoth cancel {job['job_id']} --book {book}"
    return f"{end}\nTo see how far it is: quoth jobs --book {book}"


async def name_new_book(gateway: Gateway, path: Path) -> str:
    """Return a slug made of the path's name.

    Raises CommandError where the name has nothing to make one of, or has a book already: that
    its next edition is meant must be said.
    """
    slug = as_slug(path)
    if not slug:
        raise CommandError("Say with --book what the book is to be called.", WRONG_USE)
    if await _is_there(gateway, slug):
        raise CommandError(
            f"There is a book {slug} already. For its new edition say --book {slug}; "
            "for another book give another name.",
            WRONG_USE,
        )
    return slug


async def _is_there(gateway: Gateway, book: str) -> bool:
    try:
        await gateway.list_editions(book)
    except ProblemError as error:
        if error.status != NOT_FOUND:
            raise
        return False
    return True


def as_slug(path: Path) -> str:
    """Return what a file's or folder's name leaves of letters, digits and hyphens; "" for nothing."""
    name = path.resolve().name.lower()
    stem = name if path.is_dir() else _ENDING.sub("", name)
    return re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:_LONGEST_SLUG].rstrip("-")


def summarise(job: Json) -> str:
    """Return one line about a job that was published."""
    if not job.get("documents_done"):
        return f"{job.get('book', '')}: nothing has changed since edition {job.get('edition', '')}."
    return (
        f"{job.get('book', '')}: edition {job.get('edition', '')} published, "
        f"{job.get('documents_done', 0)} documents, {job.get('chunks_total', 0)} passages "
        f"({job.get('chunks_reused', 0)} unchanged)."
    )

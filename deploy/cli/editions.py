"""Commands that show and change a book's history, its title, and what is kept of it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated

import typer
from rich.table import Table

from deploy.cli.books import choose_book, explaining
from deploy.cli.ingest import tell_how_to_end
from deploy.cli.options import AsJson, Book, Cursor, Limit, Url, open_gateway
from deploy.cli.output import FAILED, CommandError, Output, printable, run
from deploy.cli.progress import display_for
from deploy.cli.reports import show_report
from deploy.rest_client.client import Gateway, Json
from deploy.rest_client.ingest import follow_job

_NOT_DONE = {
    "roll_back": "Readers see what they saw before",
    "compare": "The editions were not compared",
    "vacuum": "Not all was deleted",
}
_STATES = {
    "unindexed": "Unindexed",
    "indexing": "Indexing",
    "indexed": "Indexed",
    "stale": "Stale",
    "reindexing": "Re-indexing",
}
NamedBook = Annotated[str, typer.Option("--book", help="Slug of the book.")]


def report(
    context: typer.Context,
    *,
    book: Book = "",
    edition: Annotated[int, typer.Option(help="Number. Default: the current one.", min=0)] = 0,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Show what ingest made of each document of a book: nothing may be lost unseen."""
    output = Output(as_json)

    async def work(gateway: Gateway, slug: str) -> None:
        found = await gateway.get_report(slug, str(edition or "current"))
        output.give(found)
        show_report(output, found)

    _on_book(context, url, output, book, work)


def documents(
    context: typer.Context,
    *,
    book: Book = "",
    limit: Limit = 0,
    cursor: Cursor = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """List the documents of a book in reading order."""
    output = Output(as_json)

    async def work(gateway: Gateway, slug: str) -> None:
        answer = await gateway.list_documents(slug, {"limit": limit, "cursor": cursor})
        output.give(answer)
        keys = ("path", "title", "length", "chunk_count")
        table = Table("document", "title", "characters", "passages", box=None)
        for document in answer["documents"]:
            table.add_row(*(printable(str(document[key])) for key in keys))
        output.show(table)
        output.say_next(answer)

    _on_book(context, url, output, book, work)


def editions(
    context: typer.Context,
    *,
    book: Book = "",
    limit: Limit = 0,
    cursor: Cursor = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """List the editions of a book that are kept, and why each was made."""
    output = Output(as_json)

    async def work(gateway: Gateway, slug: str) -> None:
        answer = await gateway.list_editions(slug, {"limit": limit, "cursor": cursor})
        output.give(answer)
        table = Table("edition", "shown", "published", "documents", "passages", "why", box=None)
        for edition in answer["editions"]:
            table.add_row(*(printable(cell) for cell in _edition_cells(edition)))
        output.show(table)
        output.say_next(answer)

    _on_book(context, url, output, book, work)


def state(
    context: typer.Context,
    *,
    book: NamedBook,
    limit: Limit = 0,
    cursor: Cursor = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Say where a book and its documents stand between their source and the index."""
    output = Output(as_json)

    async def work(gateway: Gateway, slug: str) -> None:
        answer = await gateway.get_index_state(slug, {"limit": limit, "cursor": cursor})
        output.give(answer)
        output.say(f"{book}: {_STATES[answer['state']]}")
        rows = [[one["path"], _STATES[one["state"]]] for one in answer["documents"]]
        output.show_rows(("document", "state"), rows)
        output.say_next(answer)

    _on_book(context, url, output, book, work)


def diff(
    context: typer.Context,
    *,
    book: Book = "",
    before: Annotated[
        int, typer.Option("--from", help="Edition. Default: the one before the other.", min=0)
    ] = 0,
    after: Annotated[
        int, typer.Option("--to", help="Edition. Default: the current one.", min=0)
    ] = 0,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Show what two editions of a book have different."""
    output = Output(as_json)

    async def work(gateway: Gateway, slug: str) -> None:
        job = await gateway.diff_editions(slug, {"from": before, "to": after})
        found = (await _follow(output, gateway, slug, job))["difference"]
        output.give(found)
        keys = ("path", "change", "old_path", "chunks_added", "chunks_removed")
        output.show_rows(
            ("document", "change", "was", "passages added", "removed"),
            [[str(change[key] or "") for key in keys] for change in found["documents"]],
        )
        output.say(
            f"Edition {found['from_edition']} to {found['to_edition']}: "
            f"{found['chunks_added']} passages added, {found['chunks_removed']} removed, "
            f"{found['chunks_kept']} kept."
        )

    _on_book(context, url, output, book, work)


def rollback(
    context: typer.Context,
    *,
    book: NamedBook,
    edition: Annotated[
        int, typer.Option(help="Number. Default: the newest before the current.", min=0)
    ] = 0,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Let readers see another edition that is kept; also brings a deleted book back."""
    output = Output(as_json)

    async def work(gateway: Gateway, slug: str) -> None:
        job = await _follow(output, gateway, slug, await gateway.roll_back(slug, edition))
        output.give({"job": job})
        output.say(f"{book}: readers see edition {job['edition']}.", style="green")

    _on_book(context, url, output, book, work)


def rename(
    context: typer.Context,
    title: Annotated[str, typer.Argument(help="What the book is called from now on.")],
    *,
    book: NamedBook,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Give a book another title, in all of its editions; its slug stays."""
    output = Output(as_json)

    async def work(gateway: Gateway, slug: str) -> None:
        renamed = await gateway.rename(slug, title)
        output.give(renamed)
        output.say(f'{book} is called "{renamed["title"]}" now.', style="green")

    _on_book(context, url, output, book, work)


def vacuum(
    context: typer.Context,
    *,
    book: NamedBook,
    keep: Annotated[
        int | None, typer.Option(help="Newest editions to keep. Default: 3.", min=1)
    ] = None,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Delete for good what no kept edition of a book holds."""
    output = Output(as_json)

    async def work(gateway: Gateway, slug: str) -> None:
        job = await _follow(output, gateway, slug, await gateway.vacuum(slug, keep or 0))
        swept = job["vacuumed"]
        output.give(swept)
        numbers = ", ".join(map(str, swept["editions"])) or "none"
        output.say(
            f"{book}: editions deleted: {numbers}; {swept['chunks']} passages, "
            f"{swept['documents']} texts, {swept['vectors']} vectors."
        )
        if swept.get("left"):
            output.say(str(swept["left"]))
        if swept["editions"]:
            output.say(
                "What was answered from them stays in the record of answers, with its quotations, for "
                f"as long as that is kept; `quoth audit erase --book {slug}` deletes all of the book."
            )
        else:
            newest = (
                f"newest {keep}" if keep else "newest editions (3 unless --keep says otherwise)"
            )
            output.say(
                f"Kept are the {newest}, the one that readers see, and those that they have left "
                "within the last minute."
            )

    _on_book(context, url, output, book, work)


def delete(
    context: typer.Context,
    *,
    book: NamedBook,
    document: Annotated[
        str, typer.Option(help="Path of one document. Default: the whole book.", show_default=False)
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Delete a book, or one document of it; `quoth rollback` brings it back until a vacuum."""
    output = Output(as_json)
    if not yes:
        typer.confirm(f"Delete {document or 'the whole book'} of {book}?", abort=True, err=True)

    async def work(gateway: Gateway, slug: str) -> None:
        job = await _follow(output, gateway, slug, await gateway.delete(slug, document))
        output.give({"job": job})
        what = f"{book}: {document}" if document else book
        output.say(f"{what} is deleted, in edition {job['edition']}.", style="green")

    _on_book(context, url, output, book, work)


def cancel(
    context: typer.Context,
    job_id: Annotated[
        str, typer.Argument(help="Id of the job. Default: all of the book.", show_default=False)
    ] = "",
    *,
    book: NamedBook,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """End a job that has not ended, or all of a book; readers see what they saw before."""
    output = Output(as_json)

    async def work(gateway: Gateway, slug: str) -> None:
        found = [] if job_id else await gateway.list_ingests(slug)
        due = [job_id] if job_id else [one["job_id"] for one in found]
        ended = [await gateway.cancel_ingest(slug, one) for one in due]
        output.give({"job": ended[0]} if job_id else {"jobs": ended})
        output.say_lines([f"{one['job_id']}: {one['state']}." for one in ended])
        if not ended:
            output.say(f"No job of {slug} is waiting or running.")

    _on_book(context, url, output, book, work)


def jobs(
    context: typer.Context,
    *,
    book: NamedBook,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """List the jobs of a book that wait or run: their ids, what they do and how far they are."""
    output = Output(as_json)

    async def work(gateway: Gateway, slug: str) -> None:
        found = await gateway.list_ingests(slug)
        output.give({"jobs": found})
        rows = [(one["job_id"], one["kind"], one["state"], _how_far(one)) for one in found]
        if found:
            output.show_rows(("job", "kind", "state", "documents"), rows)
        else:
            output.say(f"No job of {slug} is waiting or running.")

    _on_book(context, url, output, book, work)


def _how_far(job: Json) -> str:
    done, total = job.get("documents_done", 0), job.get("documents_total", 0)
    return f"{done} of {total}" if total else ""


EDITION_COMMANDS = (
    report,
    documents,
    editions,
    state,
    diff,
    rollback,
    rename,
    vacuum,
    delete,
    jobs,
    cancel,
)


def _on_book(
    context: typer.Context,
    url: str,
    output: Output,
    book: str,
    work: Callable[[Gateway, str], Awaitable[None]],
) -> None:
    """Run `work` with the gateway and the slug of a book, the only one there is where none is named."""
    gateway = open_gateway(context, url)

    async def explained() -> None:
        slug = await choose_book(gateway, book)
        async with explaining(gateway, slug):
            await work(gateway, slug)

    run(explained(), gateway, output)


def _edition_cells(edition: Json) -> tuple[str, ...]:
    return (
        str(edition["number"]),
        "yes" if edition["current"] else "",
        str(edition["publish_time"])[:19].replace("T", " "),
        str(edition["document_count"]),
        str(edition["chunk_count"]),
        "; ".join(edition["reasons"]),
    )


async def _follow(output: Output, gateway: Gateway, book: str, job: Json) -> Json:
    """Show a job to its end. Raises CommandError for one that has not done what it was to do."""
    try:
        job = await follow_job(gateway, book, job, display_for(output.errors))
    except asyncio.CancelledError:
        output.errors.print(f"It goes on. {tell_how_to_end(book, job)}", markup=False)
        raise
    if job["state"] not in ("published", "done"):
        output.give({"job": job})
        said = _NOT_DONE.get(str(job.get("kind")), "Nothing was deleted")
        raise CommandError(f"{said}: {job['error'] or job['state']}", FAILED)
    return job

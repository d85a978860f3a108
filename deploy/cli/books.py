"""`quoth books`: list the books; and choose the book of a question without `--book`."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from difflib import get_close_matches

from rich.table import Table

from deploy.cli.output import WRONG_USE, CommandError, Output, printable
from deploy.rest_client.client import Gateway, Page, ProblemError

NOT_FOUND = 404
NO_BOOKS = "There are no books yet. Add one: quoth ingest PATH"
_MOST_TOLD = 10
"""Names that a message lists: more than that are read in `quoth books`."""


async def show_books(gateway: Gateway, output: Output, page: Page) -> None:
    answer = await gateway.list_books(page)
    output.give(answer)
    books = answer.get("books", [])
    if not books:
        for warning in answer.get("warnings", []):
            output.say(printable(str(warning)))
        output.say(NO_BOOKS)
        return
    table = Table("book", "title", "edition", "documents", "passages", "language", box=None)
    for book in books:
        table.add_row(*(printable(str(book.get(key, ""))) for key in _COLUMNS))
    output.show(table)
    output.say_next(answer)


_COLUMNS = ("slug", "title", "edition", "document_count", "chunk_count", "language")


async def choose_book(gateway: Gateway, wanted: str) -> str:
    """Return `wanted`, or the only book there is. Raises CommandError."""
    if wanted:
        return wanted
    slugs = await _list_slugs(gateway)
    if len(slugs) == 1:
        return slugs[0]
    if not slugs:
        raise CommandError(NO_BOOKS, WRONG_USE)
    raise CommandError(f"Say which book with --book. {_tell(slugs)}", WRONG_USE)


@asynccontextmanager
async def explaining(gateway: Gateway, book: str) -> AsyncIterator[None]:
    """Say what there is instead when the block finds no such book, or no such edition of it."""
    try:
        yield
    except ProblemError as error:
        if error.status != NOT_FOUND:
            raise
        slugs = await _list_slugs(gateway)
        if book not in slugs:
            raise _with_detail(error, f"No book {book!r}. {_tell(slugs, book)}") from error
        if "edition" not in str(error):
            raise
        kept = (await gateway.list_editions(book)).get("editions", [])
        numbers = ", ".join(str(edition["number"]) for edition in kept)
        raise _with_detail(error, f"{error} Kept are: {numbers}.") from error


async def note_unknown(gateway: Gateway, output: Output, book: str) -> None:
    """Say what books there are where `book` is none of them: that nothing was asked may be a slip."""
    try:
        slugs = await _list_slugs(gateway) if book else [book]
    except ProblemError:
        return  # a key that sees what was asked need not see the books
    if book not in slugs:
        output.say(f"No book {book!r}. {_tell(slugs, book)}", style="yellow")


def _tell(slugs: Sequence[str], wanted: str = "") -> str:
    """Return what books there are: all if they are few, else those named most like `wanted`."""
    if not slugs:
        return "There are none yet."
    if len(slugs) <= _MOST_TOLD:
        return f"There are: {', '.join(slugs)}."
    near = get_close_matches(wanted, slugs, _MOST_TOLD)
    if near:
        return f"Near it: {', '.join(near)}. For all: quoth books"
    return f"There are: {', '.join(slugs[:_MOST_TOLD])} and others. For all: quoth books"


def _with_detail(error: ProblemError, detail: str) -> ProblemError:
    return ProblemError(error.status, {**error.problem, "detail": detail})


async def _list_slugs(gateway: Gateway) -> list[str]:
    return [str(book["slug"]) for book in (await gateway.list_books()).get("books", [])]

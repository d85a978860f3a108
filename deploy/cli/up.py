"""`quoth up`: the supervisor with a report for a person, and the sample book on the first start."""

import os
from collections.abc import Sequence
from pathlib import Path

import httpx
from rich.console import Console

import deploy
from deploy.cli.ingest import summarise
from deploy.cli.options import KEY
from deploy.cli.progress import display_for
from deploy.local.report import Report
from deploy.rest_client.client import (
    BrokenStreamError,
    Gateway,
    Json,
    NotRunningError,
    ProblemError,
)
from deploy.rest_client.ingest import ingest_path
from deploy.rest_client.packing import PackingError
from libs.embedding.languages import OFFERED, PACKAGED, knows
from libs.language.lexicon import FALLBACK, name_of_language

SAMPLE = "physical-ai"
_NAMED = 5
SAMPLE_PATH = Path(deploy.__file__).parent / "samples" / SAMPLE


class SampleBook:
    """Puts the sample book in when there is no book yet, or when this version can't search it."""

    def __init__(
        self,
        console: Console,
        path: Path = SAMPLE_PATH,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._console = console
        self._path = path
        self._transport = transport

    async def __call__(self, url: str, report: Report) -> None:
        """Ingest the sample where it is wanted. A failure is told, and nothing stops for it."""
        try:
            key = os.environ.get(KEY, "")
            async with Gateway(url, self._transport, key) as gateway:
                held = (await gateway.list_books()).get("books", [])
                books = [book["slug"] for book in held]
                offer_model(held, report)
                if not books:
                    report.note("First start: adding the sample book; the page works meanwhile.")
                    await self._ingest(gateway, report)
                elif SAMPLE in books and await _is_outdated(gateway):
                    report.note("The sample book was indexed otherwise before: adding it anew.")
                    await self._ingest(gateway, report)
        except (NotRunningError, ProblemError, PackingError, BrokenStreamError) as error:
            _tell(f"The sample book could not be added: {error}", error, url, report)

    async def _ingest(self, gateway: Gateway, report: Report) -> None:
        job = await ingest_path(gateway, self._path, SAMPLE, {}, display_for(self._console))
        if job.get("state") == "published":
            report.note(f"✓ {summarise(job)}")
        else:
            report.note(f"! The sample book could not be added: {job.get('error')}")


async def offer_for_books(
    url: str, report: Report, transport: httpx.AsyncBaseTransport | None = None
) -> None:
    """Offer the model that knows what the packaged one does not, where books need it."""
    try:
        async with Gateway(url, transport, os.environ.get(KEY, "")) as gateway:
            offer_model((await gateway.list_books()).get("books", []), report)
    except (NotRunningError, ProblemError, BrokenStreamError) as error:
        _tell(f"The books could not be listed: {error}", error, url, report)


def _tell(what: str, error: Exception, url: str, report: Report) -> None:
    """Tell a failure, but not that we are kept out where everybody is who brings no key."""
    is_kept_out = isinstance(error, ProblemError) and error.problem.get("code") == "unauthenticated"
    if os.environ.get(KEY) or not (is_kept_out or url.startswith("https:")):
        report.note(f"! {what}")


def offer_model(books: Sequence[Json], report: Report) -> None:
    """Name the books with text that the packaged model does not know, and the model that does."""
    if os.environ.get("QUOTH_EMBEDDER", "local") != "local" or os.environ.get("QUOTH_EMBEDDER_DIR"):
        return
    spoken = {book["slug"]: _unknown_of(book) for book in books}
    unknown = [
        f"{slug} ({', '.join(map(name_of_language, languages))})"
        for slug, languages in spoken.items()
        if languages
    ]
    if unknown:
        named = ", ".join(unknown[:_NAMED])
        more = f" and {len(unknown) - _NAMED} more" if len(unknown) > _NAMED else ""
        report.note(
            f"Searched mostly by words, since the embedding model hardly knows the language: {named}"
            f"{more}. With {OFFERED} ingest them again: it knows it, and is slower."
        )


def _unknown_of(book: Json) -> list[str]:
    """Return the languages of a book's text that the packaged model does not know."""
    languages = book.get("languages") or [book.get("language") or FALLBACK]
    return [language for language in languages if not knows(PACKAGED, language)]


async def _is_outdated(gateway: Gateway) -> bool:
    try:
        await gateway.search(SAMPLE, {"question": SAMPLE})
    except ProblemError as error:
        return error.problem.get("code") == "wrong_index"
    return False

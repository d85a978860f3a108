"""`quoth up`: the supervisor with a report for a person, and the sample book on the first start."""

from pathlib import Path

import httpx
from rich.console import Console

import deploy
from deploy.cli.client import BrokenStreamError, Gateway, NotRunningError, ProblemError
from deploy.cli.ingest import ingest_path, summarise
from deploy.cli.packing import PackingError
from deploy.cli.progress import display_for
from deploy.local.report import Report

SAMPLE = "physical-ai"
SAMPLE_PATH = Path(deploy.__file__).parent / "samples" / SAMPLE


class SampleBook:
    """Puts the sample book in when there is no book yet."""

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
        """Ingest the sample unless there is a book. A failure is told, and nothing stops for it."""
        try:
            async with Gateway(url, self._transport) as gateway:
                if not (await gateway.list_books()).get("books"):
                    await self._ingest(gateway, report)
        except (NotRunningError, ProblemError, PackingError, BrokenStreamError) as error:
            report.note(f"! The sample book could not be added: {error}")

    async def _ingest(self, gateway: Gateway, report: Report) -> None:
        report.note("First start: adding the sample book; the page works meanwhile.")
        job = await ingest_path(gateway, self._path, SAMPLE, {}, display_for(self._console))
        if job.get("state") == "published":
            report.note(f"✓ {summarise(job)}")
        else:
            report.note(f"! The sample book could not be added: {job.get('error')}")


async def no_sample(url: str, report: Report) -> None:
    """Leave the books as they are."""

"""Send a book to the product and follow its ingest job to the end."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from deploy.rest_client.client import Gateway, Json
from deploy.rest_client.packing import open_source


class JobDisplay(Protocol):
    """Shows a job while it runs; a context manager."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def show(self, job: Json) -> None: ...


async def ingest_path(
    gateway: Gateway, path: Path, book: str, parameters: Mapping[str, str], display: JobDisplay
) -> Json:
    """Send a file or folder and follow its job. Returns the job as it ended."""
    return await follow_job(
        gateway, book, await send_path(gateway, path, book, parameters), display
    )


async def send_path(gateway: Gateway, path: Path, book: str, parameters: Mapping[str, str]) -> Json:
    """Send a file or folder. Returns the job that it became."""
    with open_source(path, allow_partial=bool(parameters.get("allow_partial"))) as source:
        return await gateway.start_ingest(
            book, source.path, {"file_name": source.file_name, **parameters}
        )


async def follow_job(gateway: Gateway, book: str, job: Json, display: JobDisplay) -> Json:
    """Show the job's states until its last, and return that."""
    with display:
        display.show(job)
        async for state in gateway.follow_ingest(book, job["job_id"]):
            job = state
            display.show(job)
    return job

"""What ingest needs to keep: jobs, and the editions of books that are kept."""

from collections.abc import AsyncGenerator, Collection, Sequence
from typing import Protocol

from services.ingest.model.book import Edition, Report, Source, SourceFile
from services.ingest.model.job import Job, JobKind, Order, Progress, SentOnce
from services.ingest.model.views import BookStates, Difference, EditionView, Vacuumed
from services.ingest.ports.reading import FileEntry


class History(Protocol):
    """Keeps the editions of a book. Edition 0 means the current one; raises NotFound."""

    async def list_editions(
        self, book: str, before: int | None = None, most: int | None = None
    ) -> list[EditionView]:
        """Return the editions older than number `before`, newest first."""
        ...

    async def get_report(self, book: str, edition: int) -> Report: ...

    async def find_pair(self, book: str, before: int, after: int) -> tuple[Edition, Edition]:
        """Return two kept editions; `before` 0 means the one before `after`."""
        ...

    def compare(self, book: str, before: int, after: int) -> AsyncGenerator[Difference, None]:
        """Compare two kept editions; yield what is known after each part, at last all of it."""
        ...

    async def find(self, book: str, edition: int) -> Edition:
        """Return a kept edition; 0 means the newest one before the current that holds something."""
        ...

    async def show(self, job: Job, edition: int) -> None:
        """Let readers see a kept edition from now on, and end the job, both or neither.

        Raises LeaseLost.
        """
        ...

    async def rename(self, book: str, title: str) -> None:
        """Give all editions of a book a title."""
        ...

    def vacuum(self, job: Job) -> AsyncGenerator[Vacuumed, None]:
        """Delete all but the newest editions that the job keeps, the current one, and those just left.

        Yields what is deleted after each part, which the job's row says too: whoever takes the job over
        goes on from there. Raises LeaseLost.
        """
        ...


class States(Protocol):
    """Tells where books and documents stand between their source and the index."""

    async def get_states(self, book: str) -> BookStates:
        """Return where a book stands that was ever sent. Raises NotFound for another."""
        ...


class JobStore(Protocol):
    """Keeps jobs and their files until they have ended."""

    async def add(self, order: Order, source: Source, once: SentOnce | None = None) -> Job:
        """Keep a job durably and queue it; return the one that a marked source became before.

        One that failed or was cancelled does not count. Raises InvalidInput where the mark is another
        source's.
        """
        ...

    async def add_upkeep(self, order: Order) -> Job:
        """Queue a job that needs no files; return the last one of its kind if that is the same."""
        ...

    async def get(self, job_id: str) -> Job:
        """Return the job as it stands. Raises NotFound."""
        ...

    async def list_unended(self, book: str) -> list[Job]:
        """Return the jobs of a book that wait or run, in the order in which they came."""
        ...

    async def list_files(self, job_id: str) -> list[FileEntry]:
        """Return the files of a job by path; none when it has ended."""
        ...

    async def read_files(self, job_id: str, paths: Sequence[str]) -> list[SourceFile]: ...

    async def cancel(self, job_id: str) -> Job:
        """End a job that has not ended. Raises NotFound."""
        ...

    async def backlog(self) -> tuple[int, float]:
        """Return how many jobs wait for a worker, and the seconds that the first of them has."""
        ...

    async def backup_age_s(self) -> float | None:
        """Return the seconds since the last backup, or since one was tried; None before the first."""
        ...


class JobQueue(Protocol):
    """Hands each job to one owner at a time, the jobs of a book one after the other.

    Every call but `claim` raises LeaseLost when the job has been handed to another owner.
    """

    async def claim(
        self, lease_s: float, kinds: Collection[JobKind] = tuple(JobKind)
    ) -> Job | None:
        """Take the next job of these kinds that waits, or whose owner has been silent for its lease."""
        ...

    async def renew(self, job: Job, lease_s: float) -> None: ...

    async def note(self, job: Job, progress: Progress) -> None: ...

    async def finish(self, job: Job, edition: int, warnings: Sequence[str]) -> None:
        """End a job whose edition readers have already."""
        ...

    async def finish_dry_run(self, job: Job, report: Report) -> None:
        """End a job that was only to look."""
        ...

    async def finish_upkeep(self, job: Job, result: Difference | Vacuumed) -> None:
        """End a job that made no edition."""
        ...

    async def fail(self, job: Job, reason: str) -> None: ...

    async def let_go(self, job: Job) -> None:
        """Say that nothing is being written any more for a job that was lost."""
        ...

    async def put_back(
        self, job: Job, wait_s: float, *, counts: bool = True, reason: str = ""
    ) -> None:
        """Queue the job again, to be tried from the beginning after `wait_s` seconds.

        Until it is claimed, `reason` is its error: why the last try failed.

        With 0 it is only handed over: documents that are done, or at others, stay so. Unless it
        `counts`, the attempt is not one of those after which a job is given up.
        """
        ...

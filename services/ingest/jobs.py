"""Work on queued jobs: claim one, keep its leases, try again when it fails.

A job has one owner, who plans and publishes it. Jobs of different books run beside each other. While
no job waits, workers help: each leases documents of another replica's job, as its owner does. Showing
an edition, comparing two and vacuuming have workers of their own, so that they wait for no long ingest.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Protocol, TypeVar

from libs.errors import (
    Conflict,
    InvalidInput,
    NoRoom,
    NotFound,
    QuothError,
    TooLarge,
    Unavailable,
)
from libs.failure_log import reason_of
from libs.remote_model import Refused
from libs.telemetry.metrics import current_metrics
from services.ingest.errors import LeaseLost
from services.ingest.lease import Lease
from services.ingest.model.book import SourceFile
from services.ingest.model.job import MAKING, UPKEEP, Job, JobKind
from services.ingest.ports.jobs import JobQueue, JobStore
from services.ingest.ports.reading import FileEntry, Files
from services.ingest.ports.sharing import Offer, Reporter, SharedDocuments

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

MAX_TRIES = 3
MAX_OUTAGES = 10
"""Tries while a store or a model is away: some seven minutes, in which a server starts elsewhere."""
_LONGEST_PAUSE_S = 60.0
MAX_CLAIMS = 10
_POLL_S = 1.0
_ROOM_S = 5.0
"""Seconds until a job that had no room on the disk is tried again."""
_VACUUMS_AT_ONCE = 2
_BACKLOG_EVERY_S = 5.0
_FINAL = (InvalidInput, TooLarge, NotFound, Conflict)
_GAVE_UP = "The service stopped each time it worked on this source."
_INTERNAL = "Something went wrong inside Quoth."
_REFUSED = (
    "The embedding model can't be used: {}. See to QUOTH_EMBEDDER_KEY, QUOTH_EMBEDDER_URL and "
    "QUOTH_EMBEDDER_MODEL, then ingest again."
)

_MOST_UNFIT = 100


class Runner(Protocol):
    """What a worker does with a job: see Pipeline."""

    async def run(self, job: Job, files: Files, reporter: Reporter) -> None:
        """Do what the job asks, and end it."""

    async def help_with(self, job: Job, offer: Offer, files: Files, reporter: Reporter) -> bool:
        """Work on documents of another owner's job; say whether it could be done here."""


class UpkeepRunner(Protocol):
    """What a worker does with a job that makes no edition: see EditionUpkeep."""

    async def run(self, job: Job, reporter: Reporter) -> None:
        """Do what the job asks, and end it."""


class RunnerOfAll(Runner):
    """Gives each job to what does its kind."""

    def __init__(self, making: Runner, upkeep: UpkeepRunner) -> None:
        self._making = making
        self._upkeep = upkeep

    async def run(self, job: Job, files: Files, reporter: Reporter) -> None:
        if job.order.kind in UPKEEP:
            await self._upkeep.run(job, reporter)
        else:
            await self._making.run(job, files, reporter)

    async def help_with(self, job: Job, offer: Offer, files: Files, reporter: Reporter) -> bool:
        return await self._making.help_with(job, offer, files, reporter)


class StoredFiles(Files):
    """The files of one job, in its store."""

    def __init__(self, store: JobStore, job_id: str) -> None:
        self._store = store
        self._job_id = job_id

    async def entries(self) -> list[FileEntry]:
        return await self._store.list_files(self._job_id)

    async def read(self, paths: Sequence[str]) -> list[SourceFile]:
        return await self._store.read_files(self._job_id, paths)


class _Lane:
    """Those of a worker who look for jobs of the same kinds."""

    def __init__(self, kinds: Sequence[JobKind], at_once: int, *, helps: bool = False) -> None:
        self.kinds = kinds
        self.at_once = at_once
        self.helps = helps
        self.wake = asyncio.Event()
        self._looking = asyncio.Lock()

    async def rest(self) -> None:
        """Wait until it is worth looking for a job; one at a time looks."""
        async with self._looking:
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_S):
                    await self.wake.wait()


class Worker:
    """Works on jobs for ever, `at_once` at most that make editions. Nothing a job does ends it."""

    def __init__(
        self,
        *,
        queue: JobQueue,
        store: JobStore,
        documents: SharedDocuments,
        runner: Runner,
        lease_s: float,
        at_once: int = 1,
    ) -> None:
        self._queue = queue
        self._store = store
        self._documents = documents
        self._runner = runner
        self._lease_s = lease_s
        self._lanes = (
            _Lane(MAKING, at_once, helps=True),
            _Lane([JobKind.ROLL_BACK], 1),
            _Lane([JobKind.COMPARE, JobKind.VACUUM], _VACUUMS_AT_ONCE),
        )
        self._rests = asyncio.Event()
        self._unfit: list[str] = []
        self._own: set[str] = set()
        self._without_room: set[str] = set()
        self._helping = asyncio.Lock()

    def wake(self) -> None:
        """Say that a job has been queued."""
        for lane in self._lanes:
            lane.wake.set()

    def next_end(self) -> asyncio.Event:
        """Return what is set when this worker is next done with a job, or has found none."""
        return self._rests

    async def work(self) -> None:
        """Claim and run jobs until cancelled."""
        async with asyncio.TaskGroup() as group:
            for lane in self._lanes:
                for _ in range(lane.at_once):
                    group.create_task(self._work_on(lane))

    async def _work_on(self, lane: _Lane) -> None:
        """Work on one job after the other."""
        while True:
            lane.wake.clear()
            try:
                busy = await self.work_once(lane.kinds, helps=lane.helps)
            except (LeaseLost, Unavailable) as error:
                _LOG.warning("a job was let go: %s", type(error).__name__)
                busy = False
            except Exception:  # noqa: BLE001 - without its worker the service would be dead
                _LOG.exception("a job was let go")
                busy = False
            self._rests.set()
            self._rests = asyncio.Event()
            if not busy:
                await lane.rest()

    async def work_once(
        self, kinds: Sequence[JobKind] = tuple(JobKind), *, helps: bool = True
    ) -> bool:
        """Run the next job, or help with one that runs, and say whether there was any."""
        job = await self._queue.claim(self._lease_s, kinds)
        if job is None:
            return helps and await self._help_once()
        # A full PostgreSQL can't note either that a job was put back: each claim counts then.
        if job.attempts > MAX_CLAIMS and job.job_id not in self._without_room:
            await self._fail(job, _GAVE_UP)
            return True
        self._own.add(job.job_id)
        self.wake()  # there may be more, for who has nothing to do
        try:
            await self._work_on_job(job)
        finally:
            self._own.discard(job.job_id)
        return True

    async def _work_on_job(self, job: Job) -> None:
        """Run a job that was claimed; it ends, or is tried again."""
        _LOG.info("job %s of %s: attempt %d", job.job_id, job.order.book, job.attempts)
        try:
            await self._run_with_lease(job)
            self._without_room.discard(job.job_id)
            _count("done")
        except LeaseLost:
            _count("let_go")
            # When it was cancelled, the next job of the book need not wait for the lease to end.
            with suppress(Unavailable):
                await self._queue.let_go(job)
            raise
        except asyncio.CancelledError:
            _count("put_back")
            # The service is stopping: who comes next need not wait for the lease to end.
            with suppress(LeaseLost, Unavailable):
                await self._queue.put_back(job, wait_s=0.0)
            raise
        except _FINAL as error:
            await self._fail(job, error.message)
        except Refused as error:
            _log_failure(logging.ERROR, job, "failed", error)
            await self._fail(job, _REFUSED.format(error.reason))
        except Exception as error:  # noqa: BLE001 - a job may fail in any way; the worker goes on
            await self._retry(job, error)

    async def _help_once(self) -> bool:
        """Help with another replica's job, unless that is being done: new jobs need room too."""
        if self._helping.locked():
            return False
        async with self._helping:
            return await self._help()

    async def _help(self) -> bool:
        wanted = await self._documents.find_help_wanted([*self._unfit, *self._own])
        if wanted is None:
            return False
        job, offer = wanted
        lease = Lease(job, self._queue, self._documents, self._lease_s, helps=True)
        files = StoredFiles(self._store, job.job_id)
        try:
            _LOG.info("helping with job %s of %s", job.job_id, job.order.book)
            if not await self._held(lease, self._runner.help_with(job, offer, files, lease)):
                self._avoid(job)
        except (LeaseLost, Unavailable):
            raise
        except Exception:
            # What is wrong here may be right with its owner.
            self._avoid(job)
            raise
        return True

    def _avoid(self, job: Job) -> None:
        self._unfit = [*self._unfit[-_MOST_UNFIT:], job.job_id]

    async def _run_with_lease(self, job: Job) -> None:
        lease = Lease(job, self._queue, self._documents, self._lease_s)
        files = StoredFiles(self._store, job.job_id)
        await self._held(lease, self._runner.run(job, files, lease))

    async def _held(self, lease: Lease, running: Awaitable[T]) -> T:
        """Wait for what runs under a lease, and end it when the lease is lost."""
        work = asyncio.ensure_future(running)
        keeper = asyncio.create_task(lease.keep())
        try:
            await asyncio.wait((work, keeper), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (work, keeper):
                if not task.done():
                    task.cancel()
            ended = await asyncio.gather(work, keeper, return_exceptions=True)
            with suppress(Unavailable):
                await lease.give_all_back()
        if isinstance(ended[0], asyncio.CancelledError):
            raise LeaseLost from (ended[1] if isinstance(ended[1], Exception) else None)
        if isinstance(ended[0], BaseException):
            raise ended[0]
        return ended[0]

    async def _retry(self, job: Job, error: Exception) -> None:
        reason = error.message if isinstance(error, QuothError) else _INTERNAL
        if isinstance(error, NoRoom):
            # No fault of the job's: it waits for room, however long that takes.
            _LOG.warning("job %s waits for room: %s", job.job_id, error.message)
            _count("put_back")
            self._without_room.add(job.job_id)
            await self._queue.put_back(job, wait_s=_ROOM_S, counts=False, reason=reason)
        elif job.attempts < (MAX_OUTAGES if isinstance(error, Unavailable) else MAX_TRIES):
            _log_failure(logging.WARNING, job, "will be tried again", error)
            _count("put_back")
            pause_s = min(_LONGEST_PAUSE_S, 2.0 * 4 ** (job.attempts - 1))
            await self._queue.put_back(job, wait_s=pause_s, reason=reason)
        else:
            _log_failure(logging.ERROR, job, "failed", error)
            await self._fail(job, reason)

    async def _fail(self, job: Job, reason: str) -> None:
        _count("failed")
        await self._queue.fail(job, reason)


def _log_failure(level: int, job: Job, ending: str, error: Exception) -> None:
    """Log why a job failed: of a failure that we know, nothing of what a provider or store wrote."""
    if not isinstance(error, QuothError):
        _LOG.log(level, "job %s %s", job.job_id, ending, exc_info=error)
        return
    said = error.message
    if error.__cause__ is not None:
        said = f"{said} {reason_of(error.__cause__)}"
    _LOG.log(level, "job %s %s: %s", job.job_id, ending, said)


def _count(outcome: str) -> None:
    metrics = current_metrics()
    if metrics is not None:
        metrics.count_job(outcome)


async def watch_backlog(
    store: JobStore, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> None:
    """Measure how long jobs wait, and how old the last backup is, again and again until cancelled.

    Ends at once without metrics.

    A store that does not answer is asked again: meanwhile the last figure stands.
    """
    if (metrics := current_metrics()) is not None:
        metrics.begin_jobs()
    while (metrics := current_metrics()) is not None:
        with suppress(Unavailable):
            metrics.measure_queue(*await store.backlog())
            if (age_s := await store.backup_age_s()) is not None:
                metrics.measure_backup(age_s)
        await sleep(_BACKLOG_EVERY_S)

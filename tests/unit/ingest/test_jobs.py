"""The worker: whatever happens to a job, it ends or is tried again, and the worker goes on."""

import asyncio
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import httpx2
import openai
import pytest

from libs.errors import InvalidInput, NoRoom, Unavailable
from libs.remote_model import Refused
from services.ingest.errors import LeaseLost
from services.ingest.jobs import (
    MAX_CLAIMS,
    MAX_OUTAGES,
    MAX_TRIES,
    StoredFiles,
    Worker,
    watch_backlog,
)
from services.ingest.lease import Lease
from services.ingest.model.job import UPKEEP, Job, JobKind, JobState, Order, Progress
from tests.support.ingest_fakes import MemoryBooks, order, source
from tests.support.telemetry import Recorded

FILES = {"a.md": "# A\n\nText."}


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def books() -> MemoryBooks:
    return MemoryBooks()


async def help_nobody(*_: object) -> bool:
    return False


def worker(
    books: MemoryBooks,
    run: Callable[..., Any],
    lease_s: float = 10.0,
    help_with: Callable[..., Any] = help_nobody,
    at_once: int = 1,
) -> Worker:
    return Worker(
        queue=books,
        store=books,
        documents=books.shared,
        runner=SimpleNamespace(run=run, help_with=help_with),
        lease_s=lease_s,
        at_once=at_once,
    )


async def add(books: MemoryBooks, book: str = "book") -> str:
    return (await books.add(order(book), source(FILES))).job_id


async def claimed_from(books: MemoryBooks) -> Job:
    """Take the next job, which must be there, for long."""
    job = await books.claim(100.0)
    assert job is not None
    return job


async def publish(books: MemoryBooks, job: Job) -> None:
    await books.finish(job, 1, ())


async def test_a_job_is_run_with_its_files_and_ends(books: MemoryBooks) -> None:
    job_id = await add(books)
    seen: list[str] = []

    async def run(job: Job, files: StoredFiles, reporter: Lease) -> None:
        seen.extend(file.path for file in await files.entries())
        await reporter.note(Progress(stage="split"))
        await publish(books, job)

    assert await worker(books, run).work_once()
    assert seen == ["a.md"]
    assert books.jobs[job_id].state is JobState.PUBLISHED
    assert not await worker(books, run).work_once()


async def test_a_bad_source_fails_at_once_with_its_reason(books: MemoryBooks) -> None:
    job_id = await add(books)

    async def run(job: Job, files: StoredFiles, reporter: Lease) -> None:
        raise InvalidInput("It is bad.")

    await worker(books, run).work_once()
    job = books.jobs[job_id]
    assert (job.state, job.error, job.attempts) == (JobState.FAILED, "It is bad.", 1)
    assert await books.list_files(job_id) == []


@pytest.mark.invariant("I4")
@pytest.mark.parametrize(
    ("error", "reason", "tries"),
    [
        (Unavailable("The store is away."), "The store is away.", MAX_OUTAGES),
        (ValueError("/secret/path"), "Something went wrong inside Quoth.", MAX_TRIES),
    ],
)
async def test_other_failures_are_tried_again_then_given_up(
    books: MemoryBooks, error: Unavailable | ValueError, reason: str, tries: int
) -> None:
    job_id = await add(books)

    async def run(job: Job, files: StoredFiles, reporter: Lease) -> None:
        raise error

    for _ in range(tries):
        books.pass_time()
        assert books.jobs[job_id].state is JobState.QUEUED
        assert await worker(books, run).work_once()
    job = books.jobs[job_id]
    assert (job.state, job.error, job.attempts) == (JobState.FAILED, reason, tries)


async def test_a_job_that_waits_for_its_next_try_says_why(books: MemoryBooks) -> None:
    job_id = await add(books)
    away = True

    async def run(job: Job, *_: object) -> None:
        assert books.jobs[job_id].error == ""
        if away:
            raise Unavailable("The model does not answer.")
        await publish(books, job)

    await worker(books, run).work_once()
    job = books.jobs[job_id]
    assert (job.state, job.error) == (JobState.QUEUED, "The model does not answer.")
    away = False
    books.pass_time()
    await worker(books, run).work_once()
    job = books.jobs[job_id]
    assert (job.state, job.error) == (JobState.PUBLISHED, "")


@pytest.mark.fault("L1")
async def test_a_refusal_of_a_provider_is_not_tried_again(books: MemoryBooks) -> None:
    job_id = await add(books)

    async def run(*_: object) -> None:
        raise Refused("The model does not answer.", "it refuses the key (status 401)")

    await worker(books, run).work_once()
    job = books.jobs[job_id]
    assert (job.state, job.attempts) == (JobState.FAILED, 1)
    assert job.error == (
        "The embedding model can't be used: it refuses the key (status 401). See to "
        "QUOTH_EMBEDDER_KEY, QUOTH_EMBEDDER_URL and QUOTH_EMBEDDER_MODEL, then ingest again."
    )


@pytest.mark.fault("L1")
@pytest.mark.parametrize("tries", [1, MAX_OUTAGES])
async def test_a_provider_that_fails_is_logged_in_our_own_words(
    books: MemoryBooks, caplog: pytest.LogCaptureFixture, tries: int
) -> None:
    await add(books)
    response = httpx2.Response(502, request=httpx2.Request("POST", "http://private.example"))
    theirs = openai.APIStatusError("Bad key: sk-secret", response=response, body=None)

    async def run(*_: object) -> None:
        raise Unavailable("The model does not answer.") from theirs

    for _ in range(tries):
        books.pass_time()
        await worker(books, run).work_once()
    said = caplog.records[-1]
    assert said.exc_info is None
    assert said.getMessage().endswith(": The model does not answer. it fails (status 502)")
    assert "secret" not in caplog.text


@pytest.mark.fault("G7")
@pytest.mark.invariant("I4")
async def test_a_job_without_room_waits_for_it_however_long_that_takes(books: MemoryBooks) -> None:
    job_id = await add(books)
    room = False

    async def run(job: Job, files: StoredFiles, reporter: Lease) -> None:
        if not room:
            raise NoRoom("The disk is nearly full.")
        await publish(books, job)

    for _ in range(3 * MAX_TRIES):
        books.pass_time()
        await worker(books, run).work_once()
        assert (books.jobs[job_id].state, books.jobs[job_id].attempts) == (JobState.QUEUED, 0)
    room = True
    books.pass_time()
    await worker(books, run).work_once()
    assert books.jobs[job_id].state is JobState.PUBLISHED


@pytest.mark.fault("G4")
@pytest.mark.invariant("I4")
async def test_a_job_that_kills_its_worker_each_time_is_given_up(books: MemoryBooks) -> None:
    job_id = await add(books)
    for _ in range(MAX_CLAIMS):
        books.expire(await claimed_from(books))

    async def run(*_: object) -> None:
        pytest.fail("it must not be run again")

    await worker(books, run).work_once()
    assert books.jobs[job_id].state is JobState.FAILED
    assert "stopped each time" in books.jobs[job_id].error


async def test_a_job_without_room_is_not_given_up_where_it_cannot_be_put_back(
    books: MemoryBooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = await add(books)
    room = False

    async def run(job: Job, *_: object) -> None:
        if not room:
            raise NoRoom("The disk is full.")
        await publish(books, job)

    async def put_back(*_: object, **__: object) -> None:
        raise Unavailable("PostgreSQL has no room either.")

    monkeypatch.setattr(books, "put_back", put_back)
    one = worker(books, run)
    for _ in range(MAX_CLAIMS + 1):
        with pytest.raises(Unavailable):
            await one.work_once()
        books.expire(books.jobs[job_id])
    room = True
    await one.work_once()
    assert books.jobs[job_id].state is JobState.PUBLISHED


async def test_attempts_are_counted_by_how_they_ended(
    books: MemoryBooks, recorded: Recorded
) -> None:
    await add(books, "good")
    await add(books, "bad")
    await add(books, "unlucky")

    async def run(job: Job, files: StoredFiles, reporter: Lease) -> None:
        if job.order.book == "bad":
            raise InvalidInput("It is bad.")
        if job.order.book == "unlucky":
            raise Unavailable("The vector store does not answer.")
        await publish(books, job)

    for _ in range(2 + MAX_OUTAGES):
        books.pass_time()
        await worker(books, run).work_once()
    counted = {point["quoth.outcome"]: times for point, times in recorded["quoth.ingest.jobs"]}
    assert counted == {"done": 1, "failed": 2, "put_back": MAX_OUTAGES - 1}


async def test_a_job_is_dropped_when_its_lease_is_lost(books: MemoryBooks) -> None:
    job_id = await add(books)
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def run(job: Job, files: StoredFiles, reporter: Lease) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    task = asyncio.create_task(worker(books, run, lease_s=0.04).work_once())
    await started.wait()
    books.expire(books.jobs[job_id])
    other = await claimed_from(books)
    with pytest.raises(LeaseLost):
        await task
    assert cancelled.is_set()
    assert books.jobs[job_id].token == other.token
    assert books.jobs[job_id].state is JobState.RUNNING


@pytest.mark.fault("P7")
@pytest.mark.invariant("I4")
async def test_a_worker_that_is_stopped_hands_its_job_back(books: MemoryBooks) -> None:
    job_id = await add(books)
    started = asyncio.Event()

    async def run(job: Job, files: StoredFiles, reporter: Lease) -> None:
        started.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(worker(books, run).work())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert books.jobs[job_id].state is JobState.QUEUED
    assert await books.claim(10.0) is not None


async def test_the_worker_outlives_a_store_that_fails(
    books: MemoryBooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = await add(books)
    claim, failures = books.claim, [Unavailable("down"), RuntimeError("bug")]

    async def failing_claim(lease_s: float, kinds: Sequence[JobKind]) -> Job | None:
        if failures:
            raise failures.pop()
        return await claim(lease_s, kinds)

    monkeypatch.setattr(books, "claim", failing_claim)
    ended = asyncio.Event()

    async def run(job: Job, files: StoredFiles, reporter: Lease) -> None:
        await publish(books, job)
        ended.set()

    subject = worker(books, run)
    task = asyncio.create_task(subject.work())
    while not ended.is_set():
        subject.wake()
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert books.jobs[job_id].state is JobState.PUBLISHED


@pytest.mark.fault("G4")
@pytest.mark.parametrize("kind", UPKEEP)
async def test_upkeep_of_a_book_waits_neither_for_its_ingest_nor_for_the_worker(
    books: MemoryBooks, kind: JobKind
) -> None:
    making, done = asyncio.Event(), asyncio.Event()
    await add(books)
    await books.add_upkeep(Order("book", kind=kind))

    async def run(job: Job, files: StoredFiles, reporter: Lease) -> None:
        if job.order.kind is kind:
            done.set()
        else:
            making.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(worker(books, run).work())
    await asyncio.wait_for(asyncio.gather(making.wait(), done.wait()), 30)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_other_books_go_on_beside_a_slow_one(books: MemoryBooks) -> None:
    slow = await add(books, "slow")
    after_it = await add(books, "slow")
    others = [await add(books, f"other-{number}") for number in range(5)]
    started, done, left = asyncio.Event(), asyncio.Event(), set(others)

    async def run(job: Job, files: StoredFiles, reporter: Lease) -> None:
        if job.job_id == slow:
            started.set()
            await asyncio.Event().wait()
        await publish(books, job)
        left.discard(job.job_id)
        if not left:
            done.set()

    task = asyncio.create_task(worker(books, run, at_once=2).work())
    async with asyncio.timeout(20):
        await started.wait()
        await done.wait()
    assert books.jobs[after_it].state is JobState.QUEUED
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert books.jobs[slow].state is JobState.QUEUED


async def test_no_more_books_are_worked_on_at_once_than_there_is_room_for(
    books: MemoryBooks,
) -> None:
    ids = [await add(books, f"book-{number}") for number in range(6)]
    running, most, done = 0, 0, asyncio.Event()

    async def run(job: Job, files: StoredFiles, reporter: Lease) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(10):
            await asyncio.sleep(0)
        await publish(books, job)
        running -= 1
        if all(books.jobs[job_id].state.ended for job_id in ids):
            done.set()

    task = asyncio.create_task(worker(books, run, at_once=3).work())
    async with asyncio.timeout(20):
        await done.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert most == 3


async def test_a_worker_does_not_help_itself_and_only_one_hand_helps_others(
    books: MemoryBooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = await add(books, "own")
    asked: list[Sequence[str]] = []
    looked = asyncio.Event()

    async def find(but: Sequence[str]) -> None:
        asked.append(but)
        if own in but:
            looked.set()
            await asyncio.Event().wait()

    monkeypatch.setattr(books.shared, "find_help_wanted", find)

    async def run(job: Job, files: StoredFiles, reporter: Lease) -> None:
        await asyncio.Event().wait()

    subject = worker(books, run, at_once=3)
    task = asyncio.create_task(subject.work())
    async with asyncio.timeout(20):
        await looked.wait()
    subject.wake()
    for _ in range(50):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert len([but for but in asked if own in but]) == 1


async def test_jobs_of_a_book_run_in_order_and_one_at_a_time(books: MemoryBooks) -> None:
    first, second, other = await add(books), await add(books), await add(books, "other")
    claimed = await claimed_from(books)
    assert claimed.job_id == first
    assert (await claimed_from(books)).job_id == other
    assert await books.claim(10.0) is None
    await publish(books, claimed)
    assert (await claimed_from(books)).job_id == second


async def test_a_lease_ends_by_its_own_clock(books: MemoryBooks) -> None:
    await add(books)
    job, clock = await claimed_from(books), Clock()
    lease = Lease(job, books, books.shared, 10.0, clock=clock)
    lease.check()
    clock.now = 10.0
    with pytest.raises(LeaseLost):
        lease.check()
    with pytest.raises(LeaseLost):
        await lease.note(Progress())


async def test_progress_is_written_a_few_times_a_second_at_most(
    books: MemoryBooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = await add(books)
    job, clock = await claimed_from(books), Clock()
    lease = Lease(job, books, books.shared, 100.0, clock=clock)
    written: list[Progress] = []
    monkeypatch.setattr(books, "note", lambda _, progress: _append(written, progress))
    for number in range(100):
        clock.now += 0.01
        await lease.note(Progress(stage="embed", chunks_total=200, chunks_done=number))
    assert len(written) == 4
    await lease.note(Progress(stage="publish", chunks_total=200, chunks_done=100))
    await lease.note(Progress(stage="publish", chunks_total=200, chunks_done=200))
    assert written[-1].chunks_done == 200
    assert books.jobs[job_id].state is JobState.RUNNING


async def _append(written: list[Progress], progress: Progress) -> None:
    written.append(progress)


async def test_how_long_jobs_wait_and_how_old_the_backup_is_are_measured_again_and_again(
    recorded: Recorded,
) -> None:
    books = MemoryBooks()
    slept = 0

    async def sleep(_: float) -> None:
        nonlocal slept
        slept += 1
        if slept == 2:
            raise asyncio.CancelledError
        assert recorded["quoth.backup.age"] == []
        # What fires at the first failure sees it come.
        assert ({"quoth.outcome": "failed"}, 0) in recorded["quoth.ingest.jobs"]
        books.backup_age = 7.0
        await books.add(order("x"), source({"a.md": "# A"}))

    with pytest.raises(asyncio.CancelledError):
        await watch_backlog(books, sleep)
    assert recorded["quoth.ingest.queue.jobs"] == [({}, 1)]
    assert recorded["quoth.ingest.queue.age"] == [({}, 1.0)]
    assert recorded["quoth.backup.age"] == [({}, 7.0)]


async def test_a_store_that_does_not_answer_is_asked_again_for_its_backlog(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    books = MemoryBooks()

    async def fails() -> tuple[int, float]:
        raise Unavailable("It does not answer.")

    async def sleep(_: float) -> None:
        monkeypatch.undo()
        raise asyncio.CancelledError

    monkeypatch.setattr(books, "backlog", fails)
    with pytest.raises(asyncio.CancelledError):
        await watch_backlog(books, sleep)
    assert recorded["quoth.ingest.queue.jobs"] == []


async def test_nothing_is_watched_while_nothing_is_measured() -> None:
    await asyncio.wait_for(watch_backlog(MemoryBooks()), 10)

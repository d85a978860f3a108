"""Ingest on the embedded engines under kills, eight readers, two workers and cancellation.

P5 and G2 of the catalogue: no edition is ever seen by halves (I2), an accepted job ends (I4), and
doing it again changes nothing (I6).
"""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace

import asyncpg
import pytest

from libs.embedding.port import Vectors
from libs.errors import NotFound
from services.ingest.errors import LeaseLost
from services.ingest.model.condition import Condition
from services.ingest.model.job import UPKEEP, Job, JobKind, JobState, JobWait, Order
from tests.support.engines import PostgresNode, QdrantNode
from tests.support.ingest_bench import Bench, Held, bench, page, read_line, start_worker
from tests.support.ingest_fakes import Crash, HashEmbedder, Steps

__all__ = ["Bench", "bench"]

READERS, VERSIONS = 8, 20
_READ_EACH_S = 0.01
"""Without a pause the readers leave the worker, in the same process, hardly any time."""


# All that is durable on the way from FIRST to `second`; each is a moment to die at.
STEPS = sum(
    (
        5,  # the job added and claimed, the collection prepared, both stores swept
        1 + 2,  # both documents offered, both claimed at once, and none found any more
        5 + 1,  # vectors of the 66 chunks of a.md and the 2 of c.md, 16 at a time
        2 + 1 + 1,  # a.md: its points, 64 at a time; those of before retired; its rows staged
        1 + 1,  # c.md, which is new: its points, its rows
        1 + 1,  # b.md, which is gone: its points retired, its rows staged
        1,  # the edition published
    )
)
FIRST = {"a.md": page("One", "alpha", 40), "b.md": page("Two", "beta", 30)}


def second(mark: str) -> dict[str, str]:
    """Return another source; `mark` has five letters, so that all are cut alike."""
    return {"a.md": page("One", mark, 66), "c.md": page("Three", mark, 2)}


@pytest.mark.fault("P5")
@pytest.mark.invariant("I2", "I4", "I6")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_kill_at_any_durable_step_is_made_good(
    lives: "subprocess.Popen[str]", bench: Bench, moment: str
) -> None:
    reference = f"reference-{moment}"
    await bench.ingest(reference, FIRST)
    await bench.ingest(reference, second("gamma"))
    wanted = await bench.everything(reference)
    step = 0
    while True:
        book = f"p5-{moment}-{step}"
        await bench.ingest(book, FIRST)
        old = await bench.seen(book, 1)
        # Texts of its own, so that their vectors have to be computed.
        files = second(f"{moment[0]}{step:04}")
        ended = await live(lives, book, files, step, moment)
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
        edition = await bench.edition(book)
        assert edition in (1, 2)
        assert await bench.seen(book, 1) == old
        row = await bench.pool.fetchrow(
            "SELECT job_id, state FROM jobs WHERE book = $1 ORDER BY place OFFSET 1", book
        )
        assert (row is None) == (step == 0 and moment == "before")
        assert (edition == 2) == (row is not None and row["state"] == "published")
        await bench.expire(book)
        job = await (bench.finish(str(row["job_id"])) if row else bench.ingest(book, files))
        assert (job.state, job.edition) == (JobState.PUBLISHED, 2)
        assert await bench.everything(book) == wanted, "orphans are left, or points are missing"
        assert await bench.seen(book, 1) == old
        again = await bench.ingest(book, files)
        assert again.edition == 2
        assert await bench.everything(book) == wanted
        step += 1
    assert step == STEPS


@pytest.fixture
def lives(engines: tuple[QdrantNode, PostgresNode]) -> Iterator["subprocess.Popen[str]"]:
    qdrant, postgres = engines
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.ingest_child", postgres.dsn, qdrant.url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


async def live(
    lives: "subprocess.Popen[str]",
    book: str,
    files: dict[str, str],
    step: int,
    moment: str,
    which: Mapping[str, object] | None = None,
) -> int:
    """Return how a worker ended that dies at durable step `step`; `which` are fields of its order."""
    assert lives.stdin is not None
    assert lives.stdout is not None
    print(json.dumps([book, files, step, moment, which]), file=lives.stdin, flush=True)
    return int(await asyncio.wait_for(asyncio.to_thread(lives.stdout.readline), 110))


@pytest.mark.fault("G2")
@pytest.mark.invariant("I2")
async def test_eight_readers_never_see_half_a_change_while_twenty_editions_are_made(
    bench: Bench,
) -> None:
    await bench.ingest("g2", versioned(0))
    sizes = {1: len(await bench.seen("g2", 1))}
    done = asyncio.Event()
    readers = [asyncio.create_task(read(bench, "g2", done)) for _ in range(READERS)]
    for version in range(1, VERSIONS):
        job = await bench.add("g2", versioned(version))
        # Each version is made by a worker that crashes on the way, further on each time.
        with suppress(Crash):
            await bench.worker(steps=Steps(version, after=version % 2 == 0)).work_once()
        await bench.expire("g2")
        assert (await bench.finish(job.job_id)).edition == version + 1
        sizes[version + 1] = 8 + version % 3
    done.set()
    reads = [seen for reader in await asyncio.gather(*readers) for seen in reader]
    assert len({edition for edition, _, _ in reads}) > 3
    for edition, marks, size in reads:
        assert marks == {f"v{edition - 1:02}"}, "chunks of two editions were seen together"
        assert size == sizes[edition]


def versioned(version: int) -> dict[str, str]:
    mark = f"v{version:02}"
    return {
        "a.md": page("One", mark, 5),
        "b.md": page("Two", mark, 3 + version % 3),
    }


async def read(bench: Bench, book: str, done: asyncio.Event) -> list[tuple[int, set[str], int]]:
    """Ask for the book's edition and look at all that a search in it could find, again and again."""
    reads = []
    while not done.is_set():
        edition = await bench.edition(book)
        found = await bench.seen(book, edition)
        marks = {
            word
            for _, _, text in found
            for word in text.replace("\\n", " ").split()
            if len(word) == 3 and word[0] == "v" and word[1:].isdigit()
        }
        reads.append((edition, marks, len(found)))
        await asyncio.sleep(_READ_EACH_S)
    return reads


async def test_two_workers_share_the_queue_and_keep_the_order_of_each_book(bench: Bench) -> None:
    jobs = [
        await bench.add(f"shared-{book}", {"a.md": page("One", f"round {round_}", 3)})
        for round_ in range(3)
        for book in range(4)
    ]
    both = asyncio.Barrier(2)

    class Meeting(HashEmbedder):
        """Waits, the first time, until both workers are at work."""

        async def embed(self, texts: Sequence[str]) -> Vectors:
            if not self.embedded:
                await both.wait()
            return await super().embed(texts)

    async def drain() -> None:
        worker = bench.worker(embedder=Meeting())
        while await worker.work_once():
            pass

    await asyncio.gather(drain(), drain())
    ended = [await bench.finish(job.job_id) for job in jobs]
    assert {job.state for job in ended} == {JobState.PUBLISHED}
    assert {job.attempts for job in ended} == {1}
    assert [job.edition for job in ended] == [1] * 4 + [2] * 4 + [3] * 4
    for book in range(4):
        [(_, _, text), *_] = await bench.seen(f"shared-{book}", 3)
        assert "round 2" in text


async def test_a_job_that_waits_says_for_what(bench: Bench) -> None:
    first, second = [await bench.add("waits", {"a.md": f"# {n}"}) for n in "ab"]

    async def waits(job: Job) -> JobWait | None:
        return (await bench.jobs.get(job.job_id)).waits_for

    assert (await waits(first), await waits(second)) == (None, JobWait.BOOK)
    earlier = "created_at = created_at - interval '5 s', not_before = not_before - interval '5 s'"
    await bench.pool.execute(f"UPDATE jobs SET {earlier} WHERE book = 'waits'")
    assert (await waits(first), await waits(second)) == (JobWait.WORKER, JobWait.BOOK)
    running = await bench.claim()
    assert (running.job_id, await waits(first)) == (first.job_id, None)
    await bench.jobs.put_back(running, wait_s=60.0, reason="The model is away.")
    assert (await waits(first), await waits(second)) == (JobWait.RETRY, JobWait.BOOK)
    assert (await bench.jobs.get(first.job_id)).error == "The model is away."
    cancelled = await bench.jobs.cancel(first.job_id)
    assert (cancelled.state, cancelled.error) == (JobState.CANCELLED, "")
    assert (await waits(first), await waits(second)) == (None, JobWait.WORKER)


@pytest.mark.fault("P5")
@pytest.mark.invariant("I4")
async def test_two_processes_share_the_queue_and_one_that_is_killed_at_work_leaves_no_trace(
    engines: tuple[QdrantNode, PostgresNode], bench: Bench
) -> None:
    books = [f"replicas-{number}" for number in range(5)]
    await bench.ingest("replicas-wanted", marked("mark9"))
    wanted = await bench.everything("replicas-wanted")
    before = await bench.ingest(books[0], {"a.md": page("One", "early", 4)})
    assert before.edition == 1
    seen = await bench.seen(books[0], 1)
    # Texts of their own, so that their vectors have to be computed.
    jobs = [await bench.add(book, marked(f"mark{n}")) for n, book in enumerate(books)]
    doomed = await start_worker(engines, lease_s=6.0, stall_at=1)
    await read_line(doomed)
    await read_line(doomed)
    claimed = await bench.pool.fetchval("SELECT book FROM jobs WHERE state = 'running'")
    assert claimed == books[0]
    other = await start_worker(engines, lease_s=6.0)
    await read_line(other)
    assert await bench.seen(books[0], 1) == seen
    doomed.kill()
    await doomed.wait()
    # What the other prints is read, so that it does not wait for room in the pipe.
    await other.communicate()
    assert other.returncode == 0
    ended = [await bench.jobs.get(job.job_id) for job in jobs]
    assert {job.state for job in ended} == {JobState.PUBLISHED}
    assert [job.edition for job in ended] == [2, 1, 1, 1, 1]
    assert [job.attempts for job in ended] == [2, 1, 1, 1, 1]
    assert await bench.seen(books[0], 1) == seen
    for book in books[1:]:
        assert await bench.everything(book) == wanted, "something was done twice, or not at all"
    assert len(await bench.seen(books[0], 2)) == len(wanted)


def marked(mark: str) -> dict[str, str]:
    return {"a.md": page("One", mark, 40), "b.md": page("Two", mark, 30)}


async def test_a_job_that_failed_can_be_sent_again(bench: Bench) -> None:
    failed = await bench.add("again", {"a.md": "<div></div>"})
    assert (await bench.finish(failed.job_id)).state is JobState.FAILED
    assert (await bench.ingest("again", FIRST)).edition == 1


@pytest.mark.fault("P9")
async def test_a_worker_whose_job_was_taken_over_writes_nothing_any_more(bench: Bench) -> None:
    job = await bench.add("fenced", {"a.md": page("One", "omega", 5)})
    held = Held()
    slow = asyncio.create_task(bench.worker(embedder=held).work_once())
    await held.asked.wait()
    await bench.expire("fenced")
    assert (await bench.finish(job.job_id)).attempts == 2
    before = await bench.everything("fenced")
    held.released.set()
    with pytest.raises(LeaseLost):
        await slow
    assert await bench.everything("fenced") == before
    assert await bench.edition("fenced") == 1


async def test_a_job_that_waits_is_cancelled_at_once(bench: Bench) -> None:
    job = await bench.add("cancelled", FIRST)
    ended = await bench.jobs.cancel(job.job_id)
    assert (ended.state, ended.edition) == (JobState.CANCELLED, 0)
    assert await bench.jobs.list_files(job.job_id) == []
    assert await bench.edition("cancelled") == 0
    assert (await bench.jobs.cancel(job.job_id)).state is JobState.CANCELLED
    with pytest.raises(NotFound):
        await bench.jobs.cancel("no-such-job")


async def test_a_job_that_runs_is_cancelled_and_the_next_one_starts_when_its_worker_has_let_go(
    bench: Bench,
) -> None:
    await bench.ingest("stopped", FIRST)
    before = await bench.everything("stopped")
    job = await bench.add("stopped", {"a.md": page("One", "psi", 5)})
    held = Held()
    slow = asyncio.create_task(bench.worker(embedder=held).work_once())
    await held.asked.wait()
    assert (await bench.jobs.cancel(job.job_id)).state is JobState.CANCELLED
    following = await bench.add("stopped", {"a.md": page("One", "chi", 5)})
    assert not await bench.worker().work_once(), "two were at work on one book"
    held.released.set()
    with pytest.raises(LeaseLost):
        await slow
    assert await bench.everything("stopped") == before
    assert await bench.edition("stopped") == 1
    assert (await bench.finish(following.job_id)).edition == 2
    assert (await bench.jobs.cancel(following.job_id)).state is JobState.PUBLISHED


@pytest.mark.fault("P5", "G3")
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_a_deletion_that_crashes_at_any_step_is_made_good(bench: Bench, after: bool) -> None:
    step, crashed = 0, True
    while crashed:
        book = f"deleted-{step}-{after}".lower()
        await bench.ingest(book, FIRST)
        old = await bench.seen(book, 1)
        job = await bench.add(book, {}, kind=JobKind.DELETE_DOCUMENT, document="b.md")
        crashed = False
        try:
            await bench.worker(steps=Steps(step, after=after)).work_once()
        except Crash:
            crashed = True
        await bench.expire(book)
        assert (await bench.finish(job.job_id)).edition == 2
        assert await bench.seen(book, 1) == old
        assert {path for path, _, _ in await bench.seen(book, 2)} == {"a.md"}
        _, documents = await bench.catalogue.list_documents(book, 2)
        assert [document.path for document in documents] == ["a.md"]
        step += 1
    assert step > 5


@pytest.mark.fault("P5")
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_a_vacuum_that_crashes_at_any_step_goes_on_and_counts_what_it_deleted_once(
    bench: Bench, after: bool
) -> None:
    step, crashed, wanted = 0, True, None
    while crashed:
        book = f"swept-{step}-{after}".lower()
        job, kept = await vacuum_of_three(bench, book)
        crashed = await crashes(bench, Steps(step, after=after))
        await bench.expire(book)
        ended = await bench.finish(job.job_id)
        assert ended.state is JobState.DONE
        assert ended.vacuumed is not None
        counts = replace(ended.vacuumed, vectors=0)
        wanted = wanted or counts
        assert counts == wanted
        assert await bench.seen(book, 3) == kept
        assert len(await bench.everything(book)) == len(kept)
        step += 1
    assert wanted is not None
    assert (wanted.editions, wanted.chunks) == ([1, 2], wanted.chunks_found)
    assert step > 6


async def vacuum_of_three(bench: Bench, book: str) -> tuple[Job, list[tuple[str, int, str]]]:
    """Return a vacuum that keeps one of three editions, and what readers of that see."""
    for version in range(3):
        await bench.ingest(book, versioned(version))
    await bench.pool.execute("UPDATE editions SET superseded_at = now() - interval '1 hour'")
    kept = await bench.seen(book, 3)
    return await bench.jobs.add_upkeep(Order(book, kind=JobKind.VACUUM, keep=1)), kept


async def crashes(bench: Bench, steps: Steps) -> bool:
    """Say whether a worker came to the step that it crashes at."""
    with suppress(Crash):
        await bench.worker(steps=steps).work_once()
        return False
    return True


@pytest.mark.fault("P5")
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_a_roll_back_that_crashes_at_any_step_shows_the_one_edition_or_the_other(
    bench: Bench, after: bool
) -> None:
    step, crashed = 0, True
    while crashed:
        book = f"back-{step}-{after}".lower()
        await bench.ingest(book, versioned(0))
        await bench.ingest(book, versioned(1))
        everything = await bench.everything(book)
        job = await bench.jobs.add_upkeep(Order(book, kind=JobKind.ROLL_BACK, edition=1))
        crashed = await crashes(bench, Steps(step, after=after))
        state = (await bench.jobs.get(job.job_id)).state
        assert (await bench.edition(book), state) in {
            (2, JobState.RUNNING),
            (1, JobState.PUBLISHED),
        }
        await bench.expire(book)
        ended = await bench.finish(job.job_id)
        assert (ended.state, ended.edition) == (JobState.PUBLISHED, 1)
        assert await bench.edition(book) == 1
        assert await bench.everything(book) == everything
        step += 1
    assert step > 3


@pytest.mark.fault("P5")
@pytest.mark.parametrize(
    ("kind", "moment"),
    [(JobKind.ROLL_BACK, "after"), (JobKind.COMPARE, "before"), (JobKind.VACUUM, "before")],
)
async def test_upkeep_that_is_killed_at_any_durable_step_ends_as_if_it_had_not_been(
    bench: Bench, lives: "subprocess.Popen[str]", kind: JobKind, moment: str
) -> None:
    step, ended = 0, -signal.SIGKILL
    while ended:
        book = f"killed-{kind.value}-{moment}-{step}".replace("_", "-")
        for version in range(3):
            await bench.ingest(book, versioned(version))
        await bench.pool.execute("UPDATE editions SET superseded_at = now() - interval '1 hour'")
        which = {"kind": kind.value, "before": 2, "edition": 1, "keep": 1}
        ended = await live(lives, book, {}, step, moment, which)
        await bench.expire(book)
        number = await bench.pool.fetchval("SELECT max(place) FROM jobs WHERE book = $1", book)
        job_id = await bench.pool.fetchval("SELECT job_id FROM jobs WHERE place = $1", number)
        job = await bench.finish(str(job_id))
        if job.order.kind is not kind:
            assert (step, moment) == (0, "before"), "the job was lost"
        elif kind is JobKind.VACUUM:
            assert job.vacuumed is not None
            assert (job.vacuumed.editions, job.vacuumed.chunks_found) == (
                [1, 2],
                job.vacuumed.chunks,
            )
            assert len(await bench.everything(book)) == len(await bench.seen(book, 3))
        elif kind is JobKind.COMPARE:
            assert job.difference is not None
            assert (job.difference.chunks_added, job.difference.chunks_removed) == (8, 9)
        else:
            assert await bench.edition(book) == 1
        step += 1
    assert step > 3


async def test_a_roll_back_waits_for_no_ingest_of_its_book(bench: Bench) -> None:
    await bench.ingest("urgent", versioned(0))
    await bench.ingest("urgent", versioned(1))
    # Texts of its own, so that their vectors have to be computed.
    job, held = await bench.add("urgent", {"a.md": page("One", "urgently", 5)}), Held()
    work = asyncio.create_task(bench.worker(embedder=held).work_once())
    await held.asked.wait()
    back = await bench.jobs.add_upkeep(Order("urgent", kind=JobKind.ROLL_BACK, edition=1))
    assert await bench.worker().work_once(UPKEEP)
    assert (await bench.jobs.get(back.job_id)).state is JobState.PUBLISHED
    assert await bench.edition("urgent") == 1
    held.released.set()
    await work
    assert (await bench.jobs.get(job.job_id)).edition == 3


async def test_an_order_given_twice_is_one_job_unless_another_was_given_in_between(
    bench: Bench,
) -> None:
    def show(edition: int) -> Order:
        return Order("twice", kind=JobKind.ROLL_BACK, edition=edition)

    await bench.ingest("twice", versioned(0))
    await bench.ingest("twice", versioned(1))
    first = await bench.jobs.add_upkeep(show(1))
    assert (await bench.jobs.add_upkeep(show(1))).job_id == first.job_id
    await bench.jobs.add_upkeep(show(2))
    last = await bench.jobs.add_upkeep(show(1))
    assert last.job_id != first.job_id
    await bench.finish(last.job_id)
    assert await bench.edition("twice") == 1
    assert (await bench.jobs.add_upkeep(show(1))).job_id != last.job_id


async def test_comparisons_are_forgotten_after_an_hour(bench: Bench) -> None:
    order = Order("compared", kind=JobKind.COMPARE, before=1, edition=2)
    await bench.ingest("compared", versioned(0))
    await bench.ingest("compared", versioned(1))
    job = await bench.jobs.add_upkeep(order)
    found = (await bench.finish(job.job_id)).difference
    assert found is not None
    assert {change.path for change in found.documents} == {"a.md", "b.md"}
    await bench.jobs.add_upkeep(order)
    assert (await bench.jobs.get(job.job_id)).difference == found
    await bench.pool.execute("UPDATE jobs SET ended_at = now() - interval '61 min'")
    await bench.jobs.add_upkeep(order)
    with pytest.raises(NotFound):
        await bench.jobs.get(job.job_id)


async def test_a_vacuum_leaves_the_points_of_a_job_under_way_alone(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.ingest("busy", versioned(0))
    await bench.ingest("busy", versioned(1))
    job = await bench.add("busy", versioned(2))
    index, swept = bench.index, asyncio.Event()
    examine = index.examine

    async def examine_after_vacuum(
        book: str, number: int, expected: Set[tuple[str, int]], *, whole: bool
    ) -> Condition:
        if number == 3 and not swept.is_set():
            swept.set()
            await bench.pool.execute(
                "UPDATE editions SET superseded_at = now() - interval '1 hour' WHERE book = 'busy'"
            )
            await bench.jobs.add_upkeep(Order("busy", kind=JobKind.VACUUM, keep=1))
            assert await bench.worker(index=index).work_once(UPKEEP)
        return await examine(book, number, expected, whole=whole)

    monkeypatch.setattr(index, "examine", examine_after_vacuum)
    ended = await bench.finish(job.job_id)
    assert swept.is_set()
    assert (ended.edition, ended.attempts) == (3, 1)
    assert len(await bench.seen("busy", 3)) == len(await bench.seen("busy", 2)) + 1


@pytest.mark.fault("D3")
@pytest.mark.invariant("I4")
async def test_a_database_that_is_restarted_on_the_way_loses_no_job(
    engines: tuple[QdrantNode, PostgresNode], bench: Bench
) -> None:
    _, postgres = engines
    job = await bench.add("restarted", {"a.md": page("One", "rho", 40)})
    held = Held()
    work = asyncio.create_task(bench.worker(embedder=held).work_once())
    await held.asked.wait()
    admin = await asyncpg.connect(postgres.dsn)
    await admin.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
        "AND backend_type = 'client backend'"
    )
    await admin.close()
    held.released.set()
    with suppress(Exception):
        await work
    await bench.pool.execute("UPDATE jobs SET not_before = now() WHERE state = 'queued'")
    await bench.expire("restarted")
    assert (await bench.finish(job.job_id)).state is JobState.PUBLISHED
    assert len(await bench.seen("restarted", 1)) == 40

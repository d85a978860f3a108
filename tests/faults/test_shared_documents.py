"""One job worked on by several replicas: each document leased, none twice, none missing.

P5 and P9 of the catalogue for who owns a job and for who helps; the poison that stops its worker.
"""

import asyncio
import signal
from _asyncio import Task
from asyncio.subprocess import Process

import pytest

from services.ingest.errors import LeaseLost, ParserStopped, ParserTooSlow
from services.ingest.model.book import ReadDocument
from services.ingest.model.job import Job, JobState, Progress
from services.ingest.ports.editions import Staged
from services.ingest.ports.reading import ReadTask
from services.ingest.ports.sharing import Offer, OfferedDocument, Outcome
from tests.support.engines import PostgresNode, QdrantNode
from tests.support.ingest_bench import LEASE_S, Bench, Held, bench, page, read_line, start_worker
from tests.support.ingest_fakes import DirectReader, HashEmbedder

TO_LEAVE_OUT = (
    "With allow_partial (--allow-partial) the rest is published, and the report names what is not."
)

__all__ = ["bench"]

DOCUMENTS = 160
SHORT_LEASE_S = 3.0


def many(mark: str, documents: int = DOCUMENTS) -> dict[str, str]:
    """Return so many documents that nobody claims them all at once; `mark` has five letters."""
    return {f"{n:03}.md": page(f"Chapter {n}", f"{mark} {n}", 2) for n in range(documents)}


async def lines_of(worker: Process) -> tuple[list[int], bool]:
    """Return how many texts were embedded at each call, and whether a lease was lost."""
    assert worker.stdout
    printed = (await worker.stdout.read()).decode().splitlines()
    embedded = [int(line.split()[-1]) for line in printed if " embeds " in line]
    return embedded, any(line.endswith(" lost") for line in printed)


async def begin(
    engines: tuple[QdrantNode, PostgresNode],
    bench: Bench,
    book: str,
    files: dict[str, str],
    *,
    helper_stalls_at: int = -1,
) -> tuple[Job, Process, int, Process, int]:
    """Return a job, its owner that waits in its first call, and a helper that has embedded."""
    job = await bench.add(book, files)
    owner = await start_worker(engines, lease_s=SHORT_LEASE_S, stall_at=0)
    first = int((await read_line(owner)).split()[-1])
    helper = await start_worker(engines, lease_s=SHORT_LEASE_S, stall_at=helper_stalls_at)
    helped = int((await read_line(helper)).split()[-1])
    if helper_stalls_at > 0:
        helped += int((await read_line(helper)).split()[-1])
    return job, owner, first, helper, helped


def let_go_on(worker: Process) -> None:
    assert worker.stdin
    worker.stdin.write(b"\n")


async def check(bench: Bench, job: Job, book: str, reference: str) -> int:
    """See that the edition has each document once, and each chunk once, in both stores."""
    ended = await bench.jobs.get(job.job_id)
    assert (ended.state, ended.edition) == (JobState.PUBLISHED, 1)
    _, documents = await bench.catalogue.list_documents(book, 1)
    assert [document.path for document in documents] == sorted(many("x"))
    assert await bench.everything(book) == await bench.everything(reference)
    rows: int = await bench.pool.fetchval("SELECT count(*) FROM chunks WHERE book = $1", book)
    assert rows == len(await bench.everything(reference))
    assert await bench.pool.fetchval("SELECT count(*) FROM job_documents") == 0
    report = await bench.history.get_report(book, 1)
    assert report.chunks_new == report.vectors_new + report.vectors_reused == rows
    assert [document.path for document in report.documents] == sorted(many("x"))
    counted = ended.progress
    assert (counted.documents_done, counted.documents_total) == (DOCUMENTS, DOCUMENTS)
    assert counted.chunks_done == counted.chunks_total == rows
    # Vectors that were computed by who is gone are kept, and their tokens not counted.
    tokens = sum(document.tokens for document in report.documents)
    assert counted.tokens_done == counted.tokens_total <= tokens
    assert (counted.tokens_done == tokens) == (report.vectors_new == rows)
    return rows


@pytest.fixture
async def reference(bench: Bench) -> str:
    # The same lengths and places as any other mark has.
    if not await bench.edition("reference"):
        await bench.ingest("reference", many("alpha"))
    return "reference"


async def test_two_processes_share_the_documents_of_one_job(
    engines: tuple[QdrantNode, PostgresNode], bench: Bench, reference: str
) -> None:
    job, owner, first, helper, helped = await begin(engines, bench, "both", many("bravo"))
    let_go_on(owner)
    by_owner, _ = await lines_of(owner)
    by_helper, _ = await lines_of(helper)
    chunks = await check(bench, job, "both", reference)
    assert first + sum(by_owner) > 16
    assert helped + sum(by_helper) > 16
    assert first + sum(by_owner) + helped + sum(by_helper) == chunks, "something was done twice"


@pytest.mark.fault("P5")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
async def test_the_documents_of_a_helper_that_is_gone_are_taken_over(
    engines: tuple[QdrantNode, PostgresNode], bench: Bench, reference: str, how: signal.Signals
) -> None:
    book = f"helper-{how.name}".lower()
    job, owner, _, helper, _ = await begin(
        engines, bench, book, many(f"h{how.value:04}"), helper_stalls_at=1
    )
    helper.send_signal(how)
    let_go_on(owner)
    await lines_of(owner)
    assert owner.returncode == 0 or await owner.wait() == 0
    await check(bench, job, book, reference)
    await resumed_writes_nothing(bench, book, helper, how)
    await check(bench, job, book, reference)


@pytest.mark.fault("P5")
@pytest.mark.invariant("I6")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_helper_takes_over_from_an_owner_that_is_gone_and_does_nothing_again(
    engines: tuple[QdrantNode, PostgresNode], bench: Bench, reference: str, how: signal.Signals
) -> None:
    book = f"owner-{how.name}".lower()
    job, owner, _, helper, helped = await begin(
        engines, bench, book, many(f"o{how.value:04}"), helper_stalls_at=1
    )
    owner.send_signal(how)
    let_go_on(helper)
    by_helper, lost = await lines_of(helper)
    assert not lost
    chunks = await check(bench, job, book, reference)
    assert helped + sum(by_helper) == chunks, "what had been done was done again"
    assert (await bench.jobs.get(job.job_id)).attempts == 2
    await resumed_writes_nothing(bench, book, owner, how)
    await check(bench, job, book, reference)


async def resumed_writes_nothing(
    bench: Bench, book: str, worker: Process, how: signal.Signals
) -> None:
    if how is signal.SIGSTOP:
        let_go_on(worker)
        worker.send_signal(signal.SIGCONT)
        _, lost = await lines_of(worker)
        assert lost, "it went on with what was somebody else's"
    await worker.wait()


@pytest.mark.fault("G4")
@pytest.mark.invariant("I4")
@pytest.mark.timeout(900)
async def test_a_document_that_kills_its_worker_is_parked_and_the_rest_goes_on(
    engines: tuple[QdrantNode, PostgresNode], bench: Bench
) -> None:
    files = {**many("delta", 40), "020x.md": "# Poison\n\nThis is fatal to read."}
    job = await bench.add("poison", files, allow_partial=True)
    killed = 0
    while not (await bench.jobs.get(job.job_id)).state.ended:
        worker = await start_worker(engines, lease_s=1.0, deadly="fatal")
        await worker.communicate()
        killed += worker.returncode == -signal.SIGKILL
        assert killed <= 3
    assert killed == 3
    ended = await bench.jobs.get(job.job_id)
    assert (ended.state, ended.edition) == (JobState.PUBLISHED, 1)
    report = await bench.history.get_report("poison", 1)
    assert {document.path: document.failure for document in report.documents} == {
        **dict.fromkeys(files, ""),
        "020x.md": '"020x.md": The service stopped each time it worked on this document.',
    }
    _, documents = await bench.catalogue.list_documents("poison", 1)
    assert len(documents) == 40


class Stopping(DirectReader):
    """Has its parser stopped by one document, a number of times."""

    def __init__(self, path: str, times: int) -> None:
        super().__init__()
        self.path, self.left = path, times

    async def read(self, task: ReadTask) -> ReadDocument:
        if task.placed.file.path == self.path and self.left:
            self.left -= 1
            self.read_paths.append(self.path)
            raise ParserStopped(f'"{self.path}": the process that reads documents crashed on it.')
        return await super().read(task)


class Slow(Stopping):
    """Takes too long over one document."""

    async def read(self, task: ReadTask) -> ReadDocument:
        try:
            return await super().read(task)
        except ParserStopped as error:
            raise ParserTooSlow(f'"{self.path}": its parser took longer than 120 s.') from error


@pytest.mark.fault("G4")
async def test_a_document_that_takes_too_long_costs_one_attempt(bench: Bench) -> None:
    reader = Slow("003.md", 3)
    job = await bench.add("slow", many("golf1", 9))
    await bench.worker(reader=reader).work_once()
    ended = await bench.jobs.get(job.job_id)
    assert reader.read_paths.count("003.md") == 1
    assert ended.state is JobState.FAILED
    assert ended.error == f'"003.md": its parser took longer than 120 s. {TO_LEAVE_OUT}'


@pytest.mark.fault("G4")
@pytest.mark.parametrize("times", [2, 3])
async def test_a_document_that_stops_its_parser_is_tried_three_times_after_all_others(
    bench: Bench, times: int
) -> None:
    book, reader = f"parser-{times}", Stopping("003.md", times)
    job = await bench.add(book, many("echo1", 9))
    await bench.worker(reader=reader).work_once()
    ended = await bench.jobs.get(job.job_id)
    assert reader.read_paths.count("003.md") == 3
    assert set(reader.read_paths[4:-2]) == {f"{n:03}.md" for n in range(4, 9)}
    assert ended.attempts == 1
    if times == 2:
        assert ended.state is JobState.PUBLISHED
        assert len((await bench.catalogue.list_documents(book, 1))[1]) == 9
    else:
        assert (ended.state, ended.error) == (
            JobState.FAILED,
            f'"003.md": the process that reads documents crashed on it. {TO_LEAVE_OUT}',
        )


async def held_by_two(bench: Bench, book: str, mark: str) -> tuple[Job, list[tuple[Held, Task]]]:
    """Return a job, and its owner and its helper, each in the midst of embedding."""
    job = await bench.add(book, many(mark))
    working = []
    for _ in range(2):
        held = Held()
        task = asyncio.create_task(bench.worker(embedder=held).work_once())
        await held.asked.wait()
        working.append((held, task))
    return job, working


async def test_cancelling_reaches_all_and_the_next_job_waits_until_each_has_let_go(
    bench: Bench,
) -> None:
    job, working = await held_by_two(bench, "cancelled", "fox01")
    assert (await bench.jobs.cancel(job.job_id)).state is JobState.CANCELLED
    following = await bench.add("cancelled", {"a.md": page("One", "chi", 5)})
    for held, task in working:
        assert not await bench.worker().work_once(), "two jobs of one book were worked on"
        held.released.set()
        with pytest.raises(LeaseLost):
            await task
    assert (await bench.finish(following.job_id)).edition == 1
    assert len(await bench.everything("cancelled")) == 5


async def test_a_job_that_fails_leaves_its_helper_nothing_to_write(bench: Bench) -> None:
    job, [(_, owner), (held, helper)] = await held_by_two(bench, "failed", "golf1")
    owner.cancel()
    await asyncio.gather(owner, return_exceptions=True)
    claimed = await bench.claim()
    assert claimed.job_id == job.job_id
    assert claimed.attempts == 2
    await bench.jobs.fail(claimed, "It is bad.")
    following = await bench.add("failed", {"a.md": page("One", "chi", 5)})
    assert not await bench.worker().work_once(), "the helper may still be writing"
    held.released.set()
    with pytest.raises(LeaseLost):
        await helper
    assert (await bench.finish(following.job_id)).edition == 1
    assert len(await bench.everything("failed")) == 5


async def test_an_owner_that_is_stopped_leaves_to_the_next_what_has_been_done(bench: Bench) -> None:
    job, [(_, owner), (held, helper)] = await held_by_two(bench, "stopped", "hotel")
    held.released.set()
    assert await helper
    owner.cancel()
    await asyncio.gather(owner, return_exceptions=True)
    done = await bench.pool.fetchval("SELECT count(*) FROM job_documents WHERE state = 'done'")
    assert 0 < done < DOCUMENTS
    reader = DirectReader()
    assert await bench.worker(reader=reader).work_once()
    assert len(reader.read_paths) == DOCUMENTS - done
    ended = await bench.jobs.get(job.job_id)
    assert (ended.state, ended.progress.documents_done) == (JobState.PUBLISHED, DOCUMENTS)
    assert len(await bench.seen("stopped", 1)) == 2 * DOCUMENTS


async def test_documents_that_helpers_finish_are_counted_while_the_owner_works(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, [(held, owner), (other, helper)] = await held_by_two(bench, "counted", "india")
    other.released.set()
    assert await helper
    by_helper = await bench.pool.fetchval("SELECT count(*) FROM job_documents WHERE state = 'done'")
    noted: list[Progress] = []
    note = bench.jobs.note

    async def listen(job: Job, progress: Progress) -> None:
        noted.append(progress)
        await note(job, progress)

    monkeypatch.setattr(bench.jobs, "note", listen)
    held.released.set()
    assert await owner
    assert noted[-1].documents_done == DOCUMENTS
    assert by_helper < DOCUMENTS
    assert all(isinstance(progress, Progress) for progress in noted)
    last = [p for p in noted if p.stage == "publish"][-1]
    assert last.chunks_done == last.chunks_total == 2 * DOCUMENTS
    assert last.tokens_done == last.tokens_total > 0


class OtherEmbedder(HashEmbedder):
    """Another model: what it makes belongs elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.stamp = type(HashEmbedder.stamp)("other", "2", 8, 256, "normalised")


async def test_a_worker_that_would_make_something_else_does_not_help(bench: Bench) -> None:
    job = await bench.add("unfit", many("kilo1"))
    held, unfit = Held(), OtherEmbedder()
    owner = asyncio.create_task(bench.worker(embedder=held).work_once())
    await held.asked.wait()
    stranger = bench.stranger(unfit)
    assert await stranger.work_once()
    assert not await stranger.work_once(), "it was asked again"
    assert unfit.embedded == []
    held.released.set()
    assert await owner
    assert (await bench.jobs.get(job.job_id)).state is JobState.PUBLISHED


OFFER = Offer(1, "f" * 64, intact=False)


async def offered(bench: Bench, book: str, paths: list[str]) -> Job:
    await bench.add(book, dict.fromkeys(paths, "# A\n\nText."))
    job = await bench.claim()
    assert not await bench.documents.resume(job, OFFER)
    documents = [OfferedDocument(path, n, 10) for n, path in enumerate(paths)]
    await bench.documents.offer(job, OFFER, documents)
    return job


@pytest.mark.fault("P9")
async def test_a_late_write_is_fenced_off_by_the_token_of_its_claim(bench: Bench) -> None:
    job = await offered(bench, "token", ["a.md", "b.md"])
    late = await bench.documents.claim(job, LEASE_S, alone=True)
    assert [(claim.path, claim.attempts) for claim in late] == [("a.md", 1), ("b.md", 1)]
    assert await bench.documents.claim(job, LEASE_S, alone=True) == []
    await bench.expire("token")
    assert await bench.documents.claim(job, LEASE_S, alone=False) == []
    [again] = await bench.documents.claim(job, LEASE_S, alone=True)
    assert (again.path, again.attempts) == ("a.md", 2)
    outcome = [(claim, Outcome(chunks=1)) for claim in late]
    with pytest.raises(LeaseLost):
        await bench.editions.stage(job, Staged("token", 1, "c", claims=outcome))
    with pytest.raises(LeaseLost):
        await bench.documents.renew(job, late[:1], LEASE_S)
    with pytest.raises(LeaseLost):
        await bench.documents.close(job, late[0], "Late.")
    await bench.documents.give_back(job, [late[0]], blamed=False)
    await bench.documents.renew(job, [again], LEASE_S)
    assert (await bench.documents.tally(job)).left == 2
    await bench.editions.stage(job, Staged("token", 1, "c", claims=[(again, Outcome(chunks=7))]))
    # What has been ended a moment ago is not lost for its holder.
    await bench.documents.renew(job, [again], LEASE_S)
    tally = await bench.documents.tally(job)
    assert (tally.left, tally.free, tally.by_others) == (1, 1, Outcome())
    await bench.jobs.fail(job, "Enough.")


async def test_a_job_tried_again_begins_anew_and_one_handed_over_goes_on(bench: Bench) -> None:
    job = await offered(bench, "anew", ["a.md", "b.md"])
    first, second = await bench.documents.claim(job, LEASE_S, alone=True)
    await bench.documents.close(job, first)
    await bench.documents.give_back(job, [second], blamed=False)
    await bench.jobs.put_back(job, 0.0)
    job = await bench.claim()
    assert await bench.documents.resume(job, OFFER)
    assert (await bench.documents.tally(job)).by_others.documents == 1
    [held] = await bench.documents.claim(job, LEASE_S, alone=True)
    assert (held.path, held.attempts) == ("b.md", 1)
    await bench.jobs.put_back(job, 5.0)
    with pytest.raises(LeaseLost):
        await bench.documents.renew(job, [held], LEASE_S)
    await bench.pool.execute("UPDATE jobs SET not_before = now()")
    await bench.expire("anew")
    job = await bench.claim()
    assert not await bench.documents.resume(job, OFFER)
    await bench.jobs.fail(job, "Enough.")


@pytest.mark.fault("P9")
async def test_nobody_writes_any_more_when_an_offer_has_been_taken_back(bench: Bench) -> None:
    job = await offered(bench, "back", ["a.md"])
    [held] = await bench.documents.claim(job, 1.0, alone=True)
    assert not await bench.documents.resume(job, Offer(1, "e" * 64, intact=True))
    left_s = await bench.pool.fetchval(
        "SELECT extract(epoch FROM max(lease_until) - clock_timestamp()) FROM job_documents"
    )
    assert left_s <= 0
    with pytest.raises(LeaseLost):
        await bench.editions.stage(job, Staged("back", 1, "c", claims=[(held, Outcome())]))
    await bench.jobs.fail(job, "Enough.")


async def test_two_who_claim_at_once_get_different_documents(bench: Bench) -> None:
    paths = [f"{n:03}.md" for n in range(200)]
    job = await offered(bench, "race", paths)
    claims = []

    async def claim_all() -> None:
        while found := await bench.documents.claim(job, LEASE_S, alone=False):
            claims.extend(found)

    await asyncio.gather(*(claim_all() for _ in range(4)))
    assert sorted(claim.path for claim in claims) == paths
    assert len({claim.token for claim in claims}) == 200
    await bench.jobs.fail(job, "Enough.")

"""What every keeper of books and jobs does: the one in memory, and PostgreSQL."""

import asyncio
import hashlib
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import numpy as np
import pytest

from libs.errors import InvalidInput, NotFound, Unavailable
from libs.postgres import open_pool
from libs.profiles import Chunking
from services.ingest.adapters.postgres_catalogue import PostgresCatalogue
from services.ingest.adapters.postgres_editions import PostgresEditions
from services.ingest.adapters.postgres_history import PostgresHistory
from services.ingest.adapters.postgres_jobs import PostgresJobs
from services.ingest.adapters.postgres_originals import PostgresOriginals
from services.ingest.bootstrap import MIGRATIONS
from services.ingest.errors import IndexDiffers, LeaseLost
from services.ingest.model.book import ChunkRecord, Edition, Report, Source, SourceFile
from services.ingest.model.byline import Byline
from services.ingest.model.image import Image, UsedImage
from services.ingest.model.job import Job, JobKind, JobState, Order, Progress, SentOnce
from services.ingest.parsers.images import check_image
from services.ingest.plan import plan_book
from services.ingest.ports.editions import NewEdition, Staged
from services.ingest.ports.reading import ReadTask
from services.ingest.publish import compare, point_digest, record_document
from tests.support.busy import busy
from tests.support.engines import children_of, eventually, is_alive, postgres_node
from tests.support.ingest_fakes import DirectReader, MemoryBooks, order, source
from tests.support.pictures import png

CHUNKING = Chunking("heading", 5, 40, 0)
FILES = {
    "b.md": "# Bé\n\nOne sentence 🤖. Two.\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    "a.md": '---\nsidebar_position: 9\n---\n# A\n\nText \\u0000 "quoted".\n\n- item',
}
LONG, AT_ONCE = 60.0, 0.0


class Keeper:
    """One implementation of all the ports under test, over the same rows."""

    def __init__(
        self,
        jobs: MemoryBooks | PostgresJobs,
        editions: MemoryBooks | PostgresEditions,
        catalogue: MemoryBooks | PostgresCatalogue,
        pool: asyncpg.Pool | None = None,
    ) -> None:
        self.jobs, self.queue = jobs, jobs
        self.editions, self.catalogue, self.pool = editions, catalogue, pool
        self.slug = f"book-{uuid.uuid4().hex[:8]}"
        self.pictures: dict[str, tuple[Image, ...]] = {}
        """Of the documents of the next edition, by path."""
        self.originals: dict[str, bytes] = {}
        """Files of its documents, by path."""
        self.byline = Byline(("Ada Wong", "B. O'Neil"), 2024)

    async def add(self, slug: str | None = None, files: dict[str, str] = FILES) -> Job:
        return await self.jobs.add(order(slug or self.slug), source(files))

    async def claim(self) -> Job:
        """Claim the next job of the book, which must be there."""
        job = await self.claim_if_any()
        assert job is not None
        return job

    async def claim_if_any(self) -> Job | None:
        """Claim the next job of the book; jobs of other tests are ended on the way."""
        while True:
            job = await self.queue.claim(LONG)
            if job is None or job.order.book.startswith(self.slug):
                return job
            await self.queue.fail(job, "of another test")

    async def expire(self, job: Job) -> None:
        if isinstance(self.jobs, MemoryBooks):
            self.jobs.expire(job)
        else:
            await self.queue.renew(job, -1.0)

    async def publish(
        self, files: dict[str, str] = FILES, warnings: tuple[()] | list[str] = (), **fields: Any
    ) -> tuple[Staged, NewEdition, Job]:
        await self.add(files=files)
        job = await self.claim()
        staged, new = await self.build(files, **fields)
        await self.editions.stage(job, staged)
        await self.editions.publish(job, new, warnings)
        return staged, new, job

    async def build(
        self, files: dict[str, str], *, collection: str = "c1", title: str = "Title"
    ) -> tuple[Staged, NewEdition]:
        """Make the edition that comes after the current one, as the pipeline does."""
        current = await self.editions.current(self.slug)
        before = await self.editions.documents(self.slug, current.number)
        documents, records = [], []
        for placed in plan_book(source(files)).documents:
            read = await DirectReader().read(ReadTask(self.slug, "en", placed, CHUNKING))
            one = record_document(read, "m" * 64, read.report)
            pictures = self.pictures.get(placed.file.path, ())
            used = tuple(UsedImage("i.png", "d" * 64, image.image_id) for image in pictures)
            shown = replace(one.document, images=used)
            original = self.originals.get(placed.file.path, b"")
            documents.append(replace(one, document=shown, images=pictures, original=original))
            records += [ChunkRecord(c, point_digest(c, "en"), "v" * 64) for c in read.chunks]
        published = await self.editions.published(self.slug, current.number, list(before))
        change = compare(records, published, collection)
        number = current.number + 1
        edition = Edition(
            number=number,
            title=title,
            language="en",
            fingerprint="f" * 64,
            collection=collection,
            chunk_count=len(records),
            byline=self.byline,
            languages=("en", "de"),
        )
        staged = Staged(
            book=self.slug,
            edition=number,
            collection=collection,
            documents=documents,
            born=change.born,
            died=[chunk.chunk_id for chunk in change.died],
            replaced=list(before),
        )
        report = Report(number, ["because"], [record.report for record in documents])
        return staged, NewEdition(self.slug, edition, len(documents), report)


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with postgres_node(tmp_path_factory.mktemp("postgres")) as node:
        yield node.dsn


@pytest.fixture(params=["memory", "postgres"])
async def keeper(request: pytest.FixtureRequest) -> AsyncIterator[Keeper]:
    if request.param == "memory":
        books = MemoryBooks()
        yield Keeper(books, books, books)
        return
    pool = await open_pool(request.getfixturevalue("postgres"), "ingest", MIGRATIONS)
    yield Keeper(PostgresJobs(pool), PostgresEditions(pool), PostgresCatalogue(pool), pool)
    await pool.close()


async def test_an_accepted_job_can_be_read_back_with_its_files(keeper: Keeper) -> None:
    whole = Source([SourceFile("a.md", b"\x00\xff"), SourceFile("b/c.md", b"")], ("Careful.",))
    asked = order(keeper.slug, title="T ü", language="de", profile="default")
    job = await keeper.jobs.add(asked, whole)
    found = await keeper.jobs.get(job.job_id)
    assert found == job
    assert (found.state, found.order, found.warnings) == (JobState.QUEUED, asked, ("Careful.",))
    assert found.progress.documents_total == 2
    entries = await keeper.jobs.list_files(job.job_id)
    assert [(entry.path, entry.size) for entry in entries] == [("a.md", 2), ("b/c.md", 0)]
    assert entries[0].digest == hashlib.sha256(b"\x00\xff").hexdigest()
    assert await keeper.jobs.read_files(job.job_id, ["b/c.md", "a.md"]) == whole.files
    assert await keeper.jobs.read_files(job.job_id, ["a.md", "no.md"]) == whole.files[:1]
    await keeper.queue.fail(await keeper.claim(), "enough")


@pytest.mark.parametrize("job_id", ["", "x", "2f6f1f0e-6d0b-4c0e-9a52-0d8f5a1f1c11", "' OR 1=1"])
async def test_an_unknown_job_is_not_found(keeper: Keeper, job_id: str) -> None:
    with pytest.raises(NotFound):
        await keeper.jobs.get(job_id)


async def test_a_job_is_claimed_once_and_jobs_of_a_book_one_after_the_other(keeper: Keeper) -> None:
    first, second = await keeper.add(), await keeper.add()
    job = await keeper.claim()
    assert (job.job_id, job.state, job.attempts) == (first.job_id, JobState.RUNNING, 1)
    assert await keeper.claim_if_any() is None
    await keeper.queue.finish(job, 3, ["Look."])
    ended = await keeper.jobs.get(first.job_id)
    assert (ended.state, ended.edition, ended.warnings) == (JobState.PUBLISHED, 3, ("Look.",))
    assert await keeper.jobs.list_files(first.job_id) == []
    assert (await keeper.claim()).job_id == second.job_id


async def test_claims_at_the_same_time_get_different_jobs(keeper: Keeper) -> None:
    names = [f"{keeper.slug}-{number}" for number in range(4)]
    for name in [*names, *names]:
        await keeper.add(name)
    jobs = await asyncio.gather(*(keeper.claim_if_any() for _ in range(8)))
    claimed = [job.order.book for job in jobs if job is not None]
    assert sorted(claimed) == names
    for job in jobs:
        if job is not None:
            await keeper.queue.fail(job, "enough")


async def test_progress_is_seen_while_a_job_runs(keeper: Keeper) -> None:
    await keeper.add()
    job = await keeper.claim()
    progress = Progress("embed", 2, 2, 10, 5, 3)
    await keeper.queue.note(job, progress)
    assert (await keeper.jobs.get(job.job_id)).progress == progress
    await keeper.queue.fail(job, "No.")
    failed = await keeper.jobs.get(job.job_id)
    assert (failed.state, failed.error) == (JobState.FAILED, "No.")
    assert failed.progress == replace(progress, stage="")


@pytest.mark.fault("P9")
async def test_a_silent_owner_loses_its_job_and_can_do_nothing_with_it(keeper: Keeper) -> None:
    await keeper.add()
    old = await keeper.claim()
    await keeper.queue.renew(old, LONG)
    await keeper.expire(old)
    new = await keeper.claim()
    assert (new.job_id, new.attempts) == (old.job_id, 2)
    assert new.token != old.token
    staged, edition = await keeper.build(FILES)
    for call in (
        keeper.editions.sweep(old, 0),
        keeper.editions.stage(old, staged),
        keeper.queue.renew(old, LONG),
        keeper.queue.note(old, Progress()),
        keeper.queue.finish(old, 1, ()),
        keeper.queue.fail(old, "x"),
        keeper.queue.put_back(old, AT_ONCE),
        keeper.editions.publish(old, edition, ()),
    ):
        with pytest.raises(LeaseLost):
            await call
    with pytest.raises(NotFound):
        await keeper.catalogue.get_book(keeper.slug)
    await keeper.editions.stage(new, staged)
    await keeper.editions.publish(new, edition, ())
    assert (await keeper.catalogue.get_book(keeper.slug)).edition == 1


async def test_a_job_that_was_put_back_waits_its_time(keeper: Keeper) -> None:
    await keeper.add()
    await keeper.queue.put_back(await keeper.claim(), LONG)
    assert await keeper.claim_if_any() is None


async def test_jobs_of_a_book_that_have_not_ended_are_told_in_their_order(keeper: Keeper) -> None:
    jobs = [await keeper.jobs.add(order(book), source({"a.md": "A"})) for book in ("b", "c", "b")]
    assert await keeper.jobs.list_unended("nobody's") == []
    found = await keeper.jobs.list_unended("b")
    assert [one.job_id for one in found] == [jobs[0].job_id, jobs[2].job_id]
    await keeper.jobs.cancel(jobs[0].job_id)
    assert [one.job_id for one in await keeper.jobs.list_unended("b")] == [jobs[2].job_id]


async def test_the_backlog_is_of_jobs_that_wait_for_a_worker(keeper: Keeper) -> None:
    while (job := await keeper.queue.claim(LONG)) is not None:
        await keeper.queue.fail(job, "of another test")
    assert await keeper.jobs.backlog() == (0, 0.0)
    await keeper.add()
    waiting, oldest_s = await keeper.jobs.backlog()
    assert waiting == 1
    assert oldest_s > 0
    job = await keeper.claim()
    assert await keeper.jobs.backlog() == (0, 0.0)
    await keeper.queue.put_back(job, LONG)


async def test_a_job_that_could_not_be_tried_has_not_used_up_an_attempt(keeper: Keeper) -> None:
    await keeper.add()
    await keeper.queue.put_back(await keeper.claim(), AT_ONCE, counts=False, reason="No room.")
    job = await keeper.claim()
    assert (job.attempts, job.error) == (1, "")


async def test_a_job_that_was_put_back_at_once_keeps_its_files(keeper: Keeper) -> None:
    await keeper.add()
    await keeper.queue.put_back(await keeper.claim(), AT_ONCE)
    job = await keeper.claim()
    assert job.attempts == 2
    assert len(await keeper.jobs.list_files(job.job_id)) == 2
    await keeper.queue.fail(job, "enough")


async def test_readers_see_the_published_edition(keeper: Keeper) -> None:
    staged, new, job = await keeper.publish(warnings=["Look."])
    book = await keeper.catalogue.get_book(keeper.slug)
    assert (book.title, book.language, book.edition, book.document_count) == ("Title", "en", 1, 2)
    assert book.chunk_count == len(staged.born)
    assert list(book.languages) == ["en", "de"]
    assert (await keeper.editions.current(keeper.slug)).languages == ("en", "de")
    assert ([*book.authors], book.year) == (["Ada Wong", "B. O'Neil"], 2024)
    assert book in await keeper.catalogue.list_books()
    number, summaries = await keeper.catalogue.list_documents(keeper.slug, 0)
    assert (number, [summary.path for summary in summaries]) == (1, ["a.md", "b.md"])
    for record, summary in zip(staged.documents, summaries, strict=True):
        number, view = await keeper.catalogue.get_document(keeper.slug, 1, record.document.path)
        assert view.summary == summary
        assert view.text == record.document.text
        assert list(view.blocks) == list(record.document.blocks)
        assert list(view.sections) == list(record.document.sections)
        assert list(view.markup) == list(record.document.markup)
        assert (summary.length, summary.chunk_count) == (len(view.text), record.chunk_count)
    ended = await keeper.jobs.get(job.job_id)
    assert (ended.state, ended.edition, ended.warnings) == (JobState.PUBLISHED, 1, ("Look.",))
    assert await keeper.editions.current(keeper.slug) == new.edition


async def test_texts_and_sections_are_those_of_the_documents_that_an_edition_has(
    keeper: Keeper,
) -> None:
    staged, _, _ = await keeper.publish()
    await keeper.publish(files={"a.md": "# Other\n\nText."})
    paths = ["b.md", "a.md", "nowhere.md"]
    texts = await keeper.catalogue.get_texts(keeper.slug, 1, paths)
    assert texts == {one.document.path: one.document.text for one in staged.documents}
    sections = await keeper.catalogue.get_sections(keeper.slug, 1, ["b.md"])
    assert sections == {"b.md": list(staged.documents[1].document.sections)}
    assert await keeper.catalogue.get_texts(keeper.slug, 0, paths) == {"a.md": "Other\n\nText."}
    with pytest.raises(NotFound):
        await keeper.catalogue.get_texts(keeper.slug, 9, paths)


async def test_pictures_are_had_in_the_editions_whose_documents_show_them(keeper: Keeper) -> None:
    first, second = check_image(png(2, 1)), check_image(png(3, 1))
    keeper.pictures = {"a.md": (first, second), "b.md": (first,)}
    await keeper.publish()
    _, view = await keeper.catalogue.get_document(keeper.slug, 0, "a.md")
    bare = {replace(image, data=b"").image_id for image in (first, second)}
    assert {image.image_id for image in view.images} == bare
    assert all(image.data == b"" and image.width in (2, 3) for image in view.images)
    assert await keeper.catalogue.get_image(keeper.slug, 1, second.image_id) == second
    [kept, _] = (await keeper.editions.documents(keeper.slug, 1)).values()
    assert {used.image_id for used in kept.images} <= bare
    keeper.pictures = {"b.md": (first,)}
    await keeper.publish({"b.md": "# B\n\nOther."})
    assert await keeper.catalogue.get_image(keeper.slug, 0, first.image_id) == first
    assert await keeper.catalogue.get_image(keeper.slug, 1, second.image_id) == second
    for book, edition, image_id in (
        (keeper.slug, 2, second.image_id),
        (keeper.slug, 3, first.image_id),
        (keeper.slug, 0, "f" * 64),
        ("another", 0, first.image_id),
    ):
        with pytest.raises(NotFound):
            await keeper.catalogue.get_image(book, edition, image_id)


async def vacuum(keeper: Keeper) -> None:
    """Keep the newest edition alone."""
    assert keeper.pool is not None
    await keeper.jobs.add_upkeep(Order(keeper.slug, kind=JobKind.VACUUM, keep=1))
    job = await keeper.claim()
    async for done in PostgresHistory(keeper.pool).vacuum(job):
        assert done.editions == [1]
    await keeper.queue.finish_upkeep(job, done)


async def test_pictures_that_no_kept_edition_shows_are_deleted(keeper: Keeper) -> None:
    if keeper.pool is None:
        pytest.skip("books in memory keep all editions")
    first, second = check_image(png(2, 1)), check_image(png(3, 1))
    keeper.pictures = {"a.md": (first,), "b.md": (second,)}
    await keeper.publish()
    keeper.pictures = {"b.md": (second,)}
    await keeper.publish({"b.md": "# B\n\nOther."})
    count = "SELECT count(*) FROM images WHERE book = $1"
    await keeper.pool.execute("UPDATE editions SET superseded_at = '2000-01-01' WHERE number = 1")
    await vacuum(keeper)
    assert await keeper.pool.fetchval(count, keeper.slug) == 1
    keeper.pictures = {"b.md": (first,)}
    await keeper.add(files={"b.md": "# B\n\nNever."})
    job = await keeper.claim()
    staged, _ = await keeper.build({"b.md": "# B\n\nNever."})
    await keeper.editions.stage(job, staged)
    assert await keeper.pool.fetchval(count, keeper.slug) == 2
    await keeper.editions.sweep(job, 2)
    await keeper.queue.fail(job, "enough")
    assert await keeper.pool.fetchval(count, keeper.slug) == 1


async def test_files_are_kept_with_the_editions_that_have_their_documents(keeper: Keeper) -> None:
    if keeper.pool is None:
        pytest.skip("books in memory keep no files")
    originals = PostgresOriginals(keeper.pool)
    keeper.originals = {"a.md": b"file of a", "b.md": b"file of b"}
    await keeper.publish()
    await keeper.publish({"b.md": FILES["b.md"]})
    a_hash = await originals.find_hash(keeper.slug, 1, "a.md")
    assert await originals.read(keeper.slug, a_hash) == b"file of a"
    b_hash = await originals.find_hash(keeper.slug, 2, "b.md")
    for book, edition, path in (
        *((keeper.slug, 2, "a.md"), (keeper.slug, 3, "b.md")),
        *((keeper.slug, 1, "c.md"), ("another", 1, "a.md")),
    ):
        with pytest.raises(NotFound):
            await originals.find_hash(book, edition, path)
    await keeper.pool.execute("UPDATE editions SET superseded_at = '2000-01-01' WHERE number = 1")
    await vacuum(keeper)
    assert await originals.read(keeper.slug, b_hash) == b"file of b"
    with pytest.raises(NotFound):
        await originals.read(keeper.slug, a_hash)


async def test_the_place_in_the_contents_is_kept(keeper: Keeper) -> None:
    await keeper.publish({**FILES, "SUMMARY.md": "- [Part]()\n  - [B](b.md)\n    - [A](a.md)"})
    _, summaries = await keeper.catalogue.list_documents(keeper.slug, 0)
    placed = [(summary.path, summary.depth, summary.part_titles) for summary in summaries]
    assert placed == [("b.md", 1, ("Part",)), ("a.md", 2, ())]


async def test_older_editions_can_still_be_read(keeper: Keeper) -> None:
    await keeper.publish()
    await keeper.publish({"b.md": FILES["b.md"], "c.md": "# C\n\nNew."}, title="Second")
    listed = {
        edition: [d.path for d in (await keeper.catalogue.list_documents(keeper.slug, edition))[1]]
        for edition in (0, 1, 2)
    }
    assert listed == {0: ["b.md", "c.md"], 1: ["a.md", "b.md"], 2: ["b.md", "c.md"]}
    assert (await keeper.catalogue.get_document(keeper.slug, 1, "a.md"))[1].summary.title == "A"
    with pytest.raises(NotFound):
        await keeper.catalogue.get_document(keeper.slug, 2, "a.md")
    assert (await keeper.catalogue.get_book(keeper.slug)).title == "Second"


async def test_the_published_chunks_are_those_of_the_edition(keeper: Keeper) -> None:
    both = ["a.md", "b.md"]
    first, _, _ = await keeper.publish()
    known = await keeper.editions.published(keeper.slug, 1, both)
    assert {p.chunk_id: p.digest for p in known.values()} == {
        record.chunk.chunk_id: record.digest for record in first.born
    }
    assert {(published.born, published.collection) for published in known.values()} == {(1, "c1")}
    only = await keeper.editions.published(keeper.slug, 1, ["a.md"])
    assert {published.document for published in only.values()} == {"a.md"}
    await keeper.publish({**FILES, "a.md": "# A\n\nChanged."})
    assert await keeper.editions.published(keeper.slug, 1, both) == known
    later = await keeper.editions.published(keeper.slug, 2, both)
    assert sorted({published.born for published in later.values()}) == [1, 2]


async def test_documents_of_an_edition_say_what_they_were_made_from(keeper: Keeper) -> None:
    staged, _, _ = await keeper.publish()
    for record in staged.documents:
        known = (await keeper.editions.documents(keeper.slug, 1))[record.document.path]
        assert known.made_from == record.made_from
        assert known.content_hash == record.document.content_hash
        assert (known.chunk_count, known.report) == (record.chunk_count, record.report)
    assert await keeper.editions.documents(keeper.slug, 0) == {}


async def test_another_collection_takes_over_all_chunks(keeper: Keeper) -> None:
    await keeper.publish()
    await keeper.publish(collection="c2")
    known = await keeper.editions.published(keeper.slug, 2, ["a.md", "b.md"])
    assert {published.collection for published in known.values()} == {"c2"}


async def test_a_staged_edition_is_seen_by_nobody_and_can_be_swept(keeper: Keeper) -> None:
    await keeper.publish()
    seen = await keeper.editions.published(keeper.slug, 1, ["a.md", "b.md"])
    files = {"a.md": "# A\n\nChanged.", "c.md": "# C\n\nNew."}
    for _ in range(2):
        await keeper.add(files=files)
        job = await keeper.claim()
        staged, _ = await keeper.build(files)
        await keeper.editions.stage(job, staged)
        assert (await keeper.catalogue.get_book(keeper.slug)).edition == 1
        assert await keeper.editions.published(keeper.slug, 1, ["a.md", "b.md"]) == seen
        _, listed = await keeper.catalogue.list_documents(keeper.slug, 0)
        assert [document.path for document in listed] == ["a.md", "b.md"]
        await keeper.editions.sweep(job, 1)
        await keeper.queue.fail(job, "enough")
    assert await keeper.editions.published(keeper.slug, 2, ["a.md", "b.md", "c.md"]) == seen
    await keeper.publish(files)
    _, listed = await keeper.catalogue.list_documents(keeper.slug, 0)
    assert [document.path for document in listed] == ["a.md", "c.md"]


@pytest.mark.invariant("I2")
async def test_an_edition_whose_parts_are_not_all_staged_is_not_published(keeper: Keeper) -> None:
    await keeper.add()
    job = await keeper.claim()
    staged, new = await keeper.build(FILES)
    await keeper.editions.stage(job, replace(staged, born=staged.born[1:]))
    with pytest.raises(IndexDiffers):
        await keeper.editions.publish(job, new, ())
    assert (await keeper.jobs.get(job.job_id)).state is JobState.RUNNING
    await keeper.queue.fail(job, "enough")


async def test_an_edition_that_is_not_the_next_one_changes_nothing(keeper: Keeper) -> None:
    _, new, _ = await keeper.publish()
    await keeper.add()
    job = await keeper.claim()
    with pytest.raises(RuntimeError):
        await keeper.editions.publish(job, new, ())
    assert (await keeper.jobs.get(job.job_id)).state is JobState.RUNNING
    await keeper.queue.fail(job, "enough")


async def test_an_unknown_book_edition_or_job_is_not_found(keeper: Keeper) -> None:
    with pytest.raises(NotFound):
        await keeper.catalogue.get_book(keeper.slug)
    with pytest.raises(NotFound):
        await keeper.catalogue.list_documents(keeper.slug, 0)
    await keeper.publish()
    for edition in (2, 1_000_000):
        with pytest.raises(NotFound):
            await keeper.catalogue.list_documents(keeper.slug, edition)
    with pytest.raises(NotFound):
        await keeper.catalogue.get_document(keeper.slug, 0, "nowhere.md")
    assert await keeper.editions.current("nobody") == Edition()


async def test_vectors_come_back_bit_for_bit(keeper: Keeper) -> None:
    vectors = {f"{n:064}": np.random.default_rng(n).bytes(40) for n in range(3)}
    await keeper.editions.save_vectors(vectors)
    await keeper.editions.save_vectors(vectors)
    found = await keeper.editions.load_vectors([*vectors, "x" * 64])
    assert found == vectors


@pytest.mark.parametrize("keeper", ["postgres"], indirect=True)
async def test_a_few_vectors_are_found_without_reading_all(keeper: Keeper) -> None:
    keys = [f"{n:063}k" for n in range(3000)]
    await keeper.editions.save_vectors(dict.fromkeys(keys, b"vector"))
    assert keeper.pool is not None
    await keeper.pool.execute("ANALYZE vectors")
    before = await read_in_order(keeper.pool)
    assert len(await keeper.editions.load_vectors(keys[::100])) == 30
    assert await read_in_order(keeper.pool) == before


async def read_in_order(pool: asyncpg.Pool) -> int:
    """Return how many rows of vectors were read by going through all of them."""
    async with pool.acquire() as connection:
        await connection.execute("SELECT pg_stat_force_next_flush()")
        read: int = await connection.fetchval(
            "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'vectors'"
        )
        return read


@pytest.mark.fault("D3")
async def test_a_database_that_is_gone_is_unavailable(tmp_path: Path) -> None:
    with postgres_node(tmp_path) as node:
        pool = await open_pool(node.dsn, "ingest", MIGRATIONS)
        [server] = children_of(node.pid)
        node.kill()
        # The kernel tells the server to shut down when who started it is dead: that takes its time.
        eventually(lambda: not is_alive(server), "the server outlives who started it")
        for call in (
            PostgresCatalogue(pool).get_book("b"),
            PostgresJobs(pool).claim(LONG),
            PostgresJobs(pool).add(order(), source(FILES)),
            PostgresEditions(pool).current("b"),
        ):
            with pytest.raises(Unavailable):
                await call
        pool.terminate()


@pytest.mark.fault("D3")
async def test_without_a_free_connection_books_are_refused_in_time_and_read_again_after(
    postgres: str,
) -> None:
    pool = await open_pool(postgres, "ingest", MIGRATIONS)
    catalogue = PostgresCatalogue(pool)
    async with busy(pool):
        for call in (catalogue.get_book("b"), catalogue.get_document("b", 0, "a.md")):
            with pytest.raises(Unavailable, match="more to do than it can"):
                await call
    with pytest.raises(NotFound):
        await catalogue.get_book("no-such-book")
    await pool.close()


@pytest.mark.parametrize("keeper", ["postgres"], indirect=True)
async def test_an_edition_from_before_markup_was_kept_opens_without_it(keeper: Keeper) -> None:
    await keeper.publish(files={"a.md": "# A\n\nSome *wet* gates."})
    _, view = await keeper.catalogue.get_document(keeper.slug, 0, "a.md")
    assert [view.text[one.start : one.end] for one in view.markup] == ["wet"]
    assert keeper.pool is not None
    await keeper.pool.execute("UPDATE documents SET markup = DEFAULT WHERE book = $1", keeper.slug)
    _, view = await keeper.catalogue.get_document(keeper.slug, 0, "a.md")
    assert (view.text, view.markup) == ("A\n\nSome wet gates.", [])


async def test_a_book_is_found_by_its_index(postgres: str) -> None:
    pool = await open_pool(postgres, "ingest", MIGRATIONS)
    async with pool.acquire() as connection:
        await connection.execute("SET enable_seqscan = off")
        rows = await connection.fetch(
            "EXPLAIN SELECT * FROM books JOIN editions ON book = slug AND number = edition "
            "WHERE slug = 'x'"
        )
    await pool.close()
    assert "Seq Scan" not in "\n".join(row[0] for row in rows)
    assert isinstance(pool, asyncpg.Pool)


async def test_a_marked_source_that_is_sent_again_is_the_same_job(keeper: Keeper) -> None:
    wanted, sent = order(keeper.slug), source(FILES)
    mark = SentOnce("app", f"key of {keeper.slug}", b"f" * 32)
    first, *others = await asyncio.gather(*(keeper.jobs.add(wanted, sent, mark) for _ in range(4)))
    assert {job.job_id for job in others} == {first.job_id}
    another = await keeper.jobs.add(wanted, sent, replace(mark, client_id="other"))
    assert another.job_id != first.job_id
    with pytest.raises(InvalidInput, match="sent with another source"):
        await keeper.jobs.add(wanted, sent, replace(mark, fingerprint=b"g" * 32))
    await keeper.jobs.cancel(first.job_id)
    again = await keeper.jobs.add(wanted, sent, mark)
    assert again.job_id != first.job_id
    assert (await keeper.jobs.add(wanted, sent, mark)).job_id == again.job_id
    assert [entry.path for entry in await keeper.jobs.list_files(again.job_id)] == sorted(FILES)

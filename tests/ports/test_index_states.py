"""The states of books and documents, from jobs and editions in PostgreSQL."""

import asyncio

import pytest

from libs.errors import NotFound
from services.ingest.adapters.postgres_states import PostgresStates
from services.ingest.model.job import JobKind
from services.ingest.model.views import IndexState
from tests.support.ingest_bench import Bench, Held, bench, page
from tests.support.ingest_service import engines

__all__ = ["bench", "engines"]

UNINDEXED, INDEXING, INDEXED, STALE, REINDEXING = IndexState
ONE = {"a.md": page("One", "alpha", 2), "b.md": page("Two", "beta", 2)}
TWO = {"b.md": page("Two", "gamma", 2), "c.md": page("Three", "delta", 2)}


async def states(bench: Bench, book: str) -> tuple[IndexState, dict[str, IndexState]]:
    found = await PostgresStates(bench.pool).get_states(book)
    return found.state, dict(found.documents)


async def test_a_book_goes_from_unindexed_over_stale_to_indexed_as_its_jobs_do(
    bench: Bench,
) -> None:
    with pytest.raises(NotFound):
        await states(bench, "book")
    await bench.add("book", {**ONE, "quoth.toml": ""})
    assert await states(bench, "book") == (UNINDEXED, {"a.md": UNINDEXED, "b.md": UNINDEXED})
    held = Held()
    work = asyncio.create_task(bench.worker(embedder=held).work_once())
    await held.asked.wait()
    assert await states(bench, "book") == (INDEXING, {"a.md": INDEXING, "b.md": INDEXING})
    held.released.set()
    await work
    assert await states(bench, "book") == (INDEXED, {"a.md": INDEXED, "b.md": INDEXED})
    job = await bench.add("book", {**ONE, **TWO})
    changed = {"a.md": INDEXED, "b.md": STALE, "c.md": UNINDEXED}
    assert await states(bench, "book") == (STALE, changed)
    held = Held()
    work = asyncio.create_task(bench.worker(embedder=held).work_once())
    await held.asked.wait()
    changed = {"a.md": INDEXED, "b.md": REINDEXING, "c.md": INDEXING}
    assert await states(bench, "book") == (REINDEXING, changed)
    held.released.set()
    await work
    await bench.finish(job.job_id)
    assert await states(bench, "book") == (
        INDEXED,
        dict.fromkeys(("a.md", "b.md", "c.md"), INDEXED),
    )


async def test_a_document_that_its_source_has_no_more_is_stale_until_that_is_cancelled(
    bench: Bench,
) -> None:
    await bench.ingest("less", ONE)
    job = await bench.add("less", {"a.md": ONE["a.md"]})
    assert await states(bench, "less") == (STALE, {"a.md": INDEXED, "b.md": STALE})
    await bench.jobs.cancel(job.job_id)
    assert await states(bench, "less") == (INDEXED, {"a.md": INDEXED, "b.md": INDEXED})


async def test_a_deleted_book_is_unindexed(bench: Bench) -> None:
    await bench.ingest("gone", ONE)
    job = await bench.add("gone", {}, kind=JobKind.DELETE_BOOK)
    assert (await states(bench, "gone"))[0] is INDEXED
    await bench.finish(job.job_id)
    assert await states(bench, "gone") == (UNINDEXED, {})

"""Editions over real sockets and engines: reports, dry runs, history, roll-back, deletion, vacuum."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import grpc
import pytest
from qdrant_client import AsyncQdrantClient
from quoth.ingest.v1 import ingest_service_pb2 as messages
from quoth.ingest.v1 import ingest_service_pb2_grpc
from quoth.ingest.v1.edition_pb2 import IngestReport
from quoth.ingest.v1.ingest_service_pb2 import IngestJob

from libs.embedding import ModelStamp
from libs.embedding.port import Embedder
from libs.errors import InvalidInput, NotFound, WrongIndex
from libs.rpc.status import error_from_rpc
from libs.vectors.schema import Payload, Scope, collection_name
from tests.support.engines import PostgresNode, QdrantNode
from tests.support.ingest_fakes import STAMP, HashEmbedder, zipped
from tests.support.ingest_service import ingest_serving

ONE = {
    "a.md": "# First\n\nMotors turn.\n\n## Oil\n\nOil flows. It is hot.",
    "b.md": "# Second\n\nThe wheel is round.",
}
TWO = {**ONE, "b.md": "# Second\n\nThe wheel is square.", "c.md": "# Third\n\nBells ring."}
PUBLISHED, CHECKED = messages.JOB_STATE_PUBLISHED, messages.JOB_STATE_CHECKED


class Client:
    def __init__(self, channel: grpc.aio.Channel, qdrant: AsyncQdrantClient) -> None:
        self.stub = ingest_service_pb2_grpc.IngestServiceStub(channel)
        self.qdrant = qdrant

    async def call(self, method: str, **fields: Any) -> Any:
        request = getattr(messages, f"{method}Request")(**fields)
        try:
            return await getattr(self.stub, method)(request, timeout=20)
        except grpc.aio.AioRpcError as error:
            raise error_from_rpc(error, "ingest") from error

    async def end(self, job: IngestJob) -> IngestJob:
        """Return a job as it ended, however old the connection grows meanwhile."""
        request = messages.WatchIngestRequest(job_id=job.job_id)
        while True:
            try:
                *_, last = [r.job async for r in self.stub.WatchIngest(request, timeout=300)]
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
            else:
                ended: IngestJob = last
                return ended

    async def start(self, files: dict[str, str], book: str, **header: Any) -> IngestJob:
        source = messages.SourceHeader(file_name="b.zip", book=book, **header)
        parts = [
            messages.StartIngestRequest(header=source),
            messages.StartIngestRequest(data=zipped(files)),
        ]
        job: IngestJob = (await self.stub.StartIngest(iter(parts), timeout=20)).job
        return job

    async def done(self, method: str, **fields: Any) -> IngestJob:
        """Call for a job, and return how it ended."""
        ended = await self.end((await self.call(method, **fields)).job)
        assert ended.state in (PUBLISHED, messages.JOB_STATE_DONE), ended.error
        return ended

    async def ingest(self, files: dict[str, str], book: str, **header: Any) -> IngestJob:
        return await self.end(await self.start(files, book, **header))

    async def numbers(self, book: str) -> list[tuple[int, bool]]:
        editions = (await self.call("ListEditions", book=book)).editions
        return [(edition.number, edition.current) for edition in editions]

    async def report(self, book: str, edition: int = 0) -> IngestReport:
        report: IngestReport = (await self.call("GetReport", book=book, edition=edition)).report
        return report

    async def bodies(self, book: str, edition: int, stamp: ModelStamp = STAMP) -> list[str]:
        """Return what a reader of this edition finds, from the index itself."""
        points, _ = await self.qdrant.scroll(
            collection_name(stamp), Scope(book, edition).to_filter(), limit=1000
        )
        return sorted((point.payload or {})[Payload.CHUNK] for point in points)

    async def point_count(self, book: str, stamp: ModelStamp = STAMP) -> int:
        everything: Any = Scope(book, 1).to_filter()
        everything.must = [
            condition for condition in everything.must if condition.key == Payload.BOOK
        ]
        return (await self.qdrant.count(collection_name(stamp), everything, exact=True)).count


@asynccontextmanager
async def serving(
    engines: tuple[QdrantNode, PostgresNode], embedder: Embedder | None = None
) -> AsyncIterator[Any]:
    async with ingest_serving(engines, embedder) as channel:
        client = engines[0].client()
        try:
            yield Client(channel, client)
        finally:
            await client.close()


async def test_the_report_says_what_became_of_every_document(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        await client.ingest(ONE, "report")
        first = await client.report("report")
        assert (first.edition, list(first.reasons)) == (1, ["first edition"])
        assert [document.path for document in first.documents] == ["a.md", "b.md"]
        for document in first.documents:
            assert document.covered_characters == document.visible_characters > 0
            assert (list(document.missing), document.change) == ([], "added")
            assert document.chunks == document.chunks_new > 0
            assert document.tokens > 0
        assert dict(first.documents[0].blocks) == {"heading": 2, "paragraph": 2}
        assert (first.vectors_new, first.vectors_reused) == (first.chunks_new, 0)
        assert set(first.seconds) == {"plan", "split", "embed", "publish"}
        await client.ingest(TWO, "report")
        second = await client.report("report")
        assert list(second.reasons) == ["1 document added", "1 document changed"]
        changes = {document.path: document.change for document in second.documents}
        assert changes == {"a.md": "unchanged", "b.md": "changed", "c.md": "added"}
        assert (second.chunks_new, second.chunks_removed) == (2, 1)
        assert second.chunks_kept == first.documents[0].chunks
        assert (await client.report("report", 1)) == first
        with pytest.raises(NotFound):
            await client.report("report", 3)


async def test_a_dry_run_tells_what_would_change_and_changes_nothing(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        dry = await client.ingest(ONE, "dry", dry_run=True)
        assert (dry.state, dry.edition, dry.report.edition) == (CHECKED, 0, 1)
        assert list(dry.report.reasons) == ["first edition"]
        with pytest.raises(NotFound):
            await client.call("GetBook", slug="dry")
        await client.ingest(ONE, "dry")
        seen, points = await client.bodies("dry", 1), await client.point_count("dry")
        changed = {**TWO, "b.md": "# Second\n\nThe wheel is dry.", "c.md": "# Third\n\nDry."}
        dry = await client.ingest(changed, "dry", dry_run=True)
        assert list(dry.report.reasons) == ["1 document added", "1 document changed"]
        assert (dry.report.vectors_new, dry.report.chunks_removed) == (2, 1)
        assert await client.numbers("dry") == [(1, True)]
        assert await client.bodies("dry", 1) == seen
        assert await client.point_count("dry") == points
        same = await client.ingest(ONE, "dry", dry_run=True)
        assert (same.state, list(same.report.reasons)) == (CHECKED, [])
        assert same.report.chunks_kept == len(seen)
        published = await client.ingest(changed, "dry")
        assert (published.state, published.edition) == (PUBLISHED, 2)
        report = await client.report("dry")
        assert report.chunks_new == dry.report.chunks_new


async def test_a_reader_can_be_shown_an_earlier_edition_and_the_next_one_follows_the_newest(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        await client.ingest(ONE, "back")
        await client.ingest(TWO, "back")
        first, second = await client.bodies("back", 1), await client.bodies("back", 2)
        shown = await client.done("RollBack", book="back")
        assert (shown.edition, shown.kind) == (1, messages.JOB_KIND_ROLL_BACK)
        assert (shown.chunks_done, shown.chunks_total) == (len(first), len(first))
        assert await client.numbers("back") == [(2, False), (1, True)]
        assert (await client.call("GetBook", slug="back")).book.edition == 1
        documents = (await client.call("ListDocuments", book="back")).documents
        assert [document.path for document in documents] == ["a.md", "b.md"]
        same = await client.ingest(ONE, "back")
        assert same.edition == 1
        third = await client.ingest({**TWO, "d.md": "# Fourth\n\nRain falls."}, "back")
        assert third.edition == 3
        assert list((await client.report("back")).reasons) == [
            "1 document added",
            "readers saw edition 1",
        ]
        assert await client.bodies("back", 1) == first
        assert await client.bodies("back", 2) == second
        assert len(await client.bodies("back", 3)) == len(second) + 1
        assert (await client.done("RollBack", book="back", edition=2)).edition == 2
        assert (2, True) in await client.numbers("back")
        with pytest.raises(NotFound):
            await client.call("RollBack", book="back", edition=9)


async def test_a_book_that_is_renamed_keeps_its_title_through_editions_old_and_new(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        await client.ingest(ONE, "named")
        await client.ingest(TWO, "named")
        renamed = (await client.call("RenameBook", book="named", title="  The  Rain ")).book
        assert (renamed.slug, renamed.title, renamed.edition) == ("named", "The Rain", 2)
        await client.ingest({**TWO, "d.md": "# Fourth\n\nRain falls."}, "named")
        assert (await client.call("GetBook", slug="named")).book.title == "The Rain"
        await client.done("RollBack", book="named", edition=1)
        assert (await client.call("GetBook", slug="named")).book.title == "The Rain"
        for title in ("", "  ", "x" * 501):
            with pytest.raises(InvalidInput):
                await client.call("RenameBook", book="named", title=title)
        with pytest.raises(NotFound):
            await client.call("RenameBook", book="nowhere", title="The Rain")


async def test_two_editions_are_compared_by_document_and_chunk(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        await client.ingest(ONE, "diff")
        changed = {"x/a.md": ONE["a.md"], "b.md": TWO["b.md"], "c.md": TWO["c.md"]}
        await client.ingest(changed, "diff")
        job = await client.done("DiffEditions", book="diff")
        difference = job.difference
        assert job.chunks_done == job.chunks_total > 0
        assert (difference.from_edition, difference.to_edition) == (1, 2)
        assert [(d.path, d.change, d.old_path) for d in difference.documents] == [
            ("b.md", "changed", ""),
            ("c.md", "added", ""),
            ("x/a.md", "moved", "a.md"),
        ]
        assert difference.documents[0].chunks_added == difference.documents[0].chunks_removed == 1
        assert difference.chunks_kept == 0
        assert (await client.report("diff")).vectors_reused > 0
        back = (
            await client.done("DiffEditions", book="diff", from_edition=2, to_edition=1)
        ).difference
        assert back.chunks_added == difference.chunks_removed
        with pytest.raises(NotFound):
            await client.call("DiffEditions", book="diff", from_edition=7, to_edition=1)
        with pytest.raises(NotFound):
            await client.call("DiffEditions", book="nothing")


async def test_the_states_of_documents_are_told_page_by_page(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        await client.ingest(TWO, "states")
        told = await client.call("GetIndexState", book="states", page_size=2)
        assert told.state == messages.INDEX_STATE_INDEXED
        more = await client.call("GetIndexState", book="states", page_token=told.next_page_token)
        assert [one.path for one in (*told.documents, *more.documents)] == ["a.md", "b.md", "c.md"]
        assert more.next_page_token == ""
        with pytest.raises(InvalidInput):
            await client.call("GetIndexState", book="other", page_token=told.next_page_token)
        with pytest.raises(NotFound):
            await client.call("GetIndexState", book="other")


@pytest.mark.fault("G3")
async def test_a_deleted_document_is_gone_in_the_next_edition(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        await client.ingest(TWO, "less")
        before = await client.bodies("less", 1)
        job = (await client.call("DeleteDocument", book="less", path="b.md")).job
        ended = await client.end(job)
        assert (ended.state, ended.edition) == (PUBLISHED, 2)
        documents = (await client.call("ListDocuments", book="less")).documents
        assert [document.path for document in documents] == ["a.md", "c.md"]
        assert len(await client.bodies("less", 2)) == len(before) - 1
        assert await client.bodies("less", 1) == before
        book = (await client.call("GetBook", slug="less")).book
        assert (book.document_count, book.chunk_count) == (2, len(before) - 1)
        [newest, _] = (await client.call("ListEditions", book="less")).editions
        assert list(newest.reasons) == ["b.md deleted"]
        with pytest.raises(NotFound):
            await client.call("DeleteDocument", book="less", path="b.md")
        again = await client.ingest(TWO, "less")
        assert (again.edition, await client.bodies("less", 3)) == (3, before)


async def test_a_deleted_book_is_gone_until_it_is_rolled_back_or_ingested(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        await client.ingest(ONE, "gone")
        seen = await client.bodies("gone", 1)
        assert (await client.end((await client.call("DeleteBook", book="gone")).job)).edition == 2
        with pytest.raises(NotFound):
            await client.call("GetBook", slug="gone")
        listed = (await client.call("ListBooks")).books
        assert "gone" not in {book.slug for book in listed}
        assert await client.bodies("gone", 2) == []
        with pytest.raises(NotFound):
            await client.call("DeleteBook", book="gone")
        await client.done("RollBack", book="gone", edition=1)
        assert (await client.call("GetBook", slug="gone")).book.edition == 1
        assert (await client.end((await client.call("DeleteBook", book="gone")).job)).edition == 3
        with pytest.raises(NotFound):
            await client.call("GetBook", slug="gone")
        assert await client.bodies("gone", 3) == []
        # Edition 2, the newest before, is a deletion, which nobody wants back.
        await client.done("RollBack", book="gone")
        assert (await client.call("GetBook", slug="gone")).book.edition == 1
        assert await client.bodies("gone", 1) == seen
        assert (await client.ingest(TWO, "gone")).edition == 4
        await client.end((await client.call("DeleteBook", book="gone")).job)
        assert (await client.ingest(ONE, "gone")).edition == 6
        assert await client.bodies("gone", 6) == seen
        assert (await client.report("gone")).vectors_new == 0


async def test_vacuum_deletes_what_no_kept_edition_holds_and_nothing_else(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    _, postgres = engines
    async with serving(engines) as client:
        for number in range(6):
            text = f"# Second\n\nThe wheel has {number} spokes."
            await client.ingest({**ONE, "b.md": text}, "vacuum")
        await client.done("RollBack", book="vacuum", edition=2)
        await _pass_a_minute(postgres.dsn, "vacuum")
        kept = {number: await client.bodies("vacuum", number) for number in (2, 5, 6)}
        before = await client.point_count("vacuum")
        swept = (await client.done("VacuumBook", book="vacuum", keep=2)).vacuumed
        assert list(swept.editions) == [1, 3, 4]
        assert (swept.chunks, swept.documents) == (3, 3)
        assert await client.point_count("vacuum") == before - 3
        assert {n: await client.bodies("vacuum", n) for n in (2, 5, 6)} == kept
        assert await client.numbers("vacuum") == [(6, False), (5, False), (2, True)]
        again = (await client.done("VacuumBook", book="vacuum", keep=2)).vacuumed
        assert (list(again.editions), again.chunks, again.documents) == ([], 0, 0)
        assert (await client.ingest(ONE, "vacuum")).edition == 7
        with pytest.raises(NotFound):
            await client.report("vacuum", 3)
        with pytest.raises(NotFound):
            await client.call("VacuumBook", book="nothing")
        with pytest.raises(InvalidInput):
            await client.call("VacuumBook", book="vacuum", keep=-1)


async def test_vacuum_keeps_what_readers_have_just_left(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        await client.ingest(ONE, "just-left")
        await client.ingest(TWO, "just-left")
        swept = (await client.done("VacuumBook", book="just-left", keep=1)).vacuumed
        assert list(swept.editions) == []


class OtherModel(HashEmbedder):
    stamp = ModelStamp("other", "1", dimensions=8, max_tokens=256, recipe="normalised")


async def test_another_model_makes_all_anew_and_says_so(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    _, postgres = engines
    async with serving(engines) as client:
        await client.ingest(ONE, "model")
    async with serving(engines, OtherModel()) as client:
        assert (await client.ingest(ONE, "model")).edition == 2
        report = await client.report("model")
        assert list(report.reasons) == ["the embedding model, or how Quoth indexes, is another"]
        assert report.vectors_new == report.chunks_new > 0
        with pytest.raises(WrongIndex):
            await client.call("RollBack", book="model", edition=1)
        await _pass_a_minute(postgres.dsn, "model")
        swept = (await client.done("VacuumBook", book="model", keep=1)).vacuumed
        assert list(swept.editions) == [1]
        assert await client.point_count("model") == 0
        assert len(await client.bodies("model", 2, OtherModel.stamp)) == report.chunks_new


async def test_another_title_or_profile_redoes_what_it_must_and_says_why(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        await client.ingest(ONE, "why")
        await client.ingest(ONE, "why", title="Another")
        report = await client.report("why")
        assert list(report.reasons) == ["the title is another"]
        assert (report.chunks_new, report.vectors_new) == (0, 0)
        await client.ingest(ONE, "why", profile="course")
        report = await client.report("why")
        assert list(report.reasons) == ["the chunking is another"]
        await client.ingest(ONE, "why", profile="course", language="de")
        report = await client.report("why")
        assert list(report.reasons) == ["the language is another, or is found in another way"]
        assert (report.chunks_kept, report.vectors_new) == (0, 0)


async def _pass_a_minute(dsn: str, book: str) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute(
        "UPDATE editions SET superseded_at = superseded_at - interval '1 minute' WHERE book = $1",
        book,
    )
    await connection.close()

"""The ingest service over real sockets and engines: uploads, progress, catalogue, codes, crashes."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from quoth.common.v1 import locator_pb2, passage_pb2
from quoth.ingest.v1 import ingest_service_pb2 as messages
from quoth.ingest.v1 import ingest_service_pb2_grpc
from quoth.ingest.v1.ingest_service_pb2 import (
    IngestJob,
    StartIngestRequest,
)

from libs.embedding.choice import open_embedder
from libs.embedding.port import Vectors
from libs.errors import InvalidInput, NotFound, QuothError, TooLarge
from libs.rpc.channel import open_channel
from libs.rpc.status import error_from_rpc
from libs.vectors.schema import Scope, collection_name
from services.ingest import server
from tests.support.engines import PostgresNode, QdrantNode, eventually
from tests.support.ingest_bench import Held
from tests.support.ingest_fakes import STAMP, HashEmbedder, tarred, zipped
from tests.support.ingest_service import ingest_serving
from tests.support.pdf_files import pdf_of, text_at
from tests.support.scripted_model import fails, scripted_model
from tests.support.stack import CACHE

FILES = {
    "quoth.toml": 'title = "Robots"\nbase_url = "https://robots.example"',
    "docs/b.mdx": "# Second\n\nimport X from 'x';\n\n## Valves {#v}\n\nOil flows. It is hot.",
    "docs/a.md": "# First\n\nMotors turn 🤖.\n\n| a | b |\n|---|---|\n| 1 | 2 |",
}
MIB = 1024 * 1024


JOB_S = 240.0
"""A job's end ends the waiting: the embedder gives way to all else of a busy machine."""


class Client:
    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.stub = ingest_service_pb2_grpc.IngestServiceStub(channel)

    async def call(self, method: str, request: Any) -> Any:
        try:
            return await getattr(self.stub, method)(request, timeout=20)
        except grpc.aio.AioRpcError as error:
            raise error_from_rpc(error, "ingest") from error

    async def start(self, data: bytes, *, piece: int = 64 * 1024, **header: Any) -> IngestJob:
        source = messages.SourceHeader(**({"file_name": "b.zip"} | header))
        parts = [messages.StartIngestRequest(header=source)]
        parts += [
            messages.StartIngestRequest(data=data[at : at + piece])
            for at in range(0, len(data), piece)
        ]
        job: IngestJob = (await self.call("StartIngest", iter(parts))).job
        return job

    async def watch(self, job_id: str) -> list[IngestJob]:
        request = messages.WatchIngestRequest(job_id=job_id)
        try:
            return [
                response.job async for response in self.stub.WatchIngest(request, timeout=JOB_S)
            ]
        except grpc.aio.AioRpcError as error:
            raise error_from_rpc(error, "ingest") from error

    async def ingest(self, data: bytes, **header: Any) -> IngestJob:
        job = await self.start(data, **header)
        return (await self.watch(job.job_id))[-1]


@asynccontextmanager
async def serving(
    engines: tuple[QdrantNode, PostgresNode], embedder: Any = None, **fields: Any
) -> AsyncIterator[Any]:
    async with ingest_serving(engines, embedder, **fields) as channel:
        yield Client(channel)


async def test_a_source_that_is_sent_again_by_its_key_is_one_job(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    marked: dict[str, Any] = {"book": "marked", "client_id": "app", "idempotency_key": "k-1"}
    packed = zipped(FILES)
    async with serving(engines) as client:
        first = await client.start(packed, **marked)
        again = await client.start(packed, piece=100, **marked)
        assert again.job_id == first.job_id
        for other in ({"title": "Other"}, {"book": "other"}):
            with pytest.raises(InvalidInput, match="with another source"):
                await client.start(packed, **{**marked, **other})
        with pytest.raises(InvalidInput, match="with another source"):
            await client.start(zipped({"docs/c.md": "# C"}), **marked)
        with pytest.raises(InvalidInput, match="at most 200 characters"):
            await client.start(packed, **{**marked, "idempotency_key": "k" * 201})
        assert (await client.watch(first.job_id))[-1].state == messages.JOB_STATE_PUBLISHED
        assert (await client.start(packed, **marked)).job_id == first.job_id


@pytest.mark.fault("L1")
async def test_an_embedder_that_refuses_the_key_ends_the_job_with_what_to_do(
    engines: tuple[QdrantNode, PostgresNode], caplog: pytest.LogCaptureFixture
) -> None:
    refuses = fails("401 Unauthorized", body='{"error": {"message": "Bad key: sk-secret"}}')
    async with scripted_model(refuses) as model:
        environment = {
            "QUOTH_EMBEDDER": "openai",
            "QUOTH_EMBEDDER_URL": model.url,
            "QUOTH_EMBEDDER_KEY": "sk-secret",
        }
        embedder = open_embedder(CACHE, "documents", environment)
        async with serving(engines, embedder) as client:
            last = await client.ingest(zipped(FILES), book="refused")
    assert last.state == messages.JOB_STATE_FAILED
    assert "it refuses the key (status 401). See to QUOTH_EMBEDDER_KEY" in last.error
    assert len(model.requests) == 1
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    ("name", "pack"), [("b.zip", zipped), ("b.tar.gz", tarred)], ids=["zip", "tar"]
)
async def test_a_book_goes_in_and_comes_out(
    engines: tuple[QdrantNode, PostgresNode], name: str, pack: Callable[..., Any]
) -> None:
    slug = f"whole-{pack.__name__}"
    async with serving(engines) as client:
        accepted = await client.start(pack(FILES), book=slug, file_name=name)
        assert accepted.state in (messages.JOB_STATE_QUEUED, messages.JOB_STATE_RUNNING)
        assert accepted.documents_total == 2
        last = (await client.watch(accepted.job_id))[-1]
        assert (last.state, last.edition, last.error) == (messages.JOB_STATE_PUBLISHED, 1, "")
        assert last.chunks_done == last.chunks_total > 0
        book = (await client.call("GetBook", messages.GetBookRequest(slug=slug))).book
        assert (book.title, book.edition, book.document_count) == ("Robots", 1, 2)
        assert book.publish_time.seconds > 0
        books = (await client.call("ListBooks", messages.ListBooksRequest())).books
        assert book in books
        listed = await client.call("ListDocuments", messages.ListDocumentsRequest(book=slug))
        assert [document.path for document in listed.documents] == ["docs/a.md", "docs/b.mdx"]
        request = messages.GetDocumentRequest(book=slug, edition=1, path="docs/a.md")
        document = (await client.call("GetDocument", request)).document
        assert document.text == "First\n\nMotors turn 🤖.\n\na | b\n1 | 2"
        assert document.summary == listed.documents[0]
        kinds = [block.kind for block in document.blocks]
        assert kinds == [
            passage_pb2.BLOCK_KIND_HEADING,
            passage_pb2.BLOCK_KIND_PARAGRAPH,
            passage_pb2.BLOCK_KIND_TABLE,
        ]
        table = document.blocks[2].range
        assert document.text[table.start : table.end] == "a | b\n1 | 2"
        assert list(document.sections[0].path) == ["First"]


@pytest.mark.invariant("I2")
async def test_the_node_holds_exactly_the_chunks_of_the_catalogue(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    qdrant = engines[0].client()
    async with serving(engines) as client:
        for number, text in enumerate(["Oil flows.", "Oil stops.", "Oil stops."], start=1):
            files = {**FILES, "docs/b.mdx": FILES["docs/b.mdx"].replace("Oil flows.", text)}
            job = await client.ingest(zipped(files), book="counted")
            edition = min(number, 2)
            assert job.edition == edition
            counted = await qdrant.count(
                collection_name(STAMP), Scope("counted", edition).to_filter(), exact=True
            )
            request = messages.GetBookRequest(slug="counted")
            book = (await client.call("GetBook", request)).book
            assert counted.count == book.chunk_count
    await qdrant.close()


async def test_a_single_file_is_a_book(engines: tuple[QdrantNode, PostgresNode]) -> None:
    async with serving(engines) as client:
        job = await client.ingest(b"# One\n\nText.", book="single", file_name="one.md")
        assert (job.state, job.documents_total) == (messages.JOB_STATE_PUBLISHED, 1)


async def test_a_pdf_goes_in_and_its_pages_come_out(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    pages = [
        [text_at(72, 700 - 90 * at, f"The {name} stands here.")] for at, name in enumerate("ab")
    ]
    async with serving(engines) as client:
        job = await client.ingest(pdf_of(pages), book="printed", file_name="p.pdf")
        assert (job.state, job.error) == (messages.JOB_STATE_PUBLISHED, "")
        second = messages.GetPageImageRequest(book="printed", path="p.pdf", page=2)
        drawn = await client.call("GetPageImage", second)
        assert drawn.png.startswith(b"\x89PNG")
        request = messages.GetDocumentRequest(book="printed", path="p.pdf")
        text = (await client.call("GetDocument", request)).document.text
        start = text.index("The b")
        between = locator_pb2.Range(start=start, end=start + len("The b stands here."))
        wanted = messages.FindOnPageRequest(book="printed", path="p.pdf", page=2, range=between)
        found = await client.call("FindOnPage", wanted)
        assert [round(box.left, 1) for box in found.boxes] == [0.1]
        third = messages.GetPageImageRequest(book="printed", path="p.pdf", page=3)
        with pytest.raises(NotFound):
            await client.call("GetPageImage", third)


async def test_exact_words_are_found_by_section_a_page_at_a_time(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        text = "# One\n\nOil 🤖 flows.\n\n## Two\n\nOil. Then oil."
        await client.ingest(text.encode(), book="oily", file_name="a.md")
        wanted = messages.FindWordsRequest(book="oily", words="OIL", page_size=1)
        found = await client.call("FindWords", wanted)
        assert (found.edition, found.total, found.section_count) == (1, 3, 2)
        [first] = found.sections
        assert (first.path, list(first.section_path), first.count) == ("a.md", ["One", "Two"], 2)
        assert first.range.end - first.range.start == 3
        wanted.page_token = found.next_page_token
        rest = await client.call("FindWords", wanted)
        assert [(one.range.start, one.count) for one in rest.sections] == [(5, 1)]
        assert rest.next_page_token == ""
        for wrong in (
            {"words": "flows", "page_token": found.next_page_token},
            {"words": "OIL", "edition": 2, "page_token": found.next_page_token},
            {"words": ""},
            {"words": "x" * 4001},
            {"words": "oil", "page_size": 1001},
        ):
            with pytest.raises(InvalidInput):
                await client.call("FindWords", messages.FindWordsRequest(book="oily", **wrong))
        with pytest.raises(NotFound):
            await client.call("FindWords", messages.FindWordsRequest(book="none", words="oil"))


@pytest.mark.parametrize("slug", ["", "A", "-a", "a-", "a b", "a/b", "x" * 65, "a\n", "ä"])
async def test_a_bad_slug_is_refused(engines: tuple[QdrantNode, PostgresNode], slug: str) -> None:
    async with serving(engines) as client:
        with pytest.raises(InvalidInput, match="lower-case"):
            await client.start(zipped(FILES), book=slug)


@pytest.mark.parametrize(
    ("header", "error", "part"),
    [
        ({"language": "english"}, InvalidInput, r"Did you mean en \(English\)"),
        ({"language": "xx"}, InvalidInput, 'language: "xx" is no language code'),
        ({"title": "x" * 501}, InvalidInput, "500"),
        ({"title": "a\0b"}, InvalidInput, "one line"),
        ({"profile": "nowhere"}, NotFound, "profile"),
        ({"file_name": "b.rar"}, InvalidInput, "must end in"),
        ({"file_name": "b.tgz"}, InvalidInput, "damaged"),
    ],
)
async def test_a_bad_header_is_refused_with_one_message(
    engines: tuple[QdrantNode, PostgresNode],
    header: dict[str, Any],
    error: type[QuothError],
    part: str,
) -> None:
    async with serving(engines) as client:
        with pytest.raises(error, match=part):
            await client.start(zipped(FILES), **{"book": "bad", **header})


@pytest.mark.fault("G5")
async def test_a_bad_source_is_refused_before_anything_is_kept(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        with pytest.raises(InvalidInput, match=r'"a\.md" is not UTF-8 text: byte 0'):
            await client.start(zipped({"a.md": b"\xff"}), book="nothing")
        with pytest.raises(InvalidInput, match="holds no document"):
            await client.start(zipped({"a.png": b"x"}), book="nothing")
        with pytest.raises(NotFound):
            await client.call("GetBook", messages.GetBookRequest(slug="nothing"))


@pytest.mark.parametrize(
    ("header", "error", "part"),
    [
        ({"book": "large"}, TooLarge, "larger than 2 MiB"),
        ({"book": "-"}, InvalidInput, "lower-case"),
        ({"book": "large", "profile": "nowhere"}, NotFound, "profile"),
    ],
)
async def test_a_client_gets_the_reason_however_much_it_sends(
    engines: tuple[QdrantNode, PostgresNode],
    header: dict[str, Any],
    error: type[QuothError],
    part: str,
) -> None:
    def parts() -> Iterator[StartIngestRequest]:
        yield messages.StartIngestRequest(header=messages.SourceHeader(**header, file_name="b.zip"))
        for _ in range(40):
            yield messages.StartIngestRequest(data=b"x" * MIB)

    async with serving(engines, max_upload_mib=2) as client:
        with pytest.raises(error, match=part):
            await client.call("StartIngest", parts())


async def test_the_parts_must_be_a_header_and_data(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    header = messages.StartIngestRequest(header=messages.SourceHeader(book="b", file_name="a.md"))
    data = messages.StartIngestRequest(data=b"x")
    async with serving(engines) as client:
        for parts in ([], [data], [messages.StartIngestRequest()]):
            with pytest.raises(InvalidInput, match="header"):
                await client.call("StartIngest", iter(parts))
        with pytest.raises(InvalidInput, match="only data"):
            await client.call("StartIngest", iter([header, header]))
        with pytest.raises(InvalidInput, match="empty"):
            await client.call("StartIngest", iter([header]))


async def test_an_unknown_book_document_or_job_is_not_found(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        await client.ingest(zipped(FILES), book="there")
        for method, request in (
            ("GetBook", messages.GetBookRequest(slug="not\0there")),
            ("ListDocuments", messages.ListDocumentsRequest(book="nowhere")),
            ("ListDocuments", messages.ListDocumentsRequest(book="there", edition=9)),
            ("GetDocument", messages.GetDocumentRequest(book="there", path="no.md")),
            ("GetDocument", messages.GetDocumentRequest(book="there", path="a\0")),
        ):
            with pytest.raises(NotFound):
                await client.call(method, request)
        with pytest.raises(InvalidInput):
            await client.call(
                "ListDocuments", messages.ListDocumentsRequest(book="there", edition=-1)
            )
        with pytest.raises(NotFound):
            await client.watch("no-such-job")


async def test_a_job_that_fails_says_why_and_readers_see_what_they_saw(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        await client.ingest(zipped(FILES), book="kept")
        job = await client.ingest(zipped({"a.md": "<div></div>"}), book="kept")
        assert job.state == messages.JOB_STATE_FAILED
        assert job.error == 'The source holds no text. "a.md": it holds no text.'
        book = (await client.call("GetBook", messages.GetBookRequest(slug="kept"))).book
        assert book.edition == 1


async def test_the_catalogue_answers_while_a_job_runs(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    release = asyncio.Event()

    class SlowEmbedder(HashEmbedder):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            await release.wait()
            return await super().embed(texts)

    async with serving(engines, SlowEmbedder()) as client:
        job = await client.start(zipped(FILES), book="slow")
        with pytest.raises(NotFound):
            await client.call("GetBook", messages.GetBookRequest(slug="slow"))
        release.set()
        assert (await client.watch(job.job_id))[-1].edition == 1


@pytest.mark.fault("G1")
async def test_the_second_of_two_ingests_of_a_book_at_once_is_told_that_it_waits(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    embedder = Held()
    async with serving(engines, embedder) as client:
        # Words that no test before embedded: else the embedder is not asked.
        first = await client.start(
            zipped({"a.md": "# Held\n\nA tide gate held by two."}), book="both"
        )
        await embedder.asked.wait()
        second = await client.start(zipped({"a.md": "# Other"}), book="both")
        request = messages.WatchIngestRequest(job_id=second.job_id)
        states = aiter(client.stub.WatchIngest(request, timeout=JOB_S))
        told = (await anext(states)).job
        assert (told.state, told.waits_for) == (messages.JOB_STATE_QUEUED, messages.JOB_WAIT_BOOK)
        embedder.released.set()
        *_, last = [response.job async for response in states]
        assert (last.edition, last.waits_for) == (2, messages.JOB_WAIT_UNSPECIFIED)
        [*_, ended] = await client.watch(first.job_id)
        assert (ended.edition, ended.waits_for) == (1, messages.JOB_WAIT_UNSPECIFIED)


@asynccontextmanager
async def process(
    engines: tuple[QdrantNode, PostgresNode], **environment: Any
) -> AsyncIterator[Any]:
    qdrant, postgres = engines
    variables = {
        **os.environ,
        "QUOTH_POSTGRES_DSN": postgres.dsn,
        "QUOTH_QDRANT_URL": qdrant.url,
        "QUOTH_CACHE_DIR": str(CACHE),
        "INGEST_LISTEN": "127.0.0.1:0",
        "INGEST_LEASE_S": "1",
        **environment,
    }
    with subprocess.Popen(  # noqa: ASYNC220 - starting takes no time worth waiting for
        [sys.executable, "-m", "services.ingest"],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        try:
            yield child
        finally:
            child.kill()


async def ready(child: subprocess.Popen) -> str:
    assert child.stdout
    assert child.stderr
    line = str(await asyncio.to_thread(child.stdout.readline))
    assert line.startswith("ready 127.0.0.1:"), child.stderr.read()
    return line.split()[1]


async def test_a_watcher_of_a_job_hears_of_its_end_at_once(
    engines: tuple[QdrantNode, PostgresNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_WATCH_EVERY_S", 600.0)
    async with serving(engines) as client:
        job = await client.start(zipped(FILES), book="heard")
        assert (await client.watch(job.job_id))[-1].state == messages.JOB_STATE_PUBLISHED


@pytest.mark.fault("P5")
@pytest.mark.invariant("I4")
@pytest.mark.timeout(900)
async def test_a_killed_service_ends_its_job_after_it_is_back(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    sections = [f"## Part {n}\n\n" + f"Sentence {n} of a long text. " * 25 for n in range(60)]
    data = zipped({"a.md": "# Long\n\n" + "\n\n".join(sections)})
    async with process(engines) as child:
        channel = open_channel(await ready(child))
        client = Client(channel)
        job = await client.start(data, book="killed")
        request = messages.WatchIngestRequest(job_id=job.job_id)
        async for response in client.stub.WatchIngest(request, timeout=JOB_S):
            if response.job.stage == "embed" and response.job.chunks_done >= 16:
                child.kill()
                break
        await channel.close()
    async with process(engines) as child:
        channel = open_channel(await ready(child))
        client = Client(channel)
        last = (await client.watch(job.job_id))[-1]
        assert (last.state, last.edition) == (messages.JOB_STATE_PUBLISHED, 1)
        # What had been computed before the kill was not computed again.
        assert 0 < last.chunks_reused < last.chunks_total
        child.send_signal(signal.SIGTERM)
        eventually(lambda: child.poll() is not None, "the service did not stop")
        assert child.returncode == 0
        await channel.close()


@pytest.mark.fault("K1")
async def test_a_taken_port_and_missing_settings_end_with_one_line(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        async with process(engines, INGEST_LISTEN=address) as child:
            _, errors = await asyncio.to_thread(child.communicate)
    assert child.returncode == 2
    assert errors.splitlines()[-1].startswith("ingest: ")
    assert "Traceback" not in errors
    async with process(engines, QUOTH_POSTGRES_DSN="") as child:
        _, errors = await asyncio.to_thread(child.communicate)
    assert child.returncode == 2
    assert errors.startswith("ingest: QUOTH_POSTGRES_DSN is not set")


async def test_the_error_of_a_bad_upload_is_a_whole_sentence(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        with pytest.raises(QuothError) as caught:
            await client.start(b"PK\x05\x06garbage", book="bare")
        assert caught.value.message.endswith(".")

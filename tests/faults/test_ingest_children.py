"""Documents that hang, crash or blow up their parser, read by a real child process: one document."""

import asyncio
import io
import pickle
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, cast

import pytest

from libs.errors import InvalidInput, Unavailable
from libs.profiles import Chunking
from services.ingest.adapters.document_process import DocumentProcess, Reply, _unpack
from services.ingest.adapters.document_processes import DocumentProcesses
from services.ingest.adapters.page_process import PageProcess
from services.ingest.adapters.qdrant_index import QdrantIndex
from services.ingest.errors import ParserTooSlow
from services.ingest.fetch import fetch_source
from services.ingest.jobs import StoredFiles
from services.ingest.model.book import BlockKind, PlacedFile, ReadDocument, SourceFile
from services.ingest.model.job import Job, JobState
from services.ingest.parsers.archive import Limits
from services.ingest.pipeline import Pipeline
from services.ingest.ports.reading import ReadTask
from services.ingest.read import read_document
from tests.support.ingest_fakes import (
    STAMP,
    HashEmbedder,
    LetterTokens,
    MemoryBooks,
    SilentReporter,
    order,
    source,
    zipped,
)
from tests.support.memory_qdrant import MemoryQdrant

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect")

CHUNKING = Chunking("heading", 5, 40, 0)
MIB = 256
CRASHED = "the process that reads documents crashed on it."
ANOTHER = "Save it anew or in another format, or leave it out."
SMALLER = "Split it, save it in another format, or leave it out."


@pytest.fixture
async def reader(tmp_path: Path) -> AsyncIterator[DocumentProcess]:
    reader = DocumentProcess(
        tmp_path, timeout_s=20.0, memory_mib=MIB, child="tests.support.evil_child"
    )
    yield reader
    await reader.close()


@pytest.fixture
async def hasty(tmp_path: Path) -> AsyncIterator[DocumentProcess]:
    """A reader that waits for no document; its child is up before it is asked for the second."""
    reader = DocumentProcess(
        tmp_path, timeout_s=20.0, memory_mib=MIB, child="tests.support.evil_child"
    )
    await reader.read(task("Text."))
    reader._clock_s = 0.3
    yield reader
    await reader.close()


def task(text: str, path: str = "a.txt") -> ReadTask:
    return ReadTask("book", "en", PlacedFile(SourceFile(path, text.encode()), 0, "", "A"), CHUNKING)


def child_of(reader: DocumentProcess) -> asyncio.subprocess.Process:
    assert reader._process
    return reader._process


async def test_a_document_is_read_as_it_is_read_here(reader: DocumentProcess) -> None:
    asked = task("# A\n\nOne sentence. Two.\n\n| a | b |\n|---|---|\n| 1 | 2 |", "a.md")
    assert await reader.read(asked) == read_document(asked, LetterTokens())


async def test_one_child_reads_many_documents(reader: DocumentProcess) -> None:
    first = await reader.read(task("One."))
    child = child_of(reader).pid
    assert (await reader.read(task("Two."))).document.text == "Two."
    assert first.document.text == "One."
    assert child_of(reader).pid == child


async def test_output_that_a_parser_prints_does_not_mix_with_the_answers(
    reader: DocumentProcess,
) -> None:
    assert (await reader.read(task("print this"))).document.text == "print this"


@pytest.mark.fault("G4")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("explode", f"its parser needed more than {MIB} MiB of memory. {SMALLER}"),
        ("grow", f"its parser needed more than {MIB} MiB of memory. {SMALLER}"),
        ("crash", f"{CRASHED} {ANOTHER}"),
        ("leave", f"{CRASHED} {ANOTHER}"),
        ("raise", f"its parser has a fault; the log of ingest says which. {ANOTHER}"),
        ("nest", f"it is nested too deep to be read. {ANOTHER}"),
    ],
)
async def test_a_document_that_harms_its_parser_is_refused_by_name_and_reason(
    reader: DocumentProcess, text: str, reason: str
) -> None:
    await reader.read(task("Before."))
    with pytest.raises(InvalidInput) as caught:
        await reader.read(task(text))
    assert caught.value.message == f'"a.txt": {reason}'
    assert (await reader.read(task("After."))).document.text == "After."


async def test_the_log_says_how_a_document_ended_its_parser(
    reader: DocumentProcess, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(InvalidInput):
        await reader.read(task("crash"))
    assert "a document ended its parser: signal 11" in caplog.text
    assert "a.txt" not in caplog.text


@pytest.mark.fault("G4")
async def test_a_document_that_hangs_its_parser_holds_up_no_other(tmp_path: Path) -> None:
    def make() -> DocumentProcess:
        return DocumentProcess(
            tmp_path, timeout_s=60.0, memory_mib=MIB, child="tests.support.evil_child"
        )

    readers = DocumentProcesses(make, 2, idle_s=0.0)
    try:
        slow = asyncio.create_task(readers.read(task("sleep")))
        await asyncio.sleep(0)
        for _ in range(3):
            assert (await readers.read(task("Text."))).document.text == "Text."
        assert not slow.done()
        slow.cancel()
        await asyncio.gather(slow, return_exceptions=True)
        assert (await readers.read(task("After."))).document.text == "After."
        await asyncio.gather(*readers._resting.values())
        assert len(readers._all) == 1
    finally:
        await readers.close()


@pytest.mark.fault("G4")
@pytest.mark.parametrize("text", ["hang", "sleep"])
async def test_a_document_that_hangs_its_parser_is_refused_and_its_child_ended(
    hasty: DocumentProcess, text: str
) -> None:
    child = child_of(hasty)
    with pytest.raises(ParserTooSlow, match=r"gave no answer in 0\.3 s\. Split it,"):
        await hasty.read(task(text))
    assert child.returncode is not None
    hasty._clock_s = 80.0
    assert (await hasty.read(task("After."))).document.text == "After."


async def test_a_document_that_is_read_part_by_part_has_the_time_for_each_of_them(
    hasty: DocumentProcess,
) -> None:
    hasty._clock_s = 4.0
    # Ten parts of half a second each: longer than the limit, which is for one of them.
    read = await hasty.read(task("slow: " + "page " * 10))
    assert read.document.text.startswith("slow: page")


@pytest.fixture
async def brief(tmp_path: Path) -> AsyncIterator[DocumentProcess]:
    """A reader whose child may compute a second for a document, and wait as long as it likes."""
    reader = DocumentProcess(
        tmp_path, timeout_s=1.0, memory_mib=MIB, child="tests.support.evil_child"
    )
    reader._clock_s = 60.0
    yield reader
    await reader.close()


@pytest.mark.fault("G4")
async def test_a_document_that_computes_too_long_is_refused_by_the_time_of_the_processor(
    brief: DocumentProcess,
) -> None:
    await brief.read(task("Before."))
    child = child_of(brief)
    with pytest.raises(ParserTooSlow, match=r"more than 1 s of the processor's time\. Split it,"):
        await brief.read(task("hang"))
    assert child.returncode == -signal.SIGXCPU
    assert (await brief.read(task("After."))).document.text == "After."


async def test_time_in_which_a_parser_gets_no_processor_does_not_count(
    brief: DocumentProcess,
) -> None:
    # Waits as long as a parser does whose turn does not come, without a sign of life.
    assert (await brief.read(task("doze"))).document.text == "doze"


async def test_each_part_and_each_document_has_the_time_of_the_processor_anew(
    brief: DocumentProcess,
) -> None:
    for _ in range(2):
        read = await brief.read(task("work: " + "page " * 3))
        assert read.document.text.startswith("work: page")
    assert brief._served == 2


async def test_a_document_is_not_blamed_for_what_killed_a_child_that_had_served(
    reader: DocumentProcess, tmp_path: Path
) -> None:
    await reader.read(task("Before."))
    read = await reader.read(task(f"worn {tmp_path / 'once'}"))
    assert read.document.text.startswith("worn")


async def test_a_child_that_was_ended_from_outside_is_replaced(reader: DocumentProcess) -> None:
    await reader.read(task("Before."))
    child = child_of(reader)
    child.kill()
    await child.wait()
    assert (await reader.read(task("After."))).document.text == "After."


async def test_a_child_that_was_started_beforehand_is_the_one_that_is_asked(
    reader: DocumentProcess,
) -> None:
    reader.warm()
    reader.warm()
    assert reader._warming
    await reader._warming
    started = child_of(reader).pid
    assert (await reader.read(task("Text."))).document.text == "Text."
    assert child_of(reader).pid == started


async def test_a_child_that_is_still_starting_ends_with_its_reader(reader: DocumentProcess) -> None:
    reader.warm()
    await asyncio.sleep(0)
    await reader.close()
    assert reader._process is None


async def test_a_child_that_cannot_be_started_beforehand_is_no_matter_until_it_is_needed(
    tmp_path: Path,
) -> None:
    reader = DocumentProcess(tmp_path, timeout_s=5.0, memory_mib=MIB, child="no.such.module")
    reader.warm()
    assert reader._warming
    await reader._warming
    with pytest.raises(Unavailable, match="did not start"):
        await reader.read(task("Text."))


async def test_a_child_that_does_not_start_is_no_fault_of_the_document(tmp_path: Path) -> None:
    reader = DocumentProcess(tmp_path, timeout_s=5.0, memory_mib=MIB, child="no.such.module")
    with pytest.raises(Unavailable, match="did not start"):
        await reader.read(task("Text."))


@pytest.mark.control("V18")
@pytest.mark.parametrize("answer", [print, ValueError("x"), {"no": "reply"}, Unavailable])
def test_an_answer_can_make_nothing_but_our_own_data(
    answer: dict[str, str] | type[Unavailable] | Callable[..., Any] | ValueError,
) -> None:
    with pytest.raises(pickle.UnpicklingError):
        _unpack(pickle.dumps(answer))


class OlderPickler(pickle.Pickler):
    """Packs enumerations as Python 3.11.0 to 3.11.3 do, Debian 12's among them."""

    def reducer_override(self, given: object) -> Any:
        return (getattr, (type(given), given.name)) if isinstance(given, Enum) else NotImplemented


def packed_by_an_older_python(given: object) -> bytes:
    data = io.BytesIO()
    OlderPickler(data).dump(given)
    return data.getvalue()


def test_an_answer_of_a_python_that_packs_enumerations_by_name_is_understood() -> None:
    # In the place of a document: what is packed is the same.
    reply = Reply(read=cast("ReadDocument", BlockKind.CODE))
    read: object = _unpack(packed_by_an_older_python(reply)).read
    assert read is BlockKind.CODE


class Gadget:
    """What a child that was taken over might send: an attribute that does more than name a member."""

    def __init__(self, owner: object, name: str) -> None:
        self.owner, self.name = owner, name

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object, str]]:
        return getattr, (self.owner, self.name)


@pytest.mark.control("V18")
@pytest.mark.parametrize(
    ("owner", "name"),
    [(BlockKind, "__subclasses__"), (BlockKind, "mro"), (Reply, "__init__"), ("text", "format")],
)
def test_no_attribute_but_a_member_of_an_enumeration_can_be_asked_for(
    owner: object, name: str
) -> None:
    with pytest.raises(pickle.UnpicklingError, match="is not expected"):
        _unpack(pickle.dumps(Gadget(owner, name)))


class Bench:
    def __init__(self, reader: DocumentProcess) -> None:
        self.client = MemoryQdrant()
        self.books, self.index = MemoryBooks(), QdrantIndex(self.client, STAMP)
        self.pipeline = Pipeline(
            queue=self.books,
            documents=self.books.shared,
            editions=self.books,
            index=self.index,
            embedder=HashEmbedder(),
            reader=reader,
        )

    async def run(self, files: dict[str, str], **fields: Any) -> Job:
        await self.books.add(order(**fields), source(files))
        return await self.finish()

    async def run_uploaded(self, files: Mapping[str, bytes | str], limits: Limits) -> Job:
        """Run what may be published in part, from an archive of its files."""
        upload = io.BytesIO(zipped(files))
        whole = fetch_source("b.zip", upload, limits, allow_partial=True)
        await self.books.add(order(allow_partial=True), whole)
        return await self.finish()

    async def finish(self) -> Job:
        job = await self.books.claim(10.0)
        assert job is not None
        reporter = SilentReporter(self.books, job)
        await self.pipeline.run(job, StoredFiles(self.books, job.job_id), reporter)
        return await self.books.get(job.job_id)


@pytest.fixture
async def bench(reader: DocumentProcess) -> AsyncIterator[Bench]:
    bench = Bench(reader)
    yield bench
    await bench.client.close()


GOOD = {"a.md": "# A\n\nText of a.", "z.md": "# Z\n\nText of z."}
BAD = {**GOOD, "b.txt": "crash", "c.txt": "raise"}


async def test_every_document_that_cannot_be_read_is_named_and_the_last_edition_stays(
    bench: Bench,
) -> None:
    await bench.run(GOOD)
    with pytest.raises(InvalidInput) as caught:
        await bench.run(BAD)
    assert caught.value.message == (
        f'2 documents can\'t be read: "b.txt": {CRASHED} {ANOTHER} '
        f'"c.txt": its parser has a fault; the log of ingest says which. {ANOTHER} '
        "With allow_partial (--allow-partial) the rest is published, and the report names what is not."
    )
    assert (await bench.books.get_book("book")).edition == 1


async def test_with_allow_partial_the_rest_is_published_and_the_report_says_what_is_not(
    bench: Bench,
) -> None:
    await bench.run(GOOD)
    job = await bench.run({**BAD, "d.md": "# D\n\nNew."}, allow_partial=True)
    assert (job.state, job.edition) == (JobState.PUBLISHED, 2)
    report = bench.books.reports["book", 2]
    failures = {document.path: document.failure for document in report.documents}
    assert failures == {
        "a.md": "",
        "b.txt": f'"b.txt": {CRASHED} {ANOTHER}',
        "c.txt": f'"c.txt": its parser has a fault; the log of ingest says which. {ANOTHER}',
        "d.md": "",
        "z.md": "",
    }
    assert "2 documents failed" in report.reasons
    assert any("b.txt" in warning for warning in job.warnings)
    _, documents = await bench.books.list_documents("book", 2)
    assert [document.path for document in documents] == ["a.md", "d.md", "z.md"]


async def test_a_document_that_fails_now_is_not_in_the_partial_edition(bench: Bench) -> None:
    await bench.run({**GOOD, "b.txt": "It was good once."})
    job = await bench.run(BAD, allow_partial=True)
    assert job.edition == 2
    _, documents = await bench.books.list_documents("book", 2)
    assert [document.path for document in documents] == ["a.md", "z.md"]
    # And when it is good again, it comes back.
    await bench.run({**GOOD, "b.txt": "It was good once."})
    _, documents = await bench.books.list_documents("book", 3)
    assert len(documents) == 3


async def test_a_document_that_is_no_text_is_left_out_with_allow_partial(bench: Bench) -> None:
    job = await bench.run_uploaded({**GOOD, "b.md": b"caf\xe9"}, Limits())
    assert (job.state, job.edition) == (JobState.PUBLISHED, 1)
    [failed] = [d for d in bench.books.reports["book", 1].documents if d.failure]
    assert failed.path == "b.md"
    assert "not UTF-8 text: byte 3, line 1" in failed.failure


async def test_a_document_that_is_too_large_is_named_in_the_report_with_allow_partial(
    bench: Bench,
) -> None:
    files = {**GOOD, "b.md": "Much. " * 200}
    job = await bench.run_uploaded(files, Limits(document=1000))
    assert (job.state, job.edition) == (JobState.PUBLISHED, 1)
    omitted = ['Left out: "b.md" is larger than 0 MiB.']
    assert list(bench.books.reports["book", 1].warnings) == omitted
    assert list(job.warnings) == omitted


async def test_a_book_of_nothing_but_bad_documents_is_not_published(bench: Bench) -> None:
    with pytest.raises(InvalidInput):
        await bench.run({"b.txt": "crash"}, allow_partial=True)


def environment_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


@pytest.mark.control("V15")
@pytest.mark.skipif(sys.platform != "linux", reason="reads the environment of a process in /proc")
async def test_the_reader_of_documents_has_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("QUOTH_SERVICE_TOKEN", "QUOTH_POSTGRES_DSN", "OPENAI_API_KEY", "AWS_SECRET"):
        monkeypatch.setenv(name, "never-told")
    reader = DocumentProcess(
        tmp_path, timeout_s=20.0, memory_mib=MIB, child="tests.support.evil_child"
    )
    await reader.read(task("Text."))
    seen = environment_of(child_of(reader).pid)
    await reader.close()
    assert b"PATH=" in seen
    assert b"never-told" not in seen


@pytest.mark.control("V15")
async def test_the_drawer_of_pages_has_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "never-told")
    drawer = PageProcess(timeout_s=20, memory_mib=MIB)
    script = "import os, sys; sys.stdout.write(repr(sorted(os.environ.items())))"
    drawer._command = [sys.executable, "-c", script]
    seen = await drawer.draw(b"", 1)
    assert b"PATH" in seen
    assert b"never-told" not in seen

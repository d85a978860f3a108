"""Editions: published as a whole or not at all, on Qdrant's reference in memory."""

import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from libs.embedding import PartedVectors
from libs.embedding.languages import PACKAGED
from libs.embedding.port import PartedText, Vectors
from libs.errors import InvalidInput
from libs.text import content_terms
from libs.vectors.packed import unpack_rows
from libs.vectors.schema import Payload, Scope
from libs.vectors.stored import decode_chunk, decode_head
from services.ingest import edition, publish
from services.ingest.adapters.qdrant_index import QdrantIndex
from services.ingest.embed import BadVector
from services.ingest.embedding_text import SPAN_RECIPE
from services.ingest.errors import IndexDiffers, LeaseLost
from services.ingest.jobs import StoredFiles
from services.ingest.model.book import Edition, Source, SourceFile
from services.ingest.model.condition import Condition
from services.ingest.model.job import Job, JobKind, JobState
from services.ingest.pipeline import Pipeline
from tests.support.generated_books import Piece, epub
from tests.support.ingest_fakes import (
    STAMP,
    Crash,
    DirectReader,
    HashEmbedder,
    MemoryBooks,
    MemoryFiles,
    SilentReporter,
    Steps,
    order,
    source,
)
from tests.support.memory_qdrant import MemoryQdrant
from tests.support.pdf_files import pdf_of, text_at

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect")


def page(title: str, *paragraphs: str) -> str:
    filler = " ".join(["and so on for a while"] * 9)
    sections = [f"## Part {n}\n\n{text} {filler}." for n, text in enumerate(paragraphs)]
    return f"# {title}\n\n" + "\n\n".join(sections)


FIRST = {
    "a.md": page("Actuators", "Motors turn", "Valves open", "Gears mesh"),
    "b.md": page("Sensors", "Encoders count", "Cameras see"),
    "c.md": page("Power", "Batteries drain"),
}
SECOND = {
    **{path: text for path, text in FIRST.items() if path != "c.md"},
    "a.md": FIRST["a.md"].replace("Valves open", "Valves close"),
    "d.md": page("Safety", "Stop at once"),
}


class Bench:
    """A pipeline on stores in memory, and what a reader of its books would find."""

    def __init__(self) -> None:
        self.client = MemoryQdrant()
        self.books = MemoryBooks()
        self.index = QdrantIndex(self.client, STAMP)
        self.embedder = HashEmbedder()
        self.reporter = SilentReporter()
        self.reader = DirectReader()

    async def run(self, files: dict[str, str], steps: Steps | None = None, **fields: Any) -> Job:
        steps = steps or Steps()
        job = await self.books.add(order(**fields), source(files))
        return await self.resume(job.job_id, steps)

    async def run_source(self, files: dict[str, str], documents: dict[str, bytes]) -> Job:
        """Ingest files of text and documents that are none."""
        held = [*source(files).files, *(SourceFile(*named) for named in documents.items())]
        job = await self.books.add(order(), Source(held))
        return await self.resume(job.job_id)

    async def resume(self, job_id: str, steps: Steps | None = None) -> Job:
        steps = steps or Steps()
        pipeline = Pipeline(
            queue=steps.around(self.books),
            documents=steps.around(self.books.shared),
            editions=steps.around(self.books),
            index=steps.around(self.index),
            embedder=self.embedder,
            reader=self.reader,
        )
        job = await self.books.claim(10.0)
        assert job is not None
        assert job.job_id == job_id
        self.reporter.begin(self.books, job)
        await pipeline.run(job, StoredFiles(self.books, job_id), self.reporter)
        return await self.books.get(job_id)

    async def points(self, scope: Scope | None = None) -> list[Any]:
        if not await self.client.collection_exists(self.index.collection):
            return []
        found, _ = await self.client.scroll(
            self.index.collection,
            scroll_filter=scope.to_filter() if scope else None,
            limit=10_000,
            with_vectors=True,
        )
        return found

    async def places(self, edition: int, book: str = "book") -> list[tuple[str, int, int]]:
        points = await self.points(Scope(book, edition))
        keys = (Payload.DOCUMENT, Payload.START, Payload.END)
        return sorted(tuple(point.payload[key] for key in keys) for point in points)

    async def texts(self, edition: int, book: str = "book") -> list[str]:
        """Return what a reader of an edition finds, read from the documents of that edition."""
        found = []
        for path, start, end in await self.places(edition, book):
            _, document = await self.books.get_document(book, edition, path)
            found.append(document.text[start:end])
        return found


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = Bench()
    yield bench
    await bench.client.close()


async def test_a_first_edition_holds_every_document_and_chunk(bench: Bench) -> None:
    job = await bench.run(FIRST)
    assert (job.state, job.edition) == (JobState.PUBLISHED, 1)
    last = bench.reporter.noted[-1]
    assert (last.documents_done, last.chunks_done, last.chunks_total) == (3, 6, 6)
    book = await bench.books.get_book("book")
    assert (book.title, book.language, book.document_count, book.chunk_count) == (
        "Book",
        "en",
        3,
        6,
    )
    found = await bench.texts(1)
    assert len(found) == 6
    assert any("Valves open" in text for text in found)
    _, documents = await bench.books.list_documents("book", 0)
    assert [document.chunk_count for document in documents] == [3, 2, 1]


PROSE = [
    f"The arm holds number {n} of its many joints as still as it can, and then waits."
    for n in range(40)
]


async def test_a_folder_of_another_form_of_a_document_is_taken_alone(bench: Bench) -> None:
    html = "".join(f"<p>{text.replace('joints', '<em>joints</em>')}</p>\n" for text in PROSE)
    pages = {f"html/{name}.html": f"<h1>{name}</h1>{html}" for name in ("index", "more")}
    job = await bench.run_source(pages, {"arm.pdf": pdf_of([_printed(PROSE)])})
    _, documents = await bench.books.list_documents("book", 0)
    assert sorted(document.path for document in documents) == sorted(pages)
    assert any('"arm.pdf" of "html/"' in warning for warning in job.warnings)


async def test_a_document_of_another_text_beside_a_folder_is_taken_without_a_warning(
    bench: Bench,
) -> None:
    html = "".join(f"<p>{text}</p>\n" for text in PROSE)
    other = [text.replace("arm", "leg").replace("holds", "moves") for text in PROSE]
    job = await bench.run_source({"html/a.html": html}, {"leg.pdf": pdf_of([_printed(other)])})
    _, documents = await bench.books.list_documents("book", 0)
    assert sorted(document.path for document in documents) == ["html/a.html", "leg.pdf"]
    assert not job.warnings


async def test_a_document_that_does_not_tell_is_taken_beside_the_folder_and_named(
    bench: Bench,
) -> None:
    html = "".join(f"<p>{text}</p>\n" for text in PROSE)
    job = await bench.run_source({"html/a.html": html}, {"leg.pdf": pdf_of([_printed(PROSE[:3])])})
    assert any("may be one text in several formats" in warning for warning in job.warnings)


@pytest.mark.parametrize("name", ["ru/manual-a4.pdf", "ru/whole.epub", "ru/plain.txt"])
async def test_another_form_of_the_pages_of_its_folder_is_left_out_whatever_its_name(
    bench: Bench, name: str
) -> None:
    job = await bench.run_source(CHAPTERS, {name: _whole(name, PROSE)})
    _, documents = await bench.books.list_documents("book", 0)
    assert sorted(document.path for document in documents) == sorted(CHAPTERS)
    assert any(f'"{name}" of "ru/*.html"' in warning for warning in job.warnings)


@pytest.mark.parametrize("name", ["ru/leg-a4.pdf", "ru/leg.epub", "ru/leg.txt"])
async def test_another_book_in_the_folder_of_pages_is_taken_without_a_warning(
    bench: Bench, name: str
) -> None:
    job = await bench.run_source(CHAPTERS, {name: _whole(name, LEGS)})
    _, documents = await bench.books.list_documents("book", 0)
    assert sorted(document.path for document in documents) == sorted([*CHAPTERS, name])
    assert not job.warnings


async def test_a_book_of_which_the_pages_beside_it_hold_a_part_is_taken_and_named(
    bench: Bench,
) -> None:
    whole = _whole("ru/whole.epub", [*PROSE, *LEGS])
    job = await bench.run_source(CHAPTERS, {"ru/whole.epub": whole})
    _, documents = await bench.books.list_documents("book", 0)
    assert "ru/whole.epub" in [document.path for document in documents]
    assert any("may be one text in several formats" in warning for warning in job.warnings)


async def test_a_form_that_the_book_orders_is_taken_in_place_of_the_pages(bench: Bench) -> None:
    files = {**CHAPTERS, "quoth.toml": 'order = ["ru/whole.epub"]'}
    job = await bench.run_source(files, {"ru/whole.epub": _whole("ru/whole.epub", PROSE)})
    _, documents = await bench.books.list_documents("book", 0)
    assert [document.path for document in documents] == ["ru/whole.epub"]
    assert any('"ru/*.html" of "ru/whole.epub"' in warning for warning in job.warnings)


async def test_the_source_of_a_page_beside_it_is_left_out_and_another_page_of_its_name_is_not(
    bench: Bench,
) -> None:
    text = "\n\n".join(PROSE[:20]), "\n\n".join(LEGS[:20])
    notes = {f"ru/note-{number}.txt": f"Note {number}." for number in range(8)}
    sources = {"ru/first.txt": text[0], "ru/second.txt": text[1]}
    job = await bench.run({**CHAPTERS, **notes, **sources})
    _, documents = await bench.books.list_documents("book", 0)
    kept = sorted(document.path for document in documents)
    assert kept == sorted([*CHAPTERS, *notes, "ru/second.txt"])
    assert any('"ru/first.txt" of "ru/' in warning for warning in job.warnings)


async def test_a_printed_form_beside_an_epub_of_another_name_is_left_out(bench: Bench) -> None:
    books = {name: _whole(name, PROSE) for name in ("arm.epub", "arm-a4.pdf")}
    await bench.run_source({}, books | {"leg.pdf": _whole("leg.pdf", LEGS)})
    _, documents = await bench.books.list_documents("book", 0)
    assert sorted(document.path for document in documents) == ["arm.epub", "leg.pdf"]


CHAPTERS = {
    f"ru/{name}.html": f"<h1>{name}</h1>" + "".join(f"<p>{text}</p>\n" for text in texts)
    for name, texts in (("first", PROSE[:20]), ("second", PROSE[20:]))
}
LEGS = [text.replace("arm", "leg").replace("holds", "moves") for text in PROSE]


def _whole(name: str, lines: list[str]) -> bytes:
    """Return the lines as a book in the format that the name tells."""
    if name.endswith(".pdf"):
        return pdf_of([_printed(lines)])
    if name.endswith(".epub"):
        return epub([Piece("paragraph", (line,)) for line in lines])
    return "\n\n".join(lines).encode()


def _printed(lines: list[str]) -> list[str]:
    return [text_at(72, 760 - 14 * number, line) for number, line in enumerate(lines)]


async def test_a_book_in_a_language_that_the_model_does_not_know_is_offered_another(
    bench: Bench,
) -> None:
    bench.embedder.stamp = replace(STAMP, name=PACKAGED)
    chinese = "# 机器人\n\n机器人的手臂有六个关节，它可以拿起很重的东西，然后慢慢地放下来。"
    job = await bench.run({"a.md": chinese})
    [warning] = job.warnings
    assert "(Chinese)" in warning
    assert "QUOTH_EMBEDDER=local-multilingual" in warning
    assert not (await bench.run(FIRST, book="english")).warnings


async def test_one_document_in_a_language_that_the_model_does_not_know_is_enough(
    bench: Bench,
) -> None:
    bench.embedder.stamp = replace(STAMP, name=PACKAGED)
    english = (
        "# Robots\n\n" + "The arm of a robot lifts heavy things and puts them down again. " * 5
    )
    chinese = "# 机器人\n\n机器人的手臂有六个关节，它可以拿起很重的东西，然后慢慢地放下来。"
    job = await bench.run({"a.md": english, "b.md": chinese})
    [warning] = job.warnings
    assert "(Chinese)" in warning
    edition = await bench.books.current("book")
    assert (edition.language, list(edition.languages)) == ("en", ["en", "zh"])


IN_GERMAN = (
    "Ein hydraulischer Antrieb verwandelt den Druck einer Flüssigkeit in eine Kraft, die den Arm "
    "bewegt. Wenn das Ventil geschlossen ist, hält er seine Lage, ohne Strom zu verbrauchen. "
)


@pytest.mark.parametrize(
    ("parts", "times", "others"), [(1, 1, set()), (1, 2, {"de"}), (3, 2, {"de"})]
)
async def test_passages_in_another_language_than_their_document_are_terms_of_their_own(
    bench: Bench, parts: int, times: int, others: set[str]
) -> None:
    english = "The arm holds its place, and all of its joints are still while it does so. " * 12
    text = f"# Arms\n\n## Holding\n\n{english}\n\n" * 4
    text += "".join(f"## Teil {part}\n\n{IN_GERMAN * times}\n\n" for part in range(parts))
    await bench.run({"a.md": text})
    spoken = {point.payload[Payload.LANGUAGE] for point in await bench.points()}
    assert spoken == {"en"} | others


async def test_a_language_that_was_stated_is_that_of_all_passages(bench: Bench) -> None:
    await bench.run({"a.md": f"# Teile\n\n{IN_GERMAN * 40}"}, language="en")
    assert {point.payload[Payload.LANGUAGE] for point in await bench.points()} == {"en"}


async def test_points_carry_both_vectors_and_the_edition(bench: Bench) -> None:
    await bench.run(FIRST)
    for point in await bench.points():
        assert len(point.vector["dense"]) == STAMP.dimensions
        assert point.vector["bm25"].indices
        assert point.payload[Payload.BORN] == 1
        assert point.payload[Payload.SECTIONS]


@pytest.mark.fault("G1")
@pytest.mark.invariant("I6")
async def test_the_same_source_again_is_no_new_edition_and_does_no_work(bench: Bench) -> None:
    await bench.run(FIRST)
    bench.embedder.embedded.clear()
    before = [(point.id, point.payload) for point in await bench.points()]
    job = await bench.run(FIRST)
    assert (job.state, job.edition, job.warnings) == (JobState.PUBLISHED, 1, ())
    assert bench.reporter.noted[-1].chunks_reused == 6
    assert not bench.embedder.embedded
    assert [(point.id, point.payload) for point in await bench.points()] == before


async def test_the_next_edition_reuses_what_did_not_change_and_leaves_the_old_one_whole(
    bench: Bench,
) -> None:
    await bench.run(FIRST)
    old = await bench.texts(1)
    bench.embedder.embedded.clear()
    job = await bench.run(SECOND)
    assert job.edition == 2
    # One word changed and one document came: two texts, however many chunks moved.
    assert len(bench.embedder.embedded) == 2
    assert bench.reporter.noted[-1].chunks_reused == 4
    assert await bench.texts(1) == old
    new = await bench.texts(2)
    assert len(new) == 6
    assert any("Valves close" in text for text in new)
    assert not any("Valves open" in text or "Batteries" in text for text in new)


async def test_only_documents_that_changed_are_read(bench: Bench) -> None:
    await bench.run(FIRST)
    bench.reader.read_paths.clear()
    await bench.run({**FIRST, "b.md": FIRST["b.md"].replace("Encoders", "Decoders")})
    assert bench.reader.read_paths == ["b.md"]
    report = bench.books.reports["book", 2]
    assert [(d.path, d.change, d.chunks_new) for d in report.documents] == [
        ("a.md", "unchanged", 0),
        ("b.md", "changed", 2),  # the chunk, and the one that has its last words beside it
        ("c.md", "unchanged", 0),
    ]
    assert (report.chunks_new, report.chunks_kept, report.chunks_removed) == (2, 4, 2)
    assert report.vectors_new == 1
    assert all(d.covered_characters == d.visible_characters > 0 for d in report.documents)


@pytest.mark.parametrize(
    "fields", [{"language": "de"}, {"profile": "integrated"}], ids=["language", "chunking"]
)
async def test_every_document_is_read_again_when_it_would_be_read_otherwise(
    bench: Bench, fields: dict[str, Any]
) -> None:
    await bench.run(FIRST)
    bench.reader.read_paths.clear()
    await bench.run(FIRST, **fields)
    assert bench.reader.read_paths == ["a.md", "b.md", "c.md"]


async def test_a_new_title_of_the_book_reads_no_document_again(bench: Bench) -> None:
    await bench.run(FIRST)
    bench.reader.read_paths.clear()
    assert (await bench.run(FIRST, title="Other")).edition == 2
    assert bench.reader.read_paths == []


async def test_a_document_that_moved_in_the_order_is_read_again(bench: Bench) -> None:
    await bench.run(FIRST)
    bench.reader.read_paths.clear()
    await bench.run({**FIRST, "quoth.toml": 'order = ["c.md", "b.md", "a.md"]'})
    assert sorted(bench.reader.read_paths) == ["a.md", "c.md"]


async def test_points_of_documents_that_did_not_change_are_not_written_again(bench: Bench) -> None:
    await bench.run(FIRST)
    await bench.run({**FIRST, "a.md": FIRST["a.md"].replace("Motors", "Servo motors")})
    points = await bench.points(Scope("book", 2))
    born = {point.payload[Payload.BORN] for point in points if point.payload["document"] != "a.md"}
    assert born == {1}


async def test_going_back_to_an_earlier_source_is_a_third_edition_without_new_vectors(
    bench: Bench,
) -> None:
    await bench.run(FIRST)
    await bench.run(SECOND)
    bench.embedder.embedded.clear()
    assert (await bench.run(FIRST)).edition == 3
    assert not bench.embedder.embedded
    assert await bench.texts(3) == await bench.texts(1)


async def test_a_file_of_another_name_is_another_document_with_the_vectors_it_had(
    bench: Bench,
) -> None:
    await bench.run(FIRST)
    bench.embedder.embedded.clear()
    renamed = {path.replace("b.md", "part/c.md"): text for path, text in FIRST.items()}
    await bench.run(renamed)
    report = bench.books.reports["book", 2]
    assert {one.path: one.change for one in report.documents}["part/c.md"] == "added"
    assert report.removed == ["b.md"]
    assert report.reasons == ["1 document added", "1 document removed"]
    assert (bench.embedder.embedded, report.vectors_new) == ([], 0)
    assert sorted(await bench.texts(2)) == sorted(await bench.texts(1))


@pytest.mark.fault("G1")
async def test_the_same_bytes_under_two_names_are_two_documents_and_one_computation(
    bench: Bench,
) -> None:
    await bench.run({"a.md": FIRST["a.md"], "b.md": FIRST["a.md"]})
    texts = await bench.texts(1)
    assert len(texts) == 2 * len(set(texts)) == 2 * len(bench.embedder.embedded)


async def test_books_do_not_touch_each_other(bench: Bench) -> None:
    await bench.run(FIRST, book="one")
    await bench.run(SECOND, book="two")
    await bench.run({"a.md": "# New\n\nText."}, book="one")
    assert await bench.texts(2, "one") == ["New\n\nText."]
    assert len(await bench.texts(1, "two")) == 6


@pytest.mark.fault("P5")
@pytest.mark.invariant("I2", "I6")
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_a_crash_at_any_step_shows_nothing_by_halves_and_is_made_good(after: bool) -> None:
    crashed_at = 0
    while True:
        bench = Bench()
        await bench.run(FIRST)
        old = await bench.texts(1)
        steps = Steps(crashed_at, after=after)
        job = await bench.books.add(order(), source(SECOND))
        try:
            await bench.resume(job.job_id, steps)
        except Crash:
            state = await bench.books.get(job.job_id)
            current = (await bench.books.get_book("book")).edition
            assert current == (2 if state.state.ended else 1)
            assert await bench.texts(1) == old
            if not state.state.ended:
                bench.books.expire(state)
                await bench.resume(job.job_id)
        else:
            break
        finally:
            await check_second_edition(bench, old)
            await bench.client.close()
        crashed_at += 1
    assert crashed_at > 10


async def check_second_edition(bench: Bench, old: list[str]) -> None:
    reference = Bench()
    await reference.run(FIRST)
    await reference.run(SECOND)
    assert (await bench.books.get_book("book")).edition == 2
    assert await bench.texts(1) == old
    assert await bench.places(2) == await reference.places(2)
    assert len(await bench.points()) == len(await reference.points()), "orphans are left"
    await reference.client.close()


async def test_points_of_a_crashed_attempt_do_not_reach_the_edition_of_another_source(
    bench: Bench,
) -> None:
    await bench.run(FIRST)
    job = await bench.books.add(order(), source(SECOND))
    with pytest.raises(Crash):
        await bench.resume(job.job_id, Steps(9, after=True))
    await bench.books.fail(await bench.books.get(job.job_id), "given up")
    third = {"a.md": "# Other\n\nText."}
    assert (await bench.run(third)).edition == 2
    assert await bench.texts(2) == ["Other\n\nText."]


async def test_points_that_a_crashed_attempt_ended_live_on_in_the_edition_of_another_source(
    bench: Bench,
) -> None:
    await bench.run(FIRST)
    job = await bench.books.add(order(), source(SECOND))
    retired = bench.index.retire

    async def retire_and_crash(*arguments: Any, **named: Any) -> None:
        await retired(*arguments, **named)
        raise Crash

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bench.index, "retire", retire_and_crash)
        with pytest.raises(Crash):
            await bench.resume(job.job_id)
    await bench.books.fail(await bench.books.get(job.job_id), "given up")
    assert (await bench.run({**FIRST, "e.md": "# Other\n\nText."})).edition == 2
    assert len(await bench.texts(2)) == 7


@pytest.mark.fault("P9")
@pytest.mark.parametrize("stage", ["split", "embed"])
async def test_a_worker_that_loses_its_lease_on_the_way_writes_no_point_any_more(
    bench: Bench, stage: str
) -> None:
    await bench.run(FIRST)
    before = [(point.id, point.payload) for point in await bench.points()]
    bench.reporter.lost_at = stage
    with pytest.raises(LeaseLost):
        await bench.run(SECOND)
    assert [(point.id, point.payload) for point in await bench.points()] == before


@pytest.mark.fault("P9")
async def test_a_worker_that_loses_its_lease_before_it_publishes_changes_nothing_that_is_seen(
    bench: Bench,
) -> None:
    await bench.run(FIRST)
    before = await bench.texts(1)
    bench.reporter.lost_at = "publish"
    with pytest.raises(LeaseLost):
        await bench.run(SECOND)
    assert await bench.texts(1) == before
    assert (await bench.books.get_book("book")).edition == 1


async def test_a_worker_that_lost_its_lease_writes_nothing(bench: Bench) -> None:
    await bench.run(FIRST)
    bench.reporter.lost = True
    with pytest.raises(LeaseLost):
        await bench.run(SECOND)
    assert (await bench.books.get_book("book")).edition == 1
    assert {point.payload[Payload.BORN] for point in await bench.points()} == {1}


@pytest.mark.fault("P9")
async def test_an_owner_whose_job_was_taken_over_cannot_publish(bench: Bench) -> None:
    await bench.run(FIRST)
    job = await bench.books.add(order(), source(SECOND))
    stale = await bench.books.claim(10.0)
    assert stale is not None
    bench.books.expire(stale)
    await bench.resume(job.job_id)
    pipeline = Pipeline(
        queue=bench.books,
        documents=bench.books.shared,
        editions=bench.books,
        index=bench.index,
        embedder=bench.embedder,
        reader=DirectReader(),
    )
    with pytest.raises((LeaseLost, RuntimeError)):
        await pipeline.run(
            stale, MemoryFiles(source(FIRST).files), SilentReporter(bench.books, stale)
        )
    assert (await bench.books.get_book("book")).edition == 2


@pytest.mark.fault("G8")
async def test_an_index_that_lost_points_is_written_anew(bench: Bench) -> None:
    await bench.run(FIRST)
    await bench.client.delete_collection(bench.index.collection)
    job = await bench.run(FIRST)
    assert job.edition == 2
    assert len(await bench.texts(2)) == 6
    assert bench.reporter.noted[-1].chunks_reused == 6


@pytest.mark.invariant("I2")
async def test_points_beyond_the_expected_ones_stop_the_publication(bench: Bench) -> None:
    await bench.run(FIRST)

    class Meddled(QdrantIndex):
        async def examine(
            self, book: str, edition: int, expected: AbstractSet[tuple[str, int]], **how: Any
        ) -> Condition:
            return await super().examine(book, edition, {*expected, ("x", 2)}, **how)

    bench.index = Meddled(bench.client, STAMP)
    with pytest.raises(IndexDiffers):
        await bench.run(SECOND)
    assert (await bench.books.get_book("book")).edition == 1


@pytest.mark.fault("D5")
async def test_another_model_gives_a_collection_and_an_edition_of_its_own(bench: Bench) -> None:
    await bench.run(FIRST)
    bench.index = QdrantIndex(bench.client, replace(STAMP, revision="2"))
    bench.embedder.stamp = replace(STAMP, revision="2")
    bench.embedder.embedded.clear()
    assert (await bench.run(FIRST)).edition == 2
    assert len(bench.embedder.embedded) == 6
    assert len(await bench.texts(2)) == 6
    # And back again: what the first collection held is not mixed with what it holds now.
    bench.index = QdrantIndex(bench.client, STAMP)
    bench.embedder.stamp = STAMP
    assert (await bench.run(SECOND)).edition == 3
    assert len(await bench.texts(3)) == 6


@pytest.mark.fault("D5")
@pytest.mark.parametrize("value", [float("nan"), 0.0])
async def test_vectors_of_no_length_or_not_a_number_are_refused(
    bench: Bench, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def embed(texts: Sequence[str]) -> Vectors:
        vectors = await HashEmbedder.embed(bench.embedder, texts)
        vectors[0] = value
        return vectors

    monkeypatch.setattr(bench.embedder, "embed", embed)
    with pytest.raises(BadVector):
        await bench.run(FIRST)
    assert not bench.books.vectors


class PartedEmbedder(HashEmbedder):
    """Sees its texts part by part: each gets the vector that it would get as a text."""

    async def embed_parts(self, texts: Sequence[PartedText]) -> list[PartedVectors]:
        found = []
        for parted in texts:
            own = [parted.text[start:end] for start, end in parted.parts]
            rows = await super().embed([parted.text, *own])
            found.append(PartedVectors(rows[0], rows[1:]))
        return found


async def test_sentences_have_vectors_between_in_context_and_alone_under_their_title(
    bench: Bench,
) -> None:
    bench.embedder = PartedEmbedder()
    await bench.run(FIRST)
    await bench.run({"a.md": FIRST["a.md"]})
    await bench.run(FIRST)
    for point in await bench.points():
        chunk = decode_chunk(point.payload[Payload.CHUNK])
        texts = [
            chunk.text[start - chunk.start : end - chunk.start] for start, end, _ in chunk.spans
        ]
        *_, title, sentence = texts
        assert (title[:4], sentence[-1]) == ("Part", ".")
        expected = await HashEmbedder().embed([*texts, f"{title}. {sentence}"])
        expected[-2] = (expected[-2] + expected[-1]) / np.linalg.norm(expected[-2] + expected[-1])
        found = unpack_rows(chunk.span_vectors, len(texts), STAMP.dimensions)
        assert found == pytest.approx(expected[:-1], abs=0.05)
        head = decode_head(point.payload[Payload.HEAD])
        assert head.terms >= set(content_terms(chunk.text))
        assert (head.chunk_id, head.start, head.end) == (chunk.chunk_id, chunk.start, chunk.end)


async def test_vectors_made_in_another_way_are_made_again_with_the_next_ingest(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.embedder = PartedEmbedder()
    before = [name for name in publish.POINT_SCHEMA if name != SPAN_RECIPE]
    with monkeypatch.context() as earlier:
        earlier.setattr(publish, "POINT_SCHEMA", before)
        earlier.setattr(edition, "POINT_SCHEMA", before)
        await bench.run(FIRST)
        assert (await bench.run(FIRST)).edition == 1
    assert (await bench.run(FIRST)).edition == 2
    old = {point.id for point in await bench.points(Scope("book", 1))}
    new = {point.id for point in await bench.points(Scope("book", 2))}
    assert len(old) == len(new) > 0
    assert old.isdisjoint(new)
    assert (await bench.run(FIRST)).edition == 2


async def test_points_say_where_their_chunks_stand_for_whoever_reads_the_collection(
    bench: Bench,
) -> None:
    await bench.run(FIRST)
    for point in await bench.points():
        held = point.payload
        chunk = decode_chunk(held[Payload.CHUNK])
        assert uuid.UUID(held["chunk_id"]).hex == chunk.chunk_id
        for name in ("module_id", "chapter_id", "section_id"):
            assert str(uuid.UUID(held[name])) == held[name]
        assert held["chapter_title"] == chunk.section_path[0]
        assert held["chunk_index"] >= 0
        assert 0 <= held["start_sentence"] <= held["end_sentence"]
        assert (held["page"], held["end_page"]) == (0, 0)
        assert held["token_count"] > 0
        assert held["url"] == chunk.url


async def test_without_such_a_model_sentences_have_no_vectors(bench: Bench) -> None:
    await bench.run(FIRST)
    [first, *_] = await bench.points()
    assert decode_chunk(first.payload[Payload.CHUNK]).span_vectors == b""


@pytest.mark.parametrize("damage", [lambda rows: rows[1:], lambda rows: rows * np.nan])
async def test_span_vectors_that_are_missing_or_no_numbers_are_refused(
    bench: Bench, damage: Callable[..., Any]
) -> None:
    class Broken(HashEmbedder):
        async def embed_parts(self, texts: Sequence[PartedText]) -> list[PartedVectors]:
            rows = await self.embed([parted.text for parted in texts])
            parts = [np.ones((len(parted.parts), STAMP.dimensions)) for parted in texts]
            return [PartedVectors(*pair) for pair in zip(rows, map(damage, parts), strict=True)]

    bench.embedder = Broken()
    with pytest.raises(BadVector):
        await bench.run(FIRST)
    assert not bench.books.vectors


async def test_a_source_without_text_is_refused_with_what_its_documents_tell(bench: Bench) -> None:
    scan = pdf_of([["q 600 0 0 800 0 0 cm /Im Do Q"]]).decode()
    with pytest.raises(InvalidInput) as caught:
        await bench.run({"a.md": "<div></div>", "b.pdf": scan})
    assert caught.value.message.startswith('The source holds no text. "a.md": it holds no text. "b')
    assert "it is scanned and has to be read by OCR first" in caught.value.message


async def test_titles_and_languages_come_from_the_order_then_the_book_then_before(
    bench: Bench,
) -> None:
    toml = {"quoth.toml": 'title = "From file"\nlanguage = "de"'}
    assert (await bench.run({**FIRST, **toml})).edition == 1
    book = await bench.books.get_book("book")
    assert (book.title, book.language) == ("From file", "de")
    await bench.run(FIRST)
    assert (await bench.books.get_book("book")).title == "From file"
    await bench.run(FIRST, title="From order")
    assert (await bench.books.get_book("book")).title == "From order"


async def test_a_title_with_the_joiners_of_persian_is_the_book_s(bench: Bench) -> None:
    title = "راهنمای سیستم\u200cها"
    pages = {
        "index.html": f"<title>{title}</title><a href='a.html'>A</a>",
        "a.html": "<p>Text.</p>",
    }
    await bench.run({**pages, "b.html": "<p>More of it.</p>"})
    assert (await bench.books.get_book("book")).title == title
    with pytest.raises(InvalidInput):
        await bench.run({**FIRST, "quoth.toml": 'title = "Mil\u202els"'})


GERMAN = "# Ventile\n\nEin Ventil öffnet und schließt den Weg der Flüssigkeit durch das Rohr.\n"
CHINESE = "# 阀门\n\n阀门打开和关闭流体通过管道的路径,压力由泵产生。\n"


async def languages_of(bench: Bench, edition: int) -> dict[str, str]:
    found = [point.payload or {} for point in await bench.points(Scope("book", edition))]
    return {payload[Payload.DOCUMENT]: payload[Payload.LANGUAGE] for payload in found}


async def test_the_language_is_found_per_document_and_that_of_most_text_is_the_books(
    bench: Bench,
) -> None:
    files = {"a.md": GERMAN, "b.md": CHINESE, "c.md": FIRST["a.md"], "d.md": GERMAN * 25}
    await bench.run(files)
    report = bench.books.reports["book", 1]
    assert (await bench.books.get_book("book")).language == report.language == "de"
    found = {"a.md": "de", "b.md": "zh", "c.md": "en", "d.md": "de"}
    assert await languages_of(bench, 1) == found
    assert {document.path: document.language for document in report.documents} == found
    await bench.run({**files, "d.md": CHINESE * 60, "e.md": CHINESE})
    assert (await bench.books.get_book("book")).language == "zh"
    assert bench.books.reports["book", 2].language == "zh"
    assert await languages_of(bench, 2) == {**found, "d.md": "zh", "e.md": "zh"}
    dry = await bench.run(files, kind=JobKind.DRY_RUN)
    assert dry.report is not None
    assert dry.report.language == "de"


async def test_a_dry_run_compares_with_what_readers_see_after_a_roll_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.run(FIRST)
    seen = await bench.books.current("book")
    await bench.run(SECOND)
    newest = await bench.books.latest("book")

    async def current(book: str) -> Edition:
        return seen

    async def latest(book: str) -> Edition:
        return newest

    monkeypatch.setattr(bench.books, "current", current)
    monkeypatch.setattr(bench.books, "latest", latest)
    more = {**FIRST, "e.md": page("Safety", "Stop at once")}
    report = (await bench.run(more, kind=JobKind.DRY_RUN)).report
    assert report is not None
    kept = seen.chunk_count
    assert (report.chunks_new, report.chunks_kept, report.chunks_removed) == (1, kept, 0)
    assert report.edition == newest.number + 1


async def test_a_stated_language_is_taken_for_every_document(
    bench: Bench,
) -> None:
    files = {"a.md": GERMAN, "b.md": CHINESE}
    await bench.run(files)
    await bench.run(files, language="fr")
    assert (await bench.books.get_book("book")).language == "fr"
    assert bench.books.reports["book", 2].language == "fr"
    assert await languages_of(bench, 2) == {"a.md": "fr", "b.md": "fr"}


async def test_a_book_with_its_language_found_is_not_made_again(
    bench: Bench,
) -> None:
    assert (await bench.run({"a.md": GERMAN})).edition == 1
    assert (await bench.run({"a.md": GERMAN})).edition == 1
    assert (await bench.books.get_book("book")).language == "de"


async def test_code_says_nothing_of_the_language(
    bench: Bench,
) -> None:
    code = "```\n" + "the value of this is for you and that is the end of it\n" * 20 + "```\n"
    await bench.run({"a.md": GERMAN + code})
    assert (await bench.books.get_book("book")).language == "de"


ONE_PAGE = "<html><head><title>{}</title></head><body><p>It is asked often.</p></body></html>"


@pytest.mark.parametrize(
    ("files", "title"),
    [
        ({"faq.html": ONE_PAGE.format("Questions  and\nanswers")}, "Questions and answers"),
        ({"faq.md": "# Questions\n\nText."}, "Questions"),
        ({"faq.md": "# Faq\n\nText."}, "Faq"),
        ({"faq.md": "Text alone."}, "Book"),
        ({"faq.html": ONE_PAGE.format("Microsoft Word - faq_v3.doc")}, "Book"),
        ({"faq.html": ONE_PAGE.format("x" * 501)}, "Book"),
        ({"a.md": "# A\n\nText.", "b.md": "# B\n\nText."}, "Book"),
        ({"index.html": ONE_PAGE.format("A site"), "b.html": ONE_PAGE.format("B")}, "A site"),
        (
            {
                "index.html": ONE_PAGE.format("Welcome — The Mill — a handbook"),
                "a.html": "<title>Gates — The Mill — a handbook</title><p>Oak lasts forty years.",
            },
            "The Mill — a handbook",
        ),
        (
            {
                "index.html": ONE_PAGE.format("The Mill — a handbook"),
                "a.html": "<title>Gates — another handbook</title><p>Oak lasts forty years.",
            },
            "The Mill — a handbook",
        ),
        ({"index.html": ONE_PAGE.format("A page"), "b.md": "# B\n\nText."}, "Book"),
        ({"faq.md": "# Q\n\nText.", "quoth.toml": 'title = "Given"'}, "Given"),
        (
            {
                "docusaurus.config.js": "export default {title: 'Robots', url: 'https://r.example'}",
                "docs/a.md": "# A\n\nText.",
                "docs/b.md": "# B\n\nText.",
            },
            "Robots",
        ),
        (
            {
                f"{name}.html": f"<title>{name.title()} - The Wiki</title><h1>{name}</h1><p>Text."
                for name in ("lens", "pole", "seam")
            },
            "The Wiki",
        ),
    ],
)
async def test_a_book_without_a_given_title_is_called_what_it_calls_itself(
    bench: Bench, files: dict[str, str], title: str
) -> None:
    assert (await bench.run(files)).edition == 1
    assert (await bench.books.get_book("book")).title == title
    again = await bench.run(files)
    assert (again.state, again.edition) == (JobState.PUBLISHED, 1), "the same title, no new edition"


async def test_a_book_keeps_the_title_it_has_when_its_document_is_called_otherwise(
    bench: Bench,
) -> None:
    await bench.run({"faq.md": "# Questions\n\nText."})
    await bench.run({"faq.md": "# Asked\n\nText."})
    assert (await bench.books.get_book("book")).title == "Questions"


async def test_progress_goes_through_the_stages(bench: Bench) -> None:
    await bench.run(FIRST)
    stages = [progress.stage for progress in bench.reporter.noted]
    assert list(dict.fromkeys(stages)) == ["split", "embed", "publish"]
    done = [progress.chunks_done for progress in bench.reporter.noted]
    assert done == sorted(done)

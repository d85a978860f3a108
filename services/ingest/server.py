"""Answer the calls of the ingest service."""

import asyncio
import errno
import io
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, BinaryIO, cast

import grpc
from quoth.ingest.v1 import ingest_service_pb2, ingest_service_pb2_grpc
from typing_extensions import override

from libs.errors import (
    DeadlineExceeded,
    InvalidInput,
    NoRoom,
    NotFound,
    TooLarge,
    Unavailable,
)
from libs.paging import cut, one_more, read_page_size
from libs.profiles import SHIPPED, load_profile
from libs.text import is_printable
from libs.uploads import UPLOAD_TIMEOUT_S
from services.ingest import wire
from services.ingest.disk_floor import NO_FLOOR, DiskFloor
from services.ingest.exact_words import WordSearch
from services.ingest.fetch import fetch_source
from services.ingest.model.book import Source
from services.ingest.model.job import Job, JobKind, Order
from services.ingest.model.language_tag import read_language
from services.ingest.original import OriginalPages
from services.ingest.parsers.archive import MIB, Limits
from services.ingest.ports.editions import Catalogue
from services.ingest.ports.index import PassageIndex
from services.ingest.ports.jobs import History, JobStore, States
from services.ingest.upkeep.history import DEFAULT_KEEP, index_of
from services.ingest.upkeep.integrity import IntegrityCheck

_SLUG = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")
MAX_TITLE = 500
_WATCH_EVERY_S = 0.2
_WATCH_OUTAGES = 75
_IN_MEMORY = 8 * MIB
_UPLOADS_AT_ONCE = 2
_DRAINED = 512 * MIB
_MOST_WORDS = 4000
"""Characters of words that are looked for."""
_SECTIONS = 20

Parts = AsyncIterator[ingest_service_pb2.StartIngestRequest]


class IngestServicer(ingest_service_pb2_grpc.IngestServiceServicer):
    """The service at its edge.

    `indexes` are those that readers can be led to: of the model, and of one that books move away from.
    `arriving` is called when a source begins to arrive, `queued` when its job has been accepted;
    `next_end` gives what is set when a job has ended in this process.
    """

    def __init__(
        self,
        *,
        jobs: JobStore,
        catalogue: Catalogue,
        history: History,
        states: States,
        indexes: Sequence[PassageIndex],
        integrity: IntegrityCheck,
        pages: OriginalPages,
        limits: Limits,
        arriving: Callable[[], None],
        queued: Callable[[], None],
        next_end: Callable[[], asyncio.Event],
        profiles: Path = SHIPPED,
        floor: DiskFloor = NO_FLOOR,
        upload_timeout_s: float = UPLOAD_TIMEOUT_S,
    ) -> None:
        self._jobs = jobs
        self._catalogue = catalogue
        self._history = history
        self._states = states
        self._integrity = integrity
        self._pages = pages
        self._words = WordSearch(catalogue)
        self._indexes = indexes
        self._limits = limits
        self._arriving = arriving
        self._queued = queued
        self._next_end = next_end
        self._profiles = profiles
        self._floor = floor
        self._upload_timeout_s = upload_timeout_s
        self._uploads = asyncio.Semaphore(_UPLOADS_AT_ONCE)

    def register(self, server: grpc.aio.Server) -> None:
        ingest_service_pb2_grpc.add_IngestServiceServicer_to_server(self, server)

    @override
    async def StartIngest(
        self, request_iterator: Parts, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.StartIngestResponse:
        try:
            job = await self._accept(request_iterator)
        except (InvalidInput, TooLarge, NotFound, Unavailable):
            # A client that is still sending would not get the reason, only a broken stream.
            await _drain(request_iterator, self._upload_timeout_s)
            raise
        self._queued()
        return ingest_service_pb2.StartIngestResponse(job=wire.from_job(job))

    async def _accept(self, parts: Parts) -> Job:
        header = await _read_header(parts)
        order = wire.to_order(header)
        order = _check_order(order)
        mark = wire.to_mark(header)
        load_profile(order.profile, self._profiles)
        await self._floor.try_store()
        self._floor.require()
        self._arriving()
        async with self._uploads:
            with (
                _disk_errors(),
                tempfile.SpooledTemporaryFile(_IN_MEMORY) as upload,
                tempfile.SpooledTemporaryFile(_IN_MEMORY) as room,
            ):
                await self._receive(parts, upload, mark)
                self._floor.require(upload.tell())
                source = await asyncio.to_thread(
                    fetch_source,
                    header.file_name,
                    cast("BinaryIO", upload),
                    self._limits,
                    allow_partial=order.allow_partial,
                    room=cast("BinaryIO", room),
                )
                self._floor.require(room.seek(0, io.SEEK_END))
                return await self._jobs.add(order, source, mark.seal() if mark else None)

    async def _receive(self, parts: Parts, upload: IO[bytes], mark: wire.Mark | None) -> None:
        size = 0
        try:
            async with asyncio.timeout(self._upload_timeout_s):
                async for part in parts:
                    if part.WhichOneof("part") != "data":
                        raise InvalidInput("After the header only data may follow.")
                    size += len(part.data)
                    if size > self._limits.upload:
                        megabytes = self._limits.upload // MIB
                        raise TooLarge(f"The source is larger than {megabytes} MiB.")
                    upload.write(part.data)
                    if mark:
                        mark.add(part.data)
        except TimeoutError as error:
            raise DeadlineExceeded("The upload took too long.") from error

    @override
    async def WatchIngest(
        self, request: ingest_service_pb2.WatchIngestRequest, _context: grpc.aio.ServicerContext
    ) -> AsyncIterator[ingest_service_pb2.WatchIngestResponse]:
        shown = None
        outages = 0
        while True:
            # Taken before the job is looked at, so that no end falls in between.
            ended = self._next_end()
            try:
                job, outages = await self._jobs.get(request.job_id), 0
            except Unavailable:
                # The job goes on when its database comes back, and so does who watches it.
                outages += 1
                if shown is None or outages > _WATCH_OUTAGES:
                    raise
                job = shown
            if job != shown:
                yield ingest_service_pb2.WatchIngestResponse(job=wire.from_job(job))
            if job.state.ended:
                return
            shown = job
            with suppress(TimeoutError):
                async with asyncio.timeout(_WATCH_EVERY_S):
                    await ended.wait()

    @override
    async def CancelIngest(
        self, request: ingest_service_pb2.CancelIngestRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.CancelIngestResponse:
        job = await self._jobs.cancel(request.job_id)
        return ingest_service_pb2.CancelIngestResponse(job=wire.from_job(job))

    @override
    async def ListIngests(
        self, request: ingest_service_pb2.ListIngestsRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.ListIngestsResponse:
        jobs = await self._jobs.list_unended(_without_nul(request.book))
        return ingest_service_pb2.ListIngestsResponse(jobs=map(wire.from_job, jobs))

    @override
    async def ListEditions(
        self, request: ingest_service_pb2.ListEditionsRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.ListEditionsResponse:
        book, most = _without_nul(request.book), read_page_size(request.page_size)
        before = wire.edition_of_cursor(request.page_token, book)
        found = await self._history.list_editions(book, before, one_more(most))
        page, last = cut(found, most)
        return ingest_service_pb2.ListEditionsResponse(
            editions=map(wire.from_edition, page),
            next_page_token=wire.cursor_of_edition(book, last.number) if last else "",
        )

    @override
    async def GetReport(
        self, request: ingest_service_pb2.GetReportRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.GetReportResponse:
        book, edition = _without_nul(request.book), _edition(request.edition)
        report = await self._history.get_report(book, edition)
        return ingest_service_pb2.GetReportResponse(report=wire.from_report(report))

    @override
    async def DiffEditions(
        self, request: ingest_service_pb2.DiffEditionsRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.DiffEditionsResponse:
        numbers = _edition(request.from_edition), _edition(request.to_edition)
        book = _without_nul(request.book)
        before, after = await self._history.find_pair(book, *numbers)
        order = Order(book, kind=JobKind.COMPARE, before=before.number, edition=after.number)
        job = await self._queue_upkeep(order)
        return ingest_service_pb2.DiffEditionsResponse(job=wire.from_job(job))

    @override
    async def RollBack(
        self, request: ingest_service_pb2.RollBackRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.RollBackResponse:
        book = _without_nul(request.book)
        edition = await self._history.find(book, _edition(request.edition))
        index_of(edition, self._indexes)
        job = await self._queue_upkeep(Order(book, kind=JobKind.ROLL_BACK, edition=edition.number))
        return ingest_service_pb2.RollBackResponse(job=wire.from_job(job))

    @override
    async def RenameBook(
        self, request: ingest_service_pb2.RenameBookRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.RenameBookResponse:
        title = " ".join(_without_nul(request.title).split())
        if not 1 <= len(title) <= MAX_TITLE:
            raise InvalidInput(f"title: Send 1 to {MAX_TITLE} characters.")
        slug = (await self._catalogue.get_book(_without_nul(request.book))).slug
        await self._history.rename(slug, title)
        book = await self._catalogue.get_book(slug)
        return ingest_service_pb2.RenameBookResponse(book=wire.from_book(book))

    @override
    async def VacuumBook(
        self, request: ingest_service_pb2.VacuumBookRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.VacuumBookResponse:
        if request.keep < 0:
            raise InvalidInput("Keep 1 edition or more, or 0 for the default.")
        book, keep = _without_nul(request.book), request.keep or DEFAULT_KEEP
        await self._history.list_editions(book, most=1)
        job = await self._queue_upkeep(Order(book, kind=JobKind.VACUUM, keep=keep))
        return ingest_service_pb2.VacuumBookResponse(job=wire.from_job(job))

    @override
    async def DeleteBook(
        self, request: ingest_service_pb2.DeleteBookRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.DeleteBookResponse:
        book = await self._catalogue.get_book(_without_nul(request.book))
        job = await self._queue(Order(book.slug, kind=JobKind.DELETE_BOOK))
        return ingest_service_pb2.DeleteBookResponse(job=wire.from_job(job))

    @override
    async def DeleteDocument(
        self, request: ingest_service_pb2.DeleteDocumentRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.DeleteDocumentResponse:
        book, path = _without_nul(request.book), _without_nul(request.path)
        await self._catalogue.get_document(book, 0, path)
        await self._floor.try_store()
        self._floor.require()
        job = await self._queue(Order(book, kind=JobKind.DELETE_DOCUMENT, document=path))
        return ingest_service_pb2.DeleteDocumentResponse(job=wire.from_job(job))

    async def _queue(self, order: Order) -> Job:
        job = await self._jobs.add(order, Source([]))
        self._queued()
        return job

    async def _queue_upkeep(self, order: Order) -> Job:
        job = await self._jobs.add_upkeep(order)
        self._queued()
        return job

    @override
    async def ListBooks(
        self, request: ingest_service_pb2.ListBooksRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.ListBooksResponse:
        slugs, most = [*map(_without_nul, request.slugs)], read_page_size(request.page_size)
        after = wire.book_of_cursor(request.page_token)
        page, last = cut(await self._catalogue.list_books(slugs, after, one_more(most)), most)
        return ingest_service_pb2.ListBooksResponse(
            books=map(wire.from_book, page),
            next_page_token=wire.cursor_of_book(last.slug) if last else "",
        )

    @override
    async def GetBook(
        self, request: ingest_service_pb2.GetBookRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.GetBookResponse:
        book = await self._catalogue.get_book(_without_nul(request.slug))
        self._integrity.check(book.slug, book.edition)
        return ingest_service_pb2.GetBookResponse(book=wire.from_book(book))

    @override
    async def GetIndexState(
        self, request: ingest_service_pb2.GetIndexStateRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.GetIndexStateResponse:
        book, most = _without_nul(request.book), read_page_size(request.page_size)
        after = wire.path_of_cursor(request.page_token, book)
        states = await self._states.get_states(book)
        rest = [item for item in states.documents if not after or item[0] > after]
        page, last = cut(rest[: one_more(most)], most)
        token = wire.cursor_of_state(book, last[0]) if last else ""
        return wire.from_states(states, page, token)

    @override
    async def ListDocuments(
        self, request: ingest_service_pb2.ListDocumentsRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.ListDocumentsResponse:
        book, most = _without_nul(request.book), read_page_size(request.page_size)
        wanted = _edition(request.edition)
        edition, after = wire.document_of_cursor(request.page_token, book, wanted)
        number, found = await self._catalogue.list_documents(book, edition, after, one_more(most))
        page, last = cut(found, most)
        return ingest_service_pb2.ListDocumentsResponse(
            documents=map(wire.from_summary, page),
            edition=number,
            next_page_token=wire.cursor_of_document(book, number, last.path) if last else "",
        )

    @override
    async def GetDocument(
        self, request: ingest_service_pb2.GetDocumentRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.GetDocumentResponse:
        number, document = await self._catalogue.get_document(
            _without_nul(request.book), _edition(request.edition), _without_nul(request.path)
        )
        return ingest_service_pb2.GetDocumentResponse(
            document=wire.from_document(document), edition=number
        )

    @override
    async def GetImage(
        self, request: ingest_service_pb2.GetImageRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.GetImageResponse:
        book, edition = _without_nul(request.book), _edition(request.edition)
        image = await self._catalogue.get_image(book, edition, _without_nul(request.image_id))
        return ingest_service_pb2.GetImageResponse(image=wire.from_image(image), data=image.data)

    @override
    async def GetPageImage(
        self, request: ingest_service_pb2.GetPageImageRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.GetPageImageResponse:
        book, edition = _without_nul(request.book), _edition(request.edition)
        drawn = await self._pages.draw(book, edition, _without_nul(request.path), request.page)
        return ingest_service_pb2.GetPageImageResponse(png=drawn)

    @override
    async def FindOnPage(
        self, request: ingest_service_pb2.FindOnPageRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.FindOnPageResponse:
        book, edition = _without_nul(request.book), _edition(request.edition)
        path, between = _without_nul(request.path), (request.range.start, request.range.end)
        found = await self._pages.find(book, edition, path, request.page, between)
        return ingest_service_pb2.FindOnPageResponse(boxes=map(wire.from_box, found))

    @override
    async def FindWords(
        self, request: ingest_service_pb2.FindWordsRequest, _context: grpc.aio.ServicerContext
    ) -> ingest_service_pb2.FindWordsResponse:
        book, words = _without_nul(request.book), request.words
        if not words.strip() or len(words) > _MOST_WORDS:
            raise InvalidInput(f"words: Send 1 to {_MOST_WORDS} characters.")
        most = read_page_size(request.page_size) or _SECTIONS
        wanted = _edition(request.edition)
        edition, rank = wire.rank_of_cursor(request.page_token, book, wanted, words)
        found = await self._words.find(book, edition, words)
        shown = rank + most
        is_last = shown >= len(found.sections)
        token = "" if is_last else wire.cursor_of_words(book, found.edition, words, shown)
        return wire.from_words(found, found.sections[rank:shown], token)


@contextmanager
def _disk_errors() -> Iterator[None]:
    """Turn a disk without room for an upload into NoRoom."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise NoRoom(
            "The service has no room left on its disk. Free some, and try again."
        ) from error


async def _drain(parts: Parts, timeout_s: float) -> None:
    size = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            async for part in parts:
                size += len(part.data)
                if size > _DRAINED:
                    return


async def _read_header(parts: Parts) -> ingest_service_pb2.SourceHeader:
    async for part in parts:
        if part.WhichOneof("part") == "header":
            return part.header
        break
    raise InvalidInput("The first message must be the header of the source.")


def _check_order(order: Order) -> Order:
    """Return the order with its language as books keep it; raises InvalidInput for a wrong one."""
    if not _SLUG.fullmatch(order.book):
        raise InvalidInput(
            "The name of a book is 1 to 64 lower-case letters, digits and hyphens, "
            "with no hyphen at either end."
        )
    if len(order.title) > 500 or not is_printable(order.title):
        raise InvalidInput("The title must be one line of text, at most 500 characters.")
    if not order.language:
        return order
    return replace(order, language=read_language(order.language, "language"))


def _edition(edition: int) -> int:
    if edition < 0:
        raise InvalidInput("An edition is 1 or more, or 0 for the current one.")
    return edition


def _without_nul(text: str) -> str:
    # PostgreSQL has no NUL in its text; nothing that holds one can be found there.
    return text.replace("\x00", "\ufffd")

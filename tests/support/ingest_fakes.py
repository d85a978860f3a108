"""Fakes of what ingest needs: stores in memory, a model that hashes, crashes at chosen steps."""

import hashlib
import inspect
import io
import tarfile
import uuid
import zipfile
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from libs.embedding import ModelStamp
from libs.embedding.port import Vectors
from libs.errors import InvalidInput, NotFound
from libs.vectors.schema import ALIVE
from services.ingest.adapters.postgres_sent_once import ANOTHER_SOURCE
from services.ingest.errors import IndexDiffers, LeaseLost
from services.ingest.model.book import (
    DocumentRecord,
    Edition,
    KeptDocument,
    Published,
    ReadDocument,
    Report,
    Section,
    Source,
    SourceFile,
)
from services.ingest.model.image import Image
from services.ingest.model.job import UPKEEP, Job, JobKind, JobState, Order, Progress, SentOnce
from services.ingest.model.views import Book, Difference, DocumentSummary, DocumentView, Vacuumed
from services.ingest.parsers.images import check_image
from services.ingest.ports.editions import NewEdition, Removal, Staged
from services.ingest.ports.reading import FileEntry, ReadTask
from services.ingest.ports.sharing import Claim, Offer, OfferedDocument, Outcome, Tally
from services.ingest.read import read_document, read_lines

STAMP = ModelStamp("hash", "1", dimensions=8, max_tokens=256, recipe="normalised")


def zipped(files: Mapping[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return buffer.getvalue()


def tarred(
    files: Mapping[str, bytes | str], mode: Literal["w", "w:gz", "w:bz2", "w:xz"] = "w:gz"
) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for path, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            member = tarfile.TarInfo(path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def source(files: Mapping[str, str]) -> Source:
    return Source([SourceFile(path, text.encode()) for path, text in sorted(files.items())])


def order(book: str = "book", **fields: Any) -> Order:
    whole: dict[str, Any] = {"title": "", "language": "", "profile": "", **fields}
    return Order(book=book, **whole)


_SHORT = 32
_MANY = 1 << 16


class _Counts(dict[str, int]):
    """A document is counted word by word, again for each strategy, and its words come again."""

    def __missing__(self, text: str) -> int:
        count = sum((len(word) + 3) // 4 for word in text.split())
        if len(text) <= _SHORT and len(self) < _MANY:
            self[text] = count
        return count


class LetterTokens:
    """Counts a token for every four letters begun of a word: quick, and words can be too long."""

    _counts = _Counts()

    def count(self, text: str) -> int:
        return self._counts[text]

    def count_each(self, texts: Sequence[str]) -> list[int]:
        return list(map(self._counts.__getitem__, texts))


class DirectReader:
    """Reads documents in this process, with tokens that are quickly counted."""

    def __init__(self) -> None:
        self.read_paths: list[str] = []

    async def read(self, task: ReadTask) -> ReadDocument:
        self.read_paths.append(task.placed.file.path)
        return read_document(task, LetterTokens())

    async def read_image(self, data: bytes) -> Image:
        return check_image(data)

    async def read_lines(self, file: SourceFile) -> list[str]:
        return read_lines(file)


class HashEmbedder:
    """Gives each text a vector of its own, and remembers what it was asked."""

    stamp = STAMP

    def __init__(self) -> None:
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest()[:8], "u1") for text in texts]
        vectors = np.array(rows, np.float32) + 1
        lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, lengths)


class MemoryFiles:
    """The files of a job that has none of its own."""

    def __init__(self, files: Sequence[SourceFile]) -> None:
        self._files = {file.path: file for file in files}

    async def entries(self) -> list[FileEntry]:
        return [FileEntry(f.path, len(f.data), f.content_hash) for f in self._files.values()]

    async def read(self, paths: Sequence[str]) -> list[SourceFile]:
        return [self._files[path] for path in paths]


class MemoryBooks:
    """All that ingest keeps, in memory: JobStore, JobQueue, EditionStore and Catalogue."""

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}
        self.job_files: dict[str, list[SourceFile]] = {}
        self.marks: dict[tuple[str, str], tuple[str, bytes]] = {}
        self.vectors: dict[str, bytes] = {}
        self._editions: dict[str, list[tuple[Edition, int, datetime]]] = {}
        self._documents: dict[str, list[Any]] = {}
        self._chunks: dict[str, list[Any]] = {}
        self.reports: dict[tuple[str, int], Report] = {}
        self.images: dict[str, dict[str, Image]] = {}
        self._silent: set[str] = set()
        self._waiting: set[str] = set()
        self._tokens = 0
        self.backup_age: float | None = None
        self.shared = MemoryDocuments(self)

    def next_token(self) -> int:
        self._tokens += 1
        return self._tokens

    async def backlog(self) -> tuple[int, float]:
        """Of jobs whose time nobody keeps."""
        waiting = [job for job in self.jobs.values() if job.state is JobState.QUEUED]
        return len(waiting), float(bool(waiting))

    async def backup_age_s(self) -> float | None:
        return self.backup_age

    def expire(self, job: Job) -> None:
        """Let the job's lease end, and those of its documents."""
        self._silent.add(job.job_id)
        self.shared.expire(job)

    async def add(self, order: Order, source: Source, once: SentOnce | None = None) -> Job:
        mark = (once.client_id, once.request_key) if once else None
        if once and mark in self.marks:
            job_id, fingerprint = self.marks[mark]
            if fingerprint != once.fingerprint:
                raise InvalidInput(ANOTHER_SOURCE)
            if self.jobs[job_id].state not in (JobState.FAILED, JobState.CANCELLED):
                return self.jobs[job_id]
        total = sum(not file.path.endswith((".toml", "SUMMARY.md")) for file in source.files)
        job = Job(
            str(uuid.uuid4()),
            order,
            JobState.QUEUED,
            Progress(documents_total=total),
            warnings=tuple(source.warnings),
        )
        self.jobs[job.job_id] = job
        self.job_files[job.job_id] = list(source.files)
        if once and mark:
            self.marks[mark] = job.job_id, once.fingerprint
        return job

    async def add_upkeep(self, order: Order) -> Job:
        return await self.add(order, Source([]))

    async def get(self, job_id: str) -> Job:
        if job_id not in self.jobs:
            raise NotFound("There is no such job.")
        return self.jobs[job_id]

    async def list_files(self, job_id: str) -> list[FileEntry]:
        files = self.job_files.get(job_id, [])
        return [FileEntry(file.path, len(file.data), file.content_hash) for file in files]

    async def read_files(self, job_id: str, paths: Sequence[str]) -> list[SourceFile]:
        return [file for file in self.job_files.get(job_id, []) if file.path in paths]

    async def claim(
        self, lease_s: float, kinds: Collection[JobKind] = tuple(JobKind)
    ) -> Job | None:
        busy: set[tuple[str, JobKind]] = set()
        for job in self.jobs.values():
            sort = job.order.kind if job.order.kind in UPKEEP else JobKind.INGEST
            free = job.state is JobState.QUEUED and job.job_id not in self._waiting
            left = job.state is JobState.RUNNING and job.job_id in self._silent
            wanted = job.order.kind in kinds and (job.order.book, sort) not in busy
            if wanted and (free or left):
                self._silent.discard(job.job_id)
                claimed = replace(
                    job,
                    state=JobState.RUNNING,
                    error="",
                    token=self.next_token(),
                    attempts=job.attempts + 1,
                )
                self.jobs[job.job_id] = claimed
                return claimed
            if not job.state.ended:
                busy.add((job.order.book, sort))
        return None

    async def renew(self, job: Job, lease_s: float) -> None:
        self._change(job)

    async def note(self, job: Job, progress: Progress) -> None:
        self._change(job, progress=progress)

    async def finish(self, job: Job, edition: int, warnings: Sequence[str]) -> None:
        self._end(job, JobState.PUBLISHED, edition=edition, warnings=tuple(warnings))

    async def fail(self, job: Job, reason: str) -> None:
        self._end(job, JobState.FAILED, error=reason)

    async def list_unended(self, book: str) -> list[Job]:
        return [one for one in self.jobs.values() if one.order.book == book and not one.state.ended]

    async def cancel(self, job_id: str) -> Job:
        job = await self.get(job_id)
        if not job.state.ended:
            self.jobs[job_id] = replace(job, state=JobState.CANCELLED, error="")
            self.job_files.pop(job_id, None)
        return self.jobs[job_id]

    async def let_go(self, job: Job) -> None:
        pass

    async def finish_dry_run(self, job: Job, report: Report) -> None:
        self._end(job, JobState.CHECKED, report=report)

    async def finish_upkeep(self, job: Job, result: Difference | Vacuumed) -> None:
        name = "difference" if isinstance(result, Difference) else "vacuumed"
        self._end(job, JobState.DONE, **{name: result})

    async def put_back(
        self, job: Job, wait_s: float, *, counts: bool = True, reason: str = ""
    ) -> None:
        attempts = self.jobs[job.job_id].attempts - int(not counts)
        self._change(job, state=JobState.QUEUED, attempts=attempts, error=reason)
        if wait_s:
            self._waiting.add(job.job_id)
            self.shared.take_back(job)

    def pass_time(self) -> None:
        """Let every back-off end."""
        self._waiting.clear()

    def _change(self, job: Job, **fields: Any) -> None:
        now = self.jobs[job.job_id]
        if now.token != job.token or now.state is not JobState.RUNNING:
            raise LeaseLost
        self.jobs[job.job_id] = replace(now, **fields)

    def _end(self, job: Job, state: JobState, **fields: Any) -> None:
        before = self.jobs[job.job_id]
        warnings = (*before.warnings, *fields.pop("warnings", ()))
        progress = replace(before.progress, stage="")
        self._change(job, state=state, warnings=warnings, progress=progress, **fields)
        self.job_files.pop(job.job_id, None)

    async def current(self, book: str) -> Edition:
        editions = self._editions.get(book)
        return editions[-1][0] if editions else Edition()

    async def latest(self, book: str) -> Edition:
        return await self.current(book)

    async def documents(self, book: str, edition: int) -> dict[str, KeptDocument]:
        return {
            record.document.path: KeptDocument(
                content_hash=record.document.content_hash,
                made_from=record.made_from,
                chunk_count=record.chunk_count,
                report=record.report,
                images=record.document.images,
            )
            for record, born, died in self._documents.get(book, [])
            if born <= edition < died
        }

    async def published(
        self, book: str, edition: int, documents: Sequence[str]
    ) -> dict[str, Published]:
        return {
            record.chunk.chunk_id: Published(
                record.chunk.chunk_id, born, record.digest, record.chunk.document, home
            )
            for record, home, born, died in self._chunks.get(book, [])
            if born <= edition < died and record.chunk.document in documents
        }

    async def chunk_keys(self, book: str, edition: int) -> set[tuple[str, int]]:
        return {
            (record.chunk.chunk_id, born)
            for record, _, born, died in self._chunks.get(book, [])
            if born <= edition < died
        }

    async def sweep(self, job: Job, edition: int) -> None:
        self._change(job)
        book = job.order.book
        for rows in (self._documents, self._chunks):
            rows[book] = [
                (*row[:-2], row[-2], row[-1] if row[-1] <= edition else ALIVE)
                for row in rows.get(book, [])
                if row[-2] <= edition
            ]

    async def stage(self, job: Job, part: Staged) -> None:
        if part.claims:
            self.shared.end(job, part.claims)
        else:
            self._change(job)
        number, book = part.edition, part.book
        pictures = (image for record in part.documents for image in record.images)
        self.images.setdefault(book, {}).update({image.image_id: image for image in pictures})
        self._documents[book] = [
            (record, born, number)
            if born < number < died and record.document.path in part.replaced
            else (record, born, died)
            for record, born, died in self._documents.get(book, [])
        ] + [(record, number, ALIVE) for record in part.documents]
        self._chunks[book] = [
            (record, home, born, number)
            if born < number < died and record.chunk.chunk_id in part.died
            else (record, home, born, died)
            for record, home, born, died in self._chunks.get(book, [])
        ] + [(record, part.collection, number, ALIVE) for record in part.born]

    async def publish(self, job: Job, edition: NewEdition, warnings: Sequence[str]) -> None:
        self._change(job)
        number, book = edition.edition.number, edition.book
        if number != (await self.current(book)).number + 1:
            raise RuntimeError("not the next edition")
        for rows, expected in (
            (self._documents, edition.document_count),
            (self._chunks, edition.edition.chunk_count),
        ):
            found = sum(row[-2] <= number < row[-1] for row in rows.get(book, []))
            if found != expected:
                raise IndexDiffers(f"{found} rows instead of {expected}")
        self._end(job, JobState.PUBLISHED, edition=number, warnings=tuple(warnings))
        self.reports[book, number] = edition.report
        self._editions.setdefault(book, []).append(
            (edition.edition, edition.document_count, datetime.now(UTC))
        )

    async def remove(self, job: Job, removal: Removal) -> None:
        raise AssertionError("nothing is removed from books in memory")

    async def load_vectors(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {key: self.vectors[key] for key in keys if key in self.vectors}

    async def save_vectors(self, vectors: Mapping[str, bytes]) -> None:
        self.vectors |= vectors

    async def list_books(
        self, slugs: Sequence[str] = (), after: str = "", most: int | None = None
    ) -> list[Book]:
        wanted = [slug for slug in sorted(self._editions) if slug in slugs or not slugs]
        behind = [slug for slug in wanted if slug > after]
        return [await self.get_book(slug) for slug in behind[:most]]

    async def get_book(self, slug: str) -> Book:
        if slug not in self._editions:
            raise NotFound("There is no book of that name.")
        edition, documents, published_at = self._editions[slug][-1]
        return Book(
            slug,
            edition.title,
            edition.language,
            edition.number,
            documents,
            edition.chunk_count,
            published_at,
            *edition.byline,
            edition.languages,
        )

    async def list_documents(
        self, book: str, edition: int, after: str = "", most: int | None = None
    ) -> tuple[int, list[DocumentSummary]]:
        number, records = await self._seen(book, edition)
        paths = [record.document.path for record in records]
        start = paths.index(after) + 1 if after else 0
        return number, [_summary(record) for record in records[start:][:most]]

    async def get_document(self, book: str, edition: int, path: str) -> tuple[int, DocumentView]:
        number, records = await self._seen(book, edition)
        for record in records:
            if record.document.path == path:
                document = record.document
                kept = self.images.get(book, {})
                return number, DocumentView(
                    summary=_summary(record),
                    text=document.text,
                    blocks=document.blocks,
                    sections=document.sections,
                    markup=document.markup,
                    images=[
                        replace(kept[one.image_id], data=b"")
                        for one in document.images
                        if one.image_id
                    ],
                )
        raise NotFound("The book has no document of that path.")

    async def get_texts(self, book: str, edition: int, paths: Sequence[str]) -> dict[str, str]:
        _, records = await self._seen(book, edition)
        documents = [record.document for record in records if record.document.path in paths]
        return {document.path: document.text for document in documents}

    async def get_sections(
        self, book: str, edition: int, paths: Sequence[str]
    ) -> dict[str, list[Section]]:
        _, records = await self._seen(book, edition)
        documents = [record.document for record in records if record.document.path in paths]
        return {document.path: list(document.sections) for document in documents}

    async def get_image(self, book: str, edition: int, image_id: str) -> Image:
        _, records = await self._seen(book, edition)
        if any(one.image_id == image_id for record in records for one in record.document.images):
            return self.images[book][image_id]
        raise NotFound("The book has no such picture.")

    async def _seen(self, book: str, edition: int) -> tuple[int, list[DocumentRecord]]:
        last = (await self.get_book(book)).edition
        if not 0 <= edition <= last:
            raise NotFound("There is no such edition of that book.")
        number = edition or last
        rows = self._documents.get(book, [])
        seen = [record for record, born, died in rows if born <= number < died]
        return number, sorted(seen, key=lambda record: record.document.position)


class MemoryDocuments:
    """The documents of jobs, in memory: SharedDocuments."""

    def __init__(self, books: MemoryBooks) -> None:
        self._books = books
        self._offers: dict[str, Offer] = {}
        self._rows: dict[str, dict[str, _Leased]] = {}

    def expire(self, job: Job) -> None:
        for row in self._rows.get(job.job_id, {}).values():
            row.is_free = True

    def take_back(self, job: Job) -> None:
        self._offers.pop(job.job_id, None)
        self._rows.pop(job.job_id, None)

    async def resume(self, job: Job, offer: Offer) -> bool:
        await self._books.renew(job, 0.0)
        if self._offers.get(job.job_id) == offer:
            return True
        self.take_back(job)
        return False

    async def offer(self, job: Job, offer: Offer, documents: Sequence[OfferedDocument]) -> None:
        await self._books.renew(job, 0.0)
        self._offers[job.job_id] = offer
        self._rows[job.job_id] = {item.path: _Leased(item.size) for item in documents}

    async def find_help_wanted(self, but: Sequence[str]) -> tuple[Job, Offer] | None:
        for job in self._books.jobs.values():
            rows = self._rows.get(job.job_id, {}).values()
            is_open = job.state is JobState.RUNNING and job.job_id in self._offers
            if is_open and job.job_id not in but and any(row.is_claimable for row in rows):
                helper = replace(job, token=self._books.next_token())
                return helper, self._offers[job.job_id]
        return None

    async def claim(self, job: Job, lease_s: float, *, alone: bool) -> list[Claim]:
        if self._books.jobs[job.job_id].state.ended:
            return []
        for again in (False, True) if alone else (False,):
            for path, row in self._rows.get(job.job_id, {}).items():
                if not row.is_claimable or bool(row.attempts) is not again:
                    continue
                if row.attempts >= 3:
                    row.state, row.failure = "failed", f'"{path}": stopped each time.'
                    continue
                row.attempts, row.is_free = row.attempts + 1, False
                row.owner, row.token = job.token, self._books.next_token()
                return [Claim(path, row.token, row.attempts)]
        return []

    async def renew(self, job: Job, claims: Sequence[Claim], lease_s: float) -> None:
        for claim in claims:
            self._held(job, claim)

    async def give_back(self, job: Job, claims: Sequence[Claim], *, blamed: bool) -> None:
        for claim in claims:
            row = self._rows.get(job.job_id, {}).get(claim.path)
            if row and row.token == claim.token:
                row.token, row.is_free = 0, True
                row.attempts -= 0 if blamed else 1

    async def close(self, job: Job, claim: Claim, failure: str = "") -> None:
        self.end(job, [(claim, Outcome())], failure)

    def end(self, job: Job, ended: Sequence[tuple[Claim, Outcome]], failure: str = "") -> None:
        for claim, outcome in ended:
            row = self._held(job, claim)
            row.state, row.failure = "failed" if failure else "done", failure
            row.outcome = replace(outcome, documents=1, size=row.size)

    def _held(self, job: Job, claim: Claim) -> "_Leased":
        row = self._rows.get(job.job_id, {}).get(claim.path)
        ended = self._books.jobs[job.job_id].state.ended
        if ended or row is None or row.token != claim.token or row.state != "waiting":
            raise LeaseLost
        return row

    async def tally(self, job: Job) -> Tally:
        rows = self._rows.get(job.job_id, {}).values()
        others = Outcome()
        for row in rows:
            if row.state == "done" and row.owner != job.token:
                title = others.title or row.outcome.title
                sums = {
                    name: value + getattr(row.outcome, name)
                    for name, value in vars(others).items()
                    if name != "title"
                }
                others = Outcome(title=title, **sums)
        left = [row for row in rows if row.state == "waiting"]
        return Tally(len(left), sum(row.is_free for row in left), others)

    async def list_ended(self, job: Job) -> tuple[list[str], dict[str, str]]:
        rows = self._rows.get(job.job_id, {})
        return (
            [path for path, row in rows.items() if row.state == "done"],
            {path: row.failure for path, row in rows.items() if row.state == "failed"},
        )


@dataclass
class _Leased:
    size: int
    state: str = "waiting"
    failure: str = ""
    owner: int = 0
    token: int = 0
    attempts: int = 0
    is_free: bool = True
    outcome: Outcome = field(default_factory=Outcome)

    @property
    def is_claimable(self) -> bool:
        return self.state == "waiting" and self.is_free


def _summary(record: DocumentRecord) -> DocumentSummary:
    document = record.document
    return DocumentSummary(
        document.path,
        document.title,
        len(document.text),
        document.content_hash,
        record.chunk_count,
        document.depth,
        document.part_titles,
    )


class Crash(BaseException):
    """The process dies: no handler runs, as after kill -9."""


class Steps:
    """Counts the calls to what is durable, and crashes before or after the one that was chosen."""

    def __init__(self, crash_at: int = -1, *, after: bool = False) -> None:
        self.count = 0
        self._crash_at = crash_at
        self._after = after

    def around(self, target: Any) -> Any:
        return _Stepped(target, self)

    async def take(self, call: Any) -> Any:
        step, self.count = self.count, self.count + 1
        if step == self._crash_at and not self._after:
            call.close()
            raise Crash
        result = await call
        if step == self._crash_at:
            raise Crash
        return result


class _Stepped:
    def __init__(self, target: Any, steps: Steps) -> None:
        self._target = target
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        if not callable(found):
            return found
        if inspect.isasyncgenfunction(found):
            return lambda *arguments, **named: self._in_parts(found(*arguments, **named))
        return lambda *arguments, **named: self._steps.take(found(*arguments, **named))

    async def _in_parts(self, parts: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
        """Take a step for each part that is made."""
        with suppress(StopAsyncIteration):
            while True:
                yield await self._steps.take(anext(parts))


class SilentReporter:
    """Keeps what was noted, and loses the lease when told to, or when the stage `lost_at` begins.

    With `books` and a `job`, it claims that job's documents.
    """

    def __init__(self, books: MemoryBooks | None = None, job: Job | None = None) -> None:
        self.noted: list[Progress] = []
        self.lost = False
        self.lost_at = ""
        self.begin(books, job)

    def begin(self, books: MemoryBooks | None, job: Job | None) -> None:
        """Hold no document, and from now on claim those of this job."""
        self.books, self.job = books, job
        self._held: set[Claim] = set()

    def check(self) -> None:
        if self.lost:
            raise LeaseLost

    async def note(self, progress: Progress) -> None:
        self.noted.append(progress)
        self.lost = self.lost or progress.stage == self.lost_at

    async def claim(self) -> list[Claim]:
        assert self.books is not None
        assert self.job is not None
        claims = await self.books.shared.claim(self.job, 10.0, alone=not self._held)
        self._held |= {*claims}
        return claims

    def drop(self, claims: Sequence[Claim]) -> None:
        self._held -= {*claims}

    async def give_back(self, claim: Claim) -> None:
        assert self.books is not None
        assert self.job is not None
        self.drop([claim])
        await self.books.shared.give_back(self.job, [claim], blamed=True)

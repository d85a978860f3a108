"""What ingest needs of the outside: where books are kept, jobs wait and vectors are searched."""

from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Protocol

from libs.profiles import Chunking
from services.ingest.model.book import (
    Chunk,
    ChunkRecord,
    ChunkVectors,
    DocumentRecord,
    Edition,
    KeptDocument,
    PlacedFile,
    Published,
    ReadDocument,
    Report,
    SourceFile,
)
from services.ingest.model.condition import Condition
from services.ingest.model.image import Image
from services.ingest.model.job import Job, Progress
from services.ingest.model.views import (
    Book,
    DocumentSummary,
    DocumentView,
)

ChunkKey = tuple[str, int]
"""The id of a chunk, and the edition that its point was born in."""


class TokenCounter(Protocol):
    """Counts the tokens that chunk sizes are stated in."""

    def count(self, text: str) -> int: ...

    def count_each(self, texts: Sequence[str]) -> list[int]: ...


@dataclass(frozen=True)
class Offer:
    """What all replicas make of a job's documents: who would make something else does not help.

    `intact` says whether the index holds the edition before, to build this one on.
    """

    edition: int
    fingerprint: str
    intact: bool


@dataclass(frozen=True)
class OfferedDocument:
    """A document that has to be read; `size` is in bytes."""

    path: str
    position: int
    size: int


@dataclass(frozen=True)
class Claim:
    """A document leased to one replica. `token` fences it, `attempts` counts its claims."""

    path: str
    token: int
    attempts: int


@dataclass(frozen=True)
class Outcome:
    """What came of documents that have been read and written; `tokens` are those embedded."""

    documents: int = 0
    size: int = 0
    title: str = ""
    """What the only document of a source calls itself."""
    chunks: int = 0
    chunks_new: int = 0
    chunks_removed: int = 0
    vectors_new: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class Tally:
    """How a job's documents stand: how many have not ended, and how many of those are free."""

    left: int
    free: int
    by_others: Outcome
    """What came of those that other owners have ended."""


@dataclass(frozen=True)
class Staged:
    """A part of the next edition, written ahead of its publication.

    `born` are new chunks, `died` the ids of chunks that it has not, `replaced` the paths of
    documents whose earlier state it has not. With `claims`, it is what came of those documents.
    """

    book: str
    edition: int
    collection: str
    documents: Sequence[DocumentRecord] = ()
    born: Sequence[ChunkRecord] = ()
    died: Sequence[str] = ()
    replaced: Sequence[str] = ()
    claims: Sequence[tuple[Claim, Outcome]] = ()


@dataclass(frozen=True)
class NewEdition:
    """What the publishing transaction makes of all that was staged."""

    book: str
    edition: Edition
    document_count: int
    report: Report


@dataclass(frozen=True)
class Removal:
    """The edition that comes after a deletion: the newest one without `document`, or without all."""

    book: str
    edition: Edition
    document: str
    document_count: int
    report: Report


@dataclass(frozen=True)
class FileEntry:
    """A file of a job without its bytes; `size` is their number, `digest` their SHA-256."""

    path: str
    size: int
    digest: str


@dataclass(frozen=True)
class ReadTask:
    """What has to be known to read one document; with `language` "" it is found."""

    book: str
    language: str
    placed: PlacedFile
    chunking: Chunking


class DocumentReader(Protocol):
    """Reads one document at a time; a document can neither stop nor harm what calls."""

    async def read(self, task: ReadTask) -> ReadDocument:
        """Parse and split a document. Raises InvalidInput, naming it, when that can't be done."""
        ...

    async def read_image(self, data: bytes) -> Image:
        """Check a picture. Raises InvalidInput, with the reason as a clause, for one that is none."""
        ...


class Files(Protocol):
    """The files of one job, read when they are needed."""

    async def entries(self) -> list[FileEntry]: ...

    async def read(self, paths: Sequence[str]) -> list[SourceFile]: ...


class Catalogue(Protocol):
    """Shows what has been published. Edition 0 means the current one; raises NotFound."""

    async def list_books(
        self, slugs: Sequence[str] = (), after: str = "", most: int | None = None
    ) -> list[Book]:
        """Return the books behind the slug `after`, by slug; of `slugs` alone, unless that is empty."""
        ...

    async def has_begun(self) -> bool:
        """Say whether any edition was ever published, of deleted books too, or one is being made."""
        ...

    async def get_book(self, slug: str) -> Book: ...

    async def list_documents(
        self, book: str, edition: int, after: str = "", most: int | None = None
    ) -> tuple[int, list[DocumentSummary]]:
        """Return the documents behind the path `after` in reading order, and the edition's number."""
        ...

    async def get_document(
        self, book: str, edition: int, path: str
    ) -> tuple[int, DocumentView]: ...

    async def get_image(self, book: str, edition: int, image_id: str) -> Image:
        """Return a picture that a document of the edition shows."""
        ...


class SharedDocuments(Protocol):
    """Leases the documents of a job under way, so that several replicas work on it at once.

    A document whose lease has ended is anybody's. One that was claimed before is claimed alone,
    by who holds no other: if it stops its replica again, nothing else is blamed for it.
    """

    async def resume(self, job: Job, offer: Offer) -> bool:
        """Say whether the documents of this very offer are there, from an earlier owner of the job.

        If not, those of another offer are taken back: on return nobody writes for them any more.
        """
        ...

    async def offer(self, job: Job, offer: Offer, documents: Sequence[OfferedDocument]) -> None:
        """Let the documents be claimed. Raises LeaseLost."""
        ...

    async def find_help_wanted(self, but: Sequence[str]) -> tuple[Job, Offer] | None:
        """Return a job of another owner with documents to claim, as its helper; none of `but`.

        Its token is the helper's own: with it documents can be worked on, and nothing be ended.
        """
        ...

    async def claim(self, job: Job, lease_s: float, *, alone: bool) -> list[Claim]:
        """Lease the next documents in reading order, a small batch; empty when none is free.

        `alone` says that the replica holds no document. What has been claimed three times and
        never ended is parked with its reason.
        """
        ...

    async def renew(self, job: Job, claims: Sequence[Claim], lease_s: float) -> None:
        """Keep documents leased. Raises LeaseLost when one is somebody else's, or the job ended."""
        ...

    async def give_back(self, job: Job, claims: Sequence[Claim], *, blamed: bool) -> None:
        """End leases before their time; unless `blamed`, as if there had been no attempt."""
        ...

    async def close(self, job: Job, claim: Claim, failure: str = "") -> None:
        """End a document that nothing is staged for. Raises LeaseLost."""
        ...

    async def tally(self, job: Job) -> Tally: ...

    async def list_ended(self, job: Job) -> tuple[list[str], dict[str, str]]:
        """Return the paths of documents that were done, and of those that failed, and why."""
        ...


class EditionStore(Protocol):
    """Keeps editions and the vectors that have been computed."""

    async def current(self, book: str) -> Edition:
        """Return what readers see."""
        ...

    async def latest(self, book: str) -> Edition:
        """Return the newest edition, which the next one follows; not current after a roll-back."""
        ...

    async def documents(self, book: str, edition: int) -> dict[str, KeptDocument]:
        """Return the documents of an edition by path."""
        ...

    async def remove(self, job: Job, removal: Removal) -> None:
        """Move the book to an edition with less in it and end the job. Raises LeaseLost."""
        ...

    async def published(
        self, book: str, edition: int, documents: Sequence[str]
    ) -> dict[str, Published]:
        """Return the chunks that these documents have in an edition, by id."""
        ...

    async def chunk_keys(self, book: str, edition: int) -> set[ChunkKey]:
        """Return the chunks of an edition, of one that is only staged too."""
        ...

    async def sweep(self, job: Job, edition: int) -> None:
        """Undo what was staged for editions of the job's book after `edition`. Raises LeaseLost."""
        ...

    async def stage(self, job: Job, part: Staged) -> None:
        """Write a part of the next edition, unseen until it is published, and end its documents.

        Raises LeaseLost when one of its claims, or without any the job, is somebody else's.
        """
        ...

    async def publish(self, job: Job, edition: NewEdition, warnings: Sequence[str]) -> None:
        """Show readers all that was staged and end the job, all or nothing. Raises LeaseLost."""
        ...

    async def load_vectors(self, keys: Sequence[str]) -> dict[str, bytes]: ...

    async def save_vectors(self, vectors: Mapping[str, bytes]) -> None: ...


class Erasure(Protocol):
    """Leaves nothing of what was deleted in the files of a store."""

    async def erase(self) -> str:
        """Return when nothing is left, with "", or with what is left and how that ends."""
        ...


class PassageIndex(Protocol):
    """Holds the points that are searched. What a call has acknowledged is durable."""

    @property
    def collection(self) -> str: ...

    async def prepare(self) -> None:
        """Make the collection when it is missing. Raises Unavailable for a store that is too old."""
        ...

    async def require_room(self) -> None:
        """Raise NoRoom where the store's disk is full; other faults are not told here."""
        ...

    async def holds_points(self) -> bool:
        """Say whether there is any point at all, by whichever model."""
        ...

    async def sweep(self, book: str, edition: int) -> None:
        """Undo what was written for editions after `edition`, by whichever model."""
        ...

    async def write(
        self,
        book: str,
        language: str,
        born: int,
        chunks: Sequence[Chunk],
        vectors: Sequence[ChunkVectors],
    ) -> None: ...

    async def retire(
        self, book: str, points: Sequence[Published], died: int, *, collection: str = ""
    ) -> None:
        """Let points be seen only before edition `died`; `collection` is another model's."""
        ...

    async def retire_all(self, book: str, died: int) -> None:
        """Retire every point of the book that was born before edition `died`, of all models.

        So an edition is seen in one collection only, and whoever searches knows by which model.
        """
        ...

    async def vacuum(self, book: str, collection: str, kept: Sequence[int]) -> None:
        """Delete points of the book that none of the kept editions sees."""
        ...

    async def count(self, book: str, edition: int) -> int:
        """Return how many chunks a reader of this edition finds."""
        ...

    async def examine(
        self,
        book: str,
        edition: int,
        expected: Set[ChunkKey],
        *,
        whole: bool,
        tell: Callable[[int], Awaitable[None]] | None = None,
    ) -> Condition:
        """Hold what a reader of this edition finds against what there should be.

        With `whole` every text and vector is read too; damaged is one that is not as it was written.
        `tell` is told now and then how many have been read.
        """
        ...


class Reporter(Protocol):
    """What a replica may work on: stops one that has lost it, and says how far it has come."""

    def check(self) -> None:
        """Raise LeaseLost when it may be somebody else's; called before each write."""
        ...

    async def note(self, progress: Progress) -> None: ...

    async def claim(self) -> list[Claim]:
        """Take the next documents, and keep them leased until they are dropped."""
        ...

    def drop(self, claims: Sequence[Claim]) -> None:
        """Hold documents no longer, because they have ended."""
        ...

    async def give_back(self, claim: Claim) -> None:
        """Let a document that stopped its parser be tried again, by whomever."""
        ...

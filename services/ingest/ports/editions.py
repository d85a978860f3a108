"""Where editions of books are kept, published and read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from services.ingest.model.book import (
    ChunkRecord,
    DocumentRecord,
    Edition,
    KeptDocument,
    Published,
    Report,
    Section,
)
from services.ingest.model.image import Image
from services.ingest.model.job import Job
from services.ingest.model.views import Book, DocumentSummary, DocumentView
from services.ingest.ports.index import ChunkKey
from services.ingest.ports.sharing import Claim, Outcome


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

    async def get_texts(self, book: str, edition: int, paths: Sequence[str]) -> dict[str, str]:
        """Return the texts of those of these documents that the edition has, by path."""
        ...

    async def get_sections(
        self, book: str, edition: int, paths: Sequence[str]
    ) -> dict[str, list[Section]]:
        """Return the sections of these documents, in order."""
        ...

    async def get_image(self, book: str, edition: int, image_id: str) -> Image:
        """Return a picture that a document of the edition shows."""
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

"""What reading a document needs of the outside: files, a reader that may die of them, tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from libs.profiles import Chunking
from services.ingest.model.book import PlacedFile, ReadDocument, SourceFile
from services.ingest.model.image import Image


class TokenCounter(Protocol):
    """Counts the tokens that chunk sizes are stated in."""

    def count(self, text: str) -> int: ...

    def count_each(self, texts: Sequence[str]) -> list[int]: ...


@dataclass(frozen=True)
class ReadTask:
    """What has to be known to read one document; with `language` "" it is found.

    A document that does not tell its own is in `around`, the language of those around it.
    """

    book: str
    language: str
    placed: PlacedFile
    chunking: Chunking
    around: str = ""


class DocumentReader(Protocol):
    """Reads one document at a time; a document can neither stop nor harm what calls."""

    async def read(self, task: ReadTask) -> ReadDocument:
        """Parse and split a document. Raises InvalidInput, naming it, when that can't be done."""
        ...

    async def read_image(self, data: bytes) -> Image:
        """Check a picture. Raises InvalidInput, with the reason as a clause, for one that is none."""
        ...

    async def read_lines(self, file: SourceFile) -> list[str]:
        """Return lines of a document from all over it. Raises InvalidInput when that can't be done."""
        ...


@dataclass(frozen=True)
class FileEntry:
    """A file of a job without its bytes; `size` is their number, `digest` their SHA-256."""

    path: str
    size: int
    digest: str


class Files(Protocol):
    """The files of one job, read when they are needed."""

    async def entries(self) -> list[FileEntry]: ...

    async def read(self, paths: Sequence[str]) -> list[SourceFile]: ...

"""What flows through ingest: files, documents, chunks, and the jobs that carry them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, IntEnum


class BlockKind(IntEnum):
    """What a piece of text is to the reader; the numbers are those of the contract."""

    HEADING = 1
    PARAGRAPH = 2
    LIST_ITEM = 3
    TABLE = 4
    CODE = 5
    QUOTE = 6
    FOOTNOTE = 7
    MATH = 8
    ADMONITION = 9
    CAPTION = 10


@dataclass(frozen=True)
class SourceFile:
    """One file of a source: a document, or one that says how documents belong together."""

    path: str
    data: bytes


@dataclass(frozen=True)
class Source:
    """What was taken out of an upload."""

    files: Sequence[SourceFile]
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class BookFile:
    """What quoth.toml says; empty where it says nothing."""

    title: str = ""
    language: str = ""
    base_url: str = ""
    order: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlacedFile:
    """A document's file with its place in the book, its page's URL, and a title to fall back on."""

    file: SourceFile
    position: int
    url: str
    title: str


@dataclass(frozen=True)
class Plan:
    """The documents of a book in reading order, and what applies to all of them."""

    book_file: BookFile
    documents: Sequence[PlacedFile]
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class Block:
    """A piece of a document as the reader sees it; see the contract for level and label."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    label: str = ""
    page: int = 0


@dataclass(frozen=True)
class Section:
    """A node of the heading tree. [start, end) has its subsections, [start, own_end) has not."""

    path: tuple[str, ...]
    anchor: str
    level: int
    start: int
    own_end: int
    end: int


@dataclass(frozen=True)
class ParsedText:
    """What a parser makes of one file."""

    title: str
    text: str
    blocks: Sequence[Block]
    sections: Sequence[Section]
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class Document:
    """One source file of a book with its canonical text."""

    path: str
    position: int
    url: str
    content_hash: str
    title: str
    text: str
    blocks: Sequence[Block]
    sections: Sequence[Section]


@dataclass(frozen=True)
class Unit:
    """The smallest piece that can be quoted alone."""

    start: int
    end: int
    kind: BlockKind


@dataclass(frozen=True)
class Span:
    """A range that is to become a chunk, with the sections it touches, the first one leading."""

    start: int
    end: int
    sections: Sequence[Section]
    units: Sequence[Unit]


@dataclass(frozen=True)
class Chunk:
    """What is indexed: `body` is the range [start, end) of its document's text."""

    chunk_id: str
    document: str
    position: int
    start: int
    end: int
    body: str
    section_path: tuple[str, ...]
    section_keys: tuple[str, ...]
    anchor: str
    url: str
    page: int
    units: Sequence[Unit]
    token_count: int


@dataclass(frozen=True)
class Published:
    """A chunk that readers see now: the edition its point was born in, and the point's digest."""

    chunk_id: str
    born: int
    digest: str


@dataclass(frozen=True)
class Edition:
    """One immutable state of a book; number 0 stands for a book that has none yet."""

    number: int = 0
    title: str = ""
    language: str = ""
    fingerprint: str = ""
    collection: str = ""
    chunk_count: int = 0


@dataclass(frozen=True)
class DocumentRecord:
    """A document as it is to be kept, with the number of its chunks and a digest of everything."""

    document: Document
    chunk_count: int
    digest: str


@dataclass(frozen=True)
class ChunkRecord:
    """A chunk as it is to be kept, with the digest of its point."""

    chunk: Chunk
    digest: str
    vector_key: str


@dataclass(frozen=True)
class NewEdition:
    """Everything one publishing transaction writes."""

    book: str
    edition: Edition
    documents: Sequence[DocumentRecord]
    chunks: Sequence[ChunkRecord]
    born: Sequence[ChunkRecord]
    died: Sequence[Published]


@dataclass(frozen=True)
class Book:
    """A book that can be asked."""

    slug: str
    title: str
    language: str
    edition: int
    document_count: int
    chunk_count: int
    published_at: datetime


@dataclass(frozen=True)
class DocumentSummary:
    """One document of an edition, without its text."""

    path: str
    title: str
    length: int
    content_hash: str
    chunk_count: int


@dataclass(frozen=True)
class DocumentView:
    """One document of an edition as readers see it."""

    summary: DocumentSummary
    text: str
    blocks: Sequence[Block]
    sections: Sequence[Section]


class JobState(Enum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    PUBLISHED = "published"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        return self in (JobState.PUBLISHED, JobState.FAILED)


@dataclass(frozen=True)
class Order:
    """What a client asks to be ingested; "" leaves a choice to quoth.toml and the defaults."""

    book: str
    title: str
    language: str
    profile: str


@dataclass(frozen=True)
class Progress:
    """How far a job has come."""

    stage: str = ""
    documents_total: int = 0
    documents_done: int = 0
    chunks_total: int = 0
    chunks_done: int = 0
    chunks_reused: int = 0


@dataclass(frozen=True)
class Job:
    """One run of ingest as it stands. `token` fences its owner, `attempts` counts the claims."""

    job_id: str
    order: Order
    state: JobState
    progress: Progress = field(default_factory=Progress)
    edition: int = 0
    error: str = ""
    warnings: tuple[str, ...] = ()
    token: int = 0
    attempts: int = 0

"""What ingest shows of its books: editions, how they differ, documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import NamedTuple

from services.ingest.model.book import Block, Markup, Section
from services.ingest.model.image import Image


class PageBox(NamedTuple):
    """A part of a page: its left and upper edge, width and height, as shares of the page's."""

    left: float
    top: float
    width: float
    height: float


class IndexState(Enum):
    """Where a book or a document stands between its source and the index."""

    UNINDEXED = "unindexed"
    INDEXING = "indexing"
    INDEXED = "indexed"
    STALE = "stale"
    REINDEXING = "reindexing"


@dataclass(frozen=True)
class BookStates:
    """Where a book stands, and each of its documents by path."""

    state: IndexState
    documents: Sequence[tuple[str, IndexState]]


@dataclass(frozen=True)
class SectionWithWords:
    """A section of a document that has the words that were looked for, and [start, end) of the first.

    `section_path` is empty for text outside of all sections; `count` is without its subsections.
    """

    path: str
    section_path: Sequence[str]
    count: int
    start: int
    end: int
    excerpt: str
    excerpt_start: int
    excerpt_end: int


@dataclass(frozen=True)
class WordsFound:
    """Where an edition has words: the sections with the most of them first."""

    edition: int
    sections: Sequence[SectionWithWords]

    @property
    def total(self) -> int:
        """How often all of it has them."""
        return sum(section.count for section in self.sections)


@dataclass(frozen=True)
class EditionView:
    """One kept edition as history shows it."""

    number: int
    title: str
    document_count: int
    chunk_count: int
    published_at: datetime
    current: bool
    reasons: Sequence[str]


@dataclass(frozen=True)
class DocumentChange:
    """How a document differs: `change` is "added", "removed", "changed" or "moved"."""

    path: str
    change: str
    old_path: str
    chunks_added: int
    chunks_removed: int


@dataclass(frozen=True)
class Difference:
    """How edition `after` differs from edition `before`."""

    before: int
    after: int
    documents: Sequence[DocumentChange]
    chunks_kept: int
    chunks_added: int
    chunks_removed: int


@dataclass(frozen=True)
class Vacuumed:
    """What was deleted, and by collection the editions of it that are kept."""

    editions: Sequence[int]
    chunks: int
    documents: int
    vectors: int
    kept: Mapping[str, Sequence[int]]
    left: str = ""
    """What of the deleted texts is still in the stores' files, and until when; empty: nothing."""
    chunks_found: int = 0
    """That were there to be deleted, when it began."""


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
    authors: Sequence[str] = ()
    """As the book names them itself; none where it does not."""
    year: int = 0
    """In which it says to have been published; 0 where it does not."""
    languages: Sequence[str] = ()
    """Of its documents and of passages in them, that of most text first; none of older editions."""


@dataclass(frozen=True)
class DocumentSummary:
    """One document of an edition, without its text."""

    path: str
    title: str
    length: int
    content_hash: str
    chunk_count: int
    depth: int = 0
    part_titles: tuple[str, ...] = ()


@dataclass(frozen=True)
class DocumentView:
    """One document of an edition as readers see it."""

    summary: DocumentSummary
    text: str
    blocks: Sequence[Block]
    sections: Sequence[Section]
    markup: Sequence[Markup] = ()
    images: Sequence[Image] = ()
    """Those that it shows, without their bytes."""

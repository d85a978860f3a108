"""What flows through ingest: files, documents, chunks, editions."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from libs.language.lexicon import FALLBACK
from services.ingest.model.byline import NO_BYLINE, Byline
from services.ingest.model.chunk_place import NO_PLACE, ChunkPlace
from services.ingest.model.html_page import PageText
from services.ingest.model.image import Image, UsedImage

if TYPE_CHECKING:
    # Loaded by who makes them: the child that reads documents has no use for numpy.
    from libs.embedding import Vectors


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


class MarkupKind(IntEnum):
    """What a range of text is beside its words; the numbers are those of the contract."""

    LINK = 1
    EMPHASIS = 2
    STRONG = 3
    CODE = 4
    SUPERSCRIPT = 5
    SUBSCRIPT = 6
    FORMULA = 7
    FOOTNOTE_REFERENCE = 8
    ANCHOR = 9
    ALIGNMENT = 10
    COLUMN_SPAN = 11
    ROW_SPAN = 12
    HEADER_CELL = 13
    LANGUAGE = 14
    DIRECTION = 15
    PAGE = 16
    IMAGE = 17
    PAGE_LABEL = 18


class Markup(NamedTuple):
    """What a range of text is beside its words; see the contract for value."""

    kind: MarkupKind
    start: int
    end: int
    value: str = ""


@dataclass(frozen=True)
class SourceFile:
    """One file of a source: a document, or one that says how documents belong together.

    `data` may be only the part that matters; `digest` is then the SHA-256 of the whole, and `page`
    what has been read of an HTML page.
    """

    path: str
    data: bytes
    digest: str = field(default="", compare=False)
    page: PageText | None = field(default=None, compare=False)

    @property
    def content_hash(self) -> str:
        """SHA-256 of the whole file in hexadecimal."""
        return self.digest or hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True)
class Source:
    """What was taken out of an upload."""

    files: Sequence[SourceFile]
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class PlacedFile:
    """A document's file with its place in the book, its page's URL, and a title to fall back on.

    `names` are titles in other files that its references show, `sheets` the style sheets of the source
    by their paths, for a page or Markdown. In the table of contents `depth` entries
    stand over it; `part_titles` are those of them, the outermost first, that begin here and are no
    documents. `is_listed` is False for what it passes over, None without one.
    """

    file: SourceFile
    position: int
    url: str
    title: str
    names: Mapping[str, str] = field(default_factory=dict)
    sheets: Mapping[str, str] = field(default_factory=dict)
    depth: int = 0
    part_titles: tuple[str, ...] = ()
    is_listed: bool | None = None
    module: str = ""
    """What groups it with other documents: the outermost part over it, else its folder; "" for none."""

    whole_book: bool = False
    """Whether it is the only document, whose topmost sections are the chapters."""

    running: frozenset[int] = frozenset()
    """Numbers of its texts that nearly all pages have: heads and feet, where they stand at an end."""

    authors: tuple[str, ...] = ()
    """Whom the settings of the site name, for the document that it opens with alone."""

    site_title: str = ""
    """The name of the whole, with which its page's title may end ("Setting up — The manual")."""


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
class Note:
    """A footnote's range, [start, end), and that of the block which refers to it."""

    block_start: int
    block_end: int
    start: int
    end: int


class LeadIn(NamedTuple):
    """A range, [start, end), without which what follows up to `until` says something else.

    It is a term with its definitions behind it, what stands before a list of such, or what limits all.
    """

    start: int
    end: int
    until: int
    is_term: bool


@dataclass(frozen=True)
class DroppedContent:
    """What a parser left out of the text, or could not keep as it was.

    `place` is of the source, such as "line 12" or "pages 3-5"; `characters` counts those that are
    not space, 0 where what was there has none or nobody can tell.
    """

    kind: str
    place: str
    reason: str
    characters: int = 0
    dropped: bool = True
    """Whether none of it is in the text; otherwise it is, but not as it was."""
    address: str = field(default="", compare=False)
    """Of a picture's file, as the source has it, until it is known whether readers get that."""


@dataclass(frozen=True)
class ParsedText:
    """What a parser makes of one file."""

    title: str
    text: str
    blocks: Sequence[Block]
    sections: Sequence[Section]
    warnings: Sequence[str] = ()
    page_breaks: Sequence[tuple[int, int]] = ()
    """Offsets inside of blocks where a new page begins, with its number."""
    page_labels: Mapping[int, str] = field(default_factory=dict)
    """What the source calls its pages, such as "iv", where that is not all of their numbers."""
    notes: Sequence[Note] = ()
    lead_ins: Sequence[LeadIn] = ()
    """Blocks in order, outer ones before those within what they lead."""
    dropped_content: Sequence[DroppedContent] = ()
    markup: Sequence[Markup] = ()
    """Inside of blocks, outer ones before those within."""
    pictures: Sequence[SourceFile] = ()
    """Files of the pictures that lie inside of its own, by the addresses that the markup has."""
    byline: Byline = NO_BYLINE


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
    page_breaks: Sequence[tuple[int, int]] = ()
    """Offsets inside of blocks where a new page begins, with its number."""
    page_labels: Mapping[int, str] = field(default_factory=dict)
    """As in the parsed text; not kept with the document, but with its chunks."""
    notes: Sequence[Note] = ()
    """Its footnotes, in the order of the blocks that refer to them."""
    dropped_content: Sequence[DroppedContent] = ()
    """What is not in the text, or not as it was in the source."""
    markup: Sequence[Markup] = ()
    """What ranges of the text are beside their words, outer ones before those within."""
    depth: int = 0
    part_titles: tuple[str, ...] = ()
    is_listed: bool | None = None
    module: str = ""
    whole_book: bool = False
    """As of its PlacedFile; `is_listed` is kept with its chunks alone."""
    images: tuple[UsedImage, ...] = ()
    byline: Byline = NO_BYLINE
    lead_ins: Sequence[LeadIn] = ()
    """As of its ParsedText."""


@dataclass(frozen=True)
class Span:
    """The smallest piece that can be quoted alone."""

    start: int
    end: int
    kind: BlockKind


@dataclass(frozen=True)
class Neighbour:
    """A span beside a chunk. `same_block`: the chunk's nearest span is of the same block."""

    start: int
    end: int
    kind: BlockKind
    text: str
    same_block: bool


@dataclass(frozen=True)
class ChunkRange:
    """A range that is to become a chunk, with the sections it touches, the first one leading."""

    start: int
    end: int
    sections: Sequence[Section]
    spans: Sequence[Span]


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
    spans: Sequence[Span]
    token_count: int
    gap: str = ""
    """What stands between it and the next chunk of the document: white space, if anything."""
    page_breaks: tuple[tuple[int, int], ...] = ()
    """Offsets in the document, inside the chunk, from which on the text stands on another page."""
    page_labels: tuple[tuple[int, str], ...] = ()
    """Pages that it has text of with what the source calls them, "iv"; empty where it only counts."""
    header: str = ""
    """The header row of the table that the chunk begins inside of: embedded, but no part of it."""
    caption: str = ""
    """What tables are called that it has rows of, as far as it does not hold that: embedded alike."""
    footnotes: tuple[str, ...] = ()
    """Those it refers to and does not hold itself: embedded, but no part of it."""
    other_forms: tuple[str, ...] = ()
    """What its document abbreviates in it, or spells out: searched by the words, but no part of it."""
    place: ChunkPlace = NO_PLACE
    sections: tuple[tuple[int, tuple[str, ...], str], ...] = ()
    """Where several sections share it: where each begins in the document, its path and anchor."""
    neighbours: tuple[Neighbour, ...] = ()
    """What its first and last spans may say something else without."""
    lead_ins: tuple[LeadIn, ...] = ()
    """Spans in it, or of its neighbours, that belong to what follows them."""
    defined: tuple[str, ...] = ()
    """Terms that stand in one piece with what defines them: searched by, each with more behind it."""


@dataclass(frozen=True)
class Published:
    """A chunk of an edition: the edition its point was born in, the point's digest and home."""

    chunk_id: str
    born: int
    digest: str
    document: str = ""
    collection: str = ""


@dataclass(frozen=True)
class Edition:
    """One immutable state of a book; number 0 stands for a book that has none yet.

    `language` is "" in one that is being made of documents whose languages are not known yet.
    """

    number: int = 0
    title: str = ""
    language: str = ""
    fingerprint: str = ""
    collection: str = ""
    chunk_count: int = 0
    recipe: Mapping[str, Any] = field(default_factory=dict)
    """What it was made by, beside its files: a change of it makes a new edition."""
    byline: Byline = NO_BYLINE
    languages: Sequence[str] = ()
    """ISO 639 codes of what its text is in, that of most text first; none of older ones."""


@dataclass(frozen=True)
class ChunkVectors:
    """The vector of a chunk, and those of its spans by libs.vectors.packed.

    There are none of spans when the embedding model gives none of parts.
    """

    own: "Vectors"
    spans: bytes = b""


@dataclass(frozen=True)
class ChunkRecord:
    """A chunk as it is to be kept, with the digest of its point."""

    chunk: Chunk
    digest: str
    vector_key: str
    language: str = FALLBACK
    """Of its document: which terms its point is found by depends on it."""


@dataclass(frozen=True)
class MissingRange:
    """Visible characters of a document that reached no chunk, at most 80 of them as `text`."""

    start: int
    end: int
    text: str
    reason: str


@dataclass(frozen=True)
class DocumentReport:
    """What ingest made of one document; `change` is "added", "changed", "unchanged" or "failed".

    Visible characters are those of the canonical text that are not space. `failure` says why a
    document that failed is not in the edition.
    """

    path: str
    visible_characters: int
    covered_characters: int
    missing: Sequence[MissingRange]
    blocks: Mapping[str, int]
    warnings: Sequence[str]
    chunks: int
    tokens: int
    chunks_new: int = 0
    change: str = "added"
    failure: str = ""
    dropped_content: Sequence[DroppedContent] = ()
    language: str = ""
    """ISO 639 code: the one stated for the book, else the one found; "" of reports made before."""
    byline: Byline = NO_BYLINE
    passage_languages: Sequence[str] = ()
    """Of passages that are in another, that of most of them first."""


@dataclass(frozen=True)
class Report:
    """What ingest made of a source and what that changed; `seconds` by stage."""

    edition: int
    reasons: Sequence[str] = ()
    documents: Sequence[DocumentReport] = ()
    removed: Sequence[str] = ()
    chunks_new: int = 0
    chunks_kept: int = 0
    chunks_removed: int = 0
    vectors_reused: int = 0
    vectors_new: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    language: str = ""
    """Of the book: the one stated, else that of most of its text."""


@dataclass(frozen=True)
class ReadDocument:
    """A document that has been read: its text, its chunks, and what became of its characters."""

    document: Document
    chunks: Sequence[Chunk]
    report: DocumentReport
    images: Sequence[Image] = ()
    languages: Mapping[str, str] = field(default_factory=dict)
    """Of chunks, by their ids, that are in another language than their document."""
    tells_language: bool = True
    """Whether its text is long enough to say which language it is in."""


@dataclass(frozen=True)
class DocumentRecord:
    """A document as it is to be kept. `digest` is of all that readers see of it.

    `made_from` is a digest of all that it was made from: while that stays, so does the document.
    """

    document: Document
    chunk_count: int
    digest: str
    made_from: str
    report: DocumentReport
    images: Sequence[Image] = ()
    original: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class KeptDocument:
    """A document of the newest edition, without its text; see DocumentRecord."""

    content_hash: str
    made_from: str
    chunk_count: int
    report: DocumentReport | None
    images: tuple[UsedImage, ...] = ()

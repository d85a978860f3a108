"""The data that flows from stage to stage: Query → Chunk → Candidate → Passage → SearchResult."""

import math
from collections.abc import Callable, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import msgspec

from libs.budget import StageTiming
from libs.embedding import Vectors
from libs.errors import QuothError
from libs.question.analyse import QuestionAnalysis
from libs.text import content_terms
from libs.vectors.packed import unpack_rows
from libs.vectors.qdrant import models

Range: TypeAlias = tuple[int, int]

DAMAGED = "The index holds a damaged passage. Ingest the book again."

OTHERWISE_INDEXED = (
    "The book was indexed with another embedding model, or by another version of Quoth; "
    "ingest it again, or name that model in QUOTH_EMBEDDER_BEFORE until you have."
)

_NEAREST = 5

HEADING = 1
CODE = 5
CAPTION = 10
"""The kinds of a span that is a heading, a listing or of a picture, as in BlockKind of the contract."""


@dataclass(frozen=True)
class Selection:
    """Text a reader selected; with no `range`, `text` says where."""

    document: str
    range: Range | None = None
    text: str = ""


@dataclass(frozen=True)
class Query:
    """A request as it came in, not yet checked. `max_passages` 0 means the profile's number."""

    book: str
    edition: int
    question: str
    profile: str = ""
    max_passages: int = 0
    section_path: tuple[str, ...] = ()
    selection: Selection | None = None
    analysis: QuestionAnalysis | None = None
    """What the question asks for, where the caller says so."""

    document: str = ""
    """The one document to search, by its path; "" for all."""

    chapter: str = ""
    """The one chapter to search, by its title or number; "" for all."""

    page: str = ""
    """The one page to search, by its number or as the source calls it, "iv"; "" for all."""

    title: str = ""
    """The book's, by which a question may call it; "" where it is not known."""


@dataclass(frozen=True)
class QuestionVectors:
    """A question as both searches need it; `dense` has length 1."""

    dense: Vectors
    sparse: models.SparseVector


class Span(NamedTuple):
    """The smallest quotable piece; offsets in the document, `kind` as BlockKind of the contract."""

    start: int
    end: int
    kind: int


# A search makes hundreds of chunks, candidates and passages: as structs they cost a fifth of what
# frozen dataclasses do.


class Neighbour(NamedTuple):
    """A span beside a chunk. `same_block`: the chunk's nearest span is of the same block."""

    start: int
    end: int
    kind: int
    text: str
    same_block: bool


class Chunk(msgspec.Struct, frozen=True):
    """A range of a document as the index keeps it; `text` is exactly that range.

    A search reads of most chunks only what it ranks and assesses them by. `text` and what else has a
    default here, except `gap`, is empty until such a chunk is read whole.
    """

    chunk_id: str
    document: str
    start: int
    end: int
    position: int
    section_path: tuple[str, ...]
    terms: Set[str]
    """The terms of the text and of the titles above it."""
    text: str = ""
    spans: tuple[Span, ...] = ()
    section_keys: frozenset[str] = frozenset()
    """Keys of every section the chunk has text of, as libs.vectors.schema makes them."""
    anchor: str = ""
    url: str = ""
    page: int = 0
    span_vectors: bytes = b""
    """A vector a span, by libs.vectors.packed; empty when the model gives none of parts."""
    gap: str = ""
    """What stands between it and the next chunk of the document: white space, if anything."""
    page_breaks: tuple[tuple[int, int], ...] = ()
    """Offsets in the document from which on the text stands on another page, with its number."""
    page_labels: tuple[tuple[int, str], ...] = ()
    """Pages that it has text of with what the source calls them, "iv"; empty where it only counts."""
    table_header: str = ""
    """The header row of the table that the text begins inside of; no part of the text."""
    footnotes: tuple[str, ...] = ()
    """Those that the text refers to and does not hold; no part of the text."""
    sections: tuple[tuple[int, tuple[str, ...], str], ...] = ()
    """Where several sections share the text: where each begins in the document, its path and anchor."""
    neighbours: tuple[Neighbour, ...] = ()
    """Spans beside the text, which its first or last one may say something else without."""
    language: str = ""
    """ISO 639-1 code of what its BM25 terms are made of; "" where the index does not say."""
    lead_ins: tuple[tuple[int, int, int, bool], ...] = ()
    """Spans that belong to all behind them up to an offset: start, end, that, if it is a term."""

    def text_of(self, span: Span) -> str:
        return self.text[span.start - self.start : span.end - self.start]

    def touches(self, other: "Chunk") -> bool:
        """Whether they overlap, or have only white space between them."""
        after, before = other.end + len(other.gap), self.end + len(self.gap)
        return self.start <= after and other.start <= before

    def span_cosines(self, question: Vectors) -> list[float]:
        """Return each span's cosine; 0 where the index has none. Raises QuothError for damaged ones."""
        if not self.span_vectors:
            return [0.0] * len(self.spans)
        try:
            vectors = unpack_rows(self.span_vectors, len(self.spans), len(question))
        except ValueError as error:
            raise QuothError(DAMAGED) from error
        cosines: list[float] = (vectors @ question).tolist()
        return cosines

    def section_at(self, offset: int) -> tuple[tuple[str, ...], str]:
        """Return the path and anchor of the section that the character at `offset` stands in."""
        before = [(path, anchor) for start, path, anchor in self.sections if start <= offset]
        return before[-1] if before else (self.section_path, self.anchor)

    def page_at(self, offset: int) -> int:
        before = [page for start, page in self.page_breaks if start <= offset]
        return before[-1] if before else self.page

    def label_of(self, page: int) -> str:
        """Return what the source calls one of its pages; "" where it only counts it."""
        return dict(self.page_labels).get(page, "")

    def has_page(self, page: str, start: int, end: int) -> bool:
        """Whether its text from `start` to `end` has some of this page, as a Scope asks for it."""
        begins, ends = self.page_at(start), self.page_at(end - 1)
        if self.page_labels:
            held = (self.label_of(number).casefold() for number in range(begins, ends + 1))
            return page.casefold() in held
        return page.isdecimal() and begins <= int(page) <= ends

    def url_of(self, anchor: str) -> str:
        """Return the link to a section of the chunk's document."""
        page = self.url.removesuffix(f"#{self.anchor}") if self.anchor else self.url
        return f"{page}#{anchor}" if page and anchor else page

    @property
    def title_terms(self) -> frozenset[str]:
        return distinct_terms("\n".join(self.section_path))


@lru_cache(maxsize=4096)
def distinct_terms(text: str) -> frozenset[str]:
    return frozenset(content_terms(text))


class PointVersion(NamedTuple):
    """Where the index has a chunk of a book, and how often it had been written when it was found."""

    id: str
    version: int
    book: str = ""


NOWHERE = PointVersion("", 0)


class Listed(NamedTuple):
    """Where a table of contents puts a document: `depth` entries stand over it.

    `part_titles` are those of them, the outermost first, that begin here and are no documents.
    """

    depth: int = 0
    part_titles: tuple[str, ...] = ()
    is_named: bool | None = None
    """Whether the table names it; None without a table."""


NOT_LISTED = Listed()


class Heading(NamedTuple):
    """Where a section begins: in the chunk that is the first to have text of it."""

    document: str
    start: int
    """Where that chunk begins."""
    path: tuple[str, ...]
    """The titles down to the section; of one title, the section is the document."""
    listed: Listed = NOT_LISTED
    """Of a document alone."""


class FoundChunk:
    """A chunk of which a search has seen the terms; all else is read when it is asked for.

    A search ranks a few of the hundred that it finds, and counts terms in all.
    """

    __slots__ = ("_chunk", "_read", "language", "terms")

    def __init__(self, terms: Set[str], read: Callable[[], Chunk], language: str = "") -> None:
        self.terms = terms
        self.language = language
        self._read = read
        self._chunk: Chunk | None = None

    @property
    def chunk(self) -> Chunk:
        """Raise QuothError when it is damaged."""
        if self._chunk is None:
            self._chunk = self._read()
        return self._chunk

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FoundChunk) and self.chunk == other.chunk

    __hash__ = None  # type: ignore[assignment]


class Candidate(msgspec.Struct, frozen=True):
    """A chunk that one of the two searches found, with its scores by both.

    `dense` is a cosine, `bm25` is 0.0 when no term is shared; ranks count from 1, 0 is "not in the
    list".
    """

    found: Chunk | FoundChunk
    dense: float
    bm25: float
    dense_rank: int = 0
    bm25_rank: int = 0
    point: PointVersion = NOWHERE

    @property
    def chunk(self) -> Chunk:
        found = self.found
        return found.chunk if isinstance(found, FoundChunk) else found

    @property
    def terms(self) -> Set[str]:
        return self.found.terms

    @property
    def language(self) -> str:
        return self.found.language


class Passage(msgspec.Struct, frozen=True):
    """A candidate with its fused score in [0, 1], and the boost that only affects its rank."""

    candidate: Candidate
    fused: float
    boost: float = 1.0

    @property
    def chunk(self) -> Chunk:
        return self.candidate.chunk

    def order(self) -> "tuple[float, Passage]":
        """Return the sort key: the best first, equal scores in the order of the book."""
        # The engine's scores have 32 bits, and the last of their 7 digits depends on how a store is
        # divided: what differs there alone is equal.
        return -round(self.fused * self.boost, 6), self

    def __lt__(self, other: "Passage") -> bool:
        """Order by position in the book, for equal scores."""
        one, two = self.chunk, other.chunk
        return (one.position, one.chunk_id) < (two.position, two.chunk_id)


@dataclass(frozen=True)
class ResolvedSelection:
    """What a reader selected: a range of a document, and the book's text there."""

    document: str
    range: Range
    text: str

    def overlaps(self, chunk: Chunk) -> bool:
        start, end = self.range
        return chunk.document == self.document and chunk.start < end and chunk.end > start


@dataclass(frozen=True)
class HighlightedPassage:
    """A passage and how well each of its spans matches the question, in [0, 1], in their order."""

    passage: Passage
    span_scores: tuple[float, ...]
    highlighted: tuple[bool, ...]
    """Which spans carry the match."""


@dataclass(frozen=True)
class Correction:
    """A word of the question, in lower case, and the book's word that was searched for in its place."""

    asked: str
    searched: str


@dataclass(frozen=True)
class Gate:
    """What the gate decides: a probability or raw score in [0, 1], its features, the outcome.

    With `disclaim`, the passages are answered from although the score is too low. What is `near` is on
    the subject of the question, whether it answers it or not.
    """

    probability: float
    threshold: float
    features: dict[str, float]
    passed: bool
    disclaim: bool = False
    near: bool = False


@dataclass(frozen=True)
class AskedPart:
    """A part of the book that a question names beside others, and the ids of what was found in it."""

    title: str
    chunk_ids: tuple[str, ...]


@dataclass(frozen=True)
class MissingPart:
    """A part that a question names and the book has not: "week 15" where the last is "week 13"."""

    kind: str
    number: int
    last: int


@dataclass(frozen=True)
class SearchResult:
    """The result of a search."""

    passages: tuple[HighlightedPassage, ...]
    gate: Gate
    related_sections: tuple[str, ...]
    selection_widened: bool
    timings: tuple[StageTiming, ...]
    degraded: tuple[str, ...] = ()
    """Steps that were omitted."""
    searched: str = ""
    """The question with its words corrected; "" when none was."""
    corrections: tuple[Correction, ...] = ()
    unknown_words: tuple[str, ...] = ()
    """Those that are surely names of what the book does not speak of."""
    asked_parts: tuple[AskedPart, ...] = ()
    """Several parts that the question names, each searched for itself; none for one or no part."""
    asked_of_parts: str = ""
    """What the question asks of each of them, without their names."""
    missing_part: MissingPart | None = None
    without_book: str = ""
    """The question without the name of the book's subject; "" where it was searched as it is."""

    @property
    def avg_similarity(self) -> float:
        """Return the mean cosine of the first five passages, brought to [0, 1]."""
        nearest = [item.passage.candidate.dense for item in self.passages[:_NEAREST]]
        return min(1.0, max(0.0, math.fsum(nearest) / len(nearest))) if nearest else 0.0

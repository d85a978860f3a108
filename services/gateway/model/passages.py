"""What the gateway shows of a search: passages with their scores, and whether they answer.

The structs are the JSON.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from services.gateway.model.books import BlockKind, End, Page, PageLabel, SectionPath, Start, Url

Outcome = Literal["ok", "capped", "not_started", "cancelled", "failed"]

Score = Annotated[float, Meta(description="In [0, 1].")]


class Span(Struct, frozen=True):
    """The smallest piece that can be quoted alone."""

    start: Start
    end: End
    kind: BlockKind
    score: Score
    highlighted: Annotated[bool, Meta(description="Whether it carries the match.")] = False


class PassageScores(Struct, frozen=True):
    """How a passage came to its rank."""

    fused: Annotated[float, Meta(description="The score that ranks, in [0, 1].")]
    dense: Annotated[float, Meta(description="Cosine of the vectors, in [-1, 1].")]
    bm25: Annotated[float, Meta(description="BM25 score, 0 or more.")]
    dense_rank: Annotated[int | None, Meta(description="Place in the dense list, from 1.")]
    bm25_rank: Annotated[int | None, Meta(description="Place in the BM25 list, from 1.")]
    boost: Annotated[
        float | None,
        Meta(description="Times the score for the order alone; null where it is not stated."),
    ] = None


class Passage(Struct, frozen=True):
    """A chunk of the book that was found for a question; `text` is the book's own."""

    chunk_id: str
    document: str
    start: Start
    end: End
    section_path: SectionPath
    url: Url
    page: Page
    anchor: str
    text: str
    spans: list[Span]
    scores: PassageScores
    table_header: Annotated[
        str | None, Meta(description="Of the table that the text begins inside of; not in `text`.")
    ] = None
    footnotes: Annotated[
        list[str], Meta(description="Those that the text refers to and does not hold.")
    ] = []
    page_label: PageLabel = None


class StageTiming(Struct, frozen=True):
    """What one stage was allowed, and what it took."""

    stage: str
    allowed_ms: float
    used_ms: float
    outcome: Outcome


class Gate(Struct, frozen=True):
    """Whether the passages are good enough to answer from."""

    probability: Score
    threshold: Score
    passed: bool
    features: dict[str, float]


class SpellingCorrection(Struct, frozen=True):
    """A word of the question that neither the book nor its language has."""

    asked: str
    searched: Annotated[str, Meta(description="The book's word that was searched for instead.")]


class SearchResult(Struct, frozen=True):
    """The passages that were found, best first."""

    book: str
    edition: int
    question: str
    passages: list[Passage]
    gate: Gate
    related_sections: list[str]
    selection_widened: bool
    degraded: list[str]
    timings: list[StageTiming]
    searched_question: Annotated[
        str, Meta(description="What was searched for: the question, its words corrected.")
    ] = ""
    corrections: Annotated[
        list[SpellingCorrection], Meta(description="Words searched for as the book has them.")
    ] = []
    avg_similarity: Annotated[
        float, Meta(description="Mean cosine of the first five passages, 0 to 1.")
    ] = 0.0

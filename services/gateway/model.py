"""What the gateway shows of books, passages, answers and jobs; the structs are the JSON.

Every `start` and `end` is a half-open range of a document's canonical text, in Unicode code points.
"""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

BlockKind = Literal[
    "heading",
    "paragraph",
    "list_item",
    "table",
    "code",
    "quote",
    "footnote",
    "math",
    "admonition",
    "caption",
]
MarkupKind = Literal[
    "link",
    "emphasis",
    "strong",
    "code",
    "superscript",
    "subscript",
    "formula",
    "footnote_reference",
    "anchor",
    "alignment",
    "column_span",
    "row_span",
    "header_cell",
    "language",
    "direction",
    "page",
    "image",
]
Outcome = Literal["ok", "capped", "not_started", "cancelled", "failed"]
SentenceRole = Literal["lead", "support"]
Verdict = Literal["exact", "normalised", "supported"]
RefusalCode = Literal["nothing_found", "not_covered", "not_verified", "no_question", "declined"]
Grounding = Literal["verbatim", "supported", "cited"]
SentenceKind = Literal["quoted", "paraphrased"]
ConfidenceLevel = Literal["low", "medium", "high"]
AnswerMode = Literal["book", "selection"]
Rating = Literal["up", "down"]
FeedbackReason = Literal[
    "wrong", "incomplete", "off_topic", "should_have_refused", "should_have_answered", "other"
]

Start = Annotated[int, Meta(ge=0, description="First character, in code points.")]
End = Annotated[int, Meta(ge=0, description="One past the last character, in code points.")]
SectionPath = Annotated[
    list[str], Meta(description="Titles from the document's own down to the innermost heading.")
]
Url = Annotated[str | None, Meta(description="Link to the place on the book's own site.")]
Page = Annotated[int | None, Meta(description="Page of the source, counted from 1.")]
Score = Annotated[float, Meta(description="In [0, 1].")]


class PageQuery(Struct, frozen=True):
    """Which part of a list is wanted."""

    limit: Annotated[int, Meta(ge=1, le=1000)] | None = None
    cursor: Annotated[str, Meta(max_length=2000)] = ""


class Book(Struct, frozen=True):
    """A book that can be asked."""

    slug: str
    title: str
    edition: Annotated[int, Meta(description="The edition that readers see.")]
    document_count: int
    chunk_count: int
    language: Annotated[str, Meta(description="ISO 639-1 code.")]
    publish_time: datetime | None
    authors: Annotated[list[str], Meta(description="As the book names them itself.")] = []
    year: Annotated[int, Meta(description="That the book says; 0 where it does not.")] = 0


class DocumentSummary(Struct, frozen=True):
    """One source file of a book, without its text."""

    path: str
    title: str
    length: Annotated[int, Meta(description="Characters of the canonical text.")]
    content_hash: Annotated[str, Meta(description="SHA-256 of the source file.")]
    chunk_count: int
    depth: Annotated[int, Meta(description="Entries over it in the table of contents.")] = 0
    part_titles: Annotated[
        tuple[str, ...],
        Meta(description="Those of them that begin here and are no documents, from the top."),
    ] = ()


class Block(Struct, frozen=True):
    """A piece of a document as the reader sees it."""

    kind: BlockKind
    start: Start
    end: End
    level: Annotated[int, Meta(description="Depth of a heading or a list item; 0 otherwise.")]
    label: Annotated[str, Meta(description="List marker, language of code, type of admonition.")]
    page: Page


class Section(Struct, frozen=True):
    """A node of the heading tree."""

    path: SectionPath
    anchor: str
    level: int
    start: Start
    end: End


class Markup(Struct, frozen=True):
    """What a range of text is beside its words."""

    kind: MarkupKind
    start: Start
    end: End
    value: Annotated[
        str,
        Meta(
            description="Address of a link, name of an anchor, id of an image, what is written for a "
            "raised text."
        ),
    ]


class Image(Struct, frozen=True):
    """A picture that a document shows, at `/v1/books/{book}/images/{image_id}`."""

    image_id: Annotated[str, Meta(description="SHA-256 of its bytes in hexadecimal.")]
    media_type: str
    width: Annotated[int, Meta(ge=0, description="Pixels; 0 for a drawing that does not say it.")]
    height: Annotated[int, Meta(ge=0, description="Pixels; 0 for a drawing that does not say it.")]


class Document(Struct, frozen=True):
    """One source file of a book with its text."""

    book: str
    edition: int
    path: str
    title: str
    length: int
    content_hash: str
    chunk_count: int
    text: Annotated[str, Meta(description="The canonical text: every offset refers to it.")]
    blocks: Annotated[list[Block], Meta(description="In reading order; they do not overlap.")]
    sections: Annotated[list[Section], Meta(description="The heading tree in reading order.")]
    markup: Annotated[
        list[Markup],
        Meta(description="Links, emphasis and the like inside of blocks; outer ranges first."),
    ] = []
    images: Annotated[list[Image], Meta(description="The pictures that the markup names.")] = []
    start: Annotated[
        int, Meta(description="Where `text` begins in the document, in code points.")
    ] = 0
    next_start: Annotated[
        int | None, Meta(description="Where the next part begins; null in the last.")
    ] = None


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


class Check(Struct, frozen=True):
    """One check that was made of a sentence or an answer."""

    kind: Annotated[str, Meta(description="What it looked at, such as `numbers`.")]
    passed: bool
    reason: Annotated[str, Meta(description="What it found, in words.")]


class Sentence(Struct, frozen=True):
    """One sentence that passed its checks, and the numbers of the citations that prove it."""

    text: str
    citations: list[int]
    checks: list[Check] = []
    kind: Annotated[
        SentenceKind, Meta(description="In the book's words, or in a language model's.")
    ] = "quoted"
    probability: Annotated[
        float,
        Meta(ge=0, le=1, description="How likely its proof says what it says; 1 for the book's."),
    ] = 1.0
    stands_in: Annotated[
        bool,
        Meta(description="The book's own, in the place of one withheld for its wording."),
    ] = False
    role: Annotated[
        SentenceRole,
        Meta(description="Whether it answers, or supports what answers; leads come first."),
    ] = "lead"


class WithheldSentence(Struct, frozen=True):
    """A sentence that was written and is not shown."""

    checks: list[Check]
    replaced: Annotated[
        bool, Meta(description="Whether the book's own sentences stand in its place.")
    ] = False


class Citation(Struct, frozen=True):
    """The book's own words, and where they stand."""

    n: Annotated[int, Meta(description="Number in the answer, counted from 1.")]
    quote: Annotated[str, Meta(description="The document's text in [start, end).")]
    document: str
    start: Start
    end: End
    section_path: SectionPath
    url: Url
    page: Page
    chunk_id: str
    snippet: Annotated[str, Meta(description="The quote with its surroundings.")]
    verdict: Verdict
    table_header: Annotated[
        str | None, Meta(description="Of the table that the quote is a row of; not in `quote`.")
    ] = None
    marker: Annotated[
        str, Meta(description="As the profile writes it in text; empty in a stream until its end.")
    ] = ""


class Refusal(Struct, frozen=True):
    """What the reader is told instead of an answer."""

    code: RefusalCode
    message: str
    related_sections: list[str]
    suggested_questions: Annotated[
        list[str], Meta(description="Questions near this one that the book answers, at most 3.")
    ] = []


class ModelUse(Struct, frozen=True):
    """What a language model was given and wrote for an answer."""

    model: str
    input_tokens: Annotated[int, Meta(description="As its server counts them; 0 is not known.")]
    output_tokens: Annotated[int, Meta(description="As its server counts them; 0 is not known.")]
    cost_usd: Annotated[float, Meta(description="US dollars; 0 is not known.")]


class Confidence(Struct, frozen=True):
    """How sure the answer is; a refusal has no level."""

    score: Score
    level: ConfidenceLevel | None


class Answer(Struct, frozen=True):
    """The whole answer: sentences with their citations, or a refusal."""

    answer_id: Annotated[str, Meta(description="UUID; also the id of its audit row.")]
    book: str
    edition: int
    mode: AnswerMode
    question: str
    text: Annotated[str, Meta(description="The sentences in one line, or the refusal's message.")]
    sentences: list[Sentence]
    citations: list[Citation]
    refusal: Refusal | None
    confidence: Confidence
    profile: str
    degraded: Annotated[
        list[str], Meta(description="Steps left out, for lack of time or of a provider's key.")
    ]
    timings: list[StageTiming]
    timestamp: datetime
    searched_question: Annotated[
        str, Meta(description="What was looked for: the question, made whole by what was said.")
    ] = ""
    checks: Annotated[
        list[Check], Meta(description="Checks of the whole: whether the passages answer.")
    ] = []
    withheld: Annotated[
        list[WithheldSentence], Meta(description="Sentences that were written and are not shown.")
    ] = []
    model_use: ModelUse | None = None
    verifier_use: ModelUse | None = None
    omitted: Annotated[
        list[str], Meta(description="Chunks that were found and are not in the prompt.")
    ] = []
    suggested_questions: Annotated[
        list[str],
        Meta(description="Questions the book answers better, with an answer below the threshold."),
    ] = []
    notice: Annotated[
        str, Meta(description="Warns of an answer whose confidence is low; empty for others.")
    ] = ""
    missing_entities: Annotated[
        list[str],
        Meta(description="Things the question compares that no passage found mentions."),
    ] = []
    corrections: Annotated[
        list[SpellingCorrection], Meta(description="Words searched for as the book has them.")
    ] = []
    grounding: Annotated[
        Grounding,
        Meta(
            description="What proves each sentence: whole clauses of the book; or quotes that support "
            "it; or no more than the sources it names."
        ),
    ] = "verbatim"
    replayed: Annotated[
        bool, Meta(description="Whether it was given before, to the same `Idempotency-Key`.")
    ] = False


class FeedbackRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What a reader says of an answer; said again, it replaces what was said before."""

    rating: Rating
    reason: FeedbackReason | None = None
    comment: Annotated[str, Meta(max_length=2000)] = ""


class Feedback(Struct, frozen=True):
    """What a reader says of an answer."""

    rating: Rating
    reason: FeedbackReason | None
    comment: str
    create_time: datetime


class PassagesFound(Struct, frozen=True):
    """Event `passages`: what the answer will be made from."""

    passages: list[Passage]
    answer_id: Annotated[str, Meta(description="Id that the answer will have.")] = ""


class SentenceReleased(Struct, frozen=True):
    """Event `sentence`: one that passed, with the citations not sent before."""

    sentence: Sentence
    citations: list[Citation]


class SelectedText(Struct, frozen=True):
    """Text a reader selected. Without a range, `text` is looked for in the document."""

    document: str
    range: tuple[int, int] | None
    text: str


class Message(Struct, frozen=True):
    """One earlier message of the conversation."""

    role: Literal["user", "assistant"]
    content: str


class SessionMessage(Struct, frozen=True):
    """One message of a session."""

    role: Literal["user", "assistant"]
    content: str
    timestamp: datetime
    answer_id: Annotated[str | None, Meta(description="Of an answer or a refusal.")]
    citations: Annotated[list[str], Meta(description="Ids of the chunks that the answer cites.")]


class Session(Struct, frozen=True):
    """A conversation with a book that the service keeps; it is its client's alone."""

    session_id: str
    book: str
    messages: Annotated[list[SessionMessage], Meta(description="Oldest first, the last 50.")]
    create_time: datetime
    expire_time: Annotated[
        datetime, Meta(description="When it ends: 30 minutes after its last question.")
    ]


class Question(Struct, frozen=True):
    """What is asked of which edition."""

    book: str
    edition: int
    text: str
    selection: SelectedText | None
    section_path: list[str]
    profile: str
    title: str = ""
    language: str = ""
    client: str = ""
    request_key: str = ""
    session_id: str = ""
    user_id: str = ""
    document: str = ""
    chapter: str = ""
    page: int = 0

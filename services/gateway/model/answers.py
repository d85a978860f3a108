"""What the gateway shows of answers and is asked; the structs are the JSON."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from services.gateway.model.books import End, Page, PageLabel, SectionPath, Start, Url
from services.gateway.model.passages import Passage, Score, SpellingCorrection, StageTiming

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
    page_label: PageLabel = None
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
    nearest: Annotated[
        list[Citation],
        Meta(
            description="What stands nearest to the question in the book, at most 3, the best first. "
            "It is not an answer: the book may say it in other words, or not at all."
        ),
    ] = []


class ModelUse(Struct, frozen=True):
    """What a language model was given and wrote for an answer."""

    model: str
    input_tokens: Annotated[int, Meta(description="As its server counts them; 0 is not known.")]
    output_tokens: Annotated[int, Meta(description="As its server counts them; 0 is not known.")]
    cost_usd: Annotated[float | None, Meta(description="US dollars; null where it is not known.")]


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
        Meta(
            description="Things that the question compares or names, and what it takes for granted, "
            "that no passage found mentions."
        ),
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
    """Event `passages`: what the answer will be made from, or what does not answer."""

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


class SuggestionsWanted(Struct, frozen=True):
    """Whose gate the questions pass, and the client's answer that they go on from; "" to begin with."""

    profile: str = ""
    answer_id: str = ""
    client: str = ""


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
    page: str = ""
    languages: list[str] = []
    """Of all the book's text."""
    reader_languages: tuple[str, ...] = ()
    """What the reader reads, the dearest first."""
    authors: list[str] = []
    """Of the book, as its metadata name them."""

"""What flows through generation: question, passages, draft, and the answer of checked sentences."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, IntEnum
from uuid import UUID

from libs.budget import StageTiming
from libs.profiles import Generation
from libs.question.analyse import QuestionAnalysis
from services.generation.locator import Locator as Locator  # noqa: PLC0414 - a part of it
from services.generation.other_value import OtherValue
from services.generation.parts_asked import MissingPart, PartsAsked
from services.generation.sections import LeadIn, SectionStart
from services.generation.transcript import ModelUse


class BlockKind(IntEnum):
    """What a piece of text is to the reader; the numbers are those of the contract."""

    UNSPECIFIED = 0
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
class Span:
    """The smallest quotable piece; offsets are the document's, `score` is in [0, 1]."""

    start: int
    end: int
    kind: BlockKind
    score: float = 0.0
    highlighted: bool = False
    """Whether it carries the match."""


@dataclass(frozen=True)
class PassageScores:
    """How a passage came to its rank; ranks count from 1, 0 means not in that list."""

    fused: float = 0.0
    dense: float = 0.0
    bm25: float = 0.0
    dense_rank: int = 0
    bm25_rank: int = 0


@dataclass(frozen=True)
class Neighbour:
    """A span beside a passage. `same_block`: the passage's nearest span is of the same block."""

    span: Span
    text: str
    same_block: bool = False


@dataclass(frozen=True)
class Passage:
    """A chunk found for the question: `text` is the document in the locator's range."""

    chunk_id: str
    locator: Locator
    text: str
    spans: tuple[Span, ...] = ()
    scores: PassageScores = PassageScores()
    page_breaks: tuple[tuple[int, int], ...] = ()
    """Offsets in the document from which on the text stands on another page, with its number."""
    page_labels: tuple[tuple[int, str], ...] = ()
    """What the source calls pages that begin in the text; none where it only counts them."""
    table_header: str = ""
    """The header row of the table that the text begins inside of; no part of the text."""
    footnotes: tuple[str, ...] = ()
    """Those that the text refers to and does not hold; no part of the text."""
    sections: tuple[SectionStart, ...] = ()
    """Where each of the sections that share the text begins, in order."""
    neighbours: tuple[Neighbour, ...] = ()
    """Spans before and behind it, in order, which its first or last may say something else without."""
    lead_ins: tuple[LeadIn, ...] = ()
    """Spans of it and of its neighbours that belong to what follows them, outer ones first."""

    def __hash__(self) -> int:
        """By its id alone: stages look up what they know of one."""
        return hash(self.chunk_id)

    def text_of(self, span: Span) -> str:
        """Return the characters of one of its spans, or of a neighbour."""
        if not self.locator.start <= span.start < self.locator.end:
            return next(one.text for one in self.neighbours if one.span == span)
        return self.text[span.start - self.locator.start : span.end - self.locator.start]

    @property
    def section_paths(self) -> tuple[tuple[str, ...], ...]:
        """The titles of each section that has text in here, in order."""
        paths = (section.section_path for section in self.sections)
        return tuple(dict.fromkeys((self.locator.section_path, *paths)))

    def page_of(self, offset: int) -> int:
        """Return the page that the document's character at `offset` stands on."""
        before = [page for start, page in self.page_breaks if start <= offset]
        return before[-1] if before else self.locator.page

    def locate(self, start: int, end: int) -> Locator:
        """Return where in the book the document's range stands: its own section and page."""
        page = self.page_of(start)
        label = {self.locator.page: self.locator.page_label, **dict(self.page_labels)}.get(page, "")
        place = replace(self.locator, start=start, end=end, page=page, page_label=label)
        before = [section for section in self.sections if section.start <= start]
        if not before:
            return place
        last = before[-1]
        return replace(place, section_path=last.section_path, url=last.url, anchor=last.anchor)


class Role(Enum):
    """Who said something; the values are those of chat protocols."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True)
class Message:
    """One earlier message of the conversation."""

    role: Role
    content: str


@dataclass(frozen=True)
class Selection:
    """Text the reader selected: by range (-1 when not given), by its words, or both."""

    document: str
    start: int = -1
    end: int = -1
    text: str = ""

    def covers(self, document: str, start: int, end: int) -> bool:
        return self.document == document and self.start <= start < end <= self.end

    def touches(self, document: str, start: int, end: int) -> bool:
        return self.document == document and max(start, self.start) < min(end, self.end)


class AnswerMode(Enum):
    """Where an answer was looked for; the values are those of the audit log."""

    BOOK = "full-book"
    SELECTION = "context-restricted"


@dataclass(frozen=True)
class Question:
    """A question as it was asked. `text` may be "" with a selection, `title`, the book's, unknown."""

    book: str
    edition: int
    text: str
    selection: Selection | None = None
    section_path: tuple[str, ...] = ()
    history: tuple[Message, ...] = ()
    profile: str = ""
    client_id: str = ""
    title: str = ""
    language: str = ""
    """ISO 639-1 code of what it is read by, at first that of most of the book; "" is English."""
    languages: tuple[str, ...] = ()
    reader_languages: tuple[str, ...] = ()
    """All that the book's text is in, and what its reader reads, the dearest first; none: not known."""
    request_key: str = ""
    """By which its client knows that it has asked this before; "" when it does not say."""
    session_id: UUID | None = None
    """Of the session that its history is from, and that its answer is added to."""
    user_id: str = ""
    """Whom the client asks for, in its own words; "" when it does not say."""
    document: str = ""
    chapter: str = ""
    page: str = ""
    """What alone may answer: a document, a chapter by title or number, a page by number or name."""
    authors: tuple[str, ...] = ()

    @property
    def mode(self) -> AnswerMode:
        return AnswerMode.SELECTION if self.selection else AnswerMode.BOOK


@dataclass(frozen=True)
class Gate:
    """Whether the passages answer the question; probability and threshold are in [0, 1]."""

    probability: float
    threshold: float
    passed: bool
    near: bool = False
    """Whether they are on the subject of the question, though they may not answer it."""

    @property
    def falls_short(self) -> bool:
        """Whether it passed with the threshold missed, as a profile may wish that disclaims."""
        return self.passed and self.probability < self.threshold


@dataclass(frozen=True)
class Correction:
    """A word of the question, and the book's word that was searched for in its place."""

    asked: str
    searched: str


@dataclass(frozen=True)
class SearchResult:
    """What retrieval found; passages best first."""

    passages: tuple[Passage, ...]
    gate: Gate
    related_sections: tuple[str, ...] = ()
    selection_widened: bool = False
    degraded: tuple[str, ...] = ()
    timings: tuple[StageTiming, ...] = ()
    searched_question: str = ""
    """The question with its words corrected; "" when it was searched as it was asked."""
    corrections: tuple[Correction, ...] = ()
    unknown_words: tuple[str, ...] = ()
    """Words of the question that are surely names, and that the book does not have."""
    parts_asked: PartsAsked | None = None
    """Several parts of the book that the question names; None for one or none."""
    missing_part: MissingPart | None = None
    without_book: str = ""
    """The question as it was searched without the book's name; "" where it had none."""


@dataclass(frozen=True)
class Prompt:
    """What an answerer may use: source N is `passages[N - 1]`.

    `analysis` is of the question made whole; `selection` is the text the reader selected, `explain` the
    same without a question; `follow_up` is what the reader said, where `history` completes it.
    """

    analysis: QuestionAnalysis
    passages: tuple[Passage, ...]
    settings: Generation
    history: tuple[Message, ...] = ()
    explain: Selection | None = None
    selection: Selection | None = None
    follow_up: str = ""
    other_value: OtherValue | None = None
    parts_asked: PartsAsked | None = None  # of which each is to have its own answer
    without_book: str = ""
    authors: tuple[str, ...] = ()  # of the book, by its metadata

    @property
    def question(self) -> str:
        return self.analysis.question


@dataclass(frozen=True)
class Claim:
    """A draft's statement that source `source` (from 1) says `quote`; "" when it gives no quote.

    `start` is where in the passage's text the quote begins, -1 when the answerer does not know. A draft
    may name a `section` instead: then `source` is 0.
    """

    source: int
    quote: str = ""
    start: int = -1
    section: str = ""


class SentenceRole(Enum):
    """What a sentence is for: it answers, or it supports what answers."""

    LEAD = "lead"
    SUPPORT = "support"


@dataclass(frozen=True)
class DraftSentence:
    """One sentence of a draft, unchecked and never shown."""

    text: str
    claims: tuple[Claim, ...]
    role: SentenceRole = SentenceRole.LEAD


class CheckKind(Enum):
    """What a check looks at, in the order of their cost."""

    SOURCE = "source"
    QUOTE = "quote"
    MARKUP = "markup"
    NUMBERS = "numbers"
    UNITS = "units"
    NAMES = "names"
    NEGATION = "negation"
    DIRECTION = "direction"
    STRENGTH = "strength"
    SCOPE = "scope"
    CONDITION = "condition"
    CAUSE = "cause"
    FOREIGN_WORDS = "foreign_words"
    CLAUSES = "clauses"
    ENTAILMENT = "entailment"
    CONSISTENCY = "consistency"
    ENTITIES = "entities"


@dataclass(frozen=True)
class Check:
    """A check that was made, and what it found; `reason` never repeats what a model wrote."""

    kind: CheckKind
    passed: bool
    reason: str


class Verdict(Enum):
    """How a quotation compares with its source."""

    EXACT = "exact"
    NORMALISED = "normalised"
    SUPPORTED = "supported"


@dataclass(frozen=True)
class Citation:
    """The book's own words in the locator's range, as number `number` of the answer."""

    number: int
    quote: str
    locator: Locator
    chunk_id: str
    snippet: str
    verdict: Verdict
    table_header: str = ""
    """The header of the table that the quote stands in; empty where it is no row of one."""


class Grounding(Enum):
    """How much of a sentence must be the book's own.

    Verbatim: all, in whole clauses. Supported: its quotes, and what it says beside them is checked and
    judged by a verifier. Cited: nothing but the sources that it names.
    """

    VERBATIM = "verbatim"
    SUPPORTED = "supported"
    CITED = "cited"


class SentenceKind(Enum):
    """Whose words a sentence is in: the book's or the language model's."""

    QUOTED = "quoted"
    PARAPHRASED = "paraphrased"


@dataclass(frozen=True)
class Sentence:
    """A sentence that passed its checks, with the numbers of its citations.

    `probability` in [0, 1] is how likely its proof says what it says; 1.0 for the book's own. With
    `stands_in` it is the book's own sentence, in the place of one that was withheld for its wording.
    """

    text: str
    citations: tuple[int, ...]
    checks: tuple[Check, ...] = ()
    kind: SentenceKind = SentenceKind.QUOTED
    probability: float = 1.0
    stands_in: bool = False
    role: SentenceRole = SentenceRole.LEAD


@dataclass(frozen=True)
class Statement:
    """A draft's sentence with its proof, as checks and verifiers are given it; nothing else is.

    `quotes` are the book's own characters, `passages` the texts that they stand in, `titles` the titles
    of their sections. `question` is for the names that a reader has said themselves; no model is
    shown it.
    """

    text: str
    quotes: tuple[str, ...]
    passages: tuple[str, ...]
    titles: tuple[str, ...] = ()
    question: str = ""
    language: str = ""
    """ISO 639-1 code of the language whose rules apply; "" is English."""


@dataclass(frozen=True)
class Withheld:
    """A sentence that did not pass; its text is for the audit log only.

    With `replaced`, the book's own sentences around its quotes are shown in its place.
    """

    text: str
    checks: tuple[Check, ...]
    replaced: bool = False


class RefusalCode(Enum):
    """Why there is no answer."""

    NOTHING_FOUND = "nothing_found"
    NOT_COVERED = "not_covered"
    NOT_VERIFIED = "not_verified"
    NO_QUESTION = "no_question"
    DECLINED = "declined"


@dataclass(frozen=True)
class Refusal:
    """What the reader is told instead of an answer."""

    code: RefusalCode
    message: str
    related_sections: tuple[str, ...] = ()
    suggested_questions: tuple[str, ...] = ()
    nearest: tuple[Citation, ...] = ()
    """What stands nearest to the question in the book, which may not answer it; the best first."""


class ConfidenceLevel(Enum):
    """Confidence in words: below 0.70, 0.70 to 0.85, above 0.85; NONE for a refusal."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True)
class Answer:
    """The whole answer: sentences with citations, or a refusal. `confidence` is in [0, 1]."""

    answer_id: UUID
    question: Question
    searched_question: str
    profile: str
    create_time: datetime
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    refusal: Refusal | None = None
    confidence: float = 0.0
    confidence_level: ConfidenceLevel = ConfidenceLevel.NONE
    grounding: Grounding = Grounding.VERBATIM
    degraded: tuple[str, ...] = ()
    timings: tuple[StageTiming, ...] = ()
    checks: tuple[Check, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    model_use: ModelUse | None = None
    verifier_use: ModelUse | None = None
    omitted: tuple[str, ...] = ()
    suggested_questions: tuple[str, ...] = ()
    """Where the gate let pass what fell short of its threshold; a refusal has its own."""
    corrections: tuple[Correction, ...] = ()
    missing_entities: tuple[str, ...] = ()
    """What the question compares and no passage found mentions, in the question's words."""

    @property
    def text(self) -> str:
        return " ".join(sentence.text for sentence in self.sentences)


@dataclass(frozen=True)
class PassagesFound:
    """Event: the passages an answer will be made from, and the id that it will have."""

    passages: tuple[Passage, ...]
    answer_id: UUID


@dataclass(frozen=True)
class SentenceReleased:
    """Event: a sentence passed its checks; `citations` are those it is the first to use."""

    sentence: Sentence
    citations: tuple[Citation, ...]


@dataclass(frozen=True)
class Replayed:
    """Event: the whole answer, as it was given before to the same request."""

    answer: Answer

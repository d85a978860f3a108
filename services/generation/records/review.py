"""What reviewers see of the record of answers, and what they make of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from uuid import UUID

from services.generation.model import ConfidenceLevel
from services.generation.records.model import Feedback, Rating


class Outcome(Enum):
    """How a question ended."""

    ANSWERED = "answered"
    REFUSED = "refused"
    FAILED = "failed"


class GradeValue(Enum):
    """What a reviewer makes of an answer or a refusal."""

    RIGHT = "right"
    WRONG = "wrong"
    SHOULD_HAVE_REFUSED = "should_have_refused"
    SHOULD_HAVE_ANSWERED = "should_have_answered"


@dataclass(frozen=True)
class Grade:
    """A grade; `document` and `quote` are where the book answers, `create_time` None until kept."""

    value: GradeValue
    client_id: str
    note: str = ""
    document: str = ""
    quote: str = ""
    create_time: datetime | None = None


@dataclass(frozen=True)
class CitedQuote:
    """Words of the book that an answer cites."""

    document: str
    quote: str
    section_path: tuple[str, ...]


@dataclass(frozen=True)
class ReviewedAnswer:
    """One question as it stands in the record; `reason` is of a refusal or an error."""

    answer_id: UUID
    create_time: datetime
    book: str
    edition: int
    client_id: str
    question: str
    text: str
    outcome: Outcome
    reason: str
    confidence: float
    confidence_level: ConfidenceLevel
    citations: tuple[CitedQuote, ...]
    feedback: Feedback | None
    grade: Grade | None


@dataclass(frozen=True)
class ReviewFilter:
    """Which questions; what is None or empty does not count."""

    books: tuple[str, ...] = ()
    outcome: Outcome | None = None
    confidence_level: ConfidenceLevel | None = None
    rating: Rating | None = None
    grade: GradeValue | None = None
    graded: bool | None = None
    start_time: datetime | None = None
    end_time: datetime | None = None
    text: str = ""


Position = tuple[datetime, UUID]
"""Where a page ends: the last question's time and id."""


@dataclass(frozen=True)
class ReviewPage:
    """Questions, newest first, and where the next page begins; None after the last."""

    answers: tuple[ReviewedAnswer, ...]
    after: Position | None


@dataclass(frozen=True)
class SectionCoverage:
    """How often one section was asked, and what came of it; "" for questions without a place."""

    document: str
    section_path: tuple[str, ...]
    asked: int
    answered: int
    refused: int
    low_confidence: int
    thumbs_down: int


@dataclass(frozen=True)
class Coverage:
    """What was asked of a book, small talk aside."""

    sections: tuple[SectionCoverage, ...]
    asked: int
    nothing_found: int
    """No passage, or none that answers."""

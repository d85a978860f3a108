"""What reviewers see of the record of answers; the structs are the JSON."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

Outcome = Literal["answered", "refused", "failed"]
GradeValue = Literal["right", "wrong", "should_have_refused", "should_have_answered"]
ConfidenceLevel = Literal["low", "medium", "high"]
Rating = Literal["up", "down"]

ZERO_RESULT_ALARM = 0.15
"""Share of questions that nothing is found for, above which something is amiss."""


class GradeRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What a reviewer makes of an answer; where the book answers, if not where it was cited."""

    grade: Annotated[
        GradeValue,
        Meta(
            description="`right` of an answer or a refusal; `wrong` where the book has another answer."
        ),
    ]
    note: Annotated[str, Meta(max_length=2000)] = ""
    document: Annotated[str, Meta(max_length=1000)] = ""
    quote: Annotated[
        str, Meta(max_length=5000, description="The book's words in `document` that answer.")
    ] = ""


class Grade(Struct, frozen=True):
    """A grade as it is kept."""

    grade: GradeValue
    note: str
    document: str
    quote: str
    client: Annotated[str, Meta(description="Who graded.")]
    create_time: datetime


class CitedQuote(Struct, frozen=True):
    """Words of the book that an answer cites."""

    document: str
    quote: str
    section_path: list[str]


class ReaderFeedback(Struct, frozen=True):
    """What a reader says of an answer."""

    rating: Rating
    reason: str
    comment: str


class ReviewedAnswer(Struct, frozen=True):
    """One question as it stands in the record."""

    answer_id: str
    create_time: datetime
    book: str
    edition: int
    client: str
    question: str
    text: str
    outcome: Outcome
    reason: Annotated[str, Meta(description="Why it was refused or failed.")]
    confidence: float
    confidence_level: ConfidenceLevel | None
    citations: list[CitedQuote]
    feedback: ReaderFeedback | None
    grade: Grade | None


class ReviewList(Struct, frozen=True):
    """A page of questions, newest first."""

    answers: list[ReviewedAnswer]
    next_cursor: Annotated[str, Meta(description="`cursor` of the next page; empty on the last.")]


class ReviewQuery(Struct, frozen=True):
    """Which questions are listed."""

    book: Annotated[str, Meta(max_length=64)] = ""
    outcome: Outcome | None = None
    confidence: ConfidenceLevel | None = None
    rating: Rating | None = None
    grade: GradeValue | None = None
    graded: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    text: Annotated[str, Meta(max_length=200)] = ""
    limit: Annotated[int, Meta(ge=1, le=200)] = 50
    cursor: Annotated[str, Meta(max_length=200)] = ""


class CoverageQuery(Struct, frozen=True):
    """Which questions are counted."""

    since: datetime | None = None
    until: datetime | None = None


class SectionCoverage(Struct, frozen=True):
    """What was asked of one section; of questions that nothing was found for, `document` is empty."""

    document: str
    section_path: list[str]
    asked: int
    answered: int
    refused: int
    low_confidence: int
    thumbs_down: int


class Coverage(Struct, frozen=True):
    """What was asked of a book, small talk aside; the sections that were asked most come first."""

    book: str
    sections: Annotated[list[SectionCoverage], Meta(max_length=500)]
    asked: int
    nothing_found: int
    zero_result_rate: Annotated[
        float, Meta(description="Share of questions that nothing is found for.")
    ]
    alarm: Annotated[bool, Meta(description="Whether that is more than 0.15.")]

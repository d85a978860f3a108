"""What is kept of a question once it is over, and what readers say of its answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from uuid import UUID

from libs.budget import StageTiming
from services.generation.model import (
    Answer,
    Question,
    SearchResult,
    SentenceReleased,
)
from services.generation.transcript import Transcript


@dataclass(frozen=True)
class AuditRow:
    """One question for the audit log. `log_id` is the answer's id; `error` is "" for success.

    `released` are the sentences that were put on record before the row, in the order they were shown.
    """

    log_id: UUID
    request_id: str
    timestamp: datetime
    question: Question
    profile: str
    searched_question: str = ""
    search: SearchResult | None = None
    transcript: Transcript = field(default_factory=Transcript)
    answer: Answer | None = None
    timings: tuple[StageTiming, ...] = ()
    error: str = ""
    released: tuple[SentenceReleased, ...] = ()
    made_with: Mapping[str, str] = field(default_factory=dict)
    """The settings that decide what an answer says, by name; files and profiles by their digest."""

    @property
    def taken_back(self) -> tuple[SentenceReleased, ...]:
        """The sentences that were shown and are not in the answer."""
        kept = self.answer.sentences if self.answer else ()
        return tuple(item for item in self.released if item.sentence not in kept)


class Rating(Enum):
    """Whether an answer helped."""

    UP = "up"
    DOWN = "down"


class FeedbackReason(Enum):
    """Why a reader thinks so; NONE when not stated."""

    NONE = ""
    WRONG = "wrong"
    INCOMPLETE = "incomplete"
    OFF_TOPIC = "off_topic"
    SHOULD_HAVE_REFUSED = "should_have_refused"
    SHOULD_HAVE_ANSWERED = "should_have_answered"
    OTHER = "other"


@dataclass(frozen=True)
class Feedback:
    """What a reader says of an answer; `create_time` is None until it is kept."""

    rating: Rating
    reason: FeedbackReason = FeedbackReason.NONE
    comment: str = ""
    create_time: datetime | None = None


@dataclass(frozen=True)
class AskedOnce:
    """A request that is to be answered once, and the answer that is or will be its own.

    Two requests of one client with one `key` are the same request when their fingerprints are equal.
    """

    client_id: str
    key: str
    fingerprint: bytes
    answer_id: UUID

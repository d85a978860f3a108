"""Read and write the messages of the review; a broken request is InvalidInput."""

from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.timestamp_pb2 import Timestamp
from quoth.generation.v1 import answer_pb2, feedback_pb2, review_service_pb2

from libs.errors import InvalidInput
from libs.paging import UNKNOWN_CURSOR, read_cursor, write_cursor
from libs.storable import is_storable
from services.generation.model import ConfidenceLevel
from services.generation.records.model import Rating
from services.generation.records.review import (
    Coverage,
    Grade,
    GradeValue,
    Outcome,
    Position,
    ReviewedAnswer,
    ReviewFilter,
    ReviewPage,
)
from services.generation.wire.answers import feedback_to_proto

PAGE = 50
MOST_OF_PAGE = 200
_MAX_TEXT = 200
_MAX_NOTE = 2000
_MAX_DOCUMENT = 1000
_MAX_QUOTE = 5000
_MAX_CLIENT_ID = 200

_OUTCOMES = {f"ANSWER_OUTCOME_{item.name}": item for item in Outcome}
_GRADES = {f"GRADE_VALUE_{item.name}": item for item in GradeValue}
_LEVELS = {f"CONFIDENCE_LEVEL_{item.name}": item for item in ConfidenceLevel}
_LEVEL_NAMES: dict[ConfidenceLevel, str] = {
    item: name for name, item in _LEVELS.items() if item is not ConfidenceLevel.NONE
}
_RATINGS = {f"RATING_{item.name}": item for item in Rating}


def filter_from_proto(message: review_service_pb2.ReviewFilter) -> ReviewFilter:
    if len(message.text) > _MAX_TEXT:
        raise InvalidInput(f"The words exceed {_MAX_TEXT} characters.")
    return ReviewFilter(
        books=tuple(message.books),
        outcome=_OUTCOMES.get(_name(review_service_pb2.AnswerOutcome, message.outcome)),
        confidence_level=_LEVELS.get(_name(answer_pb2.ConfidenceLevel, message.confidence_level)),
        rating=_RATINGS.get(_name(feedback_pb2.Rating, message.rating)),
        grade=_GRADES.get(_name(review_service_pb2.GradeValue, message.grade)),
        graded=message.graded if message.HasField("graded") else None,
        start_time=_to_time(message, "start_time"),
        end_time=_to_time(message, "end_time"),
        text=_clean(message.text),
    )


def page_size_from_proto(size: int) -> int:
    if not 0 <= size <= MOST_OF_PAGE:
        raise InvalidInput(f"A page has 1 to {MOST_OF_PAGE} questions.")
    return size or PAGE


def position_from_token(token: str) -> Position | None:
    if not token:
        return None
    try:
        moment, answer_id = read_cursor(token, "answers", str, str)
        return datetime.fromisoformat(str(moment)).astimezone(UTC), UUID(str(answer_id))
    except (ValueError, OverflowError) as error:
        raise InvalidInput(UNKNOWN_CURSOR) from error


def grade_from_proto(message: review_service_pb2.Grade) -> Grade:
    value = _GRADES.get(_name(review_service_pb2.GradeValue, message.value))
    if value is None:
        raise InvalidInput("Say how the answer is graded.")
    limits = {"note": _MAX_NOTE, "document": _MAX_DOCUMENT, "quote": _MAX_QUOTE}
    for name, limit in (limits | {"client_id": _MAX_CLIENT_ID}).items():
        if len(getattr(message, name)) > limit:
            raise InvalidInput(f"The grade's {name} exceeds {limit} characters.")
    if bool(message.document.strip()) != bool(message.quote.strip()):
        raise InvalidInput("Give the document and the quote where the book answers, or neither.")
    return Grade(
        value,
        _clean(message.client_id),
        _clean(message.note).strip(),
        _clean(message.document).strip(),
        _clean(message.quote).strip(),
    )


def start_of(message: review_service_pb2.GetCoverageRequest) -> datetime | None:
    return _to_time(message, "start_time")


def end_of(message: review_service_pb2.GetCoverageRequest) -> datetime | None:
    return _to_time(message, "end_time")


def page_to_proto(page: ReviewPage) -> review_service_pb2.ListAnswersResponse:
    token = ""
    if page.after:
        moment, answer_id = page.after
        token = write_cursor("answers", moment.isoformat(), str(answer_id))
    return review_service_pb2.ListAnswersResponse(
        answers=map(_answer, page.answers), next_page_token=token
    )


def grade_to_proto(grade: Grade) -> review_service_pb2.Grade:
    return review_service_pb2.Grade(
        value=f"GRADE_VALUE_{grade.value.name}",
        note=grade.note,
        document=grade.document,
        quote=grade.quote,
        client_id=grade.client_id,
        create_time=_timestamp(grade.create_time) if grade.create_time else None,
    )


def coverage_to_proto(coverage: Coverage) -> review_service_pb2.GetCoverageResponse:
    return review_service_pb2.GetCoverageResponse(
        sections=[review_service_pb2.SectionCoverage(**vars(item)) for item in coverage.sections],
        asked=coverage.asked,
        nothing_found=coverage.nothing_found,
    )


def _answer(answer: ReviewedAnswer) -> review_service_pb2.ReviewedAnswer:
    level = answer.confidence_level
    return review_service_pb2.ReviewedAnswer(
        answer_id=str(answer.answer_id),
        create_time=_timestamp(answer.create_time),
        book=answer.book,
        edition=answer.edition,
        client_id=answer.client_id,
        question=answer.question,
        text=answer.text,
        outcome=f"ANSWER_OUTCOME_{answer.outcome.name}",
        reason=answer.reason,
        confidence=answer.confidence,
        confidence_level=_LEVEL_NAMES.get(level),
        citations=[review_service_pb2.CitedQuote(**vars(item)) for item in answer.citations],
        feedback=feedback_to_proto(answer.feedback) if answer.feedback else None,
        grade=grade_to_proto(answer.grade) if answer.grade else None,
    )


def _name(enum: EnumTypeWrapper, number: int) -> str:
    """Return the name of a number, "" for one that this version does not know."""
    return {value: name for name, value in enum.items()}.get(number, "")


def _to_time(
    message: review_service_pb2.ReviewFilter | review_service_pb2.GetCoverageRequest,
    name: Literal["start_time", "end_time"],
) -> datetime | None:
    if not message.HasField(name):
        return None
    try:
        found: datetime = getattr(message, name).ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"The {name.replace('_', ' ')} is no time.") from error
    return found


def _timestamp(moment: datetime) -> Timestamp:
    timestamp = Timestamp()
    timestamp.FromDatetime(moment)
    return timestamp


def _clean(text: str) -> str:
    if not is_storable(text):
        raise InvalidInput("The text holds characters that can't be kept.")
    return text

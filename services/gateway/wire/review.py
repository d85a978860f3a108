"""Messages of the review on one side, the gateway's own structs on the other."""

from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp
from quoth.generation.v1 import answer_pb2, feedback_pb2, review_service_pb2

from services.gateway.model.review import (
    ZERO_RESULT_ALARM,
    CitedQuote,
    ConfidenceLevel,
    Coverage,
    CoverageQuery,
    Grade,
    GradeRequest,
    GradeValue,
    Outcome,
    Rating,
    ReaderFeedback,
    ReviewedAnswer,
    ReviewList,
    ReviewQuery,
    SectionCoverage,
)
from services.gateway.wire.values import list_words, rounded, to_time

_OUTCOME: dict[int, Outcome] = list_words(review_service_pb2.AnswerOutcome)
_GRADE: dict[int, GradeValue] = list_words(review_service_pb2.GradeValue)
_LEVEL: dict[int, ConfidenceLevel] = list_words(answer_pb2.ConfidenceLevel)
_RATING: dict[int, Rating] = list_words(feedback_pb2.Rating)
_REASON: dict[int, str] = list_words(feedback_pb2.FeedbackReason)


def to_list(query: ReviewQuery, books: list[str]) -> review_service_pb2.ListAnswersRequest:
    """Return the request for the books that the caller may see; none means all."""
    wanted = review_service_pb2.ReviewFilter(
        books=books,
        outcome=f"ANSWER_OUTCOME_{query.outcome.upper()}" if query.outcome else None,
        confidence_level=_prefixed("CONFIDENCE_LEVEL", query.confidence),
        rating=_prefixed("RATING", query.rating),
        grade=_prefixed("GRADE_VALUE", query.grade),
        graded=query.graded,
        start_time=_to_timestamp(query.since),
        end_time=_to_timestamp(query.until),
        text=query.text,
    )
    return review_service_pb2.ListAnswersRequest(
        filter=wanted, page_size=query.limit, page_token=query.cursor
    )


def from_list(response: review_service_pb2.ListAnswersResponse) -> ReviewList:
    return ReviewList([*map(_answer, response.answers)], response.next_page_token)


def to_grade(
    answer_id: str, books: list[str], client: str, said: GradeRequest
) -> review_service_pb2.GradeAnswerRequest:
    grade = review_service_pb2.Grade(
        value=_prefixed("GRADE_VALUE", said.grade),
        note=said.note,
        document=said.document,
        quote=said.quote,
        client_id=client,
    )
    return review_service_pb2.GradeAnswerRequest(answer_id=answer_id, grade=grade, books=books)


def from_grade(grade: review_service_pb2.Grade) -> Grade:
    return Grade(
        _GRADE[grade.value],
        grade.note,
        grade.document,
        grade.quote,
        grade.client_id,
        to_time(grade.create_time),
    )


def to_coverage(book: str, query: CoverageQuery) -> review_service_pb2.GetCoverageRequest:
    return review_service_pb2.GetCoverageRequest(
        book=book,
        start_time=_to_timestamp(query.since),
        end_time=_to_timestamp(query.until),
    )


def from_coverage(book: str, response: review_service_pb2.GetCoverageResponse) -> Coverage:
    rate = response.nothing_found / response.asked if response.asked else 0.0
    return Coverage(
        book,
        [
            SectionCoverage(
                item.document,
                list(item.section_path),
                item.asked,
                item.answered,
                item.refused,
                item.low_confidence,
                item.thumbs_down,
            )
            for item in response.sections
        ],
        response.asked,
        response.nothing_found,
        round(rate, 4),
        rate > ZERO_RESULT_ALARM,
    )


def _answer(answer: review_service_pb2.ReviewedAnswer) -> ReviewedAnswer:
    said = answer.feedback
    return ReviewedAnswer(
        answer.answer_id,
        to_time(answer.create_time),
        answer.book,
        answer.edition,
        answer.client_id,
        answer.question,
        answer.text,
        _OUTCOME[answer.outcome],
        answer.reason,
        rounded(answer.confidence),
        _LEVEL.get(answer.confidence_level),
        [
            CitedQuote(item.document, item.quote, list(item.section_path))
            for item in answer.citations
        ],
        ReaderFeedback(_RATING[said.rating], _REASON.get(said.reason, ""), said.comment)
        if answer.HasField("feedback")
        else None,
        from_grade(answer.grade) if answer.HasField("grade") else None,
    )


def _prefixed(enum: str, word: str | None) -> str | None:
    return f"{enum}_{word.upper()}" if word else None


def _to_timestamp(moment: datetime | None) -> Timestamp | None:
    if moment is None:
        return None
    timestamp = Timestamp()
    timestamp.FromDatetime(moment)
    return timestamp

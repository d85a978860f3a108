"""List recorded questions for review, keep their grades, and count what was asked of each section."""

import time
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from libs.errors import DeadlineExceeded
from libs.postgres import lend, translated_errors
from libs.storable import storable
from services.generation.confidence import HIGH, MEDIUM, name_level
from services.generation.model import Answer, ConfidenceLevel, RefusalCode
from services.generation.records.model import Feedback, FeedbackReason, Rating
from services.generation.records.review import (
    CitedQuote,
    Coverage,
    Grade,
    GradeValue,
    Outcome,
    Position,
    ReviewedAnswer,
    ReviewFilter,
    ReviewPage,
    SectionCoverage,
)

MOST_SECTIONS = 500
_LEAST_S = 0.001
_LATE = "The record of answers took too long. Ask for less of it, or try again in a moment."
_DIGITS = 6
_FROM_MEDIUM, _ABOVE_HIGH = MEDIUM - 10**-_DIGITS, HIGH + 10**-_DIGITS
"""Levels begin at `MEDIUM` and above `HIGH`; the column keeps 0.85 as 0.85000002, 0.7 as 0.69999999."""

# The last row of a page may share its moment with others: its id tells them apart.
_LIST = """
SELECT kept.log_id, kept.timestamp, kept.book, kept.edition, kept.client_id, kept.user_query_text,
    kept.answer_text, kept.success, kept.refusal_code, kept.error_message, kept.confidence_score,
    kept.citations, said.rating, said.reason, said.comment, said.create_time AS said_at,
    graded.grade, graded.note, graded.document, graded.quote, graded.client_id AS graded_by,
    graded.create_time AS graded_at
FROM audit_logs AS kept
LEFT JOIN answer_feedback AS said ON said.answer_id = kept.log_id
LEFT JOIN answer_grades AS graded ON graded.answer_id = kept.log_id
WHERE (cardinality($1::text[]) = 0 OR kept.book = ANY ($1))
    AND ($2::text IS NULL OR $2 = CASE WHEN NOT kept.success THEN 'failed'
        WHEN kept.refusal_code IS NOT NULL THEN 'refused' ELSE 'answered' END)
    AND ($3::float8 IS NULL OR kept.confidence_score >= $3 AND kept.refusal_code IS NULL)
    AND ($4::float8 IS NULL OR kept.confidence_score < $4 AND kept.refusal_code IS NULL)
    AND ($5::text IS NULL OR said.rating = $5)
    AND ($6::text IS NULL OR graded.grade = $6)
    AND ($7::bool IS NULL OR (graded.answer_id IS NOT NULL) = $7)
    AND ($8::timestamptz IS NULL OR kept.timestamp >= $8)
    AND ($9::timestamptz IS NULL OR kept.timestamp < $9)
    AND ($10 = '' OR strpos(lower(kept.user_query_text || ' ' || kept.answer_text), lower($10)) > 0)
    AND ($11::timestamptz IS NULL OR (kept.timestamp, kept.log_id) < ($11, $12::uuid))
ORDER BY kept.timestamp DESC, kept.log_id DESC LIMIT $13
"""
_WHOLE = """
SELECT answer_body FROM audit_rows
WHERE answer_id = $1 AND (cardinality($2::text[]) = 0 OR book = ANY ($2)) AND answer_body IS NOT NULL
"""
_GRADE = """
INSERT INTO answer_grades (answer_id, grade, note, document, quote, client_id)
SELECT answer_id, $3, $4, $5, $6, $7 FROM audit_logs
WHERE answer_id = $1 AND (cardinality($2::text[]) = 0 OR book = ANY ($2))
ON CONFLICT (answer_id) DO UPDATE SET grade = EXCLUDED.grade, note = EXCLUDED.note,
    document = EXCLUDED.document, quote = EXCLUDED.quote, client_id = EXCLUDED.client_id,
    create_time = clock_timestamp()
RETURNING create_time
"""
_COVERAGE = """
SELECT place->>'document' AS document, place->'section_path' AS section_path, count(*) AS asked,
    count(*) FILTER (WHERE refusal_code IS NULL) AS answered,
    count(*) FILTER (WHERE refusal_code IS NOT NULL) AS refused,
    count(*) FILTER (WHERE refusal_code IS NULL AND confidence_score < $4) AS low_confidence,
    count(*) FILTER (WHERE rating = 'down') AS thumbs_down,
    sum(count(*)) OVER () AS all_asked,
    sum(count(*) FILTER (WHERE refusal_code = ANY ($6))) OVER () AS nothing_found
FROM (
    SELECT coalesce(kept.citations->0, kept.chunks_returned->0) AS place, kept.refusal_code,
        kept.confidence_score, said.rating
    FROM audit_logs AS kept LEFT JOIN answer_feedback AS said ON said.answer_id = kept.log_id
    WHERE kept.book = $1 AND kept.success AND kept.refusal_code IS DISTINCT FROM $5
        AND ($2::timestamptz IS NULL OR kept.timestamp >= $2)
        AND ($3::timestamptz IS NULL OR kept.timestamp < $3)
) AS questions
GROUP BY 1, 2 ORDER BY asked DESC, document, section_path LIMIT $7
"""

# A search by meaning always has a nearest passage: a book without the answer is seldom without any.
_NOTHING = (RefusalCode.NOTHING_FOUND.value, RefusalCode.NOT_COVERED.value)


class PostgresReview:
    """Reads what PostgresAuditLog has written, by its pool, and keeps grades beside it."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def list_answers(
        self, wanted: ReviewFilter, after: Position | None, most: int, allowed_s: float
    ) -> ReviewPage:
        least, below = _range_of(wanted.confidence_level)
        values = (
            list(wanted.books),
            wanted.outcome.value if wanted.outcome else None,
            least,
            below,
            wanted.rating.value if wanted.rating else None,
            wanted.grade.value if wanted.grade else None,
            wanted.graded,
            wanted.start_time,
            wanted.end_time,
            wanted.text,
            *(after or (None, None)),
            most + 1,
        )
        rows = await self._fetch(_LIST, *values, allowed_s=allowed_s)
        answers = tuple(map(_to_answer, rows[:most]))
        last = answers[-1] if len(rows) > most else None
        return ReviewPage(answers, (last.create_time, last.answer_id) if last else None)

    async def find_reviewed(
        self, answer_id: UUID, books: tuple[str, ...], allowed_s: float
    ) -> Answer | None:
        rows = await self._fetch(_WHOLE, answer_id, list(books), allowed_s=allowed_s)
        return msgspec.json.decode(rows[0]["answer_body"], type=Answer) if rows else None

    async def grade_answer(
        self, answer_id: UUID, books: tuple[str, ...], grade: Grade, allowed_s: float
    ) -> Grade | None:
        texts = (grade.note, grade.document, grade.quote, grade.client_id)
        values = (answer_id, list(books), grade.value.value, *map(storable, texts))
        rows = await self._fetch(_GRADE, *values, allowed_s=allowed_s)
        return replace(grade, create_time=rows[0]["create_time"]) if rows else None

    async def count_coverage(
        self, book: str, start: datetime | None, end: datetime | None, allowed_s: float
    ) -> Coverage:
        small_talk = RefusalCode.NO_QUESTION.value
        values = (book, start, end, _FROM_MEDIUM, small_talk, list(_NOTHING), MOST_SECTIONS)
        rows = await self._fetch(_COVERAGE, *values, allowed_s=allowed_s)
        if not rows:
            return Coverage((), 0, 0)
        totals = int(rows[0]["all_asked"]), int(rows[0]["nothing_found"])
        return Coverage(tuple(map(_to_section, rows)), *totals)

    async def _fetch(self, statement: str, *values: Any, allowed_s: float) -> list[asyncpg.Record]:
        ends_s = time.monotonic() + allowed_s
        with translated_errors():
            try:
                async with lend(self._pool, allowed_s) as connection:
                    left_s = max(ends_s - time.monotonic(), _LEAST_S)
                    return list(await connection.fetch(statement, *values, timeout=left_s))
            except (TimeoutError, asyncpg.QueryCanceledError) as error:
                raise DeadlineExceeded(_LATE) from error


def _range_of(level: ConfidenceLevel | None) -> tuple[float | None, float | None]:
    """Return the least confidence of a level and that of the one above."""
    if level is ConfidenceLevel.LOW:
        return 0.0, _FROM_MEDIUM
    if level is ConfidenceLevel.MEDIUM:
        return _FROM_MEDIUM, _ABOVE_HIGH
    return (_ABOVE_HIGH, None) if level is ConfidenceLevel.HIGH else (None, None)


def _to_answer(row: asyncpg.Record) -> ReviewedAnswer:
    outcome = Outcome.REFUSED if row["refusal_code"] else Outcome.ANSWERED
    if not row["success"]:
        outcome = Outcome.FAILED
    is_answer = outcome is Outcome.ANSWERED
    score = round(row["confidence_score"] or 0.0, _DIGITS)
    return ReviewedAnswer(
        answer_id=row["log_id"],
        create_time=row["timestamp"],
        book=row["book"],
        edition=row["edition"],
        client_id=row["client_id"],
        question=row["user_query_text"],
        text=row["answer_text"],
        outcome=outcome,
        reason=row["refusal_code"] or row["error_message"],
        confidence=score if is_answer else 0.0,
        confidence_level=name_level(score) if is_answer else ConfidenceLevel.NONE,
        citations=tuple(
            CitedQuote(item["document"], item["quote"], tuple(item["section_path"]))
            for item in msgspec.json.decode(row["citations"])
        ),
        feedback=_to_feedback(row) if row["rating"] else None,
        grade=_to_grade(row) if row["grade"] else None,
    )


def _to_feedback(row: asyncpg.Record) -> Feedback:
    reason = FeedbackReason(row["reason"])
    return Feedback(Rating(row["rating"]), reason, row["comment"], row["said_at"])


def _to_grade(row: asyncpg.Record) -> Grade:
    place = (row["note"], row["document"], row["quote"])
    return Grade(GradeValue(row["grade"]), row["graded_by"], *place, row["graded_at"])


def _to_section(row: asyncpg.Record) -> SectionCoverage:
    path = msgspec.json.decode(row["section_path"]) if row["section_path"] else ()
    names = ("asked", "answered", "refused", "low_confidence", "thumbs_down")
    return SectionCoverage(row["document"] or "", tuple(path), *(int(row[name]) for name in names))

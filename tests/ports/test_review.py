"""What reviewers are shown of the record, how grades are kept, and what was asked of each section."""

import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from libs.errors import InvalidInput, Unavailable
from libs.paging import write_cursor
from services.generation.adapters.records.postgres_answers import PostgresAnswers
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.generation.adapters.records.postgres_review import PostgresReview
from services.generation.confidence import name_level
from services.generation.model import (
    Answer,
    Citation,
    ConfidenceLevel,
    Refusal,
    RefusalCode,
    Sentence,
    Verdict,
)
from services.generation.records.model import AuditRow, Feedback, Rating
from services.generation.records.review import Grade, GradeValue, Outcome, ReviewFilter
from services.generation.records.subject import Subject
from services.generation.wire.review import page_to_proto, position_from_token
from tests.support.audit import erasure
from tests.support.engines import PostgresNode, postgres_node
from tests.support.generation_fakes import PASSAGES, audit_row, question, search_result

READER = "reader"
_NOW = datetime.now(UTC).replace(microsecond=123456)
NOON = max(_NOW, _NOW.replace(day=1, hour=2))
"""Now, yet not in a month's first hours: what was asked an hour before has to be of the same month."""
MOST = 50
NO_TIME = write_cursor("answers", "yesterday", "x")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresNode]:
    with postgres_node(tmp_path_factory.mktemp("postgres")) as node:
        yield node


@pytest.fixture
async def log(server: PostgresNode) -> AsyncIterator[PostgresAuditLog]:
    log = await PostgresAuditLog.open(server.dsn)
    yield log
    await log.close()


@pytest.fixture
def review(log: PostgresAuditLog) -> PostgresReview:
    return PostgresReview(log.pool)


@pytest.fixture
def book() -> str:
    return f"book-{uuid.uuid4().hex[:8]}"


def asked(book: str, text: str = "What does it do?", **changes: Any) -> AuditRow:
    """A row of an answer that cites the first passage; `refusal`, `confidence`, `minutes` change it."""
    minutes = changes.pop("minutes", 0)
    refusal: RefusalCode | None = changes.pop("refusal", None)
    row = audit_row(
        question=question(text, book=book, client_id=READER),
        timestamp=NOON - timedelta(minutes=minutes),
        search=search_result() if refusal is not RefusalCode.NOTHING_FOUND else search_result(()),
    )
    place = PASSAGES[0].locator
    whole: dict[str, Any] = {
        "answer_id": row.log_id,
        "question": row.question,
        "searched_question": text,
        "profile": "default",
        "create_time": row.timestamp,
        "confidence": 0.9,
        "confidence_level": ConfidenceLevel.HIGH,
        "sentences": (Sentence("It moves.", (1,)),),
        "citations": (Citation(1, "force", place, "c-1", "into force", Verdict.EXACT),),
    }
    if refusal:
        none = {"sentences": (), "citations": (), "confidence": 0.0}
        whole |= none | {"refusal": Refusal(refusal, "It does not say.")}
    return replace(row, answer=Answer(**{**whole, **changes}))


async def record(log: PostgresAuditLog, *rows: AuditRow) -> list[uuid.UUID]:
    for row in rows:
        await log.append(row, 5.0)
    return [row.log_id for row in rows]


async def test_questions_are_listed_newest_first_with_all_that_is_known(
    log: PostgresAuditLog, review: PostgresReview, book: str
) -> None:
    failed = replace(asked(book, "Broken?", minutes=2), answer=None, error="unavailable")
    refused = asked(book, "Nothing?", refusal=RefusalCode.NOT_COVERED, minutes=1)
    right = asked(book)
    await record(log, failed, refused, right)
    await PostgresAnswers(log.pool).rate_answer(right.log_id, READER, Feedback(Rating.DOWN), 5.0)
    page = await review.list_answers(ReviewFilter((book,)), None, MOST, 5.0)
    assert page.after is None
    assert [one.question for one in page.answers] == ["What does it do?", "Nothing?", "Broken?"]
    assert [one.outcome for one in page.answers] == [*Outcome]
    assert [one.reason for one in page.answers] == ["", "not_covered", "unavailable"]
    first = page.answers[0]
    assert (first.text, first.client_id, first.create_time) == ("It moves.", READER, NOON)
    assert (round(first.confidence, 4), first.confidence_level) == (0.9, ConfidenceLevel.HIGH)
    assert first.citations[0].quote == "force"
    assert first.citations[0].section_path == PASSAGES[0].locator.section_path
    assert first.feedback
    assert first.feedback.rating is Rating.DOWN
    assert first.grade is None


@pytest.mark.parametrize("confidence", [0.69, 0.7, 0.85, 0.86])
async def test_an_answer_has_the_level_that_its_reader_was_told(
    log: PostgresAuditLog, review: PostgresReview, book: str, confidence: float
) -> None:
    level = name_level(confidence)
    await record(log, asked(book, confidence=confidence, confidence_level=level))
    for chosen in (ConfidenceLevel.LOW, ConfidenceLevel.MEDIUM, ConfidenceLevel.HIGH):
        wanted = ReviewFilter((book,), confidence_level=chosen)
        found = (await review.list_answers(wanted, None, MOST, 5.0)).answers
        told = [(one.confidence, one.confidence_level) for one in found]
        assert told == ([(confidence, level)] if chosen is level else [])
    coverage = await review.count_coverage(book, None, None, 5.0)
    assert coverage.sections[0].low_confidence == (level is ConfidenceLevel.LOW)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"outcome": Outcome.REFUSED}, {"refused"}),
        ({"outcome": Outcome.FAILED}, {"failed"}),
        ({"outcome": Outcome.ANSWERED}, {"sure", "unsure", "PUMPS 100%"}),
        ({"confidence_level": ConfidenceLevel.LOW}, {"unsure"}),
        ({"confidence_level": ConfidenceLevel.MEDIUM}, {"PUMPS 100%"}),
        ({"confidence_level": ConfidenceLevel.HIGH}, {"sure"}),
        ({"rating": Rating.UP}, {"sure"}),
        ({"grade": GradeValue.WRONG}, {"unsure"}),
        ({"graded": True}, {"unsure"}),
        ({"graded": False}, {"sure", "PUMPS 100%", "refused", "failed"}),
        ({"text": "pumps 100%"}, {"PUMPS 100%"}),
        ({"text": "it moves"}, {"sure", "unsure", "PUMPS 100%"}),
        ({"text": "%"}, {"PUMPS 100%"}),
        ({"start_time": NOON - timedelta(minutes=1)}, {"sure", "unsure"}),
        ({"end_time": NOON - timedelta(minutes=3)}, {"failed"}),
        ({"books": ()}, {"sure", "unsure", "PUMPS 100%", "refused", "failed"}),
        ({"books": ("no-such-book",)}, set()),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "found",
)
async def test_listed_answers_can_be_filtered(
    log: PostgresAuditLog,
    review: PostgresReview,
    book: str,
    wanted: dict[str, Any],
    found: set[str],
) -> None:
    sure, unsure, *_ = await record(
        log,
        asked(book, "sure"),
        asked(book, "unsure", confidence=0.5, minutes=1),
        asked(book, "PUMPS 100%", confidence=0.75, minutes=2),
        asked(book, "refused", refusal=RefusalCode.NOT_COVERED, minutes=3),
        replace(asked(book, "failed", minutes=4), answer=None, error="unavailable"),
    )
    await PostgresAnswers(log.pool).rate_answer(sure, READER, Feedback(Rating.UP), 5.0)
    await review.grade_answer(unsure, (book,), Grade(GradeValue.WRONG, "me"), 5.0)
    chosen = ReviewFilter(**{"books": (book,), **wanted})
    page = await review.list_answers(chosen, None, 500, 5.0)
    assert {one.question for one in page.answers if one.book == book} == found


async def test_pages_hold_each_question_once_even_of_one_moment(
    log: PostgresAuditLog, review: PostgresReview, book: str
) -> None:
    ids = await record(log, *(asked(book, f"Question {number}?") for number in range(5)))
    seen, token = [], ""
    for _ in range(3):
        after = position_from_token(token)
        page = await review.list_answers(ReviewFilter((book,)), after, 2, 5.0)
        seen += [one.answer_id for one in page.answers]
        token = page_to_proto(page).next_page_token
        # What is asked meanwhile changes nothing behind it.
        await record(log, asked(book, "Later?", minutes=-1))
    assert token == ""
    assert sorted(seen) == sorted(ids)


@pytest.mark.parametrize("token", ["x", "MjAyNg==", "!!!", "MDAwMS0wMS0wMVQwMDowMDowMCB4", NO_TIME])
def test_a_page_token_that_was_not_given_is_refused(token: str) -> None:
    with pytest.raises(InvalidInput, match="Begin with the first page"):
        position_from_token(token)


async def test_the_last_grade_of_an_answer_counts(
    log: PostgresAuditLog, review: PostgresReview, book: str
) -> None:
    (answer_id,) = await record(log, asked(book))
    await review.grade_answer(answer_id, (), Grade(GradeValue.RIGHT, "me"), 5.0)
    second = Grade(GradeValue.WRONG, "you", "Not\x00 so.", "actuators.mdx", "It holds 21 MPa")
    kept = await review.grade_answer(answer_id, (book,), second, 5.0)
    assert kept
    assert kept.create_time
    (found,) = (await review.list_answers(ReviewFilter((book,)), None, MOST, 5.0)).answers
    assert found.grade
    assert (found.grade.value, found.grade.client_id) == (GradeValue.WRONG, "you")
    assert (found.grade.document, found.grade.quote) == ("actuators.mdx", "It holds 21 MPa")


@pytest.mark.control("V3")
async def test_only_answers_of_the_reviewers_books_are_graded(
    log: PostgresAuditLog, review: PostgresReview, book: str
) -> None:
    failed = replace(asked(book), answer=None, error="unavailable")
    answer_id, failed_id = await record(log, asked(book), failed)
    grade = Grade(GradeValue.RIGHT, "me")
    assert await review.grade_answer(answer_id, ("another",), grade, 5.0) is None
    assert await review.grade_answer(uuid.uuid4(), (), grade, 5.0) is None
    assert await review.grade_answer(failed_id, (), grade, 5.0) is None
    page = await review.list_answers(ReviewFilter((book,), graded=True), None, MOST, 5.0)
    assert page.answers == ()


async def test_questions_count_where_they_are_answered_or_nearest(
    log: PostgresAuditLog, review: PostgresReview, book: str
) -> None:
    down, *_ = await record(
        log,
        asked(book),
        asked(book, confidence=0.5),
        asked(book, refusal=RefusalCode.NOT_COVERED),
        asked(book, refusal=RefusalCode.NOTHING_FOUND),
        asked(book, refusal=RefusalCode.NO_QUESTION),
        asked(book, minutes=60),
        replace(asked(book), answer=None, error="unavailable"),
    )
    await PostgresAnswers(log.pool).rate_answer(down, READER, Feedback(Rating.DOWN), 5.0)
    found = await review.count_coverage(book, NOON - timedelta(minutes=30), None, 5.0)
    assert (found.asked, found.nothing_found) == (4, 2)
    place = PASSAGES[0].locator
    section, nowhere = found.sections
    assert (section.document, section.section_path) == (place.document, place.section_path)
    told = (section.asked, section.answered, section.refused)
    assert (*told, section.low_confidence, section.thumbs_down) == (3, 2, 1, 1, 1)
    assert (nowhere.document, nowhere.asked, nowhere.refused) == ("", 1, 1)
    before = await review.count_coverage(book, None, NOON - timedelta(minutes=30), 5.0)
    assert before.asked == 1
    none = await review.count_coverage("no-such-book", None, None, 5.0)
    assert (none.sections, none.asked) == ((), 0)


@pytest.mark.fault("D3")
async def test_without_the_store_nothing_is_listed(server: PostgresNode) -> None:
    log = await PostgresAuditLog.open(server.dsn)
    review = PostgresReview(log.pool)
    await log.close()
    with pytest.raises(Unavailable):
        await review.list_answers(ReviewFilter(), None, MOST, 5.0)


async def test_a_grade_goes_with_the_answer_that_is_erased(
    server: PostgresNode, log: PostgresAuditLog, review: PostgresReview, book: str
) -> None:
    erased, other = await record(log, asked(book), asked(f"{book}-2"))
    for answer_id in (erased, other):
        await review.grade_answer(answer_id, (), Grade(GradeValue.WRONG, "me", "So."), 5.0)
    async with asyncpg.create_pool(server.dsn, min_size=1) as owner:
        await erasure(owner).erase(Subject(book=book))
        left = await owner.fetch("SELECT answer_id FROM answer_grades WHERE note = 'So.'")
    assert [row["answer_id"] for row in left] == [other]


@pytest.mark.control("V3")
async def test_an_answer_is_found_whole_for_reviewers_of_its_book(
    log: PostgresAuditLog, review: PostgresReview, book: str
) -> None:
    row = asked(book)
    await record(log, row)
    assert row.answer
    for books in ((), (book,)):
        found = await review.find_reviewed(row.log_id, books, 5.0)
        assert found
        assert (found.text, found.citations) == (row.answer.text, row.answer.citations)
    assert await review.find_reviewed(row.log_id, ("another",), 5.0) is None
    assert await review.find_reviewed(uuid.uuid4(), (), 5.0) is None

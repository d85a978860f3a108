"""The review over a real socket: from the gateway's client to generation's store and back."""

import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from libs.errors import InvalidInput, NotFound
from libs.rpc.channel import open_channel
from libs.rpc.server import start_server
from services.gateway.clients import GenerationClient
from services.gateway.model.review import CoverageQuery, GradeRequest, ReviewQuery
from services.generation.model import Answer, ConfidenceLevel, Question
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
from services.generation.server import ReviewServicer

WHEN = datetime(2026, 11, 21, 12, 30, 15, 250000, tzinfo=UTC)
ANSWER_ID = uuid.UUID("0b6b7c1e-0000-4000-8000-000000000001")
ANSWER = ReviewedAnswer(
    ANSWER_ID,
    WHEN,
    "pumps",
    3,
    "reader",
    "What?",
    "That.",
    Outcome.ANSWERED,
    "",
    0.75,
    ConfidenceLevel.MEDIUM,
    (CitedQuote("a.md", "That.", ("A", "B")),),
    Feedback(Rating.DOWN, FeedbackReason.WRONG, "No.", WHEN),
    Grade(GradeValue.WRONG, "me", "So.", "b.md", "This.", WHEN),
)


@dataclass
class FakeReview:
    """Shows one answer, and takes grades of it."""

    asked: list[Any] = field(default_factory=list)

    async def list_answers(
        self, wanted: ReviewFilter, after: Position | None, most: int, allowed_s: float
    ) -> ReviewPage:
        self.asked.append((wanted, after, most))
        return ReviewPage((ANSWER,), (WHEN, ANSWER_ID))

    async def find_reviewed(
        self, answer_id: uuid.UUID, books: tuple[str, ...], allowed_s: float
    ) -> Answer | None:
        self.asked.append((answer_id, books))
        asked = Question("pumps", 3, "What?")
        return Answer(answer_id, asked, "What?", "default", WHEN) if not books else None

    async def grade_answer(
        self, answer_id: uuid.UUID, books: tuple[str, ...], grade: Grade, allowed_s: float
    ) -> Grade | None:
        self.asked.append((answer_id, books, grade))
        return replace(grade, create_time=WHEN) if answer_id == ANSWER_ID else None

    async def count_coverage(
        self, book: str, start: datetime | None, end: datetime | None, allowed_s: float
    ) -> Coverage:
        self.asked.append((book, start, end))
        return Coverage((SectionCoverage("a.md", ("A",), 5, 4, 1, 2, 1),), 5, 1)


@pytest.fixture
def store() -> FakeReview:
    return FakeReview()


@pytest.fixture
async def client(store: FakeReview) -> AsyncIterator[GenerationClient]:
    running = await start_server("127.0.0.1:0", ReviewServicer(store).register)
    channel = open_channel(f"127.0.0.1:{running.port}")
    yield GenerationClient(channel)
    await channel.close()
    await running.stop(0)


async def test_review_filters_and_pages_cross_the_wire_whole(
    client: GenerationClient, store: FakeReview
) -> None:
    query = ReviewQuery(
        outcome="refused",
        confidence="low",
        rating="up",
        grade="should_have_refused",
        graded=False,
        since=WHEN,
        text="pump",
        limit=7,
    )
    page = await client.list_answers(query, ["pumps"], 5.0)
    await client.list_answers(ReviewQuery(cursor=page.next_cursor), [], 5.0)
    chosen = ReviewFilter(
        ("pumps",),
        Outcome.REFUSED,
        ConfidenceLevel.LOW,
        Rating.UP,
        GradeValue.SHOULD_HAVE_REFUSED,
        graded=False,
        start_time=WHEN,
        text="pump",
    )
    assert store.asked == [(chosen, None, 7), (ReviewFilter(), (WHEN, ANSWER_ID), 50)]
    (found,) = page.answers
    assert (found.answer_id, found.create_time, found.book) == (str(ANSWER_ID), WHEN, "pumps")
    assert (found.outcome, found.confidence, found.confidence_level) == ("answered", 0.75, "medium")
    assert found.citations[0].section_path == ["A", "B"]
    assert found.feedback
    assert (found.feedback.rating, found.feedback.reason) == ("down", "wrong")
    assert found.grade
    assert (found.grade.grade, found.grade.client, found.grade.quote) == ("wrong", "me", "This.")


async def test_a_grade_is_kept_for_an_answer_that_there_is(
    client: GenerationClient, store: FakeReview
) -> None:
    said = GradeRequest("wrong", "So.", "b.md", "This.")
    kept = await client.grade_answer(str(ANSWER_ID), ["pumps"], "me", said, 5.0)
    assert (kept.grade, kept.client, kept.create_time) == ("wrong", "me", WHEN)
    grade = Grade(GradeValue.WRONG, "me", "So.", "b.md", "This.")
    assert store.asked == [(ANSWER_ID, ("pumps",), grade)]
    for answer_id in (str(uuid.uuid4()), "no-id"):
        with pytest.raises(NotFound, match="no answer of that id"):
            await client.grade_answer(answer_id, [], "me", said, 5.0)
    half = GradeRequest("wrong", document="b.md")
    with pytest.raises(InvalidInput, match="document and the quote"):
        await client.grade_answer(str(ANSWER_ID), [], "me", half, 5.0)


async def test_coverage_says_how_often_nothing_is_found(
    client: GenerationClient, store: FakeReview
) -> None:
    found = await client.count_coverage("pumps", CoverageQuery(until=WHEN), 5.0)
    assert store.asked == [("pumps", None, WHEN)]
    assert (found.zero_result_rate, found.alarm) == (0.2, True)
    (section,) = found.sections
    assert (section.asked, section.answered, section.low_confidence) == (5, 4, 2)
    with pytest.raises(InvalidInput, match="Begin with the first page"):
        await client.list_answers(ReviewQuery(cursor="x"), [], 5.0)


async def test_an_answer_is_shown_whole_where_its_book_may_be_seen(
    client: GenerationClient, store: FakeReview
) -> None:
    answer = await client.get_reviewed(str(ANSWER_ID), [], 5.0)
    assert (answer.answer_id, answer.question, answer.book) == (str(ANSWER_ID), "What?", "pumps")
    with pytest.raises(NotFound):
        await client.get_reviewed(str(ANSWER_ID), ["another"], 5.0)
    assert store.asked == [(ANSWER_ID, ()), (ANSWER_ID, ("another",))]

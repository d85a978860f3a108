"""The record of answers for whoever has the scope `admin`: listed, graded, counted by sections."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from libs.errors import NotFound
from services.gateway.access import caller_of_request
from services.gateway.access.guard import NO_BOOK
from services.gateway.model.answers import Answer
from services.gateway.model.review import (
    Coverage,
    CoverageQuery,
    Grade,
    GradeRequest,
    ReviewList,
    ReviewQuery,
)
from services.gateway.openapi import Operation, Parameter
from services.gateway.ports import Reviewer
from services.gateway.routes.bodies import JsonBodies, convert_query
from services.gateway.routes.endpoint import (
    BOOK,
    POST_PROBLEMS,
    TIMEOUT,
    Endpoint,
    json_response,
    start_budget,
    within,
)

_CALLS = ("not_found", "overloaded", "unavailable", "deadline_exceeded")
_TIME = {"type": "string", "format": "date-time"}
ANSWER_ID = Parameter("answer_id", "path", "Id of an answer.", {"type": "string", "format": "uuid"})
_SINCE = Parameter("since", "query", "Earliest time, with its offset from UTC.", _TIME)
_UNTIL = Parameter("until", "query", "Time before which they were asked.", _TIME)


def _choice(name: str, description: str, *values: str) -> Parameter:
    return Parameter(name, "query", description, {"type": "string", "enum": list(values)})


LIST = Operation(
    "GET",
    "/v1/review/answers",
    "listAnswers",
    "List what was asked and answered, of all clients, newest first.",
    ReviewList,
    access="admin",
    parameters=(
        Parameter("book", "query", "Slug of the book.", {"type": "string", "maxLength": 64}),
        _choice("outcome", "How it ended.", "answered", "refused", "failed"),
        _choice("confidence", "Level of an answer's confidence.", "low", "medium", "high"),
        _choice("rating", "What a reader said.", "up", "down"),
        _choice(
            "grade",
            "How it was graded.",
            "right",
            "wrong",
            "should_have_refused",
            "should_have_answered",
        ),
        Parameter("graded", "query", "Whether it was graded.", {"type": "boolean"}),
        _SINCE,
        _UNTIL,
        Parameter(
            "text",
            "query",
            "Words of the question or the answer, whatever their case.",
            {"type": "string", "maxLength": 200},
        ),
        Parameter(
            "limit",
            "query",
            "Most answers of a page.",
            {"type": "integer", "minimum": 1, "maximum": 200, "default": 50},
        ),
        Parameter(
            "cursor",
            "query",
            "`next_cursor` of the page before.",
            {"type": "string", "maxLength": 200},
        ),
        TIMEOUT,
    ),
    problems=("invalid_input", *_CALLS),
)
ONE = Operation(
    "GET",
    "/v1/review/answers/{answer_id}",
    "getReviewedAnswer",
    "Show an answer or a refusal whole, whoever asked.",
    Answer,
    access="admin",
    parameters=(ANSWER_ID, TIMEOUT),
    problems=("invalid_input", *_CALLS),
)
GRADE = Operation(
    "POST",
    "/v1/review/answers/{answer_id}/grade",
    "gradeAnswer",
    "Grade an answer or a refusal; graded again, the last word counts.",
    Grade,
    access="admin",
    parameters=(
        ANSWER_ID,
        TIMEOUT,
    ),
    body=GradeRequest,
    body_example={"grade": "wrong", "document": "actuators.mdx", "quote": "It holds 21 MPa."},
    problems=(*POST_PROBLEMS, *_CALLS),
)
COVERAGE = Operation(
    "GET",
    "/v1/books/{book}/coverage",
    "getCoverage",
    "Count what was asked of each section of a book, and how often nothing was found.",
    Coverage,
    access="admin",
    description=(
        "A question counts where its first citation stands, or where the best passage does that was "
        "found for it."
    ),
    parameters=(BOOK, _SINCE, _UNTIL, TIMEOUT),
    problems=("invalid_input", *_CALLS),
)


@dataclass(frozen=True)
class ReviewRoutes:
    """Serves the review; a key for some books reviews those alone."""

    reviewer: Reviewer
    bodies: JsonBodies

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint(LIST, self.all),
            Endpoint(ONE, self.one),
            Endpoint(GRADE, self.grade),
            Endpoint(COVERAGE, self.coverage),
        ]

    async def all(self, request: Request) -> Response:
        query = convert_query(request.query_params, ReviewQuery)
        caller = caller_of_request(request)
        if query.book and not caller.may_see(query.book):
            raise NotFound(NO_BOOK)
        books = [query.book] if query.book else list(caller.books)
        left_s = start_budget(request).left_s()
        listing = self.reviewer.list_answers(query, books, left_s)
        return json_response(await within(left_s, listing))

    async def one(self, request: Request) -> Response:
        caller, left_s = caller_of_request(request), start_budget(request).left_s()
        reading = self.reviewer.get_reviewed(
            request.path_params["answer_id"], list(caller.books), left_s
        )
        return json_response(await within(left_s, reading))

    async def grade(self, request: Request) -> Response:
        said = await self.bodies.read(request, GradeRequest)
        caller, left_s = caller_of_request(request), start_budget(request).left_s()
        grading = self.reviewer.grade_answer(
            request.path_params["answer_id"], list(caller.books), caller.client, said, left_s
        )
        return json_response(await within(left_s, grading))

    async def coverage(self, request: Request) -> Response:
        query = convert_query(request.query_params, CoverageQuery)
        left_s = start_budget(request).left_s()
        counting = self.reviewer.count_coverage(request.path_params["book"], query, left_s)
        return json_response(await within(left_s, counting))

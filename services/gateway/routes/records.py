"""Read answers again by their id, and rate them."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from libs.errors import NotFound
from services.gateway.access import caller_of_request
from services.gateway.keys import Caller
from services.gateway.model.answers import Answer, Feedback, FeedbackRequest
from services.gateway.openapi import Operation, Parameter
from services.gateway.ports import AnswerRecords
from services.gateway.routes.bodies import JsonBodies
from services.gateway.routes.endpoint import (
    POST_PROBLEMS,
    TIMEOUT,
    Endpoint,
    json_response,
    start_budget,
    within,
)

# The very words of the generation service: whose an answer is must not be learnt from them.
NO_ANSWER = "There is no answer of that id."

_ANSWER_ID = Parameter(
    "answer_id",
    "path",
    "Id of an answer that was given to this client.",
    {"type": "string", "format": "uuid"},
)
_CALLS = ("not_found", "overloaded", "unavailable", "deadline_exceeded")
READ = Operation(
    "GET",
    "/v1/answers/{answer_id}",
    "getAnswer",
    "Read an answer or a refusal again, as it was given.",
    Answer,
    access="ask",
    description=(
        "Only the client that asked finds it: to any other, and for a question that ended without an "
        "answer, it is not there. `timings` are those known when it was recorded."
    ),
    parameters=(_ANSWER_ID, TIMEOUT),
    problems=("invalid_input", *_CALLS),
)
RATE = Operation(
    "POST",
    "/v1/answers/{answer_id}/feedback",
    "rateAnswer",
    "Say whether an answer helped, and why.",
    Feedback,
    access="ask",
    parameters=(_ANSWER_ID, TIMEOUT),
    body=FeedbackRequest,
    body_example={"rating": "down", "reason": "incomplete", "comment": "The units are missing."},
    problems=(*POST_PROBLEMS, *_CALLS),
)


@dataclass(frozen=True)
class RecordRoutes:
    """Serves the answers of a client to that client."""

    records: AnswerRecords
    bodies: JsonBodies

    def endpoints(self) -> list[Endpoint]:
        return [Endpoint(READ, self.read), Endpoint(RATE, self.rate)]

    async def read(self, request: Request) -> Response:
        left_s = start_budget(request).left_s()
        return json_response(await within(left_s, self._read(request, left_s)))

    async def rate(self, request: Request) -> Response:
        said = await self.bodies.read(request, FeedbackRequest)
        left_s = start_budget(request).left_s()
        return json_response(await within(left_s, self._rate(request, said, left_s)))

    async def _read(self, request: Request, left_s: float) -> Answer:
        return await read_answer(
            self.records, caller_of_request(request), request.path_params["answer_id"], left_s
        )

    async def _rate(self, request: Request, said: FeedbackRequest, left_s: float) -> Feedback:
        # A key whose books have changed since then no longer sees the answer, nor rates it.
        answer = await self._read(request, left_s)
        client = caller_of_request(request).client
        return await self.records.rate_answer(answer.answer_id, client, said, left_s)


async def read_answer(
    records: AnswerRecords, caller: Caller, answer_id: str, left_s: float
) -> Answer:
    """Return an answer of the caller's. Raises NotFound, of a book that it may not see too."""
    answer = await records.get_answer(answer_id, caller.client, left_s)
    if not caller.may_see(answer.book):
        raise NotFound(NO_ANSWER)
    return answer

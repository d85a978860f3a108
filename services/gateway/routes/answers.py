"""Questions to a book: answers, and the passages behind them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from libs.budget.stages import TOTAL_S
from libs.errors import InvalidInput
from services.gateway.access import caller_of_request
from services.gateway.model import (
    Answer,
    Message,
    PassagesFound,
    SearchResult,
    SelectedText,
    SentenceReleased,
)
from services.gateway.openapi import Operation
from services.gateway.pipeline import Release
from services.gateway.routes.asking import Asked, Asking
from services.gateway.routes.bodies import JsonBodies
from services.gateway.routes.endpoint import (
    BOOK,
    CALL_PROBLEMS,
    POST_PROBLEMS,
    TIMEOUT,
    Endpoint,
    json_response,
    start_budget,
)
from services.gateway.routes.streams import EventStream, SendEvent, wants_events, while_connected
from services.gateway.schemas import AnswerRequest, MessageBody, SearchRequest, SelectionBody

ANSWER = Operation(
    "POST",
    "/v1/books/{book}/answers",
    "answerQuestion",
    "Answer a question from a book, every sentence with its proof.",
    Answer,
    access="ask",
    description=(
        "Where the book does not answer, `refusal` says so, with status 200. With `Accept: "
        "text/event-stream` the passages and each sentence come as they pass; a stream that ends "
        "without `done` is not an answer, and its sentences are void."
    ),
    parameters=(BOOK, TIMEOUT),
    body=AnswerRequest,
    body_example={
        "question": "How do hydraulic actuators compare with electric motors?",
        "selection": None,
        "section_path": [],
        "history": [],
        "profile": "",
    },
    events={"passages": PassagesFound, "sentence": SentenceReleased, "done": Answer},
    problems=(
        *(*POST_PROBLEMS, *CALL_PROBLEMS),
        *("model_unavailable", "wrong_index", "budget_spent"),
    ),
)
SEARCH = Operation(
    "POST",
    "/v1/books/{book}/search",
    "searchPassages",
    "Find the passages of a book that answer a question.",
    SearchResult,
    access="ask",
    parameters=(BOOK, TIMEOUT),
    body=SearchRequest,
    body_example={"question": "passive compliance", "section_path": [], "max_passages": 5},
    problems=(*POST_PROBLEMS, *CALL_PROBLEMS, "wrong_index"),
)
_ROLES: dict[str, Literal["user", "assistant"]] = {"user": "user", "assistant": "assistant"}
_PLACES = ("/v1/books/", "/v1/chat/")
_QUESTIONS = ("/answers", "/search", "/query", "/completions")


@dataclass(frozen=True)
class AnswerRoutes:
    """Serves answers and searches."""

    asking: Asking
    bodies: JsonBodies

    def endpoints(self) -> list[Endpoint]:
        return [Endpoint(ANSWER, self.answer), Endpoint(SEARCH, self.search)]

    def admit(self, scope: Scope) -> None:
        """Raise Overloaded for a question that would find no turn, whatever it asks."""
        path = scope["path"]
        is_question = path.startswith(_PLACES) and path.endswith(_QUESTIONS)
        if is_question and scope["method"] == "POST":
            self.asking.turns.require_room(TOTAL_S)

    async def answer(self, request: Request) -> Response | EventStream:
        body = await self.bodies.read(request, AnswerRequest)
        if not body.question.strip() and body.selection is None:
            raise InvalidInput("question: Ask something, or mark a passage.")
        asked = replace(_asked(request, body), history=tuple(map(read_message, body.history)))
        caller = caller_of_request(request)
        start_budget(request)
        if wants_events(request):
            return EventStream(
                lambda send: _stream(
                    lambda release: self.asking.answer(caller, asked, release), send
                )
            )
        return json_response(await while_connected(request, self.asking.answer(caller, asked)))

    async def search(self, request: Request) -> Response:
        body = await self.bodies.read(request, SearchRequest)
        if not body.question.strip():
            raise InvalidInput("question: Say what to look for.")
        asked, caller = _asked(request, body), caller_of_request(request)
        start_budget(request)
        searching = self.asking.search(caller, asked, body.max_passages)
        return json_response(await while_connected(request, searching))


async def _stream(answer: Callable[[Release], Awaitable[Answer]], send: SendEvent) -> None:
    def release(event: PassagesFound | SentenceReleased) -> None:
        send("passages" if isinstance(event, PassagesFound) else "sentence", event)

    send("done", await answer(release))


def _asked(request: Request, body: AnswerRequest | SearchRequest) -> Asked:
    return Asked(
        request.path_params["book"],
        body.question,
        _selected(body.selection),
        tuple(body.section_path),
        profile=body.profile,
    )


def read_message(body: MessageBody) -> Message:
    if not body.role or not body.content or not body.content.strip():
        raise InvalidInput("Each message must have 'role' and 'content'")
    role = _ROLES.get(body.role)
    if role is None:
        raise InvalidInput("Role must be 'user' or 'assistant'")
    return Message(role, body.content)


def _selected(body: SelectionBody | None) -> SelectedText | None:
    if body is None:
        return None
    if body.start is None or body.end is None:
        if body.start is not body.end:
            raise InvalidInput("selection: Give both start and end, or neither.")
        if not body.text.strip():
            raise InvalidInput("selection: Give start and end, or text.")
        return SelectedText(body.document, None, body.text)
    if body.end <= body.start:
        raise InvalidInput("selection.end: Must be greater than start.")
    return SelectedText(body.document, (body.start, body.end), body.text)

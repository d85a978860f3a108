"""Questions to a book: answers, and the passages behind them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from libs.budget import current_budget
from libs.budget.stages import TOTAL_S
from libs.errors import InvalidInput
from libs.rpc.turns import Turns
from services.gateway.model import (
    Answer,
    Book,
    Message,
    PassagesFound,
    Question,
    SearchResult,
    SelectedText,
    SentenceReleased,
)
from services.gateway.openapi import Operation
from services.gateway.pipeline import Editions, Release, answer_question, search_book
from services.gateway.ports import Answerer, Searcher
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
    problems=(*POST_PROBLEMS, *CALL_PROBLEMS, "model_unavailable", "wrong_index"),
)
SEARCH = Operation(
    "POST",
    "/v1/books/{book}/search",
    "searchPassages",
    "Find the passages of a book that answer a question.",
    SearchResult,
    parameters=(BOOK, TIMEOUT),
    body=SearchRequest,
    body_example={"question": "passive compliance", "section_path": [], "max_passages": 5},
    problems=(*POST_PROBLEMS, *CALL_PROBLEMS, "wrong_index"),
)
_ROLES: dict[str, Literal["user", "assistant"]] = {"user": "user", "assistant": "assistant"}
_BOOKS, _QUESTIONS = "/v1/books/", ("/answers", "/search")


@dataclass(frozen=True)
class AnswerRoutes:
    """Serves answers and searches."""

    editions: Editions
    searcher: Searcher
    answerer: Answerer
    turns: Turns
    bodies: JsonBodies

    def endpoints(self) -> list[Endpoint]:
        return [Endpoint(ANSWER, self.answer), Endpoint(SEARCH, self.search)]

    def admit(self, scope: Scope) -> None:
        """Raise Overloaded for a question that would find no turn, whatever it asks."""
        path = scope["path"]
        if path.startswith(_BOOKS) and path.endswith(_QUESTIONS) and scope["method"] == "POST":
            self.turns.require_room(TOTAL_S)

    async def answer(self, request: Request) -> Response | EventStream:
        asked = await self.bodies.read(request, AnswerRequest)
        if not asked.question.strip() and asked.selection is None:
            raise InvalidInput("question: Ask something, or mark a passage.")
        selection = _selected(asked.selection)
        history = [_message(message) for message in asked.history]
        start_budget(request)

        async def resolve_and_answer(release: Release | None = None) -> Answer:
            async with self.turns.turn(current_budget().left_s()):
                return await self.editions.ask(
                    request.path_params["book"],
                    lambda book, confirm: answer_question(
                        _question(book, asked, selection),
                        history,
                        self.answerer,
                        confirm,
                        release,
                    ),
                )

        if wants_events(request):
            return EventStream(lambda send: _stream(resolve_and_answer, send))
        return json_response(await while_connected(request, resolve_and_answer()))

    async def search(self, request: Request) -> Response:
        asked = await self.bodies.read(request, SearchRequest)
        if not asked.question.strip():
            raise InvalidInput("question: Say what to look for.")
        selection = _selected(asked.selection)
        start_budget(request)

        async def resolve_and_search() -> SearchResult:
            async with self.turns.turn(current_budget().left_s()):
                return await self.editions.ask(
                    request.path_params["book"],
                    lambda book, confirm: search_book(
                        _question(book, asked, selection),
                        asked.max_passages,
                        self.searcher,
                        confirm,
                    ),
                )

        return json_response(await while_connected(request, resolve_and_search()))


async def _stream(answer: Callable[[Release], Awaitable[Answer]], send: SendEvent) -> None:
    def release(event: PassagesFound | SentenceReleased) -> None:
        send("passages" if isinstance(event, PassagesFound) else "sentence", event)

    send("done", await answer(release))


def _question(
    book: Book, asked: AnswerRequest | SearchRequest, selection: SelectedText | None
) -> Question:
    return Question(
        book.slug,
        book.edition,
        asked.question,
        selection,
        list(asked.section_path),
        asked.profile,
        book.title,
    )


def _message(body: MessageBody) -> Message:
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

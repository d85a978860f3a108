"""Questions to a book: answers, and the passages behind them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from libs.budget import current_budget
from libs.budget.stages import TOTAL_S
from libs.errors import InvalidInput, NotFound
from services.gateway.access import caller_of_request
from services.gateway.keys import Caller
from services.gateway.model.answers import (
    Answer,
    Message,
    PassagesFound,
    SelectedText,
    SentenceReleased,
    SuggestionsWanted,
)
from services.gateway.model.passages import SearchResult
from services.gateway.openapi import Operation, Parameter
from services.gateway.pipeline import Release
from services.gateway.ports import AnswerRecords
from services.gateway.routes.asking import Asking, BookQuestion
from services.gateway.routes.bodies import JsonBodies, convert_query
from services.gateway.routes.endpoint import (
    BOOK,
    CALL_PROBLEMS,
    LANGUAGES,
    POST_PROBLEMS,
    REQUEST_KEY,
    TIMEOUT,
    Endpoint,
    json_response,
    read_languages,
    read_request_key,
    start_budget,
    within,
)
from services.gateway.routes.records import NO_ANSWER, read_answer
from services.gateway.routes.streams import EventStream, SendEvent, wants_events, while_connected
from services.gateway.schemas import (
    AnswerRequest,
    MessageBody,
    Profile,
    SearchRequest,
    SelectionBody,
    Suggestions,
)

LAST_EVENT = Parameter(
    "Last-Event-ID",
    "header",
    "Id of the last event of a stream that broke off.",
    {"type": "string"},
)
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
        "without `done` is not an answer, and its sentences are void. Asked again with the "
        "`Last-Event-ID` of a stream that broke off, it sends `done` with the answer as recorded, or "
        "404 where there is none; nothing is answered twice. In a `session` the last 5 exchanges go "
        "before the question, and the answer is added to it."
    ),
    parameters=(BOOK, TIMEOUT, REQUEST_KEY, LANGUAGES, LAST_EVENT),
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
        *("model_unavailable", "model_busy", "wrong_index", "budget_spent", "conflict"),
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
SUGGEST = Operation(
    "GET",
    "/v1/books/{book}/suggestions",
    "suggestQuestions",
    "Suggest questions to begin with or to go on with, which the book answers.",
    Suggestions,
    access="ask",
    parameters=(
        BOOK,
        Parameter("profile", "query", "Name of the profile.", {"type": "string", "maxLength": 40}),
        Parameter(
            "answer",
            "query",
            "Id of an answer of this client's to this book: the questions are near that one.",
            {"type": "string", "maxLength": 36},
        ),
        TIMEOUT,
    ),
    problems=("invalid_input", *CALL_PROBLEMS, "wrong_index"),
)
_ROLES: dict[str, Literal["user", "assistant"]] = {"user": "user", "assistant": "assistant"}
_PLACES = ("/v1/books/", "/v1/chat/")
_QUESTIONS = ("/answers", "/search", "/query", "/completions")


class SuggestQuery(Struct, frozen=True):
    """Whose gate the questions pass, and the answer that they go on from."""

    profile: Profile = ""
    answer: Annotated[str, Meta(max_length=36)] = ""


@dataclass(frozen=True)
class AnswerRoutes:
    """Serves answers and searches."""

    asking: Asking
    bodies: JsonBodies
    records: AnswerRecords

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint(ANSWER, self.answer),
            Endpoint(SEARCH, self.search),
            Endpoint(SUGGEST, self.suggest),
        ]

    def admit(self, scope: Scope) -> None:
        """Raise Overloaded for a question that would find no turn, whatever it asks."""
        path = scope["path"]
        is_question = path.startswith(_PLACES) and path.endswith(_QUESTIONS)
        if is_question and scope["method"] == "POST":
            self.asking.turns.require_room(TOTAL_S)

    async def answer(self, request: Request) -> Response | EventStream:
        body = await self.bodies.read(request, AnswerRequest)
        if not body.question.strip() and body.selection is None:
            raise InvalidInput("question: Ask something, or select a passage.")
        asked = _asked(
            request,
            body,
            history=tuple(map(read_message, body.history)),
            request_key=read_request_key(request),
            session_id=read_session_id(body.session, body.history),
            user_id=body.user,
            reader_languages=read_languages(request),
        )
        caller = caller_of_request(request)
        start_budget(request)
        if wants_events(request):
            if last := request.headers.get("last-event-id"):
                return EventStream(lambda send: self._resume(caller, asked.book, last, send))
            return EventStream(
                lambda send: _stream(
                    lambda release: self.asking.answer(caller, asked, release), send
                )
            )
        return json_response(await while_connected(request, self.asking.answer(caller, asked)))

    async def _resume(self, caller: Caller, book: str, last: str, send: SendEvent) -> None:
        """Send the end of a stream that broke off: an answer that was recorded is not made again."""
        answer_id, left_s = last.partition(":")[0], current_budget().left_s()
        answer = await within(left_s, read_answer(self.records, caller, answer_id, left_s))
        if answer.book != book:
            raise NotFound(NO_ANSWER)
        send("done", answer, f"{answer_id}:{len(answer.sentences) + 2}")

    async def search(self, request: Request) -> Response:
        body = await self.bodies.read(request, SearchRequest)
        if not body.question.strip():
            raise InvalidInput("question: Say what to look for.")
        asked, caller = _asked(request, body), caller_of_request(request)
        start_budget(request)
        searching = self.asking.search(caller, asked, body.max_passages)
        return json_response(await while_connected(request, searching))

    async def suggest(self, request: Request) -> Response:
        asked = convert_query(request.query_params, SuggestQuery)
        client = caller_of_request(request).client
        wanted = SuggestionsWanted(asked.profile, asked.answer, client)
        start_budget(request)
        suggesting = self.asking.suggest(request.path_params["book"], wanted)
        return json_response(await while_connected(request, suggesting))


async def _stream(answer: Callable[[Release], Awaitable[Answer]], send: SendEvent) -> None:
    """Send what comes; ids of events are the answer's, and a number."""
    answer_id, number = "", 0

    def release(event: PassagesFound | SentenceReleased) -> None:
        nonlocal answer_id, number
        number += 1
        if isinstance(event, PassagesFound):
            answer_id = event.answer_id
        name = "passages" if isinstance(event, PassagesFound) else "sentence"
        send(name, event, f"{answer_id}:{number}")

    whole = await answer(release)
    send("done", whole, f"{whole.answer_id}:{number + 1}")


def _asked(request: Request, body: AnswerRequest | SearchRequest, **more: Any) -> BookQuestion:
    return BookQuestion(
        request.path_params["book"],
        body.question,
        _selected(body.selection),
        tuple(body.section_path),
        profile=body.profile,
        document=body.document,
        chapter=body.chapter,
        page=str(body.page or ""),
        **more,
    )


def read_session_id(session: str, history: Sequence[MessageBody]) -> str:
    if session and history:
        raise InvalidInput("session: Send a session or a history, not both.")
    return session


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

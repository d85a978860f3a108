"""The chat of a textbook's site: one question, text selected on the page, the messages before."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from libs.errors import InvalidInput
from services.gateway.access import caller_of_request
from services.gateway.keys import Caller
from services.gateway.model.answers import (
    Answer,
    Citation,
    ConfidenceLevel,
    SelectedText,
)
from services.gateway.openapi import Operation
from services.gateway.routes.answers import read_message, read_session_id
from services.gateway.routes.asking import Asking, BookQuestion
from services.gateway.routes.bodies import JsonBodies
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
)
from services.gateway.routes.streams import while_connected
from services.gateway.schemas import MessageBody, SessionId, UserId

_SNIPPET = 200
_SOUGHT = 400
"""Characters of a selected text by which its document is looked for."""
_BESIDE = 60
"""Of these, the first that must stand in a passage of the document."""


class ChatQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """A question, a selected text, or both; at most ten earlier messages, oldest first."""

    query: Annotated[str, Meta(max_length=4000)] = ""
    selected_text: Annotated[str, Meta(max_length=5000)] = ""
    conversation_history: Annotated[list[MessageBody], Meta(max_length=10)] = []
    document: Annotated[
        str, Meta(max_length=1000, description="Document of the selected text; empty: looked for.")
    ] = ""
    profile: Annotated[str, Meta(max_length=40)] = ""
    session: SessionId = ""
    user: UserId = ""


class SourceChunk(Struct, frozen=True):
    """A place that the answer is from."""

    chapter: str
    section: str | None
    snippet: Annotated[str, Meta(max_length=_SNIPPET)]


class ChatReply(Struct, frozen=True):
    """The answer in one text, or the refusal's words, with what it is from."""

    response: str
    source_chunks: list[SourceChunk]
    mode: Literal["rag", "selected_text"]
    timestamp: datetime
    confidence_score: float
    confidence_level: ConfidenceLevel | None
    citations: list[Citation]
    answer_id: str
    nearest: Annotated[
        list[Citation],
        Meta(
            description="Of a refusal: what stands nearest to the question, and may not answer it."
        ),
    ] = []


QUERY = Operation(
    "POST",
    "/v1/chat/book/{book}/query",
    "queryBook",
    "Ask a book as the chat of a textbook's site does.",
    ChatReply,
    access="ask",
    parameters=(BOOK, TIMEOUT, REQUEST_KEY, LANGUAGES),
    body=ChatQuery,
    body_example={
        "query": "What is passive compliance?",
        "selected_text": "",
        "conversation_history": [{"role": "user", "content": "What is a joint?"}],
    },
    problems=(
        *(*POST_PROBLEMS, *CALL_PROBLEMS),
        *("model_unavailable", "model_busy", "wrong_index", "budget_spent", "conflict"),
    ),
)


@dataclass(frozen=True)
class TextbookRoutes:
    """Serves the chat of a textbook's site."""

    asking: Asking
    bodies: JsonBodies

    def endpoints(self) -> list[Endpoint]:
        return [Endpoint(QUERY, self.query)]

    async def query(self, request: Request) -> Response:
        body = await self.bodies.read(request, ChatQuery)
        if not body.query.strip() and not body.selected_text.strip():
            raise InvalidInput("at least one of query or selected_text")
        book, caller = request.path_params["book"], caller_of_request(request)
        history = tuple(map(read_message, body.conversation_history))
        key = read_request_key(request)
        session_id = read_session_id(body.session, body.conversation_history)
        start_budget(request)

        async def answer() -> Answer:
            selection = await self._select(caller, book, body)
            asked = BookQuestion(
                book,
                body.query,
                selection,
                history=history,
                profile=body.profile,
                request_key=key,
                session_id=session_id,
                user_id=body.user,
                reader_languages=read_languages(request),
            )
            return await self.asking.answer(caller, asked)

        return json_response(_reply(await while_connected(request, answer())))

    async def _select(self, caller: Caller, book: str, body: ChatQuery) -> SelectedText | None:
        """Return the selected text; the document that it stands in is found by a search."""
        text = body.selected_text
        if not text.strip():
            return None
        if body.document:
            return SelectedText(body.document, None, text)
        sought = BookQuestion(book, text[:_SOUGHT], profile=body.profile)
        passages = (await self.asking.search(caller, sought, 0)).passages
        beginning = _folded(text)[:_BESIDE]
        holding = [one for one in passages if beginning in _folded(one.text)] or passages
        if not holding:
            raise InvalidInput("selected_text: The book does not have this text.")
        return SelectedText(holding[0].document, None, text)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _reply(answer: Answer) -> ChatReply:
    return ChatReply(
        answer.text,
        [_source(citation) for citation in answer.citations],
        "selected_text" if answer.mode == "selection" else "rag",
        answer.timestamp,
        answer.confidence.score,
        answer.confidence.level,
        answer.citations,
        answer.answer_id,
        answer.refusal.nearest if answer.refusal else [],
    )


def _source(citation: Citation) -> SourceChunk:
    path = citation.section_path or [citation.document]
    section = path[-1] if len(path) > 1 else None
    return SourceChunk(path[0], section, citation.snippet[:_SNIPPET])

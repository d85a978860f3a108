"""OpenAI's chat completions over books: a book is a model, and every chat client can ask it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response

from libs.errors import InvalidInput
from services.gateway.access import caller_of_request
from services.gateway.errors import ChatProblem
from services.gateway.keys import Caller
from services.gateway.model.answers import (
    Answer,
    Message,
    PassagesFound,
    SentenceReleased,
)
from services.gateway.model.books import Book, PageQuery
from services.gateway.openapi import Operation
from services.gateway.ports import Library
from services.gateway.routes.asking import Asking, BookQuestion
from services.gateway.routes.bodies import JsonBodies
from services.gateway.routes.endpoint import (
    BOOK,
    CALL_PROBLEMS,
    LANGUAGES,
    POST_PROBLEMS,
    TIMEOUT,
    Endpoint,
    json_response,
    read_languages,
    start_budget,
    within,
)
from services.gateway.routes.openai_bodies import (
    AnswerMessage,
    ChatRequest,
    Choice,
    Chunk,
    ChunkChoice,
    Completion,
    Delta,
    Model,
    ModelList,
    Proof,
    Usage,
)
from services.gateway.routes.openai_text import ChatText
from services.gateway.routes.streams import UNNAMED, EventStream, SendEvent, while_connected

MODELS = Operation(
    "GET",
    "/v1/models",
    "listModels",
    "List the books as OpenAI's API lists models.",
    ModelList,
    access="read",
    parameters=(TIMEOUT,),
    problems=("invalid_input", "overloaded", "unavailable", "deadline_exceeded"),
    problem=ChatProblem,
)
ONE_MODEL = Operation(
    "GET",
    "/v1/models/{book}",
    "getModel",
    "Show a book as OpenAI's API shows a model.",
    Model,
    access="read",
    parameters=(BOOK, TIMEOUT),
    problems=("invalid_input", *CALL_PROBLEMS),
    problem=ChatProblem,
)
COMPLETE = Operation(
    "POST",
    "/v1/chat/completions",
    "completeChat",
    "Answer a question from a book, in the form of OpenAI's chat completions.",
    Completion,
    access="ask",
    description=(
        "The book is the `model`. Citations are `annotations`, and numbered text at the end of the "
        "content. With `stream` each sentence is a chunk, sent once it has passed its checks; the "
        "last event is `[DONE]`, and a stream without it is not an answer."
    ),
    parameters=(TIMEOUT, LANGUAGES),
    body=ChatRequest,
    body_example={
        "model": "physical-ai",
        "messages": [{"role": "user", "content": "What is passive compliance?"}],
    },
    events={"": Chunk},
    problems=(
        *(*POST_PROBLEMS, *CALL_PROBLEMS),
        *("model_unavailable", "model_busy", "wrong_index", "budget_spent"),
    ),
    problem=ChatProblem,
)
_MOST_EARLIER = 10
_LONGEST_EARLIER = 4000


@dataclass(frozen=True)
class ChatRoutes:
    """Serves books to chat clients."""

    library: Library
    asking: Asking
    bodies: JsonBodies

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint(MODELS, self.models),
            Endpoint(ONE_MODEL, self.model),
            Endpoint(COMPLETE, self.complete),
        ]

    async def models(self, request: Request) -> Response:
        left_s = start_budget(request).left_s()
        caller = caller_of_request(request)
        listing = self.library.list_books(caller.books, PageQuery(), left_s)
        books, _ = await within(left_s, listing)
        shown = [_model(book) for book in books if caller.may_see(book.slug)]
        return json_response(ModelList(shown))

    async def model(self, request: Request) -> Response:
        left_s = start_budget(request).left_s()
        looking = self.library.get_book(request.path_params["book"], left_s)
        return json_response(_model(await within(left_s, looking)))

    async def complete(self, request: Request) -> Response | EventStream:
        body = await self.bodies.read(request, ChatRequest)
        asked, caller = _asked(request, body), caller_of_request(request)
        site = str(request.base_url)
        start_budget(request)
        if body.stream:
            return EventStream(lambda send: self._stream(caller, asked, body, site, send), UNNAMED)
        answer = await while_connected(request, self.asking.answer(caller, asked))
        return json_response(_completion(answer, site))

    async def _stream(
        self, caller: Caller, asked: BookQuestion, body: ChatRequest, site: str, send: SendEvent
    ) -> None:
        chunks = _Chunks(body.model, lambda chunk: send("", chunk))
        text = ChatText(site, asked.book, 0)

        def release(event: PassagesFound | SentenceReleased) -> None:
            if isinstance(event, SentenceReleased):
                content, annotations = text.add_sentence(event.sentence, event.citations)
                chunks.send(Delta(content=content, annotations=annotations))

        answer = await self.asking.answer(caller, asked, release)
        chunks.send(Delta(content=text.end(answer)))
        chunks.end(
            answer, usage=body.stream_options is not None and body.stream_options.include_usage
        )
        send("", None)


class _Chunks:
    """Sends the chunks of one answer; the first says who speaks."""

    def __init__(self, model: str, send: Callable[[Chunk], None]) -> None:
        self._id = f"chatcmpl-{uuid4()}"
        self._created = int(time.time())
        self._model = model
        self._send = send
        self._has_begun = False

    def send(self, delta: Delta) -> None:
        if not self._has_begun:
            self._has_begun = True
            delta = Delta("assistant", delta.content, delta.annotations)
        self._send(self._chunk([ChunkChoice(delta)]))

    def end(self, answer: Answer, *, usage: bool) -> None:
        self._send(self._chunk([ChunkChoice(Delta(), "stop")], quoth=_proof(answer)))
        if usage:
            self._send(self._chunk([], usage=_usage(answer)))

    def _chunk(
        self, choices: list[ChunkChoice], usage: Usage | None = None, quoth: Proof | None = None
    ) -> Chunk:
        return Chunk(self._id, self._created, self._model, choices, usage, quoth)


def _completion(answer: Answer, site: str) -> Completion:
    text = ChatText(site, answer.book, answer.edition)
    content, annotations = "", []
    for sentence in answer.sentences:
        cited = [one for one in answer.citations if one.n in sentence.citations]
        more, marks = text.add_sentence(sentence, cited)
        content += more
        annotations += marks
    content += text.end(answer)
    return Completion(
        id=f"chatcmpl-{answer.answer_id}",
        created=int(answer.timestamp.timestamp()),
        model=answer.book,
        choices=[Choice(AnswerMessage(content, annotations))],
        usage=_usage(answer),
        quoth=_proof(answer),
    )


def _usage(answer: Answer) -> Usage:
    if answer.model_use is None:
        return Usage()
    given, wrote = answer.model_use.input_tokens, answer.model_use.output_tokens
    return Usage(given, wrote, given + wrote)


def _proof(answer: Answer) -> Proof:
    return Proof(
        answer.answer_id, answer.edition, answer.confidence, answer.refusal, answer.citations
    )


def _model(book: Book) -> Model:
    published = book.publish_time or datetime.fromtimestamp(0, UTC)
    return Model(book.slug, int(published.timestamp()))


def _asked(request: Request, body: ChatRequest) -> BookQuestion:
    """Return the last message of the user as the question, and what was said before it."""
    said = [message for message in body.messages if message.role in ("user", "assistant")]
    if not said or said[-1].role != "user" or not said[-1].text.strip():
        raise InvalidInput("messages: The last one must be the user's question, in text.")
    earlier = [message for message in said[:-1] if message.text.strip()][-_MOST_EARLIER:]
    return BookQuestion(
        body.model,
        said[-1].text,
        history=tuple(
            Message(
                "user" if message.role == "user" else "assistant", message.text[:_LONGEST_EARLIER]
            )
            for message in earlier
        ),
        user_id=body.safety_identifier or body.user or "",
        reader_languages=read_languages(request),
    )

"""The bodies of OpenAI's chat completions, as far as an answer from a book fills them.

Fields of a request that are not named here, such as the temperature, are left unread.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from services.gateway.model.answers import Citation, Confidence, Refusal
from services.gateway.schemas import UserId


class ContentPart(Struct, frozen=True):
    """A part of a message; only text is read."""

    type: str
    text: str = ""


class ChatMessage(Struct, frozen=True):
    """One message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(Struct, frozen=True):
    """What a stream ends with."""

    include_usage: bool = False


class ChatRequest(Struct, frozen=True):
    """A conversation whose last message of the user is the question; `model` is the book.

    System messages are left unread: nothing in a request is an instruction. At most ten earlier
    messages are used.
    """

    model: Annotated[str, Meta(min_length=1, max_length=200, description="Slug of the book.")]
    messages: Annotated[list[ChatMessage], Meta(min_length=1, max_length=1000)]
    stream: bool = False
    stream_options: StreamOptions | None = None
    user: UserId | None = None
    safety_identifier: UserId | None = None


class Model(Struct, frozen=True):
    """A book, as a model."""

    id: str
    created: int
    object: Literal["model"] = "model"
    owned_by: str = "quoth"


class ModelList(Struct, frozen=True):
    """The books, as models."""

    data: list[Model]
    object: Literal["list"] = "list"


class UrlCitation(Struct, frozen=True):
    """Where the marker of a citation stands in the content, and what it leads to."""

    start_index: int
    end_index: int
    url: str
    title: str
    quote: Annotated[str, Meta(description="The book's own words.")]


class Annotation(Struct, frozen=True):
    """A citation."""

    url_citation: UrlCitation
    type: Literal["url_citation"] = "url_citation"


class AnswerMessage(Struct, frozen=True):
    """The answer; its citations are annotations, and numbered text at the end of the content."""

    content: str
    annotations: list[Annotation]
    role: Literal["assistant"] = "assistant"
    refusal: None = None


class Choice(Struct, frozen=True):
    """The one answer there is."""

    message: AnswerMessage
    index: int = 0
    finish_reason: Literal["stop"] = "stop"
    logprobs: None = None


class Usage(Struct, frozen=True):
    """Tokens of a language model; 0 where none was asked."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0


class Proof(Struct, frozen=True):
    """What OpenAI's form has no place for."""

    answer_id: str
    edition: int
    confidence: Confidence
    refusal: Refusal | None
    citations: list[Citation]


class Completion(Struct, frozen=True):
    """A whole answer."""

    id: str
    created: int
    model: str
    choices: list[Choice]
    usage: Usage
    quoth: Proof
    object: Literal["chat.completion"] = "chat.completion"


class Delta(Struct, frozen=True, omit_defaults=True):
    """What has come since the last chunk."""

    role: Literal["", "assistant"] = ""
    content: str = ""
    annotations: list[Annotation] = []


class ChunkChoice(Struct, frozen=True):
    """The one answer there is, as it comes."""

    delta: Delta
    finish_reason: Literal["stop"] | None = None
    index: int = 0
    logprobs: None = None


class Chunk(Struct, frozen=True):
    """A part of an answer: a sentence that passed its checks, or the list of its citations."""

    id: str
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: Usage | None = None
    quoth: Proof | None = None
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"

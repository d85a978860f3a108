"""Ask any OpenAI-compatible chat model for a draft; bounded in time, bytes and tries."""

import json
from collections.abc import AsyncGenerator, AsyncIterator

import httpx2
import openai
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

from services.generation.adapters.models.openai_dialect import (
    Dialect,
    is_whole_ending,
    read_content,
    send_adapting,
)
from services.generation.language_model.calls import (
    SHORT_TOKENS,
    ModelCaller,
    SdkErrors,
    Unfinished,
    bound_response,
)
from services.generation.language_model.messages import render_follow_up, render_messages
from services.generation.language_model.structured import RULES, SCHEMA, DraftReader
from services.generation.language_model.thoughts import Habit, Thoughts
from services.generation.model import DraftSentence, FollowUp, Prompt
from services.generation.transcript import Transcript, Usage

Stream = openai.AsyncStream[ChatCompletionChunk]

ERRORS = SdkErrors(
    "openai",
    openai.OpenAIError,
    openai.APITimeoutError,
    openai.RateLimitError,
    (openai.APIConnectionError, openai.InternalServerError),
)


def open_client(url: str, key: str) -> openai.AsyncOpenAI:
    """Return a client of bounded answers, which follows no redirect and tries nothing twice."""
    return openai.AsyncOpenAI(
        base_url=url,
        api_key=key or "none",  # servers without keys take any; the SDK insists on one
        max_retries=0,
        http_client=openai.DefaultAsyncHttpxClient(
            event_hooks={"response": [bound_response, _keep_data]}, follow_redirects=False
        ),
        default_headers={"Accept-Encoding": "identity"},
    )


class _DataLines(httpx2.AsyncByteStream):
    """The data of a stream of events, and the ends of the events.

    One that only names itself, its number or a time to wait is none, and the SDK takes it for one.
    """

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        rest = b""
        async for piece in self._stream:
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                if line.startswith(b"data") or not line.strip():
                    yield line + b"\n"
        yield rest

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _keep_data(response: httpx2.Response) -> None:
    is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
    if is_stream and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _DataLines(response.stream)


class OpenAIAnswerer:
    """Asks a model at `url`; `model` goes before the profile's. Close it when done.

    With `structured` the model is asked for JSON by a schema, until its server refuses that and takes
    the same question without it; so with a temperature and the name of the answer's bound. What it
    writes is read as what it is, whatever it was asked for.
    """

    def __init__(self, *, url: str, key: str, model: str = "", structured: bool = True) -> None:
        self._client = open_client(url, key)
        self._model = model
        self._dialect = Dialect(structured=structured)
        self._habit = Habit()
        self._caller = ModelCaller(ERRORS)

    async def close(self) -> None:
        await self._client.close()

    def write(
        self, prompt: Prompt, transcript: Transcript, allowed_s: float
    ) -> AsyncGenerator[DraftSentence, None]:
        async def begin(max_tokens: int, end: float) -> Stream:
            return await self._open(prompt, transcript, max_tokens, end)

        wanted = prompt.settings.max_tokens
        reading = _Reading(transcript, self._habit)
        return self._caller.draft(begin, reading, wanted, allowed_s)

    async def rewrite(self, asked: FollowUp, transcript: Transcript, allowed_s: float) -> str:
        rules, text = render_follow_up(asked)
        messages: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": rules},
            {"role": "user", "content": text},
        ]
        transcript.model = self._model or asked.settings.model
        transcript.provider = ERRORS.provider
        transcript.prompt = json.dumps(messages, ensure_ascii=False)

        async def begin(left_s: float) -> Stream:
            async def send(dialect: Dialect) -> Stream:
                stream: Stream = await self._client.chat.completions.create(
                    model=transcript.model,
                    messages=messages,
                    stream=True,
                    timeout=left_s,
                    **dialect.options(SHORT_TOKENS, temperature=0.0),
                    **dialect.counted(),
                )
                return stream

            stream, self._dialect = await send_adapting(self._dialect, send)
            return stream

        return await self._caller.ask(begin, _Reading(transcript, self._habit), allowed_s)

    async def _open(
        self, prompt: Prompt, transcript: Transcript, max_tokens: int, end: float
    ) -> Stream:
        """Send the request, again without the options that the server refuses."""
        dialect = self._dialect
        transcript.model = self._model or prompt.settings.model
        transcript.provider = ERRORS.provider

        async def send(left_s: float) -> Stream:
            messages = render_messages(prompt, RULES if dialect.structured else "")
            transcript.prompt = json.dumps(messages, ensure_ascii=False)
            stream: Stream = await self._client.chat.completions.create(
                model=transcript.model,
                messages=messages,
                stream=True,
                timeout=left_s,
                **dialect.options(max_tokens, prompt.settings.temperature),
                **dialect.structure("answer", SCHEMA),
                **dialect.counted(),
            )
            return stream

        def adapts(error: Exception) -> bool:
            nonlocal dialect
            adapted = dialect.without_what_is_refused(error)
            dialect = adapted or dialect
            return adapted is not None

        stream = await self._caller.open(send, end, adapts)
        self._dialect = dialect
        return stream


class _Reading:
    """The pieces of a chat completion, read as JSON or as lines, whichever they are; no thoughts."""

    def __init__(self, transcript: Transcript, habit: Habit) -> None:
        self.transcript = transcript
        self.is_whole = False
        self._draft = DraftReader()
        self._thoughts = Thoughts(habit)

    async def read(self, stream: Stream) -> AsyncGenerator[list[DraftSentence], None]:
        try:
            async for chunk in stream:
                if chunk.usage:
                    read, written = chunk.usage.prompt_tokens, chunk.usage.completion_tokens
                    self.transcript.usage = Usage(read or 0, written or 0)
                yield self._take(self._thoughts.feed(self._read_chunk(chunk)))
            yield self._take(self._thoughts.finish())
        except ERRORS.in_streams as error:
            raise ERRORS.break_off(error) from error

    def take_rest(self) -> list[DraftSentence]:
        return self._draft.finish()

    def _take(self, text: str) -> list[DraftSentence]:
        if self._thoughts.take_restart():
            self._draft, self.transcript.response = DraftReader(), ""
        self.transcript.response += text
        return self._draft.feed(text)

    def _read_chunk(self, chunk: ChatCompletionChunk) -> str:
        if not chunk.choices:  # the last chunk may only count tokens
            return ""
        choice = chunk.choices[0]
        delta, ending = getattr(choice, "delta", None), choice.finish_reason
        if ending and not is_whole_ending(ending):
            raise Unfinished
        self.is_whole = self.is_whole or bool(ending)
        if delta is None:  # it may bring a filter's findings alone
            return ""
        if delta.tool_calls or delta.refusal:
            raise Unfinished
        return read_content(delta.content)

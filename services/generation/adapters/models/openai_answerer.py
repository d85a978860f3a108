"""Ask any OpenAI-compatible chat model for a draft; bounded in time, bytes and tries."""

import json
from collections.abc import AsyncGenerator, Callable

import openai
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

from libs.failure_log import FailureLog
from services.generation.adapters.models.openai_dialect import (
    CUT_OFF,
    FILTERED,
    Adaptation,
    Dialect,
    count_tokens,
    is_whole_ending,
    read_content,
    send_adapting,
    thought_of,
)
from services.generation.language_model.calls import (
    SHORT_TOKENS,
    Declined,
    ModelCaller,
    SdkErrors,
    Unfinished,
    bound_response,
)
from services.generation.language_model.event_stream import read_events
from services.generation.language_model.messages import render_follow_up, render_messages
from services.generation.language_model.structured import RULES, SCHEMA, DraftReader
from services.generation.language_model.thinking import ThinkingRoom, tokens_of_thought
from services.generation.language_model.thoughts import Habit, Thoughts
from services.generation.model import DraftSentence, Prompt
from services.generation.ports import FollowUp
from services.generation.transcript import Transcript

Stream = openai.AsyncStream[ChatCompletionChunk]

ERRORS = SdkErrors(
    "openai",
    openai.OpenAIError,
    openai.APITimeoutError,
    openai.RateLimitError,
    (openai.APIConnectionError, openai.InternalServerError),
    FailureLog("language model"),
)


def open_client(url: str, key: str, *, streams: bool = False) -> openai.AsyncOpenAI:
    """Return a client of bounded answers, which follows no redirect and tries nothing twice.

    One of `streams` asks for nothing else, and reads what it gets as one.
    """
    hooks = [bound_response, *([read_events(data_only=True)] if streams else [])]
    return openai.AsyncOpenAI(
        base_url=url,
        api_key=key or "none",  # servers without keys take any; the SDK insists on one
        max_retries=0,
        http_client=openai.DefaultAsyncHttpxClient(
            event_hooks={"response": hooks}, follow_redirects=False
        ),
        default_headers={"Accept-Encoding": "identity"},
    )


class OpenAIAnswerer:
    """Asks a model at `url`; `model` goes before the profile's. Close it when done.

    With `structured` the model is asked for JSON by a schema, until its server refuses that and takes
    the same question without it; so with a temperature and the name of the answer's bound, which may
    turn back. What it
    writes is read as what it is, whatever it was asked for. One that thinks first is asked to think the
    least that it can, and has room for that beside its answer.
    """

    def __init__(self, *, url: str, key: str, model: str = "", structured: bool = True) -> None:
        self._client = open_client(url, key, streams=True)
        self._model = model
        self._dialect = Dialect(structured=structured)
        self._habit = Habit()
        self._room = ThinkingRoom()
        self._caller = ModelCaller(ERRORS)

    async def close(self) -> None:
        await self._client.close()

    def write(
        self, prompt: Prompt, transcript: Transcript, allowed_s: float
    ) -> AsyncGenerator[DraftSentence, None]:
        async def begin(max_tokens: int, end: float) -> Stream:
            return await self._open(prompt, transcript, max_tokens, end)

        wanted = prompt.settings.max_tokens
        reading = self._read(transcript)
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
                    **dialect.options(SHORT_TOKENS, temperature=0.0, room=self._room),
                    **dialect.counted(),
                )
                return stream

            stream, self._dialect = await send_adapting(self._dialect, send)
            return stream

        return await self._caller.ask(begin, self._read(transcript), allowed_s)

    def _read(self, transcript: Transcript) -> "_Reading":
        return _Reading(transcript, self._habit, self._learn)

    def _learn(self, thought_tokens: int | None) -> None:
        """Learn from what a model thought; None of one that was cut off before its answer."""
        if thought_tokens is None:
            self._room.widen()
        elif thought_tokens:
            self._room.learn(thought_tokens)
            self._dialect = self._dialect.of_thinker()

    async def _open(
        self, prompt: Prompt, transcript: Transcript, max_tokens: int, end: float
    ) -> Stream:
        """Send the request, again without the options that the server refuses."""
        adaptation = Adaptation(self._dialect)
        transcript.model = self._model or prompt.settings.model
        transcript.provider = ERRORS.provider

        async def send(left_s: float) -> Stream:
            dialect = adaptation.dialect
            messages = render_messages(prompt, RULES if dialect.structured else "")
            transcript.prompt = json.dumps(messages, ensure_ascii=False)
            stream: Stream = await self._client.chat.completions.create(
                model=transcript.model,
                messages=messages,
                stream=True,
                timeout=left_s,
                **dialect.options(max_tokens, prompt.settings.temperature, self._room),
                **dialect.structure("answer", SCHEMA),
                **dialect.counted(),
            )
            return stream

        stream = await self._caller.open(send, end, adaptation.adapts)
        self._dialect = adaptation.dialect
        return stream


class _Reading:
    """The pieces of a chat completion, read as JSON or as lines, whichever they are; no thoughts."""

    def __init__(
        self, transcript: Transcript, habit: Habit, learn: Callable[[int | None], None]
    ) -> None:
        self.transcript = transcript
        self.is_whole = False
        self._learn = learn
        self._draft = DraftReader()
        self._thoughts = Thoughts(habit)
        self._apart = 0

    async def read(self, stream: Stream) -> AsyncGenerator[list[DraftSentence], None]:
        try:
            async for chunk in stream:
                if chunk.usage:
                    self.transcript.usage = count_tokens(chunk.usage)
                yield self._take(self._thoughts.feed(self._read_chunk(chunk)))
            yield self._take(self._thoughts.finish())
        except ERRORS.in_streams as error:
            raise ERRORS.break_off(error) from error
        finally:  # a thought that took all the time is one to learn from
            thought = tokens_of_thought(self._apart + self._thoughts.length)
            self._learn(self.transcript.usage.thinking_tokens or thought)
        self.is_whole = self.is_whole or self._draft.is_closed

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
        if ending == CUT_OFF and not self.transcript.response.strip():
            self._learn(None)
        if ending == FILTERED or getattr(delta, "refusal", None):
            raise Declined
        if ending and not is_whole_ending(ending):
            raise Unfinished
        self.is_whole = self.is_whole or bool(ending)
        if delta is None:  # it may bring a filter's findings alone
            return ""
        if delta.tool_calls:
            raise Unfinished
        self._apart += len(thought_of(delta))
        return read_content(delta.content)

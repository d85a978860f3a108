"""A prompt in, a draft by any OpenAI-compatible chat model out; bounded in time, bytes and tries."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator

import openai
from openai.types.chat import ChatCompletionChunk

from libs.budget.budget import TIMED_OUT
from libs.budget.stages import COMPLETE
from libs.errors import DeadlineExceeded, ModelUnavailable, QuothError, Unavailable
from services.generation.adapters.draft_parser import DraftParser
from services.generation.adapters.model_api import (
    BUSY,
    CHARACTERS_PER_TOKEN,
    FIRST_TOKENS_PER_S,
    LEAST_RETRY_S,
    LEAST_TOKENS,
    NO_ANSWER,
    UNFINISHED,
    UNREADABLE,
    RetryBucket,
    bound_response,
)
from services.generation.adapters.openai_prompt import is_declined, render_messages
from services.generation.model import DraftSentence, Prompt, Transcript

Stream = openai.AsyncStream[ChatCompletionChunk]


class OpenAIAnswerer:
    """Asks a model at `url`; `model` goes before the profile's. Close it when done."""

    def __init__(self, *, url: str, key: str, model: str = "") -> None:
        self._http = openai.DefaultAsyncHttpxClient(
            event_hooks={"response": [bound_response]}, follow_redirects=False
        )
        self._client = openai.AsyncOpenAI(
            base_url=url,
            api_key=key or "none",  # servers without keys take any; the SDK insists on one
            max_retries=0,
            http_client=self._http,
            default_headers={"Accept-Encoding": "identity"},
        )
        self._model = model
        self._retries = RetryBucket()
        self._tokens_per_s = FIRST_TOKENS_PER_S

    async def close(self) -> None:
        await self._client.close()

    async def write(
        self, prompt: Prompt, transcript: Transcript, allowed_s: float
    ) -> AsyncGenerator[DraftSentence, None]:
        end = time.monotonic() + allowed_s
        max_tokens = max(
            LEAST_TOKENS, min(prompt.settings.max_tokens, int(allowed_s * self._tokens_per_s))
        )
        stream = await self._open(prompt, transcript, max_tokens, end)
        parser, began, finished = DraftParser(), time.monotonic(), ""
        try:
            async for text, reason in _pieces(stream):
                transcript.response += text
                finished = reason or finished
                if len(transcript.response) > max_tokens * CHARACTERS_PER_TOKEN:
                    raise ModelUnavailable(UNFINISHED)
                for sentence in [] if is_declined(transcript.response) else parser.feed(text):
                    yield sentence
        finally:
            await stream.close()
        if finished != "stop" or not transcript.response.strip():
            raise ModelUnavailable(UNFINISHED)
        self._measure(transcript.response, time.monotonic() - began)
        for sentence in [] if is_declined(transcript.response) else parser.finish():
            yield sentence

    async def _open(
        self, prompt: Prompt, transcript: Transcript, max_tokens: int, end: float
    ) -> Stream:
        """Send the request, and once more when it failed before anything came back."""
        messages = render_messages(prompt)
        transcript.prompt = json.dumps(messages, ensure_ascii=False)
        for retry in (True, False):
            left_s = end - time.monotonic()
            try:
                stream: Stream = await self._client.chat.completions.create(
                    model=self._model or prompt.settings.model,
                    messages=messages,
                    temperature=prompt.settings.temperature,
                    max_tokens=max_tokens,
                    stream=True,
                    timeout=left_s,
                )
            except openai.OpenAIError as error:
                wait_s = _wait_before_retry_s(error)
                left_s = end - time.monotonic() - LEAST_RETRY_S
                if not retry or wait_s is None or wait_s > left_s or not self._retries.take():
                    raise _translated(error) from error
                await asyncio.sleep(wait_s)
            else:
                self._retries.refill()
                return stream
        raise AssertionError("the second try returns or raises")

    def _measure(self, response: str, took_s: float) -> None:
        """Keep a running mean of the model's speed; a token is about four characters."""
        speed = len(response) / 4 / max(took_s, 0.001)
        self._tokens_per_s = 0.8 * self._tokens_per_s + 0.2 * min(speed, 1000.0)


async def _pieces(stream: Stream) -> AsyncIterator[tuple[str, str]]:
    """Yield the pieces of text and, when it is known, why the model stopped."""
    try:
        async for chunk in stream:
            yield _read_chunk(chunk)
    except openai.OpenAIError as error:
        raise _translated(error) from error
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        # The SDK does not check the form of what it is sent.
        raise ModelUnavailable(UNREADABLE) from error


def _read_chunk(chunk: ChatCompletionChunk) -> tuple[str, str]:
    if not chunk.choices:  # the last chunk may only count tokens
        return "", ""
    choice = chunk.choices[0]
    delta = choice.delta
    reason = choice.finish_reason or ""
    if delta.tool_calls or delta.refusal or reason not in ("", "stop"):
        raise ModelUnavailable(UNFINISHED)
    text = delta.content or ""
    if not isinstance(text, str):
        raise TypeError("content is not text")
    return text, reason


def _wait_before_retry_s(error: openai.OpenAIError) -> float | None:
    """Return how long to wait before the one retry; None when there must be none."""
    if isinstance(error, openai.APITimeoutError):
        return None
    if isinstance(error, openai.RateLimitError):
        try:
            return max(0.0, float(error.response.headers.get("retry-after", "")))
        except ValueError:
            return None
    broken = isinstance(error, openai.APIConnectionError | openai.InternalServerError)
    return 0.0 if broken else None


def _translated(error: openai.OpenAIError) -> QuothError:
    """Return our error; the provider's words and addresses stay behind."""
    if isinstance(error, openai.APITimeoutError):
        return DeadlineExceeded(TIMED_OUT, stage=COMPLETE.name)
    if isinstance(error, openai.RateLimitError):
        return Unavailable(BUSY)
    return ModelUnavailable(NO_ANSWER)

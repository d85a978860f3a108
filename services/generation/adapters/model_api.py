"""What the answerers that call a language model share: bounds on bytes, tokens and tries, and words."""

from collections.abc import AsyncIterator

import httpx2

from libs.errors import ModelUnavailable

MAX_BYTES = 2_000_000
CHARACTERS_PER_TOKEN = 8
"""More than any real answer has; what is longer did not keep to `max_tokens`."""

LEAST_RETRY_S = 0.3
FIRST_TOKENS_PER_S = 150.0
LEAST_TOKENS = 32

NO_ANSWER = "The language model does not answer. Try again in a moment."
UNFINISHED = "The language model did not finish its answer. Try again."
UNREADABLE = "The language model's answer can't be read. Try again."
BUSY = "The language model is busy. Try again in a moment."


class RetryBucket:
    """Allows ten retries at once, and one for every ten requests that were answered."""

    def __init__(self) -> None:
        self._tokens = 10.0

    def take(self) -> bool:
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def refill(self) -> None:
        self._tokens = min(10.0, self._tokens + 0.1)


class _BoundedStream(httpx2.AsyncByteStream):
    """A response's bytes, up to a limit."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_BYTES
        async for piece in self._stream:
            left -= len(piece)
            if left < 0:
                raise ModelUnavailable(UNREADABLE)
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def bound_response(response: httpx2.Response) -> None:
    # Nothing compressed was asked for; a few kilobytes of it could unpack to gigabytes.
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ModelUnavailable(UNREADABLE)
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _BoundedStream(response.stream)

"""What the answerers that call a language model share: one bounded exchange, and what ends it."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import httpx2

from libs.bounded import BoundedStream
from libs.budget.stages import COMPLETE
from libs.circuit import CircuitBreaker
from libs.errors import DeadlineExceeded, ModelBusy, ModelUnavailable, QuothError, Unavailable
from libs.failure_log import FailureLog, is_too_long
from libs.pause import LEAST_S, LONGEST_S, Pause, asked_wait_s
from libs.remote_model import is_of_request
from libs.telemetry.metrics import current_metrics
from services.generation.language_model.messages import is_declined
from services.generation.language_model.patience import TOO_SLOW, Patience, telling_silence
from services.generation.language_model.speed import WritingSpeed
from services.generation.language_model.structured import UNREADABLE
from services.generation.model import DraftSentence
from services.generation.transcript import Transcript

T = TypeVar("T")

MAX_BYTES = 2_000_000
CHARACTERS_PER_TOKEN = 8
"""More than any real answer has; what is longer did not keep to `max_tokens`."""

_FIRST_WAIT_S = 10.0
_LONGEST_WAIT_S = 60.0

SHORT_TOKENS = 100
"""Of a question that is made whole."""

NO_ANSWER = "The language model does not answer. Try again in a moment."
BUSY = "The language model is busy. Try again in a moment."
BUSY_LONGER = "The language model takes no more questions for now. Try again in a few minutes."
"""Of a provider that asks to wait for longer than it is waited for: it is asked again before."""
TOO_LONG = (
    "The question and its passages are too long for the language model. Ask a shorter question, or "
    "begin a new conversation."
)


class Unfinished(ModelUnavailable):
    """The stream ended early or exceeded its bound."""

    said = "The language model did not finish its answer. Try again."

    def __init__(self) -> None:
        super().__init__(self.said)


class Declined(Unfinished):
    """The model, or a filter of its provider, would not answer: asked again it will not either."""

    said = "The language model would not answer this question. Ask it in other words."


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


@dataclass(frozen=True)
class SdkErrors:
    """The exceptions of a provider's SDK. `any` is the base; `rate_limit` carries a response.

    `overloaded` are those of `broken` by which the provider says that it is busy, whoever asks.
    """

    provider: str
    any: type[Exception]
    timeout: type[Exception]
    rate_limit: type[Exception]
    broken: tuple[type[Exception], ...]
    log: FailureLog
    overloaded: tuple[type[Exception], ...] = ()

    def wait_before_retry_s(self, error: Exception) -> float | None:
        """Return how long to wait before the one retry; None when there must be none."""
        if isinstance(error, self.timeout):
            return None
        if isinstance(error, self.rate_limit):
            return _asked_wait_s(error)
        return (_asked_wait_s(error) or 0.0) if isinstance(error, self.broken) else None

    def translate(self, error: Exception) -> QuothError:
        """Return our error; the provider's words and addresses stay behind."""
        if isinstance(error, (self.timeout, httpx2.TimeoutException)):
            return DeadlineExceeded(TOO_SLOW, stage=COMPLETE.name)
        if isinstance(error, (self.rate_limit, *self.overloaded)):
            wait_s = _asked_wait_s(error)
            return ModelBusy(BUSY_LONGER if (wait_s or 0.0) > LONGEST_S else BUSY, wait_s)
        if is_too_long(error):
            return ModelUnavailable(TOO_LONG)
        if isinstance(error, (self.any, httpx2.HTTPError)):
            return ModelUnavailable(NO_ANSWER, _asked_wait_s(error))
        return ModelUnavailable(UNREADABLE)  # the SDKs do not check the form of what they are sent

    def count(self, error: Exception) -> None:
        """Log a request that failed, and count it, when metrics are on."""
        self.log.note(error)
        metrics = current_metrics()
        if metrics is not None:
            metrics.count_failure(self.provider, type(error).__name__)

    def break_off(self, error: Exception) -> QuothError:
        """Count a stream that broke, and return our error."""
        self.count(error)
        return self.translate(error)

    @property
    def in_streams(self) -> tuple[type[Exception], ...]:
        """What reading a stream may raise: the SDKs let some of it through as it is."""
        broken = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
        return (self.any, httpx2.HTTPError, *broken)


def _asked_wait_s(error: Exception) -> float | None:
    """Return the seconds that the response behind an error asks to wait; None when it doesn't."""
    response = getattr(error, "response", None)
    return asked_wait_s(response.status_code, response.headers) if response is not None else None


def blames(patience: Patience) -> Callable[[BaseException], bool]:
    """Return what counts against the circuit breaker.

    An answer without an end does not, nor does a provider that says when to come back, or that does not
    take one request for what is in it: nobody is to switch a model off for others.
    """
    return lambda error: (
        patience.is_to_blame(error)
        and not isinstance(error, Unfinished)
        and not _is_told(error)
        and not is_of_request(error.__cause__)
    )


def _is_told(error: BaseException) -> bool:
    """Whether a provider said when it takes requests again: it is left alone till then, not broken."""
    return isinstance(error, Unavailable) and bool(error.retry_after_s)


def never(error: Exception) -> bool:  # noqa: ARG001 - one of `adapts`
    return False


class Closable(Protocol):
    async def close(self) -> None: ...


S = TypeVar("S", bound=Closable)
S_contra = TypeVar("S_contra", contravariant=True)


class Reading(Protocol[S_contra]):
    """What is read of the stream that a model answers with."""

    transcript: Transcript
    """What was sent and what came back, kept up to date by `read`."""

    is_whole: bool
    """Whether the model said that it came to its end."""

    def read(self, stream: S_contra) -> AsyncGenerator[Sequence[DraftSentence], None]:
        """Yield, for each event of the stream, the sentences that it completes."""
        ...

    def take_rest(self) -> Sequence[DraftSentence]:
        """Return the sentences that no event completed."""
        ...


class ModelCaller:
    """Sends requests to one provider: at most one retry each, and none while its breaker is open.

    Nor is one sent before the time that it named, for 60 s at most: a request that can wait so long
    waits, and any other is refused at once.
    """

    def __init__(self, errors: SdkErrors) -> None:
        self.errors = errors
        self.breaker = CircuitBreaker(
            errors.provider,
            partial(ModelUnavailable, NO_ANSWER),
            wait_s=_FIRST_WAIT_S,
            longest_wait_s=_LONGEST_WAIT_S,
        )
        self.retries = RetryBucket()
        self.pause = Pause()
        self.speed = WritingSpeed()

    async def draft(
        self,
        begin: Callable[[int, float], Awaitable[S]],
        reading: Reading[S],
        wanted: int,
        allowed_s: float,
    ) -> AsyncGenerator[DraftSentence, None]:
        """Yield the sentences read of the stream that `begin(max_tokens, end)` opens.

        They have `wanted` tokens at most, and waiting for them takes `allowed_s` seconds at most; a
        text that declines to answer has none. Raises Unfinished unless the model came to its end;
        DeadlineExceeded, Unavailable or ModelUnavailable.
        """
        end, patience = time.monotonic() + allowed_s, Patience(allowed_s)
        max_tokens = self.speed.fitting_tokens(wanted, allowed_s)
        with self.breaker.watch(blames(patience)), telling_silence(reading.transcript):
            stream = await patience.wait_for(begin(max_tokens, end))
            try:
                async with aclosing(self._read(stream, reading, max_tokens, patience)) as read:
                    async for sentence in read:
                        yield sentence
            except Unfinished:
                if max_tokens < wanted:
                    self.speed.forget()
                raise
            finally:
                await stream.close()

    async def _read(
        self, stream: S, reading: Reading[S], max_tokens: int, patience: Patience
    ) -> AsyncGenerator[DraftSentence, None]:
        """Yield the sentences of a stream to its end, and learn how fast it was written."""
        transcript, first, first_s = reading.transcript, 0, 0.0
        async with aclosing(reading.read(stream)) as events:
            while (sentences := await patience.wait_for(anext(events, None))) is not None:
                if transcript.response and not first:
                    first, first_s = len(transcript.response), patience.waited_s
                if len(transcript.response) > max_tokens * CHARACTERS_PER_TOKEN:
                    raise Unfinished
                for sentence in [] if is_declined(transcript.response) else sentences:
                    yield sentence
        if not reading.is_whole or not transcript.response.strip():
            raise Unfinished
        length = len(transcript.response)
        usage = transcript.usage
        written = max(0, usage.output_tokens - usage.thinking_tokens) or length // 4
        self.speed.measure(written * (length - first) / length, patience.waited_s - first_s)
        for sentence in [] if is_declined(transcript.response) else reading.take_rest():
            yield sentence

    async def ask(
        self, begin: Callable[[float], Awaitable[S]], reading: Reading[S], allowed_s: float
    ) -> str:
        """Return the whole short text of the stream that `begin(allowed_s)` opens, tried once.

        It has `SHORT_TOKENS` tokens at most. A model that is too slow for this may answer well enough,
        so the breaker is heeded and not told. Raises what `draft` raises.
        """
        if self.breaker.is_open:
            raise ModelUnavailable(NO_ANSWER)
        self.pause.require_end()
        return await Patience(allowed_s).wait_for(self._ask(begin, reading, allowed_s))

    async def _ask(
        self, begin: Callable[[float], Awaitable[S]], reading: Reading[S], allowed_s: float
    ) -> str:
        try:
            stream = await begin(allowed_s)
        except self.errors.any as error:
            raise self._fail(error) from error
        try:
            async for _ in reading.read(stream):
                if len(reading.transcript.response) > SHORT_TOKENS * CHARACTERS_PER_TOKEN:
                    raise Unfinished
        finally:
            await stream.close()
        if not reading.is_whole:
            raise Unfinished
        return reading.transcript.response

    async def open(
        self,
        send: Callable[[float], Awaitable[T]],
        end: float,
        adapts: Callable[[Exception], bool] = never,
    ) -> T:
        """Return what `send(left_s)` returns, tried once more when it failed before an answer.

        `end` is on the monotonic clock. `adapts` says that the next try will leave out what the server
        refused, which it may do for one thing after the other; such a request is not tried again for
        another reason. Raises DeadlineExceeded, Unavailable or ModelUnavailable.
        """
        adapted = retried = False
        while True:
            await self.pause.wait(end - time.monotonic())
            try:
                stream = await send(end - time.monotonic())
            except self.errors.any as error:
                failure = self._fail(error)
                again = not retried and adapts(error)
                if retried or (adapted and not again):
                    raise failure from error
                await self._wait(error, end, adapted=again)
                adapted, retried = again, not again
            else:
                self.retries.refill()
                return stream

    def _fail(self, error: Exception) -> QuothError:
        """Count a request that failed, remember when to come back, and return our error."""
        failure = self.errors.break_off(error)
        self.pause.heed(failure)
        return failure

    async def _wait(self, error: Exception, end: float, *, adapted: bool) -> None:
        """Wait for the next try, or raise our error for `error` when there is to be none."""
        wait_s = 0.0 if adapted else self.errors.wait_before_retry_s(error)
        left_s = end - time.monotonic() - LEAST_S
        if wait_s is None or wait_s > left_s or not (adapted or self.retries.take()):
            raise self.errors.translate(error) from error
        metrics = current_metrics()
        if metrics is not None:
            metrics.count_retry(self.errors.provider)
        await asyncio.sleep(wait_s)

    async def judge(self, ask: Callable[[], Awaitable[T]], allowed_s: float) -> T:
        """Return what `ask` returns within `allowed_s`; too late counts as a failure of the model.

        Raises DeadlineExceeded, Unavailable or ModelUnavailable.
        """
        patience = Patience(allowed_s)
        with self.breaker.watch(blames(patience)):
            self.pause.require_end()
            try:
                return await patience.wait_for(ask())
            except self.errors.in_streams as error:
                raise self._fail(error) from error


class _BoundedStream(BoundedStream, httpx2.AsyncByteStream):
    """A response's bytes, up to a limit."""


async def bound_response(response: httpx2.Response) -> None:
    # Nothing compressed was asked for; a few kilobytes of it could unpack to gigabytes.
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ModelUnavailable(UNREADABLE)
    if isinstance(response.stream, httpx2.AsyncByteStream):
        refuse = partial(ModelUnavailable, UNREADABLE)
        response.stream = _BoundedStream(response.stream, MAX_BYTES, refuse)

"""The verifier that asks a language model: it can pass or withhold a sentence, and write nothing."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from libs.errors import DeadlineExceeded, ModelUnavailable, QuothError
from services.generation.language_model.judging import (
    TOKENS_PER_VERDICT,
    Reply,
    read_verdicts,
    render_statements,
)
from services.generation.model import Statement
from services.generation.ports import UnusableVerdictError
from services.generation.transcript import Judgement, Usage

_GATHER_S = 0.02
"""How long a sentence waits for others to be judged with it."""

_MOST = 8
_ROOM_TOKENS = 40


class Judge(Protocol):
    """One exchange with a language model."""

    async def judge(self, statements: str, max_tokens: int, allowed_s: float) -> Reply:
        """Return what the model says of `statements`.

        Raises DeadlineExceeded, Unavailable or ModelUnavailable.
        """
        ...


@dataclass(frozen=True)
class _Waiting:
    statement: Statement
    verdict: "asyncio.Future[Judgement]"
    end: float


class ModelVerifier:
    """Sends sentences in batches as they come: those that arrive together are one request."""

    name = "model"

    def __init__(self, judge: Judge, threshold: float = 0.5) -> None:
        self.threshold = threshold
        self._judge = judge
        self._waiting: list[_Waiting] = []
        self._requests: set[asyncio.Task[None]] = set()

    async def verify(
        self, statements: Sequence[Statement], allowed_s: float
    ) -> Sequence[Judgement]:
        loop = asyncio.get_running_loop()
        end = loop.time() + allowed_s
        mine = [_Waiting(statement, loop.create_future(), end) for statement in statements]
        if not mine:
            return []
        if not self._waiting:
            loop.call_later(_GATHER_S, self._begin)
        self._waiting += mine
        try:
            async with asyncio.timeout_at(end):
                return await asyncio.gather(*(waiting.verdict for waiting in mine))
        except TimeoutError:
            raise DeadlineExceeded("The verifier took too long.") from None

    def _begin(self) -> None:
        """Send what has gathered, as many requests as it takes."""
        waiting, self._waiting = self._waiting, []
        for start in range(0, len(waiting), _MOST):
            request = asyncio.create_task(self._ask(waiting[start : start + _MOST]))
            self._requests.add(request)
            request.add_done_callback(self._requests.discard)

    async def _ask(self, batch: Sequence[_Waiting]) -> None:
        batch = [waiting for waiting in batch if not waiting.verdict.done()]
        if not batch:
            return
        left_s = max(waiting.end for waiting in batch) - asyncio.get_running_loop().time()
        text = render_statements([waiting.statement for waiting in batch])
        try:
            said = await self._judge.judge(
                text, _ROOM_TOKENS + TOKENS_PER_VERDICT * len(batch), max(0.0, left_s)
            )
        except QuothError as error:
            _fail(batch, [error] * len(batch))
            return
        shares = _share(said.usage, len(batch))
        try:
            verdicts = read_verdicts(said.text, len(batch))
        except ModelUnavailable as error:
            _fail(batch, [UnusableVerdictError(error.message, said.model, use) for use in shares])
            return
        for waiting, probability, share in zip(batch, verdicts, shares, strict=True):
            if not waiting.verdict.done():
                waiting.verdict.set_result(Judgement(probability, said.model, share))


def _fail(batch: Sequence[_Waiting], errors: Sequence[QuothError]) -> None:
    for waiting, error in zip(batch, errors, strict=True):
        if not waiting.verdict.done():
            waiting.verdict.set_exception(error)


def _share(usage: Usage, count: int) -> list[Usage]:
    """Return `count` parts of `usage` that sum up to it, as equal as whole tokens can be."""
    given, wrote = (divmod(tokens, count) for tokens in (usage.input_tokens, usage.output_tokens))
    return [
        Usage(given[0] + (place < given[1]), wrote[0] + (place < wrote[1]))
        for place in range(count)
    ]

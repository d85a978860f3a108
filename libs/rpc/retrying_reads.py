"""Retry calls that change nothing, once and in time, when the connection broke."""

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import grpc
from google.protobuf.message import Message

from libs.rpc.context import call_metadata
from libs.rpc.status import BROKEN, KIND_KEY, error_from_rpc

LEAST_S = 0.05
"""Seconds that must be left for a second try."""

_MOST_TOKENS = 10.0
_TOKENS_A_SUCCESS = 0.1
"""Second tries are paid for by successes: when all calls fail, they would only double the load."""

T = TypeVar("T")

Method = Callable[..., Awaitable[T]]
"""A unary method of a gRPC client."""


class RetryingReads:
    """Reads of the service `callee`, with a common allowance of second tries."""

    def __init__(self, callee: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._callee = callee
        self._clock = clock
        self._tokens = _MOST_TOKENS

    async def call(self, method: Method[T], request: Message, timeout_s: float) -> T:
        """Return the response within `timeout_s` seconds. Raises what the callee raised."""
        ends_s = self._clock() + timeout_s
        try:
            return await self._once(method, request, timeout_s)
        except grpc.aio.AioRpcError as error:
            left_s = ends_s - self._clock()
            if not _is_broken_connection(error) or left_s < LEAST_S or self._tokens < 1:
                raise error_from_rpc(error, self._callee) from error
        self._tokens -= 1
        try:
            return await self._once(method, request, left_s)
        except grpc.aio.AioRpcError as error:
            raise error_from_rpc(error, self._callee) from error

    async def _once(self, method: Method[T], request: Message, timeout_s: float) -> T:
        response = await method(request, timeout=timeout_s, metadata=call_metadata())
        self._tokens = min(_MOST_TOKENS, self._tokens + _TOKENS_A_SUCCESS)
        return response


def _is_broken_connection(error: grpc.aio.AioRpcError) -> bool:
    """Whether the call never reached a servicer of ours: those name the kind of their errors.

    A server that stops cancels the calls that have arrived and not begun.
    """
    ours = any(key == KIND_KEY for key, _ in error.trailing_metadata() or ())
    return error.code() in BROKEN and not ours

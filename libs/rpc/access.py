"""Who may call a service: those who show its token, and anybody who asks after its health."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc

from libs.rpc.reloaded import Reloaded
from libs.rpc.tokens import Tokens

AUTHORIZATION = "authorization"
_SCHEME = "Bearer "

STRANGER = (
    "This service takes calls from Quoth's other services alone: show their token "
    "(QUOTH_SERVICE_TOKEN)."
)
HEALTH_CHECK = "/grpc.health.v1.Health/Check"
_PATIENCE_S = 2.0
"""Seconds in which a stranger's question must arrive: a call that only begins would hold a place."""

Continuation = Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler | None]]


def shown(tokens: Tokens) -> tuple[str, str]:
    """Return the metadata that a caller shows; without a token it shows that it has none.

    So a health check tells a caller of ours that its calls would be refused.
    """
    return (AUTHORIZATION, _SCHEME + tokens.shown)


class AccessInterceptor(grpc.aio.ServerInterceptor):
    """Refuses calls that show none of `tokens`, before any of their messages is read.

    Without a token anybody may ask the health service once; who shows a wrong one may not. With no
    tokens everybody may call, and with `health_only` nobody may do more than ask after the health.
    """

    def __init__(self, tokens: Reloaded[Tokens], *, health_only: bool = False) -> None:
        self._tokens = tokens
        self._health_only = health_only

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler | None:
        tokens = self._tokens.current()
        given = _given(handler_call_details.invocation_metadata)
        if not self._health_only and (not tokens or any(map(tokens.know, given))):
            return await continuation(handler_call_details)
        shows_none = self._health_only or not given
        if shows_none and handler_call_details.method == HEALTH_CHECK:
            return _in_time(await continuation(handler_call_details))
        return _REFUSAL


def _given(metadata: Any) -> list[str]:
    # A value that is no text is none of ours.
    return [
        value.removeprefix(_SCHEME) if isinstance(value, str) else ""
        for key, value in metadata or ()
        if key == AUTHORIZATION
    ]


async def _refuse(_: AsyncIterator[bytes], context: grpc.aio.ServicerContext) -> None:
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, STRANGER)


_REFUSAL: grpc.RpcMethodHandler = grpc.stream_stream_rpc_method_handler(_refuse)
"""Answers calls of every kind: as a stream's, it does not wait for a first message."""


def _in_time(handler: grpc.RpcMethodHandler | None) -> grpc.RpcMethodHandler | None:
    """Return a unary handler as one that ends when its request does not come."""
    if handler is None:
        return None
    answer: Any = handler.unary_unary

    async def serve(requests: AsyncIterator[Any], context: grpc.aio.ServicerContext) -> Any:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                request = await anext(aiter(requests))
        except (TimeoutError, StopAsyncIteration):
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "The request did not arrive.")
        return await answer(request, context)

    return grpc.stream_unary_rpc_method_handler(
        serve, handler.request_deserializer, handler.response_serializer
    )

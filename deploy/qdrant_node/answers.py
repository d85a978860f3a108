"""How the node's servicers answer: refusals as status codes, what is missing as UNIMPLEMENTED."""

import functools
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import grpc

from deploy.qdrant_node.errors import NodeError, unsupported

Servicer = TypeVar("Servicer", bound=type)
Handler = Callable[[Any, Any], Awaitable[Any]]

log = logging.getLogger(__name__)


def answers(handler: Handler) -> Callable[[Any, Any, grpc.aio.ServicerContext], Awaitable[Any]]:
    """Turn `handler(self, request)` into a gRPC method that never shows a stack trace."""

    @functools.wraps(handler)
    async def method(servicer: Any, request: Any, context: grpc.aio.ServicerContext) -> Any:
        try:
            return await handler(servicer, request)
        except NodeError as error:
            await context.abort(error.code, error.message)
        except Exception:
            log.exception("%s failed", handler.__qualname__)
            await context.abort(grpc.StatusCode.INTERNAL, "Service internal error")

    return method


def complete(servicer: Servicer) -> Servicer:
    """Refuse by name each call of the API that `servicer` does not have."""
    for base in servicer.__mro__[1:-1]:
        for name in vars(base):
            if not name.startswith("_") and name not in vars(servicer):
                setattr(servicer, name, _refusal(name))
    return servicer


def _refusal(name: str) -> Callable[..., Awaitable[Any]]:
    async def refuse(_servicer: Any, _request: Any) -> Any:
        raise unsupported(f"the call {name}")

    return answers(refuse)

"""The client of Qdrant, imported in half the time; nothing of ours imports it from elsewhere.

It has 500 models of the REST interface, and builds what checks each of them on import: .4 s of CPU in
each process that speaks gRPC and makes twenty of them. Here each is built when it is first made.

Nor does it need the command `httpx`, for which its client over REST has rich and pygments imported:
another .1 s.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel

_REBUILD = "model_rebuild"
_COMMAND = "httpx._main"


def _build_later(_: type[BaseModel], *_args: Any, **_options: Any) -> None:
    """Leave it to the first use, for which pydantic rebuilds a model that was put off."""


@contextmanager
def _models_put_off() -> Iterator[None]:
    """Have models that are defined meanwhile built when they are first used, and not before."""
    rebuild = vars(BaseModel)[_REBUILD]
    BaseModel.model_config["defer_build"] = True
    setattr(BaseModel, _REBUILD, classmethod(_build_later))
    try:
        yield
    finally:
        setattr(BaseModel, _REBUILD, rebuild)
        del BaseModel.model_config["defer_build"]


@contextmanager
def _command_left_out() -> Iterator[None]:
    """Have httpx imported meanwhile as it is where nothing that its command needs is installed."""
    if "httpx" in sys.modules:
        yield
        return
    without: dict[str, Any] = (
        sys.modules
    )  # None is how an import is told that there is no such module
    without[_COMMAND] = None
    try:
        yield
    finally:
        del sys.modules[_COMMAND]


with _models_put_off(), _command_left_out():
    from qdrant_client import AsyncQdrantClient, grpc, models
    from qdrant_client.common.client_exceptions import QdrantException
    from qdrant_client.conversions.conversion import RestToGrpc
    from qdrant_client.http.exceptions import ApiException, ResponseHandlingException

__all__ = [
    "ApiException",
    "AsyncQdrantClient",
    "QdrantException",
    "ResponseHandlingException",
    "RestToGrpc",
    "grpc",
    "models",
]

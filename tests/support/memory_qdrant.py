"""Qdrant's reference in memory, as a server of one shard."""

from types import SimpleNamespace
from typing import Any

from qdrant_client import AsyncQdrantClient
from qdrant_client import grpc as grpc_models


class MemoryQdrant(AsyncQdrantClient):
    """A client whose collections are in memory and have no parts."""

    def __init__(self) -> None:
        super().__init__(":memory:")

    @property
    def grpc_collections(self) -> Any:
        return SimpleNamespace(ListShardKeys=no_parts)


async def no_parts(*_arguments: Any, **_options: Any) -> grpc_models.ListShardKeysResponse:
    return grpc_models.ListShardKeysResponse()

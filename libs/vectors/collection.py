"""Lay out a collection, and find those that are ours."""

import grpc

from libs.errors import Unavailable
from libs.vectors.layout import Layout
from libs.vectors.parts import count_parts, part_names
from libs.vectors.qdrant import AsyncQdrantClient, models
from libs.vectors.schema import COLLECTION_PREFIX, INDEXES

_TIMEOUT_S = 60
_ONE_SERVER = (
    "The vector store is a single server, which has no parts or copies: leave out QUOTH_QDRANT_SHARDS, "
    "QUOTH_QDRANT_REPLICAS and QUOTH_QDRANT_WRITE_CONSISTENCY, or name a cluster in QUOTH_QDRANT_URL."
)


async def lay_out_collection(
    client: AsyncQdrantClient, name: str, dimensions: int, layout: Layout
) -> None:
    """Make the collection, its parts and its indexes, as far as they are missing.

    Raises Unavailable where the layout wants a cluster, and there is one server.
    """
    try:
        if not await client.collection_exists(name):
            await _create(client, name, dimensions, layout)
        await _lay_out_parts(client, name, layout.shards)
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.UNIMPLEMENTED:
            raise Unavailable(_ONE_SERVER) from error
        raise
    # Asked for each time: a crash may have come between the collection and its indexes.
    try:
        for key in INDEXES:
            await client.create_payload_index(
                name, key, layout.of_field(key), wait=True, timeout=_TIMEOUT_S
            )
    except Exception:
        # A server of a cluster may be away; when it is back, it gets from another what it lacks.
        if not (await client.get_collection(name)).payload_schema.keys() >= INDEXES.keys():
            raise


async def try_to_write(client: AsyncQdrantClient, name: str, layout: Layout) -> None:
    """Have the store write what it has already: an index of a field."""
    key = next(iter(INDEXES))
    await client.create_payload_index(name, key, layout.of_field(key), timeout=_TIMEOUT_S)


async def _create(client: AsyncQdrantClient, name: str, dimensions: int, layout: Layout) -> None:
    try:
        await client.create_collection(name, **layout.of_collection(dimensions), timeout=_TIMEOUT_S)
    except Exception:
        # Another replica may have been quicker.
        if not await client.collection_exists(name):
            raise


async def _lay_out_parts(client: AsyncQdrantClient, name: str, count: int) -> None:
    """Make the parts of a collection that has any; as many as it began with, whatever is set now."""
    params = (await client.get_collection(name)).config.params
    if params.sharding_method is not models.ShardingMethod.CUSTOM:
        return
    there = await _list_parts(client, name)
    for part in part_names(count_parts(there) or count):
        if part not in there:
            await _create_part(client, name, part)


async def _create_part(client: AsyncQdrantClient, name: str, part: str) -> None:
    try:
        await client.create_shard_key(name, part, timeout=_TIMEOUT_S)
    except Exception:
        # Another replica may have been quicker.
        if part not in await _list_parts(client, name):
            raise


async def _list_parts(client: AsyncQdrantClient, name: str) -> set[str]:
    answer = await client.list_shard_keys(name)
    return {str(described.key) for described in answer.shard_keys or ()}


async def list_collections(client: AsyncQdrantClient) -> list[str]:
    """Name the collections of every model that books are or were indexed with."""
    found = await client.get_collections()
    names = (collection.name for collection in found.collections)
    return sorted(name for name in names if name.startswith(COLLECTION_PREFIX))

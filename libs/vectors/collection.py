"""Lay out a collection, and find those that are ours."""

from qdrant_client import AsyncQdrantClient

from libs.vectors.layout import Layout
from libs.vectors.schema import COLLECTION_PREFIX, INDEXES

_TIMEOUT_S = 60


async def lay_out_collection(
    client: AsyncQdrantClient, name: str, dimensions: int, layout: Layout
) -> None:
    """Make the collection and its indexes, as far as they are missing."""
    if not await client.collection_exists(name):
        await _create(client, name, dimensions, layout)
    # Asked for each time: a crash may have come between the collection and its indexes.
    for key in INDEXES:
        await client.create_payload_index(
            name, key, layout.of_field(key), wait=True, timeout=_TIMEOUT_S
        )


async def _create(client: AsyncQdrantClient, name: str, dimensions: int, layout: Layout) -> None:
    try:
        await client.create_collection(name, **layout.of_collection(dimensions), timeout=_TIMEOUT_S)
    except Exception:
        # Another replica may have been quicker.
        if not await client.collection_exists(name):
            raise


async def list_collections(client: AsyncQdrantClient) -> list[str]:
    """Name the collections of every model that books are or were indexed with."""
    found = await client.get_collections()
    names = (collection.name for collection in found.collections)
    return sorted(name for name in names if name.startswith(COLLECTION_PREFIX))

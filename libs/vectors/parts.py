"""Choose the part of a collection that a book is in.

Qdrant reckons in each shard by itself how rare a term is. The passages of a book that is spread over
several would have scores that can't be compared, and every question would wait for all servers. So a
collection of several shards has a key for each, and a book is in one of them.
"""

import time
import zlib
from collections.abc import Callable, Iterable

from libs.vectors.qdrant import AsyncQdrantClient
from libs.vectors.qdrant import grpc as grpc_models

KEPT_S = 60.0
"""A collection that is made anew may have another number of parts."""

_OF = " of "


def part_names(count: int) -> list[str]:
    """Name the parts of a collection that has `count`; each name says how many there are."""
    return [f"{number}{_OF}{count}" for number in range(1, count + 1)]


def count_parts(names: Iterable[str]) -> int:
    """Return how many parts the collection has of which these are some; 0 for none of ours."""
    return max((_count_in(name) for name in names), default=0)


def part_of(book: str, count: int) -> str | None:
    """Return the part of `count` that the book is in; None where there are no parts."""
    return part_names(count)[zlib.crc32(book.encode()) % count] if count else None


def in_part(part: str | None) -> grpc_models.ShardKeySelector | None:
    """Return what limits a message to the part, None where there are no parts."""
    if part is None:
        return None
    return grpc_models.ShardKeySelector(shard_keys=[grpc_models.ShardKey(keyword=part)])


class Parts:
    """Says where books are, as the store has it, and asks it again once in a while."""

    def __init__(
        self, client: AsyncQdrantClient, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client = client
        self._clock = clock
        self._kept: dict[str, tuple[list[str], float]] = {}

    async def of_book(self, collection: str, book: str, timeout_s: float) -> str | None:
        """Return the part that the book is in; None where there are no parts. Raises as gRPC does."""
        return part_of(book, count_parts(await self.names(collection, timeout_s)))

    def knows(self, collection: str) -> bool:
        """Whether the store need not be asked."""
        kept = self._kept.get(collection)
        return kept is not None and self._clock() < kept[1]

    async def names(self, collection: str, timeout_s: float) -> list[str]:
        """Return the names of the collection's parts, none where it has no keys."""
        if self.knows(collection):
            return self._kept[collection][0]
        request = grpc_models.ListShardKeysRequest(collection_name=collection)
        answer = await self._client.grpc_collections.ListShardKeys(request, timeout=timeout_s)
        names = [described.key.keyword for described in answer.shard_keys]
        self._kept[collection] = names, self._clock() + KEPT_S
        return names


def _count_in(name: str) -> int:
    number, _, count = name.partition(_OF)
    return int(count) if number.isdecimal() and count.isdecimal() else 0

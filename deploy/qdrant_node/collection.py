"""One collection: a shard, the order of its writes, and when they are safe on disk.

A write is in the shard's write-ahead log before it is answered, so it survives the death of this
process. With `wait` it is also synced to the disk first, so it survives a power loss. The log is
cut, by flushing the shard, each time it has grown by `FLUSH_BYTES`, and on closing.
"""

import asyncio
from pathlib import Path

import qdrant_edge as edge
from google.protobuf.message import Message
from qdrant_client import grpc as q

from deploy.qdrant_node.errors import engine, not_found
from deploy.qdrant_node.filter_simplification import FilterSimplifier
from deploy.qdrant_node.journal import Journal
from deploy.qdrant_node.log import WriteAheadLog
from deploy.qdrant_node.wire import Schema
from deploy.qdrant_node.writes import Operations, operations, required_ids, touched_points

# About 30 ms of flushing, and well under a second of replaying after a crash.
FLUSH_BYTES = 16 << 20


class Collection:
    """Reads are answered at once; writes one after the other."""

    def __init__(
        self,
        name: str,
        created: q.CreateCollection,
        shard: edge.EdgeShard,
        shard_folder: Path,
        optimised_points: int = 0,
    ) -> None:
        self.name = name
        self.created = created
        self.schema = schema_of(created)
        self.shard = shard
        self.shard_folder = shard_folder
        self.writing = asyncio.Lock()
        self.journal: Journal | None = None
        self._applying: set[asyncio.Task[int]] = set()
        # How many points there were at the last optimisation, and how many were written since.
        self.optimised_points = optimised_points
        self.touched = max(0, self.count() - optimised_points)
        self._unflushed = 0
        self._applied = 0
        self._synced = 0
        self._syncing = asyncio.Lock()
        self._log = WriteAheadLog(shard_folder / "wal")
        self.filters = FilterSimplifier()
        self._begun = 0

    @property
    def folder(self) -> Path:
        """Where all that belongs to the collection lies."""
        return self.shard_folder.parent

    @property
    def state(self) -> int | None:
        """The number of writes so far; None while one is being applied."""
        return None if self.writing.locked() else self._begun

    def count(self) -> int:
        return self.shard.info().points_count

    async def write(self, message: Message, *, wait: bool) -> int:
        """Apply a write request; returns its number in the order of writes."""
        translated = await operations(message, self.schema)
        applying = asyncio.create_task(self._apply(message, translated))
        self._applying.add(applying)
        applying.add_done_callback(self._applying.discard)
        # A client that gives up must not leave a write half applied.
        number = await asyncio.shield(applying)
        if wait:
            await self._sync(number)
        return number

    async def _apply(self, message: Message, translated: Operations) -> int:
        async with self.writing:
            self._require(required_ids(message))
            if self.journal is not None:
                self.journal.append(message)
            self._begun += 1
            await apply(self.shard, translated)
            self._applied += 1
            self.touched += touched_points(message)
            self._unflushed += message.ByteSize()
            if self._unflushed >= FLUSH_BYTES:
                self.flush()
            return self._applied

    def _require(self, identifiers: list[int | str]) -> None:
        if not identifiers:
            return
        found = engine(self.shard.retrieve, identifiers, False, False)
        missing = set(identifiers) - {r.id if isinstance(r.id, int) else str(r.id) for r in found}
        if missing:
            raise not_found(f"No point with id {min(missing, key=str)} found")

    async def _sync(self, number: int) -> None:
        """Sync the log up to write `number`; writes that come together share one sync."""
        async with self._syncing:
            if self._synced >= number:
                return
            reached = self._applied
            # Off the event loop, and without the interpreter's lock, unlike any engine call.
            await asyncio.to_thread(self._log.sync)
            self._synced = reached

    def flush(self) -> None:
        engine(self.shard.flush)
        self._unflushed = 0

    def replace_shard(
        self, shard: edge.EdgeShard, shard_folder: Path, optimised_points: int
    ) -> edge.EdgeShard:
        """Go over to a flushed shard of the same content; returns the old one."""
        old, self.shard, self.shard_folder = self.shard, shard, shard_folder
        self._log = WriteAheadLog(shard_folder / "wal")
        self.optimised_points = optimised_points
        self._unflushed = 0
        return old

    def close(self) -> None:
        engine(self.shard.close)


def schema_of(created: q.CreateCollection) -> Schema:
    config = created.vectors_config
    if config.WhichOneof("config") == "params":
        sizes = {"": config.params.size}
    else:
        sizes = {name: params.size for name, params in config.params_map.map.items()}
    return Schema(sizes=sizes, sparse=frozenset(created.sparse_vectors_config.map))


async def apply(shard: edge.EdgeShard, translated: Operations) -> None:
    """Apply operations, with a turn for the event loop after each piece of a large one."""
    for number, operation in enumerate(translated):
        if number:
            await asyncio.sleep(0)
        engine(shard.update, operation)

"""The points of Qdrant: those that the editions of one moment see, and back into an empty store."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from deploy.backup.files import Files, Writer
from deploy.backup.manifest import BackupError, SavedCollection
from libs.vectors.client import translated_errors
from libs.vectors.collection import lay_out_collection, list_collections
from libs.vectors.layout import Layout
from libs.vectors.parts import Parts
from libs.vectors.qdrant import AsyncQdrantClient, models
from libs.vectors.schema import ALIVE, DENSE, Payload, match

_TOGETHER = 256
_TIMEOUT_S = 60
_LENGTH_BYTES = 8
_NUMBERS = np.dtype("<f4")
_INDICES = np.dtype("<u4")


class SavedPoint(msgspec.Struct, frozen=True, array_like=True):
    """A point with its vectors as bytes: little-endian, four bytes a number."""

    id: str
    dense: dict[str, bytes]
    sparse: dict[str, tuple[bytes, bytes]]
    """Indices and values."""
    payload: dict[str, Any]


@dataclass(frozen=True)
class BookAtMoment:
    """What the database says of a book: its newest edition, and which points its editions have."""

    slug: str
    newest: int
    points: Mapping[str, Set[str]]
    """Ids by collection."""


async def save_points(
    client: AsyncQdrantClient, files: Files, books: Sequence[BookAtMoment]
) -> tuple[list[SavedCollection], dict[str, int]]:
    """Copy the points of the books; return the collections, and how many points each book lacks.

    Points of editions after the newest of the moment are left out, and what such an edition has done
    to the others is undone. So the points may be read at any time after the database, as long as none
    of an edition of the moment is removed meanwhile: those are counted as missing.
    """
    saved, missing = [], dict.fromkeys((book.slug for book in books), 0)
    with translated_errors():
        there = await list_collections(client)
        for name in there:
            writer, count = files.create(f"qdrant/{name}.points.gz"), 0
            for book in books:
                expected = book.points.get(name, frozenset())
                seen = await _save_book(client, name, book, writer)
                count += len(seen)
                missing[book.slug] += len(expected - seen)
            saved.append(
                SavedCollection(name, await _dimensions(client, name), count, await writer.finish())
            )
    for book in books:
        gone = book.points.keys() - set(there)
        missing[book.slug] += sum(len(book.points[name]) for name in gone)
    return saved, missing


async def _save_book(
    client: AsyncQdrantClient, collection: str, book: BookAtMoment, writer: Writer
) -> set[str]:
    seen: set[str] = set()
    async for points in _scroll(client, collection, book):
        packed = msgspec.msgpack.encode([_pack(point, book.newest) for point in points])
        await writer.write(len(packed).to_bytes(_LENGTH_BYTES, "little") + packed)
        seen.update(str(point.id) for point in points)
    return seen


async def _scroll(
    client: AsyncQdrantClient, collection: str, book: BookAtMoment
) -> AsyncIterator[list[models.Record]]:
    until = models.FieldCondition(key=Payload.BORN, range=models.Range(lte=book.newest))
    which = models.Filter(must=[match(Payload.BOOK, book.slug), until])
    offset: Any = None
    while True:
        points, offset = await client.scroll(
            collection,
            which,
            limit=_TOGETHER,
            offset=offset,
            with_payload=True,
            with_vectors=True,
            timeout=_TIMEOUT_S,
        )
        if points:
            yield points
        if offset is None:
            return


async def _dimensions(client: AsyncQdrantClient, collection: str) -> int:
    vectors = (await client.get_collection(collection)).config.params.vectors
    if not isinstance(vectors, dict):
        raise BackupError(f"The collection {collection} is not one of Quoth's.")
    return vectors[DENSE].size


def _pack(point: models.Record, newest: int) -> SavedPoint:
    dense, sparse = {}, {}
    for name, vector in dict(point.vector or {}).items():  # type: ignore[arg-type]
        if isinstance(vector, models.SparseVector):
            sparse[name] = (
                np.asarray(vector.indices, _INDICES).tobytes(),
                np.asarray(vector.values, _NUMBERS).tobytes(),
            )
        else:
            dense[name] = np.asarray(vector, _NUMBERS).tobytes()
    payload = dict(point.payload or {})
    # An edition that is still being made lets points die beforehand; here it does not come.
    if newest < payload[Payload.DIED]:
        payload[Payload.DIED] = ALIVE
    return SavedPoint(str(point.id), dense, sparse, payload)


def _unpack(point: SavedPoint) -> models.PointStruct:
    vectors: dict[str, Any] = {
        name: np.frombuffer(numbers, _NUMBERS).tolist() for name, numbers in point.dense.items()
    }
    for name, (indices, values) in point.sparse.items():
        vectors[name] = models.SparseVector(
            indices=np.frombuffer(indices, _INDICES).tolist(),
            values=np.frombuffer(values, _NUMBERS).tolist(),
        )
    return models.PointStruct(id=point.id, vector=vectors, payload=point.payload)


async def holds_points(client: AsyncQdrantClient) -> bool:
    with translated_errors():
        for name in await list_collections(client):
            if (await client.count(name, exact=True, timeout=_TIMEOUT_S)).count:
                return True
    return False


async def clear_points(client: AsyncQdrantClient) -> None:
    """Remove all points of all our collections; the collections stay."""
    everything = models.FilterSelector(filter=models.Filter())
    parts = Parts(client)
    with translated_errors():
        for name in await list_collections(client):
            there: list[str | None] = [*await parts.names(name, _TIMEOUT_S)]
            for part in there or [None]:
                await client.delete(name, everything, wait=True, shard_key_selector=part)


async def load_points(
    client: AsyncQdrantClient,
    files: Files,
    collections: Collection[SavedCollection],
    layout: Layout,
) -> None:
    """Write the points into collections laid out as this installation says.

    Raises BackupError when a file is damaged, or when not all of its points are there in the end.
    """
    with translated_errors():
        for saved in collections:
            await lay_out_collection(client, saved.name, saved.dimensions, layout)
            parts = Parts(client)
            async for points in _read(files, saved):
                await _write(client, saved.name, points, parts)
            found = (await client.count(saved.name, exact=True, timeout=_TIMEOUT_S)).count
            if found != saved.points:
                raise BackupError(
                    f"{saved.name} has {found} points after the restore instead of {saved.points}."
                )


async def _write(
    client: AsyncQdrantClient, collection: str, points: Sequence[SavedPoint], parts: Parts
) -> None:
    # What was saved together is of one book.
    part = await parts.of_book(collection, points[0].payload[Payload.BOOK], _TIMEOUT_S)
    await client.upsert(
        collection, [_unpack(point) for point in points], wait=True, shard_key_selector=part
    )


_DECODER = msgspec.msgpack.Decoder(list[SavedPoint])


async def _read(files: Files, saved: SavedCollection) -> AsyncIterator[list[SavedPoint]]:
    held = bytearray()
    async for piece in files.read(saved.file):
        held += piece
        while len(held) >= _LENGTH_BYTES:
            end = _LENGTH_BYTES + int.from_bytes(held[:_LENGTH_BYTES], "little")
            if len(held) < end:
                break
            packed = bytes(held[_LENGTH_BYTES:end])
            del held[:end]
            try:
                yield _DECODER.decode(packed)
            except msgspec.DecodeError as error:
                raise BackupError(f"{saved.file.name} can't be read.") from error

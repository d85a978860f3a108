"""The points of chunks in Qdrant."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence, Set
from functools import cache
from itertools import pairwise
from typing import Any

import grpc
import numpy as np

from libs.embedding import ModelStamp
from libs.errors import NoRoom, QuothError, WrongIndex
from libs.vectors.client import require_version, translated_errors
from libs.vectors.collection import lay_out_collection, list_collections, try_to_write
from libs.vectors.layout import Layout
from libs.vectors.parts import Parts
from libs.vectors.qdrant import AsyncQdrantClient, models
from libs.vectors.schema import (
    ALIVE,
    BM25,
    DENSE,
    Payload,
    Scope,
    collection_name,
    match,
)
from libs.vectors.sparse import SparseEncoder
from libs.vectors.stored import StoredChunk, decode_chunk, decode_head
from services.ingest.embedding_text import dense_text, known_terms, sparse_text
from services.ingest.model.book import Chunk, ChunkVectors, Neighbour, Published
from services.ingest.model.condition import Condition
from services.ingest.ports.index import ChunkKey

_POINT_NAMESPACE = uuid.UUID("6f3f2a58-6a0e-5b0e-9d0c-6d2f6b1c7a11")
_TIMEOUT_S = 60
_LOOK_S = 0.2
_TRY_S = 2.0
_READ_TOGETHER = 256
_NAMED_TOGETHER = 4096
_LENGTH_TOLERANCE = 0.01


class QdrantIndex:
    """Holds the points that are searched: the port PassageIndex."""

    def __init__(
        self, client: AsyncQdrantClient, stamp: ModelStamp, layout: Layout | None = None
    ) -> None:
        self._client = client
        self._parts = Parts(client)
        self._layout = layout or Layout()
        self._dimensions = stamp.dimensions
        self.collection = collection_name(stamp)

    async def prepare(self) -> None:
        await require_version(self._client)
        with translated_errors():
            await lay_out_collection(self._client, self.collection, self._dimensions, self._layout)

    async def require_room(self) -> None:
        try:
            with translated_errors():
                async with asyncio.timeout(_TRY_S):
                    await try_to_write(self._client, self.collection, self._layout)
        except NoRoom:
            raise
        except (grpc.aio.AioRpcError, QuothError, TimeoutError):
            # There is no collection yet, or no store that answers: no news of its disk.
            return

    async def holds_points(self) -> bool:
        with translated_errors():
            for collection in await list_collections(self._client):
                if (await self._client.count(collection, exact=False, timeout=_TIMEOUT_S)).count:
                    return True
        return False

    async def sweep(self, book: str, edition: int) -> None:
        later = models.Range(gt=edition)
        born_later = _of_book(book, models.FieldCondition(key=Payload.BORN, range=later))
        dying_later = _of_book(
            book, models.FieldCondition(key=Payload.DIED, range=models.Range(gt=edition, lt=ALIVE))
        )
        with translated_errors():
            for collection in await list_collections(self._client):
                part = await self._part_of(book, collection)
                await self._client.delete(
                    collection,
                    models.FilterSelector(filter=born_later),
                    wait=True,
                    shard_key_selector=part,
                )
                await self._client.set_payload(
                    collection,
                    {Payload.DIED: ALIVE},
                    points=dying_later,
                    wait=True,
                    shard_key_selector=part,
                )

    async def _part_of(self, book: str, collection: str) -> str | None:
        return await self._parts.of_book(collection, book, _TIMEOUT_S)

    async def write(
        self,
        book: str,
        language: str,
        born: int,
        chunks: Sequence[Chunk],
        vectors: Sequence[ChunkVectors],
    ) -> None:
        # Beside the event loop, so that the embedder is not kept waiting for its next text.
        points = await asyncio.to_thread(_to_points, book, language, born, chunks, vectors)
        with translated_errors():
            part = await self._part_of(book, self.collection)
            await self._client.upsert(self.collection, points, wait=True, shard_key_selector=part)

    async def retire(
        self, book: str, points: Sequence[Published], died: int, *, collection: str = ""
    ) -> None:
        ids = models.PointIdsList(points=[point_id(p.chunk_id, p.born) for p in points])
        with translated_errors():
            # What another model has made may be gone altogether.
            if collection and not await self._client.collection_exists(collection):
                return
            await self._client.set_payload(
                collection or self.collection,
                {Payload.DIED: died},
                points=ids,
                wait=True,
                shard_key_selector=await self._part_of(book, collection or self.collection),
            )

    async def retire_all(self, book: str, died: int) -> None:
        older = _of_book(
            book,
            models.FieldCondition(key=Payload.BORN, range=models.Range(lt=died)),
            match(Payload.DIED, ALIVE),
        )
        with translated_errors():
            for collection in await list_collections(self._client):
                await self._client.set_payload(
                    collection,
                    {Payload.DIED: died},
                    points=older,
                    wait=True,
                    shard_key_selector=await self._part_of(book, collection),
                )

    async def list_collections(self) -> list[str]:
        with translated_errors():
            return await list_collections(self._client)

    async def vacuum(self, book: str, collection: str, kept: Sequence[int]) -> None:
        numbers = sorted(kept)
        unseen = [_unseen_between(*pair) for pair in pairwise((0, *numbers))]
        # Points after the last kept edition may belong to the next one, which is being made.
        if collection != self.collection:
            later = models.Range(gt=numbers[-1] if numbers else 0)
            unseen.append([models.FieldCondition(key=Payload.BORN, range=later)])
        with translated_errors():
            if not await self._client.collection_exists(collection):
                return
            part = await self._part_of(book, collection)
            for conditions in unseen:
                selector = models.FilterSelector(filter=_of_book(book, *conditions))
                await self._client.delete(collection, selector, wait=True, shard_key_selector=part)
            if collection != self.collection:
                await self._drop_if_empty(collection)

    async def _drop_if_empty(self, collection: str) -> None:
        """Drop the collection of a model that no book is in any more."""
        held = await self._client.count(collection, exact=True)
        if not held.count:
            await self._client.delete_collection(collection)

    async def erase(self) -> str:
        # A store that writes its files anew is not green until it has.
        with translated_errors():
            for collection in await list_collections(self._client):
                await self._settled(collection)
        return ""

    async def _settled(self, collection: str) -> None:
        while True:
            info = await self._client.get_collection(collection)
            if info.status is models.CollectionStatus.GREEN:
                return
            await asyncio.sleep(_LOOK_S)

    async def count(self, book: str, edition: int) -> int:
        with translated_errors():
            result = await self._client.count(
                self.collection,
                Scope(book, edition).to_filter(),
                exact=True,
                shard_key_selector=await self._part_of(book, self.collection),
                timeout=_TIMEOUT_S,
            )
        return result.count

    async def examine(
        self,
        book: str,
        edition: int,
        expected: Set[ChunkKey],
        *,
        whole: bool,
        tell: Callable[[int], Awaitable[None]] | None = None,
    ) -> Condition:
        wanted = {point_id(*key) for key in expected}
        seen: set[str] = set()
        damaged = 0
        try:
            async for point in self._seen(Scope(book, edition), whole=whole):
                seen.add(str(point.id))
                damaged += whole and _is_damaged(point)
                if tell and not len(seen) % _READ_TOGETHER:
                    await tell(len(seen))
        except WrongIndex:
            # The store itself can't make sense of what it holds.
            return Condition(damaged=len(wanted))
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.NOT_FOUND:
                raise
        return Condition(len(wanted - seen), len(seen - wanted), damaged)

    async def _seen(self, scope: Scope, *, whole: bool) -> AsyncIterator[models.Record]:
        """Yield the points of an edition, with their text and vector when `whole`."""
        with translated_errors():
            part = await self._part_of(scope.book, self.collection)
        offset: Any = None
        while True:
            with translated_errors():
                found, offset = await self._client.scroll(
                    self.collection,
                    scope.to_filter(),
                    limit=_READ_TOGETHER if whole else _NAMED_TOGETHER,
                    offset=offset,
                    with_payload=[Payload.HEAD, Payload.CHUNK] if whole else False,
                    with_vectors=[DENSE] if whole else False,
                    shard_key_selector=part,
                    timeout=_TIMEOUT_S,
                )
            for point in found:
                yield point
            if offset is None:
                return


def _is_damaged(point: models.Record) -> bool:
    """Whether the text or the vector of a point can't be what was written."""
    try:
        held = point.payload or {}
        decode_chunk(held[Payload.CHUNK])
        if Payload.HEAD in held:
            decode_head(held[Payload.HEAD])
        vector = np.asarray(point.vector[DENSE], np.float64)  # type: ignore[call-overload, index]
    except (KeyError, TypeError, ValueError):
        return True
    # The store has made it one of length 1.
    return not abs(float(np.linalg.norm(vector)) - 1) < _LENGTH_TOLERANCE


def _to_points(
    book: str, language: str, born: int, chunks: Sequence[Chunk], vectors: Sequence[ChunkVectors]
) -> list[models.PointStruct]:
    encoder = _sparse_encoder(language)
    return [
        models.PointStruct(
            id=point_id(chunk.chunk_id, born),
            vector={
                DENSE: vector.own.tolist(),
                BM25: encoder.encode_document(dense_text(chunk), sparse_text(chunk, language)),
            },
            payload=_payload(book, language, born, chunk, vector.spans),
        )
        for chunk, vector in zip(chunks, vectors, strict=True)
    ]


def point_id(chunk_id: str, born: int) -> str:
    return str(uuid.uuid5(_POINT_NAMESPACE, f"{chunk_id}/{born}"))


@cache
def _sparse_encoder(language: str) -> SparseEncoder:
    return SparseEncoder(language)


def _unseen_between(before: int, after: int) -> list[models.FieldCondition]:
    """Match points that were born after one edition and dead in the other."""
    return [
        models.FieldCondition(key=Payload.BORN, range=models.Range(gt=before)),
        models.FieldCondition(key=Payload.DIED, range=models.Range(lte=after)),
    ]


def _of_book(book: str, *conditions: models.FieldCondition) -> models.Filter:
    return models.Filter(must=[match(Payload.BOOK, book), *conditions])


def _payload(
    book: str, language: str, born: int, chunk: Chunk, span_vectors: bytes
) -> dict[str, object]:
    stored = StoredChunk(
        chunk_id=chunk.chunk_id,
        document=chunk.document,
        start=chunk.start,
        end=chunk.end,
        position=chunk.position,
        section_path=tuple(chunk.section_path),
        section_keys=tuple(chunk.section_keys),
        anchor=chunk.anchor,
        url=chunk.url,
        page=chunk.page,
        text=chunk.body,
        spans=tuple((span.start, span.end, int(span.kind)) for span in chunk.spans),
        gap=chunk.gap,
        page_breaks=tuple(chunk.page_breaks),
        page_labels=chunk.page_labels,
        span_vectors=span_vectors,
        table_header=chunk.header,
        footnotes=chunk.footnotes,
        sections=chunk.sections,
        neighbours=tuple(map(_neighbour, chunk.neighbours)),
        lead_ins=tuple(chunk.lead_ins),
    )
    return _readable(chunk) | {
        Payload.BOOK: book,
        Payload.LANGUAGE: language,
        Payload.BORN: born,
        Payload.DIED: ALIVE,
        Payload.DOCUMENT: chunk.document,
        Payload.START: chunk.start,
        Payload.END: chunk.end,
        Payload.SECTIONS: list(chunk.section_keys),
        Payload.HEAD: stored.head(known_terms(chunk, language)).encode(),
        Payload.CHUNK: stored.encode(),
    }


def _readable(chunk: Chunk) -> dict[str, object]:
    """Return where the chunk stands, for whoever reads the collection without us."""
    place, labels = chunk.place, [label for _, label in chunk.page_labels]
    return {
        Payload.CHUNK_ID: str(uuid.UUID(chunk.chunk_id)),
        Payload.MODULE_ID: place.module_id,
        Payload.CHAPTER_ID: place.chapter_id,
        Payload.SECTION_ID: place.section_id,
        Payload.CHAPTER_TITLE: place.chapter_title,
        Payload.SECTION_HEADING: place.heading,
        Payload.CHUNK_INDEX: place.index,
        Payload.START_SENTENCE: place.first_sentence,
        Payload.END_SENTENCE: place.last_sentence,
        Payload.PAGE: chunk.page,
        Payload.END_PAGE: place.last_page,
        **({Payload.PAGE_LABELS: labels} if labels else {}),
        **({Payload.DEPTH: place.depth} if place.depth else {}),
        **({Payload.PART_TITLES: list(place.part_titles)} if place.part_titles else {}),
        **({} if place.is_listed is None else {Payload.IS_LISTED: place.is_listed}),
        Payload.SIZE: chunk.token_count,
        Payload.URL: chunk.url,
    }


def _neighbour(one: Neighbour) -> tuple[int, int, int, str, bool]:
    return one.start, one.end, int(one.kind), one.text, one.same_block

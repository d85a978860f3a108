"""Scopes and vectors in, candidates and chunks of a Qdrant collection out."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import grpc
from qdrant_client import AsyncQdrantClient, models
from qdrant_client import grpc as grpc_models
from qdrant_client.conversions.conversion import RestToGrpc

from libs.embedding import ModelStamp, Vectors
from libs.errors import QuothError, WrongIndex
from libs.vectors.client import translated_errors
from libs.vectors.layout import Layout
from libs.vectors.schema import BM25, DENSE, Payload, Scope, collection_name
from libs.vectors.stored import decode_chunk
from services.retrieval.adapters.kept_chunks import KEPT_CHUNKS, KeptChunks
from services.retrieval.model import DAMAGED, Candidate, Chunk, Unit

_PAGE = 256
"""Chunks read in one round trip."""

_KEPT_LANGUAGES = 4096
_LANGUAGE_KEPT_S = 60.0
"""A book that is deleted and put in again may have another language with the same edition."""

_WHOLE = grpc_models.WithPayloadSelector(
    include=grpc_models.PayloadIncludeSelector(fields=[Payload.CHUNK])
)
"""The payload that is read; the other fields are there to be filtered by."""


class QdrantIndex:
    """The collection of one embedding model."""

    def __init__(
        self, client: AsyncQdrantClient, stamp: ModelStamp, layout: Layout | None = None
    ) -> None:
        layout = layout or Layout()
        self._client = client
        self._params = layout.of_search()
        self._consistency = layout.of_reading()
        self._collection = collection_name(stamp)
        self._languages: dict[tuple[str, int], tuple[str, float]] = {}
        self._kept = KeptChunks()

    async def search(
        self,
        scope: Scope,
        dense: Vectors,
        sparse: models.SparseVector,
        *,
        limit: int,
        timeout_s: float,
    ) -> list[Candidate]:
        request = _search_request(
            self._collection, scope, dense, sparse, limit=limit, params=self._params
        )
        request.timeout = _whole_seconds(timeout_s)
        self._be_consistent(request)
        ends_s = time.monotonic() + timeout_s
        with _errors():
            answer = await self._client.grpc_points.QueryBatch(request, timeout=timeout_s)
        # Equal scores come in any order, which differs from engine to engine.
        lists = [sorted(found.result, key=_by_score) for found in answer.result]
        lists += [[]] * (4 - len(lists))
        versions = {point.id.uuid: point.version for point in [*lists[0], *lists[2]]}
        chunks = await self._chunks_of(versions, ends_s - time.monotonic())
        return _unite(lists[0], lists[1], lists[2], lists[3], chunks)

    async def _chunks_of(self, versions: dict[str, int], timeout_s: float) -> dict[str, Chunk]:
        """Return the chunks of the points that are still there, read once for each version.

        With its text and the vectors of its units a chunk is far larger than its scores, and those of
        a hundred points are most of what a search costs the store.
        """
        chunks = self._kept.find(versions)
        missing = versions.keys() - chunks.keys()
        if missing:
            request = grpc_models.GetPoints(
                collection_name=self._collection,
                ids=[grpc_models.PointId(uuid=point_id) for point_id in missing],
                with_payload=_WHOLE,
                timeout=_whole_seconds(timeout_s),
            )
            self._be_consistent(request)
            with _errors():
                answer = await self._client.grpc_points.Get(request, timeout=timeout_s)
            read = {
                point.id.uuid: _read_chunk(point.payload[Payload.CHUNK].string_value)
                for point in answer.result
            }
            self._kept.add(read, versions)
            chunks |= read
        return chunks

    def _be_consistent(self, request: grpc_models.QueryBatchPoints | grpc_models.GetPoints) -> None:
        if self._consistency is not None:
            request.read_consistency.CopyFrom(
                RestToGrpc.convert_read_consistency(self._consistency)
            )

    async def read_chunks(
        self, scope: Scope, *, most: int | None = None, timeout_s: float
    ) -> list[Chunk]:
        points: list[models.Record] = []
        offset: Any = None
        while True:
            with _errors():
                page, offset = await self._client.scroll(
                    self._collection,
                    scroll_filter=scope.to_filter(),
                    limit=_PAGE if most is None else min(_PAGE, most - len(points)),
                    offset=offset,
                    with_payload=[Payload.CHUNK],
                    consistency=self._consistency,
                    timeout=_whole_seconds(timeout_s),
                )
            points.extend(page)
            if offset is None or len(points) == most:
                break
        chunks = [_read_chunk(str((point.payload or {}).get(Payload.CHUNK))) for point in points]
        return sorted(chunks, key=lambda chunk: (chunk.document, chunk.start, chunk.position))

    async def holds(self, book: str, edition: int, *, timeout_s: float) -> bool:
        try:
            return await self._language(book, edition, timeout_s) is not None
        except WrongIndex:
            return False

    async def language(self, book: str, edition: int, *, timeout_s: float) -> str:
        return await self._language(book, edition, timeout_s) or "en"

    async def _language(self, book: str, edition: int, timeout_s: float) -> str | None:
        """Return what a point of the edition says, None when there is no point."""
        known = self._languages.get((book, edition))
        if known is not None and time.monotonic() < known[1]:
            return known[0]
        with _errors():
            found, _ = await self._client.scroll(
                self._collection,
                scroll_filter=Scope(book, edition).to_filter(),
                limit=1,
                with_payload=[Payload.LANGUAGE],
                consistency=self._consistency,
                timeout=_whole_seconds(timeout_s),
            )
        if not found:
            return None
        language = str((found[0].payload or {}).get(Payload.LANGUAGE) or "en")
        if len(self._languages) >= _KEPT_LANGUAGES:
            self._languages.clear()
        self._languages[book, edition] = language, time.monotonic() + _LANGUAGE_KEPT_S
        return language

    async def count(self, scope: Scope, *, timeout_s: float) -> int:
        with _errors():
            answer = await self._client.count(
                self._collection, scope.to_filter(), timeout=_whole_seconds(timeout_s)
            )
        return answer.count


def _search_request(
    collection: str,
    scope: Scope,
    dense: Vectors,
    sparse: models.SparseVector,
    *,
    limit: int,
    params: grpc_models.SearchParams,
) -> grpc_models.QueryBatchPoints:
    """Ask for the best chunks by each vector, and for the same ones again by the other.

    Made of messages: qdrant-client's own models cost more to convert than all else that is done here.
    """
    scoped = RestToGrpc.convert_filter(scope.to_filter())
    near = _nearest(grpc_models.VectorInput(dense=grpc_models.DenseVector(data=dense)))
    sharing = _nearest(
        grpc_models.VectorInput(
            sparse=grpc_models.SparseVector(indices=sparse.indices, values=sparse.values)
        )
    )

    def best(query: grpc_models.Query, using: str) -> grpc_models.QueryPoints:
        return grpc_models.QueryPoints(
            collection_name=collection,
            query=query,
            using=using,
            filter=scoped,
            limit=limit,
            params=params if using == DENSE else None,
        )

    def again(one: str, first: grpc_models.Query, other: str, then: grpc_models.Query) -> Any:
        same = grpc_models.PrefetchQuery(
            query=first,
            using=one,
            filter=scoped,
            limit=limit,
            params=params if one == DENSE else None,
        )
        return grpc_models.QueryPoints(
            collection_name=collection,
            prefetch=[same],
            query=then,
            using=other,
            limit=limit,
            params=params if other == DENSE else None,
        )

    queries = [best(near, DENSE)]
    if sparse.indices:  # a question of stop words only shares no term with anything
        queries += [
            again(DENSE, near, BM25, sharing),
            best(sharing, BM25),
            again(BM25, sharing, DENSE, near),
        ]
    return grpc_models.QueryBatchPoints(collection_name=collection, query_points=queries)


def _by_score(point: grpc_models.ScoredPoint) -> tuple[float, str]:
    return -point.score, point.id.uuid


def _nearest(vector: grpc_models.VectorInput) -> grpc_models.Query:
    return grpc_models.Query(nearest=vector)


def _unite(
    nearest: Sequence[grpc_models.ScoredPoint],
    nearest_by_bm25: Sequence[grpc_models.ScoredPoint],
    matching: Sequence[grpc_models.ScoredPoint],
    matching_by_dense: Sequence[grpc_models.ScoredPoint],
    chunks: Mapping[str, Chunk],
) -> list[Candidate]:
    dense = {point.id.uuid: point.score for point in [*nearest, *matching_by_dense]}
    bm25 = {point.id.uuid: point.score for point in [*nearest_by_bm25, *matching]}
    dense_rank = {point.id.uuid: rank for rank, point in enumerate(nearest, 1)}
    bm25_rank = {point.id.uuid: rank for rank, point in enumerate(matching, 1)}
    return [
        Candidate(
            chunks[point_id],
            dense[point_id],
            bm25.get(point_id, 0.0),
            dense_rank.get(point_id, 0),
            bm25_rank.get(point_id, 0),
        )
        for point_id in dict.fromkeys(point.id.uuid for point in [*nearest, *matching])
        # A point that went away meanwhile has no cosine, or no chunk.
        if point_id in dense and point_id in chunks
    ]


@lru_cache(maxsize=KEPT_CHUNKS)
def _read_chunk(encoded: str) -> Chunk:
    try:
        stored = decode_chunk(encoded)
    except ValueError as error:
        raise QuothError(DAMAGED) from error
    return Chunk(
        chunk_id=stored.chunk_id,
        document=stored.document,
        start=stored.start,
        end=stored.end,
        position=stored.position,
        section_path=stored.section_path,
        section_keys=frozenset(stored.section_keys),
        anchor=stored.anchor,
        url=stored.url,
        page=stored.page,
        text=stored.text,
        units=tuple(map(Unit._make, stored.units)),
        gap=stored.gap,
        page_breaks=stored.page_breaks,
        terms=frozenset(stored.terms.split()),
        unit_vectors=stored.unit_vectors,
        table_header=stored.table_header,
        footnotes=stored.footnotes,
    )


@contextmanager
def _errors() -> Iterator[None]:
    try:
        with translated_errors():
            yield
    except grpc.aio.AioRpcError as error:
        if error.code() == grpc.StatusCode.NOT_FOUND:
            raise _wrong_index() from error
        raise


def _wrong_index() -> WrongIndex:
    return WrongIndex(
        "The book was indexed with another embedding model; ingest it again, "
        "or name that model in QUOTH_EMBEDDER_BEFORE until you have."
    )


def _whole_seconds(timeout_s: float) -> int:
    # Qdrant counts in whole seconds; the stage around the call ends it to the millisecond.
    return max(1, math.ceil(timeout_s))

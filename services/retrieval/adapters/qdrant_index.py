"""Scopes and vectors in, candidates and chunks of a Qdrant collection out."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import grpc
from qdrant_client import AsyncQdrantClient, models

from libs.embedding import ModelStamp, Vectors
from libs.errors import QuothError, WrongIndex
from libs.vectors.client import translated_errors
from libs.vectors.schema import BM25, DENSE, Payload, Scope, collection_name
from libs.vectors.stored import decode_chunk
from services.retrieval.model import Candidate, Chunk, Unit

_PAGE = 256
"""Chunks read in one round trip."""

_WHOLE = [Payload.CHUNK]
"""The payload that is read; the other fields are there to be filtered by."""


class QdrantIndex:
    """The collection of one embedding model."""

    def __init__(self, client: AsyncQdrantClient, stamp: ModelStamp) -> None:
        self._client = client
        self._collection = collection_name(stamp)

    async def search(
        self,
        scope: Scope,
        dense: Vectors,
        sparse: models.SparseVector,
        *,
        limit: int,
        timeout_s: float,
    ) -> list[Candidate]:
        requests = _dense_requests(scope, dense.tolist(), sparse, limit)
        if sparse.indices:  # a question of stop words only shares no term with anything
            requests += _bm25_requests(scope, dense.tolist(), sparse, limit)
        with _errors():
            answers = await self._client.query_batch_points(
                self._collection, requests, timeout=_whole_seconds(timeout_s)
            )
        lists = [answer.points for answer in answers] + [[]] * (4 - len(answers))
        return _unite(*lists)

    async def read_chunks(self, scope: Scope, *, timeout_s: float) -> list[Chunk]:
        points: list[models.Record] = []
        offset: Any = None
        while True:
            with _errors():
                page, offset = await self._client.scroll(
                    self._collection,
                    scroll_filter=scope.to_filter(),
                    limit=_PAGE,
                    offset=offset,
                    with_payload=_WHOLE,
                    timeout=_whole_seconds(timeout_s),
                )
            points.extend(page)
            if offset is None:
                break
        chunks = [_read_chunk(point.payload) for point in points]
        return sorted(chunks, key=lambda chunk: (chunk.document, chunk.start, chunk.position))

    async def count(self, scope: Scope, *, timeout_s: float) -> int:
        with _errors():
            answer = await self._client.count(
                self._collection, scope.to_filter(), timeout=_whole_seconds(timeout_s)
            )
        return answer.count


def _dense_requests(
    scope: Scope, dense: list[float], sparse: models.SparseVector, limit: int
) -> list[models.QueryRequest]:
    """Ask for the nearest chunks, and for the same ones again by their BM25 score."""
    scoped = scope.to_filter()
    nearest = models.QueryRequest(
        query=dense, using=DENSE, filter=scoped, limit=limit, with_payload=_WHOLE
    )
    if not sparse.indices:
        return [nearest]
    same = models.Prefetch(query=dense, using=DENSE, filter=scoped, limit=limit)
    return [
        nearest,
        models.QueryRequest(prefetch=[same], query=sparse, using=BM25, limit=limit),
    ]


def _bm25_requests(
    scope: Scope, dense: list[float], sparse: models.SparseVector, limit: int
) -> list[models.QueryRequest]:
    """Ask for the best chunks by BM25, and for the same ones again by their cosine."""
    scoped = scope.to_filter()
    same = models.Prefetch(query=sparse, using=BM25, filter=scoped, limit=limit)
    return [
        models.QueryRequest(
            query=sparse, using=BM25, filter=scoped, limit=limit, with_payload=_WHOLE
        ),
        models.QueryRequest(prefetch=[same], query=dense, using=DENSE, limit=limit),
    ]


def _unite(
    nearest: Sequence[models.ScoredPoint],
    nearest_by_bm25: Sequence[models.ScoredPoint],
    matching: Sequence[models.ScoredPoint],
    matching_by_dense: Sequence[models.ScoredPoint],
) -> list[Candidate]:
    dense = {point.id: point.score for point in [*nearest, *matching_by_dense]}
    bm25 = {point.id: point.score for point in [*nearest_by_bm25, *matching]}
    dense_rank = {point.id: rank for rank, point in enumerate(nearest, 1)}
    bm25_rank = {point.id: rank for rank, point in enumerate(matching, 1)}
    payloads = {point.id: point.payload for point in [*nearest, *matching]}
    return [
        Candidate(
            _read_chunk(payload),
            dense[point_id],
            bm25.get(point_id, 0.0),
            dense_rank.get(point_id, 0),
            bm25_rank.get(point_id, 0),
        )
        for point_id, payload in payloads.items()
        # A point that went away between the parts of the batch has no cosine.
        if point_id in dense
    ]


def _read_chunk(payload: Mapping[str, Any] | None) -> Chunk:
    try:
        stored = decode_chunk(str((payload or {}).get(Payload.CHUNK)))
    except ValueError as error:
        raise QuothError("The index holds a damaged passage. Ingest the book again.") from error
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
        units=tuple(Unit(*unit) for unit in stored.units),
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
    except ValueError as error:  # how qdrant-client's local mode says it
        if "not found" in str(error):
            raise _wrong_index() from error
        raise


def _wrong_index() -> WrongIndex:
    return WrongIndex("The book was indexed with another embedding model; ingest it again.")


def _whole_seconds(timeout_s: float) -> int:
    # Qdrant counts in whole seconds; the stage around the call ends it to the millisecond.
    return max(1, math.ceil(timeout_s))

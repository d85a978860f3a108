"""Search and read chunks in a Qdrant collection."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any

import grpc

from libs.embedding import ModelStamp
from libs.errors import QuothError, WrongIndex
from libs.language.lexicon import FALLBACK
from libs.vectors.client import translated_errors
from libs.vectors.layout import Layout
from libs.vectors.parts import Parts, in_part
from libs.vectors.qdrant import AsyncQdrantClient, RestToGrpc, models
from libs.vectors.qdrant import grpc as grpc_models
from libs.vectors.schema import Payload, Scope, collection_name, match
from services.retrieval.adapters.book_languages import LanguageCache
from services.retrieval.adapters.chunk_cache import ChunkCache
from services.retrieval.adapters.hybrid_queries import hybrid_queries, terms_query
from services.retrieval.adapters.outlines import OutlineCache, read_outline
from services.retrieval.adapters.points import (
    count_page,
    find_head,
    read_chunk,
    read_listed,
    read_page,
    read_place,
)
from services.retrieval.adapters.rank_lists import lists_of, points_of, unite
from services.retrieval.adapters.store_circuit_breaker import StoreCircuitBreaker
from services.retrieval.adapters.vocabularies import VocabularyCache
from services.retrieval.model import (
    DAMAGED,
    OTHERWISE_INDEXED,
    Candidate,
    Chunk,
    FoundChunk,
    Heading,
    QuestionVectors,
    Range,
)
from services.retrieval.vocabulary import Vocabulary

_PAGE = 256
"""Chunks read in one round trip."""

_PLACES_PAGE = 2048
"""The same where only their places are read."""

MOST_OUTLINED = 20_000
"""Chunks of a book beyond which its outline and its vocabulary would take too long to read."""

_READING_S = 10.0
"""For a page of a vocabulary, which is read beside the questions."""

_MOST_LANGUAGES = 12
"""Of one book; each takes a question to the store once in a while."""

_MOST_FAMILIAR = 4096
"""Books of which most chunks are in the cache."""

_FAMILIAR = 0.9
"""Where so large a part of what a search found was known, the next one of the book reads no heads."""


def _only(*fields: str) -> grpc_models.WithPayloadSelector:
    return grpc_models.WithPayloadSelector(
        include=grpc_models.PayloadIncludeSelector(fields=fields)
    )


# The other fields are there to be filtered by.
_HEADS = _only(Payload.HEAD, Payload.LANGUAGE)
_OPENING = (Payload.CHUNK, Payload.DEPTH, Payload.PART_TITLES, Payload.IS_LISTED)
_WHOLE = _only(Payload.HEAD, Payload.CHUNK, Payload.LANGUAGE)


class QdrantIndex:
    """The collection of one embedding model."""

    def __init__(
        self,
        client: AsyncQdrantClient,
        stamp: ModelStamp,
        layout: Layout | None = None,
        guard: StoreCircuitBreaker | None = None,
    ) -> None:
        layout = layout or Layout()
        self._client = client
        self._parts = Parts(client)
        self._guard = guard or StoreCircuitBreaker()
        self._params = layout.of_search()
        self._consistency = layout.of_reading()
        self._collection = collection_name(stamp)
        self._languages = LanguageCache(self._read_languages)
        self._kept = ChunkCache()
        self._familiar: set[str] = set()
        self._outlines = OutlineCache()
        self._vocabularies = VocabularyCache(self._read_vocabulary)

    async def search(
        self,
        scope: Scope,
        asked: Sequence[QuestionVectors],
        *,
        limit: int,
        timeout_s: float,
    ) -> list[list[Candidate]]:
        ends_s = time.monotonic() + timeout_s
        # One call for all: a question that compares waits once, and a store that is down is met once.
        batches = self._queries(scope, asked, limit, await self._part_of(scope.book, timeout_s))
        request = grpc_models.QueryBatchPoints(
            collection_name=self._collection,
            query_points=chain.from_iterable(batches),
            timeout=_whole_seconds(timeout_s),
        )
        self._be_consistent(request)
        left_s = ends_s - time.monotonic()
        with self._asking(left_s):
            answer = await self._client.grpc_points.QueryBatch(request, timeout=left_s)
        searches = lists_of(answer.result, map(len, batches), limit)
        points = points_of(searches)
        versions = {point_id: point.version for point_id, point in points.items()}
        left_s = ends_s - time.monotonic()
        chunks = await self._chunks_of(points, versions, scope.book, left_s)
        return [unite(lists, versions, chunks, scope.book) for lists in searches]

    async def find_places(
        self, scope: Scope, terms: models.SparseVector, *, limit: int, timeout_s: float
    ) -> list[Range]:
        if not terms.indices:
            return []
        part = in_part(await self._part_of(scope.book, timeout_s))
        request = terms_query(self._collection, scope, terms, limit=limit, part=part)
        request.timeout = _whole_seconds(timeout_s)
        self._be_consistent(request)
        with self._asking(timeout_s):
            answer = await self._client.grpc_points.Query(request, timeout=timeout_s)
        return [
            (point.payload[Payload.START].integer_value, point.payload[Payload.END].integer_value)
            for point in answer.result
        ]

    async def _part_of(self, book: str, timeout_s: float) -> str | None:
        if not self._parts.knows(self._collection):
            with self._asking(timeout_s):
                await self._parts.names(self._collection, timeout_s)
        return await self._parts.of_book(self._collection, book, timeout_s)

    def _queries(
        self, scope: Scope, asked: Sequence[QuestionVectors], limit: int, part: str | None
    ) -> list[list[grpc_models.QueryPoints]]:
        batches = [
            hybrid_queries(
                self._collection,
                scope,
                vectors,
                # One more than wanted says whether the last one has an equal: see rank_lists.
                limit=limit + 1,
                params=self._params,
                part=in_part(part),
            )
            for vectors in asked
        ]
        if scope.book not in self._familiar:
            for queries in batches:
                for query in queries[::3]:
                    query.with_payload.CopyFrom(_HEADS)
        return batches

    async def _chunks_of(
        self,
        points: Mapping[str, grpc_models.ScoredPoint],
        versions: Mapping[str, int],
        book: str,
        timeout_s: float,
    ) -> dict[str, Chunk | FoundChunk]:
        """Return what is known of the points, their heads, and whole those that have none.

        With its text and the vectors of its spans a chunk is far larger than its scores, and those of
        a hundred points would be most of what a search costs the store.
        """
        chunks = self._kept.find(versions)
        self._note_familiar(book, len(chunks) >= _FAMILIAR * len(points))
        heads = {
            point_id: find_head(
                payload[Payload.HEAD].string_value, payload[Payload.LANGUAGE].string_value
            )
            for point_id in versions.keys() - chunks.keys()
            if Payload.HEAD in (payload := points[point_id].payload)
        }
        self._kept.add(heads, versions)
        chunks |= heads
        return chunks | await self._read(versions.keys() - chunks.keys(), versions, timeout_s, book)

    def _note_familiar(self, book: str, known: bool) -> None:
        if not known:
            self._familiar.discard(book)
        elif len(self._familiar) < _MOST_FAMILIAR:
            self._familiar.add(book)

    async def read(self, candidates: Sequence[Candidate], *, timeout_s: float) -> dict[str, Chunk]:
        whole = {item.chunk.chunk_id: item.chunk for item in candidates if item.chunk.text}
        heads = {item.point.id: item for item in candidates if not item.chunk.text}
        versions = {point_id: item.point.version for point_id, item in heads.items()}
        names = {point_id: item.chunk.chunk_id for point_id, item in heads.items()}
        book = next((item.point.book for item in heads.values()), "")
        read = await self._read(versions.keys(), versions, timeout_s, book, names)
        return whole | {heads[point_id].chunk.chunk_id: chunk for point_id, chunk in read.items()}

    async def _read(
        self,
        ids: Collection[str],
        versions: Mapping[str, int],
        timeout_s: float,
        book: str,
        names: Mapping[str, str] | None = None,
    ) -> dict[str, Chunk]:
        """Read the points of the book that are still there whole, and keep them as of these versions.

        `names` are the ids of the chunks that the points are known to hold.
        """
        if not ids:
            return {}
        request = grpc_models.GetPoints(
            collection_name=self._collection,
            ids=[grpc_models.PointId(uuid=point_id) for point_id in ids],
            with_payload=_WHOLE,
            timeout=_whole_seconds(timeout_s),
            shard_key_selector=in_part(await self._part_of(book, timeout_s)),
        )
        self._be_consistent(request)
        with self._asking(timeout_s):
            answer = await self._client.grpc_points.Get(request, timeout=timeout_s)
        read = {
            point.id.uuid: read_chunk(
                point.payload[Payload.CHUNK].string_value,
                point.payload[Payload.HEAD].string_value,
                point.payload[Payload.LANGUAGE].string_value,
            )
            for point in answer.result
            if point.id.uuid in versions
        }
        for point_id, name in (names or {}).items():
            if point_id in read and read[point_id].chunk_id != name:
                raise QuothError(DAMAGED)
        self._kept.add(read, versions)
        return read

    def _be_consistent(
        self,
        request: grpc_models.QueryBatchPoints | grpc_models.QueryPoints | grpc_models.GetPoints,
    ) -> None:
        if self._consistency is not None:
            request.read_consistency.CopyFrom(
                RestToGrpc.convert_read_consistency(self._consistency)
            )

    async def read_chunks(
        self, scope: Scope, *, most: int | None = None, timeout_s: float
    ) -> list[Chunk]:
        chunks = list[Chunk]()
        async for page in self._pages(scope, [Payload.CHUNK], timeout_s, most=most):
            # A document may have thousands: who asks meanwhile waits for a page of them at most.
            chunks += await asyncio.to_thread(read_page, page)
        return sorted(chunks, key=lambda chunk: (chunk.document, chunk.start, chunk.position))

    async def outline(self, book: str, edition: int, *, timeout_s: float) -> Sequence[Heading]:
        known = self._outlines.find(book, edition)
        if known is not None:
            return known
        scope, ends_s = Scope(book, edition), time.monotonic() + timeout_s
        if await self.count(scope, timeout_s=timeout_s) > MOST_OUTLINED:
            return ()
        openings = await self._scroll(
            replace(scope, overlap=(0, 1)), _OPENING, ends_s - time.monotonic()
        )
        opening = [read_chunk(str(payload.get(Payload.CHUNK))) for payload in openings]
        positions = {chunk.document: chunk.position for chunk in opening}
        listed = {
            chunk.document: read_listed(payload)
            for chunk, payload in zip(opening, openings, strict=True)
        }
        fields = [Payload.DOCUMENT, Payload.START, Payload.SECTIONS]
        points = await self._scroll(
            scope, fields, ends_s - time.monotonic(), page_size=_PLACES_PAGE
        )
        outline = read_outline(map(read_place, points), positions, listed)
        self._outlines.add(book, edition, outline)
        return outline

    async def vocabulary(self, book: str, edition: int, *, timeout_s: float) -> Vocabulary:
        return await self._vocabularies.find(book, edition, timeout_s=timeout_s)

    async def _read_vocabulary(self, book: str, edition: int) -> Vocabulary:
        scope = Scope(book, edition)
        if await self.count(scope, timeout_s=_READING_S) > MOST_OUTLINED:
            return Vocabulary({})
        counts = Counter[str]()
        async for page in self._pages(scope, [Payload.CHUNK], _READING_S):
            counts += await asyncio.to_thread(count_page, page)
        vocabulary = Vocabulary(counts)
        # Made at their first use, they would hold up all questions while they are.
        await asyncio.to_thread(getattr, vocabulary, "terms")
        return vocabulary

    async def _scroll(
        self,
        scope: Scope,
        fields: Sequence[str],
        timeout_s: float,
        *,
        most: int | None = None,
        page_size: int = _PAGE,
    ) -> list[dict[str, Any]]:
        """Return these payload fields of every point in `scope`, or of any `most` of them."""
        pages = self._pages(scope, fields, timeout_s, most=most, page_size=page_size)
        return [payload async for page in pages for payload in page]

    async def _pages(
        self,
        scope: Scope,
        fields: Sequence[str],
        timeout_s: float,
        *,
        most: int | None = None,
        page_size: int = _PAGE,
    ) -> AsyncIterator[list[dict[str, Any]]]:
        """Yield these payload fields page by page, each read within `timeout_s`."""
        read = 0
        offset: Any = None
        part = await self._part_of(scope.book, timeout_s)
        while True:
            with self._asking(timeout_s):
                page, offset = await self._client.scroll(
                    self._collection,
                    scroll_filter=scope.to_filter(),
                    limit=page_size if most is None else min(page_size, most - read),
                    offset=offset,
                    with_payload=list(fields),
                    consistency=self._consistency,
                    shard_key_selector=part,
                    timeout=_whole_seconds(timeout_s),
                )
            yield [point.payload or {} for point in page]
            read += len(page)
            if offset is None or read == most:
                return

    async def holds(self, book: str, edition: int, *, timeout_s: float) -> bool:
        try:
            return bool(await self._languages.find(book, edition, timeout_s=timeout_s))
        except WrongIndex:
            return False

    async def languages(self, book: str, edition: int, *, timeout_s: float) -> Sequence[str]:
        return await self._languages.find(book, edition, timeout_s=timeout_s) or (FALLBACK,)

    async def _read_languages(self, book: str, edition: int, timeout_s: float) -> Sequence[str]:
        """Return what the points of the edition say, the commonest first; nothing without a point."""
        scope, spoken = Scope(book, edition), list[str]()
        while len(spoken) < _MOST_LANGUAGES:
            another = await self._another_language(scope, spoken, timeout_s)
            if another is None or another in spoken:
                break
            spoken.append(another)
        if len(spoken) > 1:
            counts = [await self._count_spoken(scope, one, timeout_s) for one in spoken]
            spoken = [one for _, one in sorted(zip(counts, spoken, strict=True), reverse=True)]
        return spoken

    async def _another_language(
        self, scope: Scope, spoken: Sequence[str], timeout_s: float
    ) -> str | None:
        """Return the language of a point that is in none of `spoken`; None when there is none."""
        others = scope.to_filter()
        others.must_not = [match(Payload.LANGUAGE, one) for one in spoken]
        part = await self._part_of(scope.book, timeout_s)
        with self._asking(timeout_s):
            found, _ = await self._client.scroll(
                self._collection,
                scroll_filter=others,
                limit=1,
                with_payload=[Payload.LANGUAGE],
                consistency=self._consistency,
                shard_key_selector=part,
                timeout=_whole_seconds(timeout_s),
            )
        return str((found[0].payload or {}).get(Payload.LANGUAGE) or FALLBACK) if found else None

    async def _count_spoken(self, scope: Scope, language: str, timeout_s: float) -> int:
        of_language = models.Filter(must=[scope.to_filter(), match(Payload.LANGUAGE, language)])
        return await self._count(scope.book, of_language, timeout_s)

    async def count(self, scope: Scope, *, timeout_s: float) -> int:
        return await self._count(scope.book, scope.to_filter(), timeout_s)

    async def _count(self, book: str, which: models.Filter, timeout_s: float) -> int:
        part = await self._part_of(book, timeout_s)
        with self._asking(timeout_s):
            answer = await self._client.count(
                self._collection,
                which,
                shard_key_selector=part,
                timeout=_whole_seconds(timeout_s),
            )
        return answer.count

    @contextmanager
    def _asking(self, timeout_s: float) -> Iterator[None]:
        with self._guard.call(timeout_s), _errors():
            yield


@contextmanager
def _errors() -> Iterator[None]:
    try:
        with translated_errors():
            yield
    except grpc.aio.AioRpcError as error:
        if error.code() == grpc.StatusCode.NOT_FOUND:
            raise WrongIndex(OTHERWISE_INDEXED) from error
        raise


def _whole_seconds(timeout_s: float) -> int:
    # Qdrant counts in whole seconds; the stage around the call ends it to the millisecond.
    return max(1, math.ceil(timeout_s))

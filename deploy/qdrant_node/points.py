"""The Points service: requests to the shard and its answers back."""

import time
from typing import Any

import qdrant_edge as edge
from google.protobuf.message import Message
from qdrant_client import grpc as q
from qdrant_client.grpc.points_service_pb2_grpc import PointsServicer
from typing_extensions import override

from deploy.qdrant_node.answers import answers, complete
from deploy.qdrant_node.batches import query_batch
from deploy.qdrant_node.errors import allow_only, engine, invalid
from deploy.qdrant_node.filters import optional_filter
from deploy.qdrant_node.optimise import Optimiser
from deploy.qdrant_node.queries import DEFAULT_LIMIT, GRANTED, query_request
from deploy.qdrant_node.store import Store
from deploy.qdrant_node.wire import (
    add_records,
    add_scored,
    point_id,
    point_id_message,
    with_payload,
    with_vectors,
)


@complete
class Points(PointsServicer):
    """Reads are one engine call each; writes go through their collection's order."""

    def __init__(self, store: Store, optimiser: Optimiser) -> None:
        self._store = store
        self._optimiser = optimiser

    async def _write(self, request: Any) -> q.PointsOperationResponse:
        started = time.perf_counter()
        collection = self._store.get(request.collection_name)
        number = await collection.write(request, wait=request.wait)
        self._optimiser.consider(collection)
        # Applied either way; `wait` adds the sync to the disk.
        result = q.UpdateResult(operation_id=number, status=q.UpdateStatus.Completed)
        return q.PointsOperationResponse(result=result, time=time.perf_counter() - started)

    @answers
    @override
    async def Upsert(self, request: q.UpsertPoints) -> Message:
        await self._optimiser.make_room(self._store.get(request.collection_name))
        return await self._write(request)

    @answers
    @override
    async def Delete(self, request: q.DeletePoints) -> Message:
        collection = self._store.get(request.collection_name)
        before = collection.count()
        done = await self._write(request)
        if collection.count() < before:
            self._optimiser.erase(collection)
        return done

    @answers
    @override
    async def SetPayload(self, request: q.SetPayloadPoints) -> Message:
        return await self._write(request)

    @answers
    @override
    async def DeletePayload(self, request: q.DeletePayloadPoints) -> Message:
        return await self._write(request)

    @answers
    @override
    async def ClearPayload(self, request: q.ClearPayloadPoints) -> Message:
        return await self._write(request)

    @answers
    @override
    async def CreateFieldIndex(self, request: q.CreateFieldIndexCollection) -> Message:
        return await self._write(request)

    @answers
    @override
    async def DeleteFieldIndex(self, request: q.DeleteFieldIndexCollection) -> Message:
        return await self._write(request)

    @answers
    @override
    async def Get(self, request: q.GetPoints) -> Message:
        started = time.perf_counter()
        allow_only(request, *GRANTED, "ids", "with_payload", "with_vectors")
        shard = self._store.get(request.collection_name).shard
        records = engine(
            shard.retrieve,
            [point_id(identifier) for identifier in request.ids],
            with_payload(request.with_payload),
            with_vectors(request.with_vectors),
        )
        answer = q.GetResponse()
        await add_records(answer, records)
        answer.time = time.perf_counter() - started
        return answer

    @answers
    @override
    async def Count(self, request: q.CountPoints) -> Message:
        started = time.perf_counter()
        allow_only(request, *GRANTED, "filter", "exact")
        shard = self._store.get(request.collection_name).shard
        exact = request.exact if request.HasField("exact") else True
        count = engine(shard.count, edge.CountRequest(exact, optional_filter(request)))
        result = q.CountResult(count=count)
        return q.CountResponse(result=result, time=time.perf_counter() - started)

    @answers
    @override
    async def Scroll(self, request: q.ScrollPoints) -> Message:
        started = time.perf_counter()
        allow_only(request, *GRANTED, "filter", "offset", "limit", "with_payload", "with_vectors")
        limit = request.limit if request.HasField("limit") else DEFAULT_LIMIT
        if limit < 1:
            raise invalid("the limit must be 1 or larger")
        scroll = edge.ScrollRequest(
            offset=point_id(request.offset) if request.HasField("offset") else None,
            limit=limit,
            filter=optional_filter(request),
            # A scroll brings the payload unless told otherwise, unlike all other reads.
            with_payload=with_payload(request.with_payload)
            if request.HasField("with_payload")
            else True,
            with_vector=with_vectors(request.with_vectors),
        )
        shard = self._store.get(request.collection_name).shard
        records, following = engine(shard.scroll, scroll)
        answer = q.ScrollResponse(
            next_page_offset=None if following is None else point_id_message(following)
        )
        await add_records(answer, records)
        answer.time = time.perf_counter() - started
        return answer

    @answers
    @override
    async def Query(self, request: q.QueryPoints) -> Message:
        started = time.perf_counter()
        collection = self._store.get(request.collection_name)
        found = engine(collection.shard.query, query_request(request))
        answer = q.QueryResponse()
        add_scored(answer, found)
        answer.time = time.perf_counter() - started
        return answer

    @answers
    @override
    async def QueryBatch(self, request: q.QueryBatchPoints) -> Message:
        started = time.perf_counter()
        collection = self._store.get(request.collection_name)
        collection.filters.simplify(request, collection.shard, collection.state)
        found = query_batch(collection.shard, request)
        answer = q.QueryBatchResponse()
        for points in found:
            add_scored(answer.result.add(), points)
        answer.time = time.perf_counter() - started
        return answer

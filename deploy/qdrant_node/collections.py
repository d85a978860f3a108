"""The Collections service: create, describe, list and remove collections."""

from google.protobuf.message import Message
from qdrant_client import grpc as q
from qdrant_client.grpc.collections_service_pb2_grpc import CollectionsServicer
from typing_extensions import override

from deploy.qdrant_node.answers import answers, complete
from deploy.qdrant_node.configure import collection_info
from deploy.qdrant_node.optimise import Optimiser
from deploy.qdrant_node.store import Store


@complete
class Collections(CollectionsServicer):
    """Collections have no aliases, replicas or shard keys here."""

    def __init__(self, store: Store, optimiser: Optimiser) -> None:
        self._store = store
        self._optimiser = optimiser

    @answers
    @override
    async def Create(self, request: q.CreateCollection) -> Message:
        self._store.create(request)
        return q.CollectionOperationResponse(result=True)

    @answers
    @override
    async def Get(self, request: q.GetCollectionInfoRequest) -> Message:
        collection = self._store.get(request.collection_name)
        info = collection_info(
            collection.created,
            collection.shard.info(),
            optimising=self._optimiser.is_optimising(collection.name),
        )
        return q.GetCollectionInfoResponse(result=info)

    @answers
    @override
    async def List(self, _request: q.ListCollectionsRequest) -> Message:
        names = sorted(self._store.collections)
        return q.ListCollectionsResponse(
            collections=[q.CollectionDescription(name=name) for name in names]
        )

    @answers
    @override
    async def CollectionExists(self, request: q.CollectionExistsRequest) -> Message:
        exists = request.collection_name in self._store.collections
        return q.CollectionExistsResponse(result=q.CollectionExists(exists=exists))

    @answers
    @override
    async def ListShardKeys(self, request: q.ListShardKeysRequest) -> Message:
        self._store.get(request.collection_name)
        return q.ListShardKeysResponse()

    @answers
    @override
    async def Delete(self, request: q.DeleteCollection) -> Message:
        name = request.collection_name
        if name not in self._store.collections:
            return q.CollectionOperationResponse(result=False)
        await self._optimiser.stop(name)
        async with self._store.get(name).writing:
            self._store.remove(name)
        return q.CollectionOperationResponse(result=True)

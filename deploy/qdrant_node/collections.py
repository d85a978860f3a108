"""The Collections service: create, describe, list and remove collections."""

from google.protobuf.message import Message
from qdrant_client import grpc as q
from qdrant_client.grpc.collections_service_pb2_grpc import CollectionsServicer

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
    async def Create(self, request: q.CreateCollection) -> Message:  # noqa: N802
        self._store.create(request)
        return q.CollectionOperationResponse(result=True)

    @answers
    async def Get(self, request: q.GetCollectionInfoRequest) -> Message:  # noqa: N802
        collection = self._store.get(request.collection_name)
        info = collection_info(
            collection.created,
            collection.shard.info(),
            optimising=self._optimiser.is_optimising(collection.name),
        )
        return q.GetCollectionInfoResponse(result=info)

    @answers
    async def List(self, _request: q.ListCollectionsRequest) -> Message:  # noqa: N802
        names = sorted(self._store.collections)
        return q.ListCollectionsResponse(
            collections=[q.CollectionDescription(name=name) for name in names]
        )

    @answers
    async def CollectionExists(self, request: q.CollectionExistsRequest) -> Message:  # noqa: N802
        exists = request.collection_name in self._store.collections
        return q.CollectionExistsResponse(result=q.CollectionExists(exists=exists))

    @answers
    async def Delete(self, request: q.DeleteCollection) -> Message:  # noqa: N802
        name = request.collection_name
        if name not in self._store.collections:
            return q.CollectionOperationResponse(result=False)
        await self._optimiser.stop(name)
        async with self._store.get(name).writing:
            self._store.remove(name)
        return q.CollectionOperationResponse(result=True)

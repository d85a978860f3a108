"""Serve the contract of retrieval."""

import grpc
from quoth.retrieval.v1 import retrieval_service_pb2, retrieval_service_pb2_grpc
from typing_extensions import override

from services.retrieval import wire
from services.retrieval.pipeline import search_passages
from services.retrieval.state import Tools


class RetrievalServicer(retrieval_service_pb2_grpc.RetrievalServiceServicer):
    """The contract of quoth.retrieval.v1."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def register(self, server: grpc.aio.Server) -> None:
        retrieval_service_pb2_grpc.add_RetrievalServiceServicer_to_server(self, server)

    @override
    async def SearchPassages(
        self,
        request: retrieval_service_pb2.SearchPassagesRequest,
        context: grpc.aio.ServicerContext,
    ) -> retrieval_service_pb2.SearchPassagesResponse:
        result = await search_passages(wire.query_from_proto(request), self._tools)
        return wire.result_to_proto(result)

"""Serve the pipeline over gRPC; nothing is decided here."""

from collections.abc import AsyncIterator
from contextlib import aclosing

import grpc
from quoth.generation.v1 import generation_service_pb2, generation_service_pb2_grpc
from typing_extensions import override

from services.generation import wire
from services.generation.model import Answer
from services.generation.pipeline import Pipeline


class GenerationServicer(generation_service_pb2_grpc.GenerationServiceServicer):
    """Serves a pipeline."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline

    def register(self, server: grpc.aio.Server) -> None:
        generation_service_pb2_grpc.add_GenerationServiceServicer_to_server(self, server)

    @override
    async def AnswerQuestion(
        self,
        request: generation_service_pb2.AnswerQuestionRequest,
        context: grpc.aio.ServicerContext,
    ) -> AsyncIterator[generation_service_pb2.AnswerQuestionResponse]:
        question = wire.question_from_proto(request)
        answered = self._pipeline.answer_question(question, as_it_passes=not request.answer_only)
        async with aclosing(answered) as events:
            async for event in events:
                if isinstance(event, Answer) or not request.answer_only:
                    yield wire.event_to_proto(event)

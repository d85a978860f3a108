"""Serve the pipeline over gRPC; nothing is decided here."""

from collections.abc import AsyncIterator
from contextlib import aclosing

import grpc
from quoth.generation.v1 import generation_service_pb2, generation_service_pb2_grpc
from typing_extensions import override

from libs.budget import current_budget
from services.generation import wire
from services.generation.exchange import Exchanges
from services.generation.model import Answer, Replayed
from services.generation.ports import KeptAnswers
from services.generation.recall import end_session, rate_answer, read_session, recall_answer
from services.generation.suggestions.starters import Starters


class GenerationServicer(generation_service_pb2_grpc.GenerationServiceServicer):
    """Serves exchanges, the answers that they have given, and questions to begin with."""

    def __init__(self, exchanges: Exchanges, answers: KeptAnswers, starters: Starters) -> None:
        self._exchanges = exchanges
        self._answers = answers
        self._starters = starters

    def register(self, server: grpc.aio.Server) -> None:
        generation_service_pb2_grpc.add_GenerationServiceServicer_to_server(self, server)

    @override
    async def AnswerQuestion(
        self,
        request: generation_service_pb2.AnswerQuestionRequest,
        context: grpc.aio.ServicerContext,
    ) -> AsyncIterator[generation_service_pb2.AnswerQuestionResponse]:
        question = wire.question_from_proto(request)
        answered = self._exchanges.answer_question(question, as_it_passes=not request.answer_only)
        async with aclosing(answered) as events:
            async for event in events:
                if isinstance(event, Answer | Replayed) or not request.answer_only:
                    yield wire.event_to_proto(event)

    @override
    async def GetAnswer(
        self,
        request: generation_service_pb2.GetAnswerRequest,
        context: grpc.aio.ServicerContext,
    ) -> generation_service_pb2.GetAnswerResponse:
        left_s = current_budget().left_s()
        answer_id = wire.answer_id_from_proto(request.answer_id)
        answer = await recall_answer(self._answers, answer_id, request.client_id, left_s)
        return generation_service_pb2.GetAnswerResponse(answer=wire.answer_to_proto(answer))

    @override
    async def SuggestQuestions(
        self,
        request: generation_service_pb2.SuggestQuestionsRequest,
        context: grpc.aio.ServicerContext,
    ) -> generation_service_pb2.SuggestQuestionsResponse:
        book = wire.edition_from_proto(request)
        questions = await self._starters.suggest(book, current_budget())
        return generation_service_pb2.SuggestQuestionsResponse(questions=questions)

    @override
    async def RateAnswer(
        self,
        request: generation_service_pb2.RateAnswerRequest,
        context: grpc.aio.ServicerContext,
    ) -> generation_service_pb2.RateAnswerResponse:
        left_s = current_budget().left_s()
        answer_id = wire.answer_id_from_proto(request.answer_id)
        feedback = wire.feedback_from_proto(request.feedback)
        kept = await rate_answer(self._answers, answer_id, request.client_id, feedback, left_s)
        return generation_service_pb2.RateAnswerResponse(feedback=wire.feedback_to_proto(kept))

    @override
    async def CreateSession(
        self,
        request: generation_service_pb2.CreateSessionRequest,
        context: grpc.aio.ServicerContext,
    ) -> generation_service_pb2.CreateSessionResponse:
        book, client_id = wire.owner_from_proto(request)
        left_s = current_budget().left_s()
        session = await self._answers.begin_session(book, client_id, left_s)
        return generation_service_pb2.CreateSessionResponse(session=wire.session_to_proto(session))

    @override
    async def GetSession(
        self,
        request: generation_service_pb2.GetSessionRequest,
        context: grpc.aio.ServicerContext,
    ) -> generation_service_pb2.GetSessionResponse:
        left_s = current_budget().left_s()
        session_id = wire.session_id_from_proto(request.session_id)
        session = await read_session(self._answers, session_id, request.client_id, left_s)
        return generation_service_pb2.GetSessionResponse(session=wire.session_to_proto(session))

    @override
    async def DeleteSession(
        self,
        request: generation_service_pb2.DeleteSessionRequest,
        context: grpc.aio.ServicerContext,
    ) -> generation_service_pb2.DeleteSessionResponse:
        left_s = current_budget().left_s()
        session_id = wire.session_id_from_proto(request.session_id)
        await end_session(self._answers, session_id, request.client_id, left_s)
        return generation_service_pb2.DeleteSessionResponse()

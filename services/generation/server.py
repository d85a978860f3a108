"""Serve the pipeline over gRPC; nothing is decided here."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

import grpc
from quoth.generation.v1 import (
    generation_service_pb2,
    generation_service_pb2_grpc,
    review_service_pb2,
    review_service_pb2_grpc,
)
from typing_extensions import override

from libs.budget import current_budget
from libs.errors import NotFound
from services.generation.exchange import Exchanges
from services.generation.model import Answer, Replayed
from services.generation.records.ports import KeptAnswers, ReviewStore
from services.generation.records.recall import (
    NO_ANSWER,
    end_session,
    rate_answer,
    read_session,
    recall_answer,
)
from services.generation.suggestions.starters import Starters
from services.generation.wire import answers as wire
from services.generation.wire import review as review_wire


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
        book, budget = wire.edition_from_proto(request), current_budget()
        if request.answer_id:
            answer_id = wire.answer_id_from_proto(request.answer_id)
            left_s = budget.left_s()
            answer = await recall_answer(self._answers, answer_id, request.client_id, left_s)
            if answer.question.book != book.book:
                raise NotFound(NO_ANSWER)
            answered = replace(book, text=answer.searched_question or answer.question.text)
            questions = await self._starters.suggest_next(answered, answer.citations, budget)
        else:
            questions = await self._starters.suggest(book, budget)
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


class ReviewServicer(review_service_pb2_grpc.ReviewServiceServicer):
    """Serves the record to those who look after it."""

    def __init__(self, store: ReviewStore) -> None:
        self._store = store

    def register(self, server: grpc.aio.Server) -> None:
        review_service_pb2_grpc.add_ReviewServiceServicer_to_server(self, server)

    @override
    async def ListAnswers(
        self,
        request: review_service_pb2.ListAnswersRequest,
        context: grpc.aio.ServicerContext,
    ) -> review_service_pb2.ListAnswersResponse:
        page = await self._store.list_answers(
            review_wire.filter_from_proto(request.filter),
            review_wire.position_from_token(request.page_token),
            review_wire.page_size_from_proto(request.page_size),
            current_budget().left_s(),
        )
        return review_wire.page_to_proto(page)

    @override
    async def GetReviewedAnswer(
        self,
        request: review_service_pb2.GetReviewedAnswerRequest,
        context: grpc.aio.ServicerContext,
    ) -> review_service_pb2.GetReviewedAnswerResponse:
        answer_id = wire.answer_id_from_proto(request.answer_id)
        left_s = current_budget().left_s()
        answer = await self._store.find_reviewed(answer_id, tuple(request.books), left_s)
        if answer is None:
            raise NotFound(NO_ANSWER)
        return review_service_pb2.GetReviewedAnswerResponse(answer=wire.answer_to_proto(answer))

    @override
    async def GradeAnswer(
        self,
        request: review_service_pb2.GradeAnswerRequest,
        context: grpc.aio.ServicerContext,
    ) -> review_service_pb2.GradeAnswerResponse:
        answer_id = wire.answer_id_from_proto(request.answer_id)
        grade = review_wire.grade_from_proto(request.grade)
        left_s = current_budget().left_s()
        kept = await self._store.grade_answer(answer_id, tuple(request.books), grade, left_s)
        if kept is None:
            raise NotFound(NO_ANSWER)
        return review_service_pb2.GradeAnswerResponse(grade=review_wire.grade_to_proto(kept))

    @override
    async def GetCoverage(
        self,
        request: review_service_pb2.GetCoverageRequest,
        context: grpc.aio.ServicerContext,
    ) -> review_service_pb2.GetCoverageResponse:
        start, end = review_wire.start_of(request), review_wire.end_of(request)
        left_s = current_budget().left_s()
        coverage = await self._store.count_coverage(request.book, start, end, left_s)
        return review_wire.coverage_to_proto(coverage)

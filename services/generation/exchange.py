"""One exchange with a client: what was said and answered before, and else the answer."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from uuid import uuid4

from libs.budget import current_budget, stages
from libs.errors import InvalidInput, NotFound, QuothError
from services.generation.model import Question, Replayed
from services.generation.pipeline import Event, Pipeline
from services.generation.records.model import AskedOnce
from services.generation.records.ports import KeptAnswers
from services.generation.records.recall import recall_repeated, recall_session, to_asked_once


class Exchanges:
    """Answers what was not answered before."""

    def __init__(self, pipeline: Pipeline, answers: KeptAnswers) -> None:
        self._pipeline = pipeline
        self._answers = answers

    async def answer_question(
        self, question: Question, *, as_it_passes: bool = True
    ) -> AsyncGenerator[Event | Replayed, None]:
        """Yield what the pipeline does; of a request that was answered, what it was answered.
        A question in a session is asked after what was said there before.

        Raises what the pipeline raises, NotFound for a session that is not there, and Conflict for
        a request that is being answered.
        """
        budget, answer_id = current_budget(), uuid4()
        once = to_asked_once(question, answer_id) if question.request_key else None
        if once is not None:
            earlier = await recall_repeated(self._answers, once, budget)
            if earlier is not None:
                yield Replayed(earlier)
                return
        try:
            question = await recall_session(self._answers, question, budget)
            answering = self._pipeline.answer_question(
                question, as_it_passes=as_it_passes, answer_id=answer_id
            )
            async with aclosing(answering) as events:
                async for event in events:
                    yield event
        except (InvalidInput, NotFound):
            if once is not None:
                await self._forget(once)
            raise

    async def _forget(self, once: AskedOnce) -> None:
        # Nothing was recorded that would tell a second request of this one's end.
        with suppress(QuothError):
            await self._answers.forget(once, stages.RECALL.cap_s)

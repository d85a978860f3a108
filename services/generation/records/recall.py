"""Find answers again for the client they were given to: by id, by request, by session."""

import asyncio
import hashlib
from dataclasses import replace
from uuid import UUID

from libs.budget import Budget, stages
from libs.errors import Conflict, InvalidInput, NotFound
from services.generation.model import Answer, Question
from services.generation.records.model import AskedOnce, Feedback
from services.generation.records.ports import AnswerStore, KeptAnswers, SessionStore
from services.generation.records.session import Session

NO_ANSWER = "There is no answer of that id."
NO_SESSION = "There is no session of that id, or it has ended: 30 minutes after its last question."
_OTHER = "This Idempotency-Key was sent with another question. Send a new key with a new question."
_RUNNING = "This very request is being answered. Send it again in a moment."
_LOOKS = 16
_PAUSE_S = 0.05


async def recall_answer(
    store: AnswerStore, answer_id: UUID, client_id: str, allowed_s: float
) -> Answer:
    """Return an answer as it was recorded. Raises NotFound, for another client's too."""
    answer = await store.find_answer(answer_id, client_id, allowed_s)
    if answer is None:
        raise NotFound(NO_ANSWER)
    return answer


_PARTS = ("document", "chapter", "page")


async def rate_answer(
    store: AnswerStore, answer_id: UUID, client_id: str, feedback: Feedback, allowed_s: float
) -> Feedback:
    """Keep what a reader says of an answer, and return it with its time. Raises NotFound."""
    kept = await store.rate_answer(answer_id, client_id, feedback, allowed_s)
    if kept is None:
        raise NotFound(NO_ANSWER)
    return kept


def to_asked_once(question: Question, answer_id: UUID) -> AskedOnce:
    """Return what makes a request known again: all that was asked, not who serves it when."""
    asked = (
        question.book,
        question.text,
        question.selection,
        question.section_path,
        question.history,
        question.profile,
        question.session_id,
        question.user_id,
        *((name, part) for name in _PARTS if (part := getattr(question, name))),
    )
    fingerprint = hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).digest()
    return AskedOnce(question.client_id, question.request_key, fingerprint, answer_id)


async def recall_repeated(store: KeptAnswers, asked: AskedOnce, budget: Budget) -> Answer | None:
    """Return what the same request was answered before; None when it is this one's to answer.

    Waits a little for one that is being answered. Raises Conflict when that takes longer, InvalidInput
    when the key came with another question.
    """
    async with budget.stage(stages.RECALL) as allowed_s:
        for _ in range(_LOOKS):
            holding = await store.hold(asked, allowed_s)
            if holding.answer_id == asked.answer_id:
                return None
            if holding.fingerprint != asked.fingerprint:
                raise InvalidInput(_OTHER)
            answer = await store.find_answer(holding.answer_id, asked.client_id, allowed_s)
            if answer is not None:
                return answer
            await asyncio.sleep(_PAUSE_S)
    raise Conflict(_RUNNING)


async def recall_session(store: SessionStore, question: Question, budget: Budget) -> Question:
    """Return the question with what its session says before it. Raises NotFound."""
    if question.session_id is None:
        return question
    async with budget.stage(stages.RECALL) as allowed_s:
        session = await store.resume_session(
            question.session_id, question.client_id, question.book, allowed_s
        )
    if session is None:
        raise NotFound(NO_SESSION)
    return replace(question, history=session.history)


async def read_session(
    store: SessionStore, session_id: UUID, client_id: str, allowed_s: float
) -> Session:
    """Return a session as it stands. Raises NotFound, for another client's too."""
    session = await store.find_session(session_id, client_id, allowed_s)
    if session is None:
        raise NotFound(NO_SESSION)
    return session


async def end_session(
    store: SessionStore, session_id: UUID, client_id: str, allowed_s: float
) -> None:
    """Forget a session. Raises NotFound, for another client's too."""
    if not await store.end_session(session_id, client_id, allowed_s):
        raise NotFound(NO_SESSION)

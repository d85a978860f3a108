"""Find again what was answered, for whom it was answered."""

from uuid import UUID

from libs.errors import NotFound
from services.generation.audit import Feedback
from services.generation.model import Answer
from services.generation.ports import AnswerStore

NO_ANSWER = "There is no answer of that id."


async def recall_answer(
    store: AnswerStore, answer_id: UUID, client_id: str, allowed_s: float
) -> Answer:
    """Return an answer as it was recorded. Raises NotFound, for another client's too."""
    answer = await store.find_answer(answer_id, client_id, allowed_s)
    if answer is None:
        raise NotFound(NO_ANSWER)
    return answer


async def rate_answer(
    store: AnswerStore, answer_id: UUID, client_id: str, feedback: Feedback, allowed_s: float
) -> Feedback:
    """Keep what a reader says of an answer, and return it with its time. Raises NotFound."""
    kept = await store.rate_answer(answer_id, client_id, feedback, allowed_s)
    if kept is None:
        raise NotFound(NO_ANSWER)
    return kept

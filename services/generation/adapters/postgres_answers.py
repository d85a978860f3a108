"""Find recorded answers again, and keep what readers say of them."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from libs.budget.budget import TIMED_OUT
from libs.errors import DeadlineExceeded
from libs.postgres import translated_errors
from services.generation.adapters.storable import storable
from services.generation.audit import Feedback
from services.generation.model import Answer

_FIND = """
SELECT answer_body FROM audit_logs
WHERE answer_id = $1 AND client_id = $2 AND answer_body IS NOT NULL
"""
_RATE = """
INSERT INTO answer_feedback (answer_id, client_id, book, rating, reason, comment)
SELECT answer_id, client_id, book, $3, $4, $5 FROM audit_logs
WHERE answer_id = $1 AND client_id = $2
ON CONFLICT (answer_id) DO UPDATE SET rating = EXCLUDED.rating, reason = EXCLUDED.reason,
    comment = EXCLUDED.comment, create_time = clock_timestamp()
RETURNING create_time
"""
_DECODER = msgspec.json.Decoder(Answer)
_ENCODER = msgspec.json.Encoder()


class PostgresAnswers:
    """Reads what PostgresAuditLog has written, by its pool."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def find_answer(self, answer_id: UUID, client_id: str, allowed_s: float) -> Answer | None:
        body = await self._fetch(_FIND, answer_id, client_id, allowed_s=allowed_s)
        return _DECODER.decode(body) if body is not None else None

    async def rate_answer(
        self, answer_id: UUID, client_id: str, feedback: Feedback, allowed_s: float
    ) -> Feedback | None:
        moment = await self._fetch(
            _RATE,
            answer_id,
            client_id,
            feedback.rating.value,
            feedback.reason.value,
            storable(feedback.comment),
            allowed_s=allowed_s,
        )
        return replace(feedback, create_time=moment) if moment is not None else None

    async def _fetch(self, statement: str, *values: Any, allowed_s: float) -> Any:
        with translated_errors():
            try:
                async with self._pool.acquire(timeout=allowed_s) as connection:
                    return await connection.fetchval(statement, *values, timeout=allowed_s)
            except (TimeoutError, asyncpg.QueryCanceledError) as error:
                raise DeadlineExceeded(TIMED_OUT) from error


def encode_answer(answer: Answer) -> str:
    """Return the answer as JSON; of its question all but what it was asked after."""
    # The history has a column of its own, and may be long.
    kept = replace(answer, question=replace(answer.question, history=()))
    try:
        return _ENCODER.encode(kept).decode()
    except UnicodeEncodeError:  # a lone surrogate, which no answer that is sent can have
        return _ENCODER.encode(storable(msgspec.to_builtins(kept))).decode()

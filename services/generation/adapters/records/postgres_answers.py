"""Find recorded answers again, and keep what readers say of them."""

import time
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from libs.budget.budget import out_of_time
from libs.budget.stages import RECALL
from libs.postgres import lend, translated_errors
from libs.storable import storable
from services.generation.model import Answer, Message, Role
from services.generation.records.model import AskedOnce, Feedback
from services.generation.records.session import Session, SessionMessage

_FIND = """
SELECT answer_body FROM audit_rows
WHERE answer_id = $1 AND client_id = $2 AND answer_body IS NOT NULL
"""
_RATE = """
INSERT INTO answer_feedback (answer_id, client_id, book, rating, reason, comment)
SELECT answer_id, client_id, book, $3, $4, $5 FROM audit_rows
WHERE answer_id = $1 AND client_id = $2
ON CONFLICT (answer_id) DO UPDATE SET rating = EXCLUDED.rating, reason = EXCLUDED.reason,
    comment = EXCLUDED.comment, create_time = clock_timestamp()
RETURNING create_time
"""
# An earlier request counts unless it failed, or nothing was recorded of it for so long that
# nobody answers it any more.
_HOLD = """
INSERT INTO asked_once AS held (client_id, request_key, fingerprint, answer_id)
VALUES ($1, $2, $3, $4)
ON CONFLICT (client_id, request_key) DO UPDATE
SET answer_id = EXCLUDED.answer_id, held_at = clock_timestamp()
WHERE held.fingerprint = EXCLUDED.fingerprint AND (
    EXISTS (SELECT FROM audit_logs WHERE log_id = held.answer_id AND NOT success)
    OR held.held_at < clock_timestamp() - interval '15 seconds'
        AND NOT EXISTS (SELECT FROM audit_logs WHERE log_id = held.answer_id)
)
RETURNING answer_id
"""
_HOLDER = """
SELECT fingerprint, answer_id FROM asked_once WHERE client_id = $1 AND request_key = $2
"""
_FORGET = """
DELETE FROM asked_once WHERE client_id = $1 AND request_key = $2 AND answer_id = $3
"""
_BEGIN = """
INSERT INTO sessions (book, client_id) VALUES ($1, $2)
RETURNING session_id, book, messages, created_at, expires_at
"""
_READ = """
SELECT session_id, book, messages, created_at, expires_at FROM sessions
WHERE session_id = $1 AND client_id = $2 AND expires_at > clock_timestamp()
"""
_RESUME = """
UPDATE sessions SET expires_at = clock_timestamp() + interval '30 minutes'
WHERE session_id = $1 AND client_id = $2 AND book = $3 AND expires_at > clock_timestamp()
RETURNING session_id, book, messages, created_at, expires_at
"""
_END = """
DELETE FROM sessions
WHERE session_id = $1 AND client_id = $2 AND expires_at > clock_timestamp() RETURNING session_id
"""
_LEAST_S = 0.001
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

    async def hold(self, asked: AskedOnce, allowed_s: float) -> AskedOnce:
        values = (asked.client_id, asked.key, asked.fingerprint, asked.answer_id)
        if await self._fetch(_HOLD, *values, allowed_s=allowed_s) is not None:
            return asked
        holder = await self._fetch_row(_HOLDER, *values[:2], allowed_s=allowed_s)
        if holder is None:  # forgotten between the two
            return await self.hold(asked, allowed_s)
        return AskedOnce(asked.client_id, asked.key, holder["fingerprint"], holder["answer_id"])

    async def forget(self, asked: AskedOnce, allowed_s: float) -> None:
        values = (asked.client_id, asked.key, asked.answer_id)
        await self._fetch(_FORGET, *values, allowed_s=allowed_s)

    async def begin_session(self, book: str, client_id: str, allowed_s: float) -> Session:
        row = await self._fetch_row(_BEGIN, book, client_id, allowed_s=allowed_s)
        assert row is not None
        return _to_session(row)

    async def find_session(
        self, session_id: UUID, client_id: str, allowed_s: float
    ) -> Session | None:
        row = await self._fetch_row(_READ, session_id, client_id, allowed_s=allowed_s)
        return _to_session(row) if row is not None else None

    async def resume_session(
        self, session_id: UUID, client_id: str, book: str, allowed_s: float
    ) -> Session | None:
        row = await self._fetch_row(_RESUME, session_id, client_id, book, allowed_s=allowed_s)
        return _to_session(row) if row is not None else None

    async def end_session(self, session_id: UUID, client_id: str, allowed_s: float) -> bool:
        return await self._fetch(_END, session_id, client_id, allowed_s=allowed_s) is not None

    async def _fetch(self, statement: str, *values: Any, allowed_s: float) -> Any:
        row = await self._fetch_row(statement, *values, allowed_s=allowed_s)
        return row[0] if row is not None else None

    async def _fetch_row(
        self, statement: str, *values: Any, allowed_s: float
    ) -> asyncpg.Record | None:
        ends_s = time.monotonic() + allowed_s
        with translated_errors():
            try:
                async with lend(self._pool, allowed_s) as connection:
                    left_s = max(ends_s - time.monotonic(), _LEAST_S)
                    return await connection.fetchrow(statement, *values, timeout=left_s)
            except (TimeoutError, asyncpg.QueryCanceledError) as error:
                raise out_of_time(RECALL, allowed_s) from error


def _to_session(row: asyncpg.Record) -> Session:
    messages = tuple(
        SessionMessage(
            Message(Role(item["role"]), item["content"]),
            datetime.fromisoformat(item["timestamp"]),
            item.get("answer_id", ""),
            tuple(item.get("citations", ())),
        )
        for item in msgspec.json.decode(row["messages"])
    )
    return Session(row["session_id"], row["book"], messages, row["created_at"], row["expires_at"])


def encode_answer(answer: Answer) -> str:
    """Return the answer as JSON; of its question all but what it was asked after."""
    # The history has a column of its own, and may be long.
    kept = replace(answer, question=replace(answer.question, history=()))
    try:
        return _ENCODER.encode(kept).decode()
    except UnicodeEncodeError:  # a lone surrogate, which no answer that is sent can have
        return _ENCODER.encode(storable(msgspec.to_builtins(kept))).decode()

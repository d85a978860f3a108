"""Keep audit rows in audit_logs, and what is shown before its row is whole in audit_opened."""

import asyncio
import json
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import asyncpg

from libs.budget.budget import out_of_time
from libs.budget.stages import RECORD, RELEASE, RETRIEVE, Stage
from libs.errors import Unavailable
from libs.postgres import explain_refusal, lend, open_pool, translated_errors
from libs.settings import SettingsError
from libs.storable import is_storable, storable
from services.generation.adapters.records.postgres_answers import encode_answer
from services.generation.adapters.records.postgres_upkeep import PostgresUpkeep
from services.generation.adapters.records.session_turns import add_turn, session_turn
from services.generation.adapters.schema import MIGRATIONS
from services.generation.model import (
    Answer,
    Check,
    Citation,
    SearchResult,
    Sentence,
    SentenceReleased,
)
from services.generation.records.model import AuditRow
from services.generation.records.upkeep import INTERRUPTED, AuditUpkeep
from services.generation.transcript import ModelUse

_CLOSE_S = 2.0
_NUL = "\\u0000"
"""How JSON writes a NUL; what only looks like one is found too."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False)
_ERROR_OF = "SELECT error_message FROM audit_logs WHERE log_id = $1 AND timestamp = $2"
_LEAST_S = 0.001
_ALL_AT_WORK = "Too many answers wait to be recorded. Try again in a moment."
_NOT_READY = "There is no place yet for what is recorded. Try again in a moment."


class PostgresAuditLog:
    """Writes to audit_logs. Make it with `open`."""

    def __init__(
        self, pool: asyncpg.Pool, retain: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._pool = pool
        self._upkeep = AuditUpkeep(PostgresUpkeep(pool), retain)

    @classmethod
    async def open(
        cls, dsn: str, retain: Callable[[], Awaitable[None]] | None = None
    ) -> "PostgresAuditLog":
        """Connect, bring the schema up to date, and begin the upkeep of the tables.

        `retain` is begun after a minute and then each hour, and lets the record grow old if no other
        replica does.
        Raises SettingsError when the database can't be opened.
        """
        try:
            pool = await open_pool(dsn, "generation", MIGRATIONS, restricted=True)
            log = cls(pool, retain)
        except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            reason = explain_refusal(error)
            raise SettingsError(f"QUOTH_POSTGRES_DSN can't be opened: {reason}") from error
        await log._upkeep.begin()
        return log

    async def close(self) -> None:
        await self._upkeep.end()
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()

    @property
    def pool(self) -> asyncpg.Pool:
        return self._pool

    async def append(self, row: AuditRow, allowed_s: float) -> None:
        """Store `row`. A connection that breaks is tried once more: what was stored stays one row."""
        columns = {**_columns(row), "taken_back": _json([_shown(item) for item in row.taken_back])}
        statement = _insert_statement("audit_logs", "log_id, timestamp", tuple(columns))
        values = (*columns.values(), *session_turn(row))
        if len(values) > len(columns):
            statement = add_turn(statement, len(columns))
        stored = await self._fetch(RECORD, statement, values, allowed_s)
        if stored is not None:
            return
        # One stands already: ours, of a connection that broke, or one that was closed without us.
        error = await self._fetch(RECORD, _ERROR_OF, (row.log_id, row.timestamp), allowed_s)
        if error == INTERRUPTED:
            raise Unavailable("The answer took too long to be recorded. Ask again.")

    async def release(
        self, row: AuditRow, sentences: Sequence[SentenceReleased], allowed_s: float
    ) -> None:
        """Store what is shown: with the first sentences the row as it stands if none follows."""
        if row.released:
            columns = _released_columns(row, sentences)
            statement = _insert_statement("audit_released", "log_id, position", tuple(columns))
        else:
            columns = _columns(replace(row, error=INTERRUPTED, released=tuple(sentences)))
            statement = _insert_statement("audit_opened", "log_id", tuple(columns))
        await self._fetch(RELEASE, statement, columns.values(), allowed_s)

    async def _fetch(
        self, stage: Stage, statement: str, values: Iterable[Any], allowed_s: float
    ) -> Any:
        """Return the first value; all is tried once more, in time, where the connection breaks."""
        ends_s = time.monotonic() + allowed_s
        try:
            return await self._fetch_once(stage, statement, values, allowed_s)
        except Unavailable as error:
            left_s = ends_s - time.monotonic()
            # Who got no connection has waited as long as leaves time to say so.
            if left_s < _LEAST_S or isinstance(error.__cause__, TimeoutError):
                raise
            return await self._fetch_once(stage, statement, values, left_s)

    async def _fetch_once(
        self, stage: Stage, statement: str, values: Iterable[Any], allowed_s: float
    ) -> Any:
        ends_s = time.monotonic() + allowed_s
        with translated_errors():
            try:
                async with lend(self._pool, allowed_s, _ALL_AT_WORK) as connection:
                    left_s = max(ends_s - time.monotonic(), _LEAST_S)
                    return await connection.fetchval(statement, *values, timeout=left_s)
            except (TimeoutError, asyncpg.QueryCanceledError) as error:
                raise out_of_time(stage, allowed_s) from error
            except asyncpg.CheckViolationError as error:
                # No partition for this month: the clock has jumped. None is made on an answer's way.
                self._upkeep.hurry()
                raise Unavailable(_NOT_READY) from error


@lru_cache
def _insert_statement(table: str, key: str, columns: tuple[str, ...]) -> str:
    """Return the statement that is a transaction of its own: one round trip instead of four."""
    # Only our own names go into the text; the values travel apart.
    places = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places}) "  # noqa: S608 - our own names
        f"ON CONFLICT ({key}) DO NOTHING "
        # Whatever the server's default, an answer leaves only after its row is on disk.
        "RETURNING set_config('synchronous_commit', 'on', true) AS stored"
    )


def _released_columns(row: AuditRow, sentences: Sequence[SentenceReleased]) -> dict[str, Any]:
    return {
        "log_id": row.log_id,
        "position": len(row.released),
        "text": storable(_text(sentences)),
        "sentences": _json([_sentence(item.sentence) for item in sentences]),
        "citations": _json(_citations(sentences)),
    }


def _columns(row: AuditRow) -> dict[str, Any]:
    question, search = row.question, row.search
    columns = {
        "log_id": row.log_id,
        "query_id": _query_id(row.request_id),
        "request_id": row.request_id,
        "client_id": question.client_id,
        "session_id": question.session_id,
        "user_id": question.user_id or None,
        "book": question.book,
        "edition": question.edition,
        "profile": row.profile,
        "user_query_text": question.text,
        "source_mode": question.mode.value,
        "selection": _json(vars(question.selection)) if question.selection else None,
        "history": _json([[said.role.value, said.content] for said in question.history]),
        "retrieval_query": row.searched_question,
        "chunks_retrieved_count": len(search.passages) if search else 0,
        "chunks_returned": _json(_chunks(search)),
        "retrieval_latency_ms": _used_ms(row, RETRIEVE.name),
        "gate": _json(vars(search.gate)) if search else None,
        "llm_prompt": row.transcript.prompt,
        "llm_response": row.transcript.response,
        "timings": _json(
            [
                [item.stage, item.allowed_ms, item.used_ms, item.outcome.value]
                for item in row.timings
            ]
        ),
        "success": row.answer is not None,
        "error_message": row.error,
        "timestamp": row.timestamp,
        **(_answer_columns(row, row.answer) if row.answer else _shown_columns(row)),
    }
    return {name: storable(value) for name, value in columns.items()}


def _answer_columns(row: AuditRow, answer: Answer) -> dict[str, Any]:
    return {
        "answer_id": answer.answer_id,
        "answer_text": answer.text,
        "sentences": _json([_sentence(item) for item in answer.sentences]),
        "checks": _json({**_checks(answer), "made_with": dict(row.made_with)}),
        "model_use": _json(_model_uses(answer)) if answer.model_use else None,
        "citations": _json([_citation(item) for item in answer.citations]),
        "refusal_code": answer.refusal.code.value if answer.refusal else None,
        "confidence_score": answer.confidence,
        "degraded": _json(answer.degraded),
        "answer_body": encode_answer(answer),
    }


def _shown_columns(row: AuditRow) -> dict[str, Any]:
    """Return what stands in an answer's place where there is none: what was shown all the same."""
    return {
        "answer_id": None,
        "answer_text": _text(row.released),
        "sentences": _json([_sentence(item.sentence) for item in row.released]),
        "checks": "{}",
        "model_use": None,
        "citations": _json(_citations(row.released)),
        "refusal_code": None,
        "confidence_score": None,
        "degraded": "[]",
        "answer_body": None,
    }


def _shown(released: SentenceReleased) -> list[Any]:
    return [*_sentence(released.sentence), [_citation(item) for item in released.citations]]


def _citations(released: Sequence[SentenceReleased]) -> list[dict[str, Any]]:
    return [_citation(citation) for item in released for citation in item.citations]


def _text(released: Sequence[SentenceReleased]) -> str:
    return " ".join(item.sentence.text for item in released)


def _checks(answer: Answer) -> dict[str, Any]:
    """Return every check: of the whole, of what was shown and, with its text, of what was not."""
    return {
        "answer": [_check(check) for check in answer.checks],
        "shown": [[_check(check) for check in item.checks] for item in answer.sentences],
        "withheld": [
            [item.text, [_check(check) for check in item.checks], item.replaced]
            for item in answer.withheld
        ],
        "grounding": answer.grounding.value,
        "omitted": answer.omitted,
    }


def _sentence(sentence: Sentence) -> list[Any]:
    """Return its text and citations first, as rows of before the kinds of sentences have them."""
    standing = "stands_in" if sentence.stands_in else ""
    return [
        sentence.text,
        sentence.citations,
        sentence.kind.value,
        round(sentence.probability, 4),
        standing,
    ]


def _check(check: Check) -> list[Any]:
    return [check.kind.value, check.passed, check.reason]


def _model_uses(answer: Answer) -> dict[str, Any]:
    """Return what writing took, and under `verifier` what judging took."""
    held = {}
    if answer.model_use:
        held = _model_use(answer.model_use)
    if answer.verifier_use:
        held["verifier"] = _model_use(answer.verifier_use)
    return held


def _model_use(use: ModelUse) -> dict[str, Any]:
    return {"model": use.model, **vars(use.usage), "cost_usd": use.cost_usd}


def _chunks(search: SearchResult | None) -> list[dict[str, Any]]:
    return [
        {"chunk_id": passage.chunk_id, **vars(passage.locator), **vars(passage.scores)}
        for passage in (search.passages if search else ())
    ]


def _citation(citation: Citation) -> dict[str, Any]:
    return {
        "n": citation.number,
        "quote": citation.quote,
        "chunk_id": citation.chunk_id,
        "verdict": citation.verdict.value,
        **vars(citation.locator),
    }


def _used_ms(row: AuditRow, stage: str) -> float | None:
    return next((item.used_ms for item in row.timings if item.stage == stage), None)


def _query_id(request_id: str) -> uuid.UUID:
    """Return the request's id as a UUID; one that a caller chose freely is hashed to one."""
    try:
        return uuid.UUID(request_id)
    except ValueError:
        return uuid.uuid5(uuid.NAMESPACE_URL, request_id)


def _json(value: Any) -> str:
    encoded = _ENCODER.encode(value)
    # Searched for in the one text: looking into each part of a value takes as long as encoding it.
    is_whole = is_storable(encoded) and _NUL not in encoded
    return encoded if is_whole else _ENCODER.encode(storable(value))

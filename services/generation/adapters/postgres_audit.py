"""Keep audit rows in the table audit_logs."""

import asyncio
import json
import re
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import asyncpg

from libs.budget.budget import TIMED_OUT
from libs.budget.stages import RECORD, RETRIEVE
from libs.errors import DeadlineExceeded, Unavailable
from libs.postgres import open_pool, translated_errors
from libs.settings import SettingsError
from services.generation.model import (
    Answer,
    AuditRow,
    Check,
    Citation,
    ModelUse,
    SearchResult,
    Sentence,
)

_MIGRATIONS = Path(__file__).parent / "migrations"
_MONTHS_AHEAD = 2
_CLOSE_S = 2.0
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_MAYBE_UNSTORABLE = re.compile(r"\\u0000|[\ud800-\udfff]")
"""The same in JSON, which writes a NUL as an escape; what only looks like one is found too."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False)
# The partitions of all writers are made one at a time; the number only has to be ours.
_PARTITION_LOCK = 7166002


class PostgresAuditLog:
    """Writes to audit_logs. Make it with `open`."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._months: set[tuple[int, int]] = set()

    @classmethod
    async def open(cls, dsn: str) -> "PostgresAuditLog":
        """Connect, bring the schema up to date, and make this month's partition and the next two.

        Raises SettingsError when the database can't be opened.
        """
        try:
            log = cls(await open_pool(dsn, owner="generation", migrations=_MIGRATIONS))
        except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            reason = type(error).__name__
            raise SettingsError(f"QUOTH_POSTGRES_DSN can't be opened: {reason}") from error
        await log.make_partitions(datetime.now(UTC))
        return log

    async def close(self) -> None:
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()

    async def append(self, row: AuditRow, allowed_s: float) -> None:
        """Store `row`. A connection that breaks is tried once more: what was stored stays one row."""
        try:
            await self._append(row, allowed_s)
        except Unavailable:
            await self._append(row, allowed_s)

    async def make_partitions(self, moment: datetime) -> None:
        """Make the partition that holds `moment` and those of the following two months."""
        months = [_months_later(moment, ahead) for ahead in range(_MONTHS_AHEAD + 1)]
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                await connection.execute("SELECT pg_advisory_xact_lock($1)", _PARTITION_LOCK)
                for month in months:
                    await connection.execute(_partition_statement(month))
        self._months.update((month.year, month.month) for month in months)

    async def _append(self, row: AuditRow, allowed_s: float) -> None:
        moment = row.timestamp.astimezone(UTC)
        following = _months_later(moment, 1)
        if not {(moment.year, moment.month), (following.year, following.month)} <= self._months:
            await self.make_partitions(moment)
        columns = _columns(row)
        statement = _insert_statement(tuple(columns))
        with translated_errors():
            try:
                async with self._pool.acquire(timeout=allowed_s) as connection:
                    await connection.execute(statement, *columns.values(), timeout=allowed_s)
            except (TimeoutError, asyncpg.QueryCanceledError) as error:
                raise DeadlineExceeded(TIMED_OUT, stage=RECORD.name) from error


@lru_cache
def _insert_statement(columns: Sequence[str]) -> str:
    """Return the statement that is a transaction of its own: one round trip instead of four."""
    # Only our own column names go into the text; the values travel apart.
    places = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    return (
        f"INSERT INTO audit_logs ({', '.join(columns)}) VALUES ({places}) "  # noqa: S608
        "ON CONFLICT (log_id, timestamp) DO NOTHING "
        # Whatever the server's default, an answer leaves only after its row is on disk.
        "RETURNING set_config('synchronous_commit', 'on', true)"
    )


def _partition_statement(month: datetime) -> str:
    following = _months_later(month, 1)
    return (
        f"CREATE TABLE IF NOT EXISTS audit_logs_{month:%Y_%m} PARTITION OF audit_logs "
        f"FOR VALUES FROM ('{month:%Y-%m-%d} 00:00+00') TO ('{following:%Y-%m-%d} 00:00+00')"
    )


def _months_later(moment: datetime, count: int) -> datetime:
    """Return the first moment of the month that is `count` after that of `moment`."""
    months = moment.year * 12 + moment.month - 1 + count
    return datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)


def _columns(row: AuditRow) -> dict[str, Any]:
    question, search = row.question, row.search
    columns = {
        "log_id": row.log_id,
        "query_id": _query_id(row.request_id),
        "request_id": row.request_id,
        "client_id": question.client_id,
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
        **_answer_columns(row.answer),
    }
    return {name: _storable(value) for name, value in columns.items()}


def _answer_columns(answer: Answer | None) -> dict[str, Any]:
    return {
        "answer_id": answer.answer_id if answer else None,
        "answer_text": answer.text if answer else "",
        "sentences": _json([_sentence(item) for item in answer.sentences]) if answer else "[]",
        "checks": _json(_checks(answer)) if answer else "{}",
        "model_use": _json(_model_use(answer.model_use)) if answer and answer.model_use else None,
        "citations": _json([_citation(item) for item in answer.citations]) if answer else "[]",
        "refusal_code": answer.refusal.code.value if answer and answer.refusal else None,
        "confidence_score": answer.confidence if answer else None,
        "degraded": _json(answer.degraded) if answer else "[]",
    }


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
    return _ENCODER.encode(_storable(value)) if _MAYBE_UNSTORABLE.search(encoded) else encoded


def _storable(value: Any) -> Any:
    """Write out what PostgreSQL can't hold, NUL and lone surrogates, as \\u and four digits."""
    if isinstance(value, str):
        return _UNSTORABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", value)
    if isinstance(value, list | tuple):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {name: _storable(item) for name, item in value.items()}
    return value

"""Fill the record of answers with copies of one row, each with its own ids, times and hashes.

A row is what the product would have written: the database says so when it verifies them. Hashing here
and storing by the thousand takes a quarter of what storing them one by one does.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias
from uuid import uuid4

import asyncpg

from services.generation.records.hashes import content_hash, row_hash

USERS = 1000
_CLIENTS, _BOOKS = 7, 5
_AT_ONCE = 1000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_OWN = {
    "log_id": "uuid",
    "answer_id": "uuid",
    "query_id": "uuid",
    "request_id": "text",
    "client_id": "text",
    "user_id": "text",
    "book": "text",
    "confidence_score": "real",
    "timestamp": "timestamptz",
    "chain_day": "date",
    "salt": "bytea",
    "content_hash": "bytea",
    "row_hash": "bytea",
}
"""The columns that no two rows have alike, and their types; all others are the model's."""
_MODEL = "CREATE TEMPORARY TABLE model AS SELECT * FROM audit_logs LIMIT 1"
_INSERT = """
INSERT INTO audit_logs ({names})
SELECT {values} FROM model CROSS JOIN unnest({arrays}) AS own ({own})
"""
_Row: TypeAlias = dict[str, Any]


async def fill(dsn: str, rows: int, since: datetime, until: datetime) -> None:
    """Store copies of the one row that the record has, spread evenly over the months in between.

    Takes the rights of the owner: not by the trigger, which has every row be of today.
    """
    owner = await asyncpg.connect(dsn)
    await owner.execute("SET session_replication_role = replica")
    await owner.execute(_MODEL)
    model = dict(await owner.fetchrow("SELECT * FROM model") or {})
    statement = _statement(list(model))
    step, first, month = (until - since) / rows, 0, since
    while month < until:
        later = _next(month)
        last = min(rows, -((since - later) // step))
        # In one transaction with the partition's making: that writes nothing to the log.
        async with owner.transaction():
            await owner.execute("SELECT audit_make_month($1)", month.date())
            for at in range(first, last, _AT_ONCE):
                made = [
                    _copy(model, number, since + number * step)
                    for number in range(at, min(at + _AT_ONCE, last))
                ]
                await owner.execute(statement, *_columns(made))
        first, month = last, later
    await owner.close()


def _statement(names: list[str]) -> str:
    return _INSERT.format(
        names=", ".join(names),
        values=", ".join(f"{'own' if name in _OWN else 'model'}.{name}" for name in names),
        arrays=", ".join(f"${at}::{kind}[]" for at, kind in enumerate(_OWN.values(), 1)),
        own=", ".join(_OWN),
    )


def _columns(made: list[_Row]) -> Iterator[list[Any]]:
    return ([row[name] for row in made] for name in _OWN)


def _copy(model: Mapping[str, Any], number: int, moment: datetime) -> _Row:
    log_id, query_id = uuid4(), uuid4()
    row = {
        **model,
        "log_id": log_id,
        "answer_id": log_id,
        "query_id": query_id,
        "request_id": str(query_id),
        "client_id": f"client-{number % _CLIENTS}",
        "user_id": f"user-{number % USERS}",
        "book": f"book-{number % _BOOKS}",
        "confidence_score": number % 100 / 100,
        "timestamp": (moment - _EPOCH) // _MICROSECOND,
        "chain_day": moment.date(),
        "salt": uuid4().bytes,
    }
    row["content_hash"] = content_hash(row)
    row["row_hash"] = row_hash(row)
    return {**row, "timestamp": moment}


def _next(month: datetime) -> datetime:
    return (month.replace(day=1) + timedelta(days=32)).replace(day=1)

"""The record as it is verified, on PostgreSQL."""

from collections.abc import Callable

import asyncpg

from libs.postgres import translated_errors
from services.generation.adapters.schema import LONG_S
from services.generation.records.hashes import SealedDay
from services.generation.records.kept import Erasure, KeptRow

_BATCH = 2000
SUMMARY = (
    *("log_id", "query_id", "answer_id", "client_id", "session_id", "user_id", "book", "edition"),
    *("profile", "refusal_code", "confidence_score", "success", "error_message", "timestamp"),
    *("chain_day", "erasure_id"),
)
"""The columns of a packed row beside the row itself."""
# What a summary says of a row has to be what the row says.
_ROWS = """
SELECT log_id, chain_day, row_hash, erasure_id, audit_row_hash(kept) AS hash,
    audit_is_whole(kept) AS is_whole
FROM audit_logs AS kept
UNION ALL
SELECT unpacked.log_id, unpacked.chain_day, unpacked.row_hash, unpacked.erasure_id,
    audit_row_hash(unpacked),
    audit_is_whole(unpacked) AND packed.kept @> to_jsonb(said)
FROM audit_warm AS packed CROSS JOIN LATERAL audit_unpacked(packed) AS unpacked
    CROSS JOIN LATERAL (SELECT {summary}) AS said
"""
_DAYS = """
SELECT day, row_count, rows_hash, erasures_hash, previous, digest FROM audit_days ORDER BY day
"""
_ERASURES = """
SELECT erasure_id, chain_day, row_count, audit_erasure_hash(made) AS hash
FROM audit_erasures AS made
"""


class PostgresChain:
    """Reads by the pool of any user that may read the audit's tables."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def read_chain(
        self, take: Callable[[KeptRow], None]
    ) -> tuple[list[SealedDay], list[Erasure]]:
        with translated_errors():
            async with (
                self._pool.acquire() as connection,
                connection.transaction(isolation="repeatable_read", readonly=True),
            ):
                days = [SealedDay(**day) for day in await connection.fetch(_DAYS)]
                erasures = [Erasure(**row) for row in await connection.fetch(_ERASURES)]
                said = ", ".join(f"packed.{name}" for name in SUMMARY)
                rows = _ROWS.format(summary=said)
                async for row in connection.cursor(rows, prefetch=_BATCH, timeout=LONG_S):
                    take(KeptRow(**row))
        return days, erasures

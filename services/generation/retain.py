"""Run the retention of the record in a process of its own: `python -m services.generation.retain`.

Reading a month back takes minutes of a processor that answers should not wait for. It measures
nothing: the port that generation is scraped at is taken. The rows that it worked on are its
output, as JSON, which generation counts.
"""

import asyncio
import json
import logging
import os
import sys
from datetime import UTC, datetime

import asyncpg

from libs.errors import QuothError
from libs.postgres import open_pool
from libs.settings import SettingsError, load_settings
from libs.telemetry.logs import LogSettings, set_up_logs
from services.generation.adapters.records.audit_archive import open_archive
from services.generation.adapters.records.postgres_months import PostgresMonths
from services.generation.adapters.schema import MIGRATIONS
from services.generation.records.retention import AuditRetention
from services.generation.settings import Retention, Settings

_LOG = logging.getLogger(__name__)
_POLITE = 10


def main() -> int:
    os.nice(_POLITE)
    settings = load_settings(Settings, os.environ)
    set_up_logs("generation", load_settings(LogSettings, os.environ))
    try:
        asyncio.run(_retain(settings.postgres_dsn, load_settings(Retention, os.environ)))
    except (OSError, QuothError, SettingsError, asyncpg.PostgresError) as error:
        _LOG.error("the record was not packed or archived: %s", error)
        return 1
    return 0


async def _retain(dsn: str, times: Retention) -> None:
    pool = await open_pool(dsn, "generation", MIGRATIONS, max_size=3, restricted=True)
    try:
        archive = open_archive(pool, times.archive)
        retention = AuditRetention(PostgresMonths(pool), archive, times.hot_days, times.warm_days)
        done = await retention.retain(datetime.now(UTC).date())
    finally:
        await pool.close()
    if done is None:
        return
    print(json.dumps({"packed_rows": done.packed_rows, "archived_rows": done.rows}))
    if done.packed or done.archived:
        _LOG.info(
            "months packed: %s; archived: %s, %d rows, %d bytes",
            ", ".join(done.packed) or "none",
            ", ".join(done.archived) or "none",
            done.rows,
            done.size,
        )


if __name__ == "__main__":
    sys.exit(main())

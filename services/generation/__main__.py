"""Run the generation service: `python -m services.generation`."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from libs.budget.stages import GENERATION
from libs.postgres import watch_postgres
from libs.rpc.main import run_service
from libs.rpc.readiness import Readiness
from libs.rpc.server import Register
from libs.rpc.transport import Transport
from libs.settings import load_settings
from services.generation.adapters.records.archive_files import require_archive
from services.generation.adapters.records.retain_process import retain_in_process
from services.generation.bootstrap import bootstrap
from services.generation.settings import Retention, Settings


def main() -> int:
    readiness = Readiness()

    @asynccontextmanager
    async def open_service(settings: Settings) -> AsyncIterator[Register]:
        retention = load_settings(Retention, os.environ)
        if retention.archive:
            require_archive(retention.archive)
        transport = load_settings(Transport, os.environ)
        service = await bootstrap(settings, transport=transport, retain=retain_in_process)
        watching = asyncio.create_task(watch_postgres(settings.postgres_dsn, readiness.set))
        try:
            yield service.register
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await service.close()

    return run_service("generation", Settings, open_service, GENERATION, readiness=readiness)


if __name__ == "__main__":
    sys.exit(main())

"""Run the ingest service: `python -m services.ingest`."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from libs.postgres import watch_postgres
from libs.rpc.main import run_service
from libs.rpc.readiness import Readiness
from libs.rpc.server import Register
from services.ingest.bootstrap import bootstrap
from services.ingest.disk_floor import watch_room
from services.ingest.jobs import watch_backlog
from services.ingest.settings import Settings


def main() -> int:
    readiness = Readiness()

    @asynccontextmanager
    async def open_service(settings: Settings) -> AsyncIterator[Register]:
        async with bootstrap(settings) as service:
            tasks = [
                asyncio.create_task(service.worker.work()),
                asyncio.create_task(service.integrity.watch()),
                asyncio.create_task(service.integrity.watch_forgotten(readiness)),
                asyncio.create_task(watch_postgres(settings.postgres_dsn, readiness.set)),
                asyncio.create_task(watch_room(service.floor, readiness)),
                asyncio.create_task(watch_backlog(service.jobs)),
            ]
            try:
                yield service.register
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    return run_service("ingest", Settings, open_service, readiness=readiness)


if __name__ == "__main__":
    sys.exit(main())

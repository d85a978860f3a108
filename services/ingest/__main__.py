"""Run the ingest service: `python -m services.ingest`."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from libs.rpc.main import run_service
from libs.rpc.server import Register
from services.ingest.bootstrap import bootstrap
from services.ingest.settings import Settings


@asynccontextmanager
async def open_service(settings: Settings) -> AsyncIterator[Register]:
    async with bootstrap(settings) as service:
        tasks = [
            asyncio.create_task(service.worker.work()),
            asyncio.create_task(service.integrity.watch()),
        ]
        try:
            yield service.register
        finally:
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task


if __name__ == "__main__":
    sys.exit(run_service("ingest", Settings, open_service))

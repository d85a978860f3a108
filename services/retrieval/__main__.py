"""Run the retrieval service: `python -m services.retrieval`."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from libs.budget.stages import RETRIEVAL
from libs.rpc.main import run_service
from libs.rpc.server import Register
from services.retrieval.bootstrap import bootstrap
from services.retrieval.settings import Settings


@asynccontextmanager
async def open_service(settings: Settings) -> AsyncIterator[Register]:
    service = bootstrap(settings)
    try:
        yield service.register
    finally:
        await service.close()


if __name__ == "__main__":
    sys.exit(run_service("retrieval", Settings, open_service, RETRIEVAL, serial=True))

"""Run the generation service: `python -m services.generation`."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from libs.budget.stages import GENERATION
from libs.rpc.main import run_service
from libs.rpc.server import Register
from services.generation.bootstrap import bootstrap
from services.generation.settings import Settings


@asynccontextmanager
async def open_service(settings: Settings) -> AsyncIterator[Register]:
    service = await bootstrap(settings)
    try:
        yield service.register
    finally:
        await service.close()


if __name__ == "__main__":
    sys.exit(run_service("generation", Settings, open_service, GENERATION))

"""Run the retrieval service: `python -m services.retrieval`."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from libs.budget.stages import RETRIEVAL
from libs.rpc.main import run_service
from libs.rpc.readiness import Readiness
from libs.rpc.server import Register
from services.retrieval.bootstrap import bootstrap
from services.retrieval.settings import Settings


def main() -> int:
    readiness = Readiness()

    @asynccontextmanager
    async def open_service(settings: Settings) -> AsyncIterator[Register]:
        service = bootstrap(settings, readiness=readiness)
        try:
            await service.warm()
            yield service.register
        finally:
            await service.close()

    return run_service(
        "retrieval", Settings, open_service, RETRIEVAL, serial=True, readiness=readiness
    )


if __name__ == "__main__":
    sys.exit(main())

"""Run the ingest service: `python -m services.ingest`."""

import asyncio
import os
import sys
from contextlib import suppress

from libs.rpc.server import run_until_signal, start_server
from libs.settings import SettingsError, load_settings
from libs.telemetry.logs import set_up_logs
from libs.telemetry.tracing import set_up_tracing, shut_down_tracing
from services.ingest.bootstrap import bootstrap
from services.ingest.settings import Settings


async def serve(settings: Settings) -> None:
    async with bootstrap(settings) as service:
        running = await start_server(settings.listen, service.register)
        worker = asyncio.create_task(service.worker.work())
        host = settings.listen.rpartition(":")[0]
        print(f"ready {host}:{running.port}", flush=True)
        try:
            await run_until_signal(running)
        finally:
            worker.cancel()
            with suppress(asyncio.CancelledError):
                await worker


def main() -> int:
    """Return 2 for settings that don't work and an address that is taken, with one line why."""
    try:
        settings = load_settings(Settings, os.environ)
        set_up_logs("ingest", settings.log_level)
        set_up_tracing("ingest", os.environ)
        asyncio.run(serve(settings))
    except SettingsError as error:
        print(f"ingest: {error}", file=sys.stderr)
        return 2
    except RuntimeError as error:
        print(f"ingest: can't serve: {error}", file=sys.stderr)
        return 2
    finally:
        shut_down_tracing()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Run the retrieval service: `python -m services.retrieval`."""

import asyncio
import os
import sys

from libs.budget.stages import RETRIEVAL
from libs.rpc.server import Register, RunningServer, run_until_signal, start_server
from libs.settings import SettingsError, load_settings
from libs.telemetry.logs import set_up_logs
from libs.telemetry.tracing import set_up_tracing, shut_down_tracing
from services.retrieval.bootstrap import bootstrap
from services.retrieval.settings import Settings


async def main(settings: Settings) -> None:
    service = bootstrap(settings)
    try:
        running = await _listen(settings, service.register)
        stopped = asyncio.create_task(run_until_signal(running))
        await asyncio.sleep(0)  # who reads "ready" may send a signal at once: handlers come first
        print(f"ready {settings.listen.rpartition(':')[0]}:{running.port}", flush=True)
        await stopped
    finally:
        await service.close()
        shut_down_tracing()


async def _listen(settings: Settings, register: Register) -> RunningServer:
    try:
        return await start_server(settings.listen, register, RETRIEVAL, settings.max_calls)
    except RuntimeError as error:
        raise SettingsError(
            f"RETRIEVAL_LISTEN: can't listen at {settings.listen}; is the port taken?"
        ) from error


def run() -> int:
    """Return the exit code: 2 when a setting is wrong or the address can't be served."""
    try:
        settings = load_settings(Settings, os.environ)
        set_up_logs("retrieval", settings.log_level)
        set_up_tracing("retrieval", os.environ)
        asyncio.run(main(settings))
    except SettingsError as error:
        print(f"retrieval: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(run())

"""Run the generation service: `python -m services.generation`."""

import asyncio
import os
import sys

from libs.budget.stages import GENERATION
from libs.rpc.server import Register, RunningServer, run_until_signal, start_server
from libs.settings import SettingsError, load_settings
from libs.telemetry.logs import set_up_logs
from libs.telemetry.tracing import set_up_tracing, shut_down_tracing
from services.generation.bootstrap import bootstrap
from services.generation.settings import Settings


async def main(settings: Settings) -> None:
    service = await bootstrap(settings)
    try:
        running = await _listen(settings, service.register)
        host = settings.listen.rpartition(":")[0]
        print(f"ready {host}:{running.port}", flush=True)
        await run_until_signal(running)
    finally:
        await service.close()
        shut_down_tracing()


async def _listen(settings: Settings, register: Register) -> RunningServer:
    try:
        return await start_server(settings.listen, register, GENERATION, settings.max_calls)
    except RuntimeError as error:
        raise SettingsError(
            f"GENERATION_LISTEN: can't listen at {settings.listen}; is the port taken?"
        ) from error


def run() -> int:
    """Return the exit code: 2 when a setting is wrong or the address can't be served."""
    try:
        settings = load_settings(Settings, os.environ)
        set_up_logs("generation", settings.log_level)
        set_up_tracing("generation", os.environ)
        asyncio.run(main(settings))
    except SettingsError as error:
        print(f"generation: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(run())

"""Run the gateway: `python -m services.gateway`."""

import asyncio
import os
import signal
import sys

import uvloop

from libs.settings import SettingsError, load_settings
from libs.telemetry.logs import set_up_logs
from libs.telemetry.metrics import set_up_metrics, shut_down_metrics
from libs.telemetry.tracing import set_up_tracing, shut_down_tracing
from services.gateway.bootstrap import bootstrap_remote, open_channels
from services.gateway.server import listen, start_server
from services.gateway.settings import Settings

_UNUSABLE = 2


async def serve(settings: Settings) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        # uvicorn drains on the first signal, then raises it again for whoever was there before.
        asyncio.get_running_loop().add_signal_handler(number, lambda: None)
    channels = open_channels(settings)
    running = await start_server(bootstrap_remote(settings, channels), listen(settings.port))
    print(f"ready http://127.0.0.1:{running.port}", flush=True)
    await running.task
    for channel in channels.values():
        await channel.close()


def main() -> int:
    try:
        settings = load_settings(Settings, os.environ)
    except SettingsError as error:
        print(error, file=sys.stderr)
        return _UNUSABLE
    set_up_logs("gateway", settings.log_level)
    set_up_tracing("gateway", os.environ)
    set_up_metrics("gateway", os.environ)
    try:
        uvloop.run(serve(settings))
    except OSError as error:
        print(
            f"Port {settings.port} of 127.0.0.1 can't be used ({os.strerror(error.errno or 0)}). "
            "Set QUOTH_PORT to a free one.",
            file=sys.stderr,
        )
        return _UNUSABLE
    finally:
        shut_down_metrics()
        shut_down_tracing()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Run the gateway: `python -m services.gateway`."""

import asyncio
import os
import signal
import ssl
import sys

import uvloop

from libs.garbage import freeze_imported, freeze_loaded
from libs.rpc.transport import Transport
from libs.settings import SettingsError, load_settings, require_settings
from libs.telemetry.logs import LogSettings, set_up_logs
from libs.telemetry.metrics import set_up_metrics, shut_down_metrics, watch_certificates
from libs.telemetry.tracing import set_up_tracing, shut_down_tracing
from services.gateway.adapters.moving_window import open_window
from services.gateway.adapters.postgres_keys import PostgresKeys
from services.gateway.bootstrap import bootstrap_remote, open_channels
from services.gateway.model.books import PageQuery
from services.gateway.server import listen, start_server
from services.gateway.settings import Exposure, Settings

_UNUSABLE = 2
_KEYS_S = 5.0


async def serve(settings: Settings, exposure: Exposure, transport: Transport) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        # uvicorn drains on the first signal, then raises it again for whoever was there before.
        asyncio.get_running_loop().add_signal_handler(number, lambda: None)
    channels = open_channels(settings, transport)
    keys, limits = PostgresKeys(settings.postgres_dsn), open_window(settings.redis_url)
    try:
        if exposure.asks_for_keys:
            await _require_a_key(keys)
        app = bootstrap_remote(settings, channels, exposure, keys, limits)
        running = await start_server(app, listen(settings.port, exposure.listen), exposure)
        freeze_loaded()
        print(f"ready {exposure.scheme}://127.0.0.1:{running.port}", flush=True)
        await running.task
    finally:
        for channel in channels.values():
            await channel.close()
        await keys.close()
        await limits.close()


async def _require_a_key(keys: PostgresKeys) -> None:
    """Raise SettingsError where nobody could be let in."""
    await keys.open()
    known, _ = await keys.list_keys(PageQuery(), _KEYS_S)
    if not any(key.state == "active" for key in known):
        raise SettingsError(
            "There is no key that a client could send. Make the first while nobody else can reach it: "
            "start it without QUOTH_LISTEN, QUOTH_HOSTS, QUOTH_PROXY and QUOTH_REQUIRE_KEYS and run "
            "`quoth keys create operator --scope admin`. Or make it in a database of your own: "
            "`quoth keys create operator --scope admin --dsn postgresql://…`"
        )


def main() -> int:
    freeze_imported()
    try:
        require_settings((Settings, Exposure, Transport, LogSettings), os.environ)
        settings = load_settings(Settings, os.environ)
        exposure = load_settings(Exposure, os.environ)
        transport = load_settings(Transport, os.environ)
        set_up_logs("gateway", load_settings(LogSettings, os.environ))
        set_up_tracing("gateway", os.environ)
        set_up_metrics("gateway", os.environ)
        watch_certificates({"gateway": exposure.tls_cert, "services": transport.certificate})
        uvloop.run(serve(settings, exposure, transport))
    except SettingsError as error:
        print(error, file=sys.stderr)
        return _UNUSABLE
    except ssl.SSLError as error:
        print(f"QUOTH_TLS_CERT and QUOTH_TLS_KEY can't be used: {error.reason}", file=sys.stderr)
        return _UNUSABLE
    except OSError as error:
        print(
            f"Port {settings.port} of {exposure.listen} can't be used "
            f"({os.strerror(error.errno or 0)}). Set QUOTH_PORT to a free one.",
            file=sys.stderr,
        )
        return _UNUSABLE
    finally:
        shut_down_metrics()
        shut_down_tracing()
    return 0


if __name__ == "__main__":
    sys.exit(main())

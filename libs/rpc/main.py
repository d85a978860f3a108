"""Run a service from its settings and wiring until a signal stops it."""

import asyncio
import functools
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeVar

from libs.budget.stages import Stage
from libs.garbage import freeze_imported, freeze_loaded
from libs.rpc.readiness import Readiness
from libs.rpc.server import Register, RunningServer, handle_signals, start_server
from libs.rpc.transport import Transport
from libs.settings import SettingsError, load_settings, require_settings
from libs.telemetry.logs import LogSettings, set_up_logs
from libs.telemetry.metrics import set_up_metrics, shut_down_metrics, watch_certificates
from libs.telemetry.tracing import set_up_tracing, shut_down_tracing

UNUSABLE = 2
"""Exit code when a setting is wrong or the address can't be served."""

_GRACE_S = 5.0


class ServiceSettings(Protocol):
    """What the settings of every service have."""

    @property
    def listen(self) -> str: ...
    @property
    def max_calls(self) -> int: ...


S = TypeVar("S", bound=ServiceSettings)


def run_service(
    name: str,
    settings_type: type[S],
    open_service: Callable[[S], AbstractAsyncContextManager[Register]],
    stages: Sequence[Stage] = (),
    *,
    serial: bool = False,
    readiness: Readiness | None = None,
) -> int:
    """Serve until SIGINT or SIGTERM, then drain; return the exit code.

    `stages` and what follows are as in start_server. Prints `ready host:port` when serving. What
    keeps the service from starting is one line on standard error.
    """
    freeze_imported()
    try:
        require_settings((settings_type, Transport, LogSettings), os.environ)
        settings = load_settings(settings_type, os.environ)
        transport = load_settings(Transport, os.environ)
        transport.require_servable(settings.listen)
        set_up_logs(name, load_settings(LogSettings, os.environ))
        set_up_tracing(name, os.environ)
        set_up_metrics(name, os.environ)
        watch_certificates({"services": transport.certificate})
        start = functools.partial(
            start_server, serial=serial, readiness=readiness, transport=transport
        )
        asyncio.run(_serve(settings, open_service, stages, start))
    except SettingsError as error:
        for line in str(error).splitlines():
            print(f"{name}: {line}", file=sys.stderr)
        return UNUSABLE
    finally:
        shut_down_metrics()
        shut_down_tracing()
    return 0


async def _serve(
    settings: S,
    open_service: Callable[[S], AbstractAsyncContextManager[Register]],
    stages: Sequence[Stage],
    start: Callable[..., Awaitable[RunningServer]],
) -> None:
    async with open_service(settings) as register:
        running = await start(settings.listen, register, stages, settings.max_calls)
        freeze_loaded()
        # Who reads "ready" may send a signal at once: the handlers come first.
        stopped = handle_signals()
        print(f"ready {settings.listen.rpartition(':')[0]}:{running.port}", flush=True)
        await stopped.wait()
        await running.stop(_GRACE_S)

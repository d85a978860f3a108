"""Reach the stores of an installation: servers, those of a running `quoth up`, or its own at rest."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.embedded import PRIVATE, StartError
from deploy.local.instance import (
    check_ports,
    hold_home,
    read_live_run,
    read_run,
    require_room,
)
from deploy.local.processes import POSTGRES, QDRANT, list_processes
from deploy.local.settings import LocalSettings
from deploy.local.supervisor import Supervisor
from libs.postgres import Connection, connect, translated_errors
from libs.vectors.client import open_qdrant
from libs.vectors.qdrant import AsyncQdrantClient


@dataclass(frozen=True)
class Addresses:
    """Where PostgreSQL and Qdrant are, and Qdrant's key."""

    dsn: str
    qdrant_url: str
    qdrant_key: str


class _Silence:
    """A report that only passes on what goes wrong, which the caller's error says anyway."""

    def ready(self, name: str, after_s: float) -> None: ...

    def died(self, name: str, how: str) -> None: ...

    def line(self, name: str, text: str) -> None: ...

    def up(self, url: str, home: str) -> None: ...

    def note(self, text: str) -> None: ...


def require_stores(settings: LocalSettings) -> None:
    """Raise StartError where an embedded store would be made anew, to find nothing in it."""
    wanted = {POSTGRES: settings.postgres_dsn, QDRANT: settings.qdrant_url}
    home = settings.home
    if any(not server and not (home / name).is_dir() for name, server in wanted.items()):
        raise StartError(
            f"QUOTH_HOME {home} has nothing to back up. Name the folder that `quoth up` ran with, or "
            "servers by QUOTH_POSTGRES_DSN and QUOTH_QDRANT_URL."
        )


@asynccontextmanager
async def open_stores(
    settings: LocalSettings,
) -> AsyncIterator[tuple[Connection, AsyncQdrantClient]]:
    """Yield both stores; embedded ones that do not run are run for as long.

    Raises StartError when the home is in use otherwise, Unavailable when a store does not answer.
    """
    async with _addresses(settings) as there:
        client = open_qdrant(there.qdrant_url, there.qdrant_key)
        try:
            with translated_errors():
                pool = await connect(there.dsn, max_size=1)
            try:
                async with pool.acquire() as connection:
                    yield connection, client
            finally:
                await pool.close()
        finally:
            await client.close()


@asynccontextmanager
async def _addresses(settings: LocalSettings) -> AsyncIterator[Addresses]:
    if (settings.postgres_dsn and settings.qdrant_url) or read_live_run(settings.home):
        yield _combine(settings, settings.home)
    else:
        async with _run_embedded(settings):
            yield _combine(settings, settings.home)


def _combine(settings: LocalSettings, home: Path) -> Addresses:
    """Return the servers that are named, and of what is not the embedded one."""
    runs = read_run(home).get("processes", {})
    postgres, qdrant = runs.get(POSTGRES, {}), runs.get(QDRANT, {})
    return Addresses(
        settings.postgres_dsn or postgres.get("address", ""),
        settings.qdrant_url or f"http://{qdrant.get('address', '')}",
        settings.qdrant_api_key if settings.qdrant_url else qdrant.get("api_key", ""),
    )


@asynccontextmanager
async def _run_embedded(settings: LocalSettings) -> AsyncIterator[None]:
    """Run the embedded stores of the home, and nothing else."""
    os.umask(PRIVATE)
    stores = [process for process in list_processes(settings) if process.is_store]
    stop, ready, unforced = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def note_ready(_url: str, _report: object) -> None:
        ready.set()

    with hold_home(settings.home, settings.url) as lock:
        check_ports(stores)
        if not settings.postgres_dsn:
            require_room(settings.home)
        supervisor = Supervisor(settings, stores, _Silence(), lock)
        running = asyncio.create_task(supervisor.run_until(stop, note_ready))
        waiting = asyncio.create_task(ready.wait())
        try:
            await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                running.result()
            yield
        finally:
            waiting.cancel()
            stop.set()
            try:
                await running
            finally:
                await supervisor.stop(unforced)

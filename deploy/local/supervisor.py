"""Start the processes of the product, keep them running, and stop them."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import httpx

from deploy.embedded import PRIVATE
from deploy.local.child import GRACE_S, Child
from deploy.local.health import silent_stores
from deploy.local.instance import (
    LOGS,
    check_ports,
    hold_home,
    is_held,
    require_room,
    write_run,
)
from deploy.local.logs import CappedLog
from deploy.local.processes import API_KEY, CALLERS_SHOW, GATEWAY, Process, list_processes
from deploy.local.report import Report
from deploy.local.settings import LocalSettings
from libs.rpc.transport import Transport
from libs.settings import load_settings

_POLL_S = 0.05
_PATIENCE_S = 20.0
_SAME_SIGNAL_S = 1.0
_CATCH_UP_S = 1.0
_LOOK_S = 0.5

OnReady = Callable[[str, Report], Awaitable[None]]


async def leave_books(url: str, report: Report) -> None:
    """Do nothing once the product is ready: the books stay as they are."""


async def run_local(settings: LocalSettings, report: Report, on_ready: OnReady) -> None:
    """Run the product until a signal stops it; nothing is left running afterwards.

    Calls `on_ready` with the URL once the gateway is ready. Raises StartError when folder or ports
    are taken, and GaveUpError when a process can't be started.
    """
    os.umask(PRIVATE)  # the children have it from us
    settings = replace(settings, home=settings.home.absolute())
    stop = StopSignals()
    while not stop.asked.is_set():
        try:
            await _run_in_home(settings, report, on_ready, stop)
        except HomeLostError:
            report.note(f"Starting again in {settings.home}.")


async def _run_in_home(
    settings: LocalSettings, report: Report, on_ready: OnReady, stop: "StopSignals"
) -> None:
    """Run the product until it is stopped. Raises HomeLostError, as well as what run_local does."""
    processes = list_processes(settings, load_settings(Transport, os.environ))
    with hold_home(settings.home, settings.url) as lock:
        check_ports(processes)
        if not settings.postgres_dsn:
            require_room(settings.home)
        supervisor = Supervisor(settings, processes, report, lock)
        try:
            await supervisor.run_until(stop.asked, on_ready)
        finally:
            await supervisor.stop(stop.forced)


class HomeLostError(Exception):
    """The home was removed or replaced: whatever runs has its files in a folder that is gone."""


class StopSignals:
    """The first Ctrl-C, SIGTERM or SIGHUP asks; one that comes a second or more later forces.

    One press may arrive twice, from the terminal and from `make`, so the time between them counts.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.asked = asyncio.Event()
        self.forced = asyncio.Event()
        self._clock = clock
        self._asked_at = 0.0
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # nohup sets SIGHUP to be ignored, and means it.
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, self.note)

    def note(self) -> None:
        if not self.asked.is_set():
            self._asked_at = self._clock()
            self.asked.set()
        elif self._clock() - self._asked_at >= _SAME_SIGNAL_S:
            self.forced.set()


class Supervisor:
    """Keeps a table of processes running, and ends them in the reverse of its order."""

    def __init__(
        self, settings: LocalSettings, processes: Sequence[Process], report: Report, lock: int
    ) -> None:
        self._settings = settings
        self._report = report
        self._lock = lock
        logs = settings.home / LOGS
        logs.mkdir(exist_ok=True)
        self._children = {
            process.name: Child(
                process,
                CappedLog(logs / f"{process.name}.log", tell=report.note),
                report,
                lock,
                wait_until_ready=self._answers if process.name == GATEWAY else _as_announced,
                patience_s=settings.patience_s,
            )
            for process in processes
        }
        self._tasks: list[asyncio.Task[None]] = []
        self._is_behind = False

    async def run_until(self, stop: asyncio.Event, on_ready: OnReady) -> None:
        """Keep all children running until `stop` is set. Raises GaveUpError and HomeLostError."""
        self._tasks = [
            asyncio.create_task(child.keep_running(self._children, self._write_run))
            for child in self._children.values()
        ]
        stopping = asyncio.create_task(stop.wait())
        welcoming = asyncio.create_task(self._welcome(on_ready))
        catching_up = asyncio.create_task(self._catch_up())
        self._tasks.append(asyncio.create_task(self._watch_home()))
        try:
            done, _ = await asyncio.wait(
                {stopping, *self._tasks}, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done - {stopping}:
                task.result()
        finally:
            background_tasks = (stopping, welcoming, catching_up)
            for task in background_tasks:
                task.cancel()
            await asyncio.gather(*background_tasks, return_exceptions=True)

    async def stop(self, force: asyncio.Event) -> None:
        """End the children, each before those it depends on."""
        self._report.note("Stopping.")
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for child in reversed(self._children.values()):
            await child.stop(GRACE_S, force)
        self._report.note("Stopped.")

    async def _welcome(self, on_ready: OnReady) -> None:
        while waiting := self._waited_for():
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    await waiting[0].ready.wait()
            except TimeoutError:
                names = ", ".join(child.process.name for child in self._waited_for())
                self._report.note(f"Still starting: {names}. Logs: {self._settings.home / LOGS}")
                for silent in await silent_stores(self._settings):
                    self._report.note(silent)
        self._report.up(self._settings.url, str(self._settings.home))
        await on_ready(self._settings.url, self._report)

    def _waited_for(self) -> list[Child]:
        return [child for child in self._children.values() if not child.ready.is_set()]

    async def _answers(self, address: str) -> str:
        """Wait until the gateway reports that everything behind it is ready too."""
        # Asked too early, it would find its services absent and take up to a second to try again.
        for child in self._children.values():
            if child.process.name != GATEWAY:
                await child.ready.wait()
        # The certificate is for the name that others use, and this only asks whether it is ready.
        url = self._settings.url
        async with httpx.AsyncClient(
            base_url=url,
            timeout=5.0,
            verify=False,  # noqa: S501
            trust_env=False,  # a proxy for what lies outside knows nobody here
        ) as client:
            while True:
                try:
                    if (await client.get("/readyz")).is_success:
                        return address
                except httpx.TransportError:
                    pass
                await asyncio.sleep(_POLL_S)

    async def _watch_home(self) -> None:
        """Raise HomeLostError some time after the home is gone, at once when it is back.

        The stores are ended first: what they wrote from now on would be lost with the old folder.
        """
        home, patience_s = self._settings.home, self._settings.patience_s
        await _until(lambda: not is_held(home, self._lock))
        self._report.note(
            f"QUOTH_HOME {home} was removed or replaced. It is waited for; in {patience_s:g} s "
            "a new one is made."
        )
        await asyncio.gather(*(child.halt() for child in self._children.values()))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                await _until(home.exists)
        raise HomeLostError

    async def _catch_up(self) -> None:
        """Write down what could not be written when it happened."""
        while True:
            await asyncio.sleep(_CATCH_UP_S)
            if self._is_behind:
                self._write_run()

    def _write_run(self) -> None:
        processes = {
            name: {
                "pid": child.pid,
                "port": child.process.port,
                "address": child.address,
                "ready": child.ready.is_set(),
                **_keys_of(child.process),
            }
            for name, child in self._children.items()
        }
        try:
            write_run(self._settings.home, self._settings.url, processes)
        except OSError:
            # A full disk: the processes matter more than what tools read of them.
            self._is_behind = True
        else:
            self._is_behind = False


def _keys_of(process: Process) -> dict[str, str]:
    """Return what a process asks of its callers, for who may read the home: a backup, say."""
    if process.is_store:
        asked = {"api_key": process.environment.get(API_KEY)}
    else:
        asked = {"service_token": process.environment.get(CALLERS_SHOW)}
    return {name: key for name, key in asked.items() if key}


async def _until(reached: Callable[[], bool]) -> None:
    """Look again and again: nothing tells of a folder that goes or returns."""
    while True:
        if reached():
            return
        await asyncio.sleep(_LOOK_S)


async def _as_announced(address: str) -> str:
    return address

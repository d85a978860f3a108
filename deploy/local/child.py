"""Run one process of the product: restart it, log its lines and know when it is ready."""

import asyncio
import os
import re
import signal
import sys
import time
from asyncio.subprocess import DEVNULL
from collections import deque
from collections.abc import Awaitable, Callable, Mapping

from deploy.embedded import is_stopped
from deploy.local.health import wait_for_silence
from deploy.local.logs import CappedLog, is_worth_showing
from deploy.local.processes import Process
from deploy.local.report import Report
from deploy.local.restarts import BAD_SETTINGS, RestartPolicy

READY = "ready "
"""What a process prints in front of its address when it serves."""
_MAX_LINE = 1 << 20
_LAST_LINES = 10
GRACE_S = 8.0
"""Seconds a process has to end after SIGTERM."""
START_S = 900.0
"""Seconds a process has to become ready: a database may have much to recover first."""


class GaveUpError(Exception):
    """A child that can't be started; the message says which and shows its last words.

    `is_final` when the child itself has said that it can't work with what it was given.
    """

    def __init__(self, message: str, *, is_final: bool) -> None:
        super().__init__(message)
        self.is_final = is_final


class Child:
    """A process that is started again whenever it dies or hangs, until it is told to stop."""

    def __init__(
        self,
        process: Process,
        log: CappedLog,
        report: Report,
        lock: int,
        *,
        wait_until_ready: Callable[[str], Awaitable[str]],
        patience_s: float,
    ) -> None:
        self.process = process
        self.ready = asyncio.Event()
        self.address = ""
        self._log = log
        self._report = report
        self._lock = lock
        self._wait_until_ready = wait_until_ready
        self._patience_s = patience_s
        self._hung = ""
        self._may_start = asyncio.Event()
        self._may_start.set()
        self._policy = RestartPolicy()
        self._running: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._last_lines: deque[str] = deque(maxlen=_LAST_LINES)

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        return None if self._running is None else self._running.pid

    async def keep_running(
        self, needed: Mapping[str, "Child"], note_change: Callable[[], None]
    ) -> None:
        """Start the process, and start it again when it dies. Raises GaveUpError, never returns."""
        while True:
            environment = {}
            for variable, name in self.process.needs.items():
                await needed[name].ready.wait()
                environment[variable] = needed[name].address
            status = await self._run_once(environment, note_change)
            delay_s = self._policy.delay_after_death(status)
            if delay_s is None:
                raise GaveUpError(self._last_words(status), is_final=status == BAD_SETTINGS)
            self._report.died(self.process.name, self._hung or _describe(status))
            await asyncio.sleep(delay_s)
            await self._may_start.wait()

    async def halt(self) -> None:
        """End a store, and start it no more: the folder that it works in is gone."""
        if self.process.is_store:
            self._may_start.clear()
            if self._running is not None:
                await self._end_hung(self._running)

    async def stop(self, grace_s: float, force: asyncio.Event) -> None:
        """End the process: SIGTERM, then SIGKILL after `grace_s` seconds, or once `force` is set."""
        if self._running is None:
            self._log.close()
            return
        self._send(signal.SIGTERM)
        gone = asyncio.ensure_future(self._running.wait())
        forced = asyncio.ensure_future(force.wait())
        await asyncio.wait({gone, forced}, timeout=grace_s, return_when=asyncio.FIRST_COMPLETED)
        forced.cancel()
        # To the whole group, always: what the process itself has started must not stay behind.
        self._kill_group()
        await gone
        if self._reading is not None:
            await asyncio.wait({self._reading}, timeout=1.0)
            self._reading.cancel()
        self._log.close()

    async def _run_once(
        self, environment: Mapping[str, str], note_change: Callable[[], None]
    ) -> int:
        began = time.monotonic()
        self._hung = ""
        stream, lines = await _open_pipe()
        try:
            self._running = running = await self._spawn(lines, environment)
        finally:
            os.close(lines)
        note_change()
        announced: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._reading = asyncio.create_task(self._read(stream, announced))
        following = asyncio.create_task(self._follow(running, announced, began, note_change))
        try:
            status = await running.wait()
        finally:
            following.cancel()
            self.ready.clear()
        if not self.process.is_store:  # PostgreSQL sees to its own children, with less violence
            self._kill_group()
        # The pipe ends with the process, unless something it has started still holds it.
        await asyncio.wait({self._reading}, timeout=1.0)
        self._reading.cancel()
        self._running = None
        note_change()
        return status

    async def _spawn(
        self, lines: int, environment: Mapping[str, str]
    ) -> asyncio.subprocess.Process:
        ours = self.process.reads.of(os.environ)
        # Nothing is imported from the folder that the command is called in, whoever may write there.
        python = {"PYTHONUNBUFFERED": "1", "PYTHONSAFEPATH": "1"}
        own = {**python, **self.process.environment, **environment}
        return await asyncio.create_subprocess_exec(
            *_command(self.process),
            stdin=DEVNULL,
            stdout=lines,
            stderr=lines,
            env={**ours, **own},
            pass_fds=(self._lock,),
            # A group of its own, so that Ctrl-C in the terminal reaches the supervisor alone.
            process_group=0,
        )

    async def _follow(
        self,
        running: asyncio.subprocess.Process,
        announced: "asyncio.Future[str]",
        began: float,
        note_change: Callable[[], None],
    ) -> None:
        try:
            async with asyncio.timeout(START_S):
                self.address = await self._wait_until_ready(await announced)
        except TimeoutError:
            self._hung = f"not ready after {START_S:g} s"
            await self._end_hung(running)
            return
        self._policy.note_ready()
        self.ready.set()
        self._report.ready(self.process.name, time.monotonic() - began)
        note_change()
        silent_s = await wait_for_silence(
            lambda timeout_s: self._answers(running, timeout_s), self._patience_s
        )
        self._hung = f"no answer for {silent_s:.1f} s"
        await self._end_hung(running)

    async def _answers(self, running: asyncio.subprocess.Process, timeout_s: float) -> bool:
        if is_stopped(running.pid):
            return False
        probe = self.process.probe
        return True if probe is None else await probe(self.address, timeout_s)

    async def _end_hung(self, running: asyncio.subprocess.Process) -> None:
        if self.process.is_store:
            self._send(signal.SIGTERM)
            self._send(signal.SIGCONT)  # stopped, it would not hear the other
            await asyncio.wait({asyncio.ensure_future(running.wait())}, timeout=GRACE_S)
        self._kill_group()

    async def _read(self, stream: asyncio.StreamReader, announced: "asyncio.Future[str]") -> None:
        while line := await _read_line(stream):
            self._log.write(line)
            text = line.decode("utf-8", "replace").rstrip()
            if text.startswith(READY):
                if not announced.done():
                    announced.set_result(text.removeprefix(READY).strip())
                continue
            self._last_lines.append(text)
            if is_worth_showing(text):
                self._report.line(self.process.name, text)

    def _send(self, number: signal.Signals) -> None:
        if self._running is not None and self._running.returncode is None:
            self._running.send_signal(number)

    def _kill_group(self) -> None:
        if self._running is not None:
            try:
                os.killpg(self._running.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                return

    def _last_words(self, status: int) -> str:
        if status == BAD_SETTINGS and self._last_lines:
            own = re.compile(rf"{re.escape(self.process.name)}(?: node)?: ")
            said = [line for line in self._last_lines if own.match(line)]
            lines = [own.sub("", line, 1) for line in said or [self._last_lines[-1]]]
            return f"{self.process.name} cannot start: " + "\n".join(lines)
        words = "\n".join(f"  {line}" for line in self._last_lines)
        return (
            f"{self.process.name} does not start ({_describe(status)}). Its last lines:\n"
            f"{words or '  (none)'}\nThe whole log: {self._log.path}"
        )


async def _open_pipe() -> tuple[asyncio.StreamReader, int]:
    # Our own, because asyncio's process does not end for it while a grandchild holds its pipe.
    ours, theirs = os.pipe()
    stream = asyncio.StreamReader(limit=_MAX_LINE)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(ours, "rb", buffering=0)
    )
    return stream, theirs


async def _read_line(stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readline()
    except ValueError:
        # Longer than any line we care for; the reader has dropped it and goes on.
        return b"(a line of more than 1 MiB)\n"


def _command(process: Process) -> tuple[str, ...]:
    parent = str(os.getpid())
    if process.is_store:
        start = (sys.executable, "-m", process.module, "--parent-pid", parent)
    else:
        start = (sys.executable, "-m", "deploy.local.launch", parent, process.module)
    return (*start, *process.arguments)


def _describe(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    return f"killed by {signal.Signals(-status).name}"

"""Read documents in a process of its own, which may die of one."""

import asyncio
import io
import logging
import pickle
import signal
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, EnumType
from pathlib import Path
from typing import Any, cast

from libs.errors import InvalidInput, Unavailable
from services.ingest.adapters.child_environment import child_environment
from services.ingest.errors import ParserStopped, ParserTooSlow
from services.ingest.model import book, byline, chunk_place, image
from services.ingest.model.book import ReadDocument, SourceFile
from services.ingest.model.image import Image
from services.ingest.ports.reading import ReadTask

_LOG = logging.getLogger(__name__)

LENGTH = struct.Struct(">Q")
_BUFFER = 1 << 22
_START_S = 60.0
_DYING_S = 5.0
_CLOCK = 4.0
"""Times the processor's time that a document may take by the clock: a machine may be as busy."""
_BY_TIME = f"signal {signal.SIGXCPU.value}"
_ANOTHER = "Save it anew or in another format, or leave it out."
_SMALLER = "Split it, save it in another format, or leave it out."

_OURS = {one.__name__: one for one in (book, byline, chunk_place, image)}
"""Modules whose classes an answer is made of."""

Task = ReadTask | SourceFile | bytes
"""A document to read, one to read some lines of, or a picture to check."""


@dataclass(frozen=True)
class Reply:
    """What the child says of one document: what it read, or why it could not."""

    read: ReadDocument | None = None
    image: Image | None = None
    lines: list[str] = field(default_factory=list)
    refused: str = ""
    """The parser's own message, for a document that is no good."""
    failed: str = ""
    """What the parser did instead of giving an answer."""
    is_too_large: bool = False
    """Whether it failed for want of memory."""
    is_last: bool = False
    """Whether the child ends now."""


class _Died(Exception):
    """The child has ended without an answer."""


class _OutOfTime(TimeoutError):
    """The child has ended for it had computed too long."""


class DocumentProcess:
    """Reads documents in a child process with limits on time and memory: the port DocumentReader.

    The child is started when it is first needed and kept; `timeout_s` of the processor's time is for
    one document, or for one part of one that takes long part by part, such as the pages of a scan.
    By the clock each has four times that, so that a busy machine refuses none.
    """

    def __init__(
        self,
        cache_dir: Path,
        *,
        timeout_s: float,
        memory_mib: int,
        child: str = "services.ingest.adapters.document_child",
    ) -> None:
        limits = [str(memory_mib), str(timeout_s)]
        self._command = [sys.executable, "-m", child, str(cache_dir), *limits]
        self._timeout_s = timeout_s
        self._clock_s = _CLOCK * timeout_s
        self._memory_mib = memory_mib
        self._process: asyncio.subprocess.Process | None = None
        self._served = 0
        self._turn = asyncio.Lock()
        self._warming: asyncio.Task[None] | None = None

    async def read(self, task: ReadTask) -> ReadDocument:
        path = task.placed.file.path
        try:
            reply = await self._reply(task)
        except TimeoutError as error:
            raise ParserTooSlow(f'"{path}": {self._too_slow(error)}. {_SMALLER}') from error
        except _Died as error:
            _LOG.warning("a document ended its parser: %s", error)
            raise ParserStopped(
                f'"{path}": the process that reads documents crashed on it. {_ANOTHER}'
            ) from error
        if reply.refused:
            raise InvalidInput(reply.refused)
        if reply.read is None:
            advice = _SMALLER if reply.is_too_large else _ANOTHER
            raise InvalidInput(f'"{path}": {reply.failed}. {advice}')
        return reply.read

    def _too_slow(self, error: TimeoutError) -> str:
        if isinstance(error, _OutOfTime):
            return f"its parser took more than {self._timeout_s:g} s of the processor's time"
        return f"its parser gave no answer in {self._clock_s:g} s"

    async def read_image(self, data: bytes) -> Image:
        try:
            reply = await self._reply(data)
        except (TimeoutError, _Died) as error:
            raise InvalidInput("reading it took too long, or ended its reader") from error
        if reply.image is None:
            raise InvalidInput(reply.refused or reply.failed)
        return reply.image

    async def read_lines(self, file: SourceFile) -> list[str]:
        try:
            reply = await self._reply(file)
        except (TimeoutError, _Died) as error:
            raise InvalidInput(f'"{file.path}": it could not be looked at.') from error
        if reply.refused or reply.failed:
            raise InvalidInput(reply.refused or reply.failed)
        return reply.lines

    async def _reply(self, task: Task) -> Reply:
        async with self._turn:
            return await self._ask_again_if_worn(task)

    def warm(self) -> None:
        """Start the child now, beside what is done until it is asked for the first time."""
        if self._process is None and self._warming is None:
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        try:
            async with self._turn:
                # What goes wrong is told when a document is to be read, by who wants it read.
                with suppress(Unavailable, OSError):
                    await self._started()
        finally:
            self._warming = None

    async def close(self) -> None:
        """End the child."""
        if self._warming:
            self._warming.cancel()
        async with self._turn:
            await self._end()

    async def _ask_again_if_worn(self, task: Task) -> Reply:
        """Ask, and when a child that has served before dies of it, ask a fresh one too."""
        was_fresh = self._process is None or self._served == 0
        try:
            return await self._ask(task)
        except _Died:
            if was_fresh:
                raise
            return await self._ask(task)

    async def _ask(self, task: Task) -> Reply:
        process = await self._started()
        try:
            async with asyncio.timeout(self._clock_s) as limit:
                reply = await _exchange(process, task, lambda: self._extend(limit))
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            ended = await self._end(alive=False)
            raise (_OutOfTime() if ended == _BY_TIME else _Died(ended)) from error
        except BaseException:
            # Whatever it would answer now, nobody waits for it.
            await self._end()
            raise
        self._served += 1
        if reply.is_last:
            await self._end()
        return reply

    def _extend(self, limit: asyncio.Timeout) -> None:
        limit.reschedule(asyncio.get_running_loop().time() + self._clock_s)

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_BUFFER,
                env=child_environment(),
            )
            self._served = 0
            await self._wait_until_ready(self._process)
        return self._process

    async def _wait_until_ready(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            async with asyncio.timeout(_START_S):
                await process.stdout.readexactly(1)
        except (TimeoutError, asyncio.IncompleteReadError) as error:
            reason = await self._end()
            raise Unavailable(f"The process that reads documents did not start ({reason}).") from (
                error
            )
        except BaseException:
            await self._end()
            raise

    async def _end(self, *, alive: bool = True) -> str:
        """End the child, at once if it is `alive`, and say how it ended."""
        process, self._process = self._process, None
        if process is None:
            return ""
        if process.stdin is not None:
            process.stdin.close()
        if not alive:
            # kill() looks first whether it is dead, and takes its status from who waits for it.
            with suppress(TimeoutError):
                async with asyncio.timeout(_DYING_S):
                    await process.wait()
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        code = await process.wait()
        return f"signal {-code}" if code < 0 else f"exit status {code}"


async def _exchange(
    process: asyncio.subprocess.Process, task: Task, alive: Callable[[], None]
) -> Reply:
    """Return the answer to a task; `alive` is called at each sign of life before it."""
    assert process.stdin is not None
    assert process.stdout is not None
    data = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
    process.stdin.write(LENGTH.pack(len(data)))
    process.stdin.write(data)
    await process.stdin.drain()
    length = 0
    while not length:
        [length] = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
        alive()
    answer = await process.stdout.readexactly(length)
    return await asyncio.to_thread(_unpack, answer)


class _ModelUnpickler(pickle.Unpickler):
    """Unpickler limited to our data classes, since the child parsed untrusted input."""

    def find_class(self, module: str, name: str) -> Any:
        found = getattr(_OURS.get(module), name, None)
        if isinstance(found, type) and found.__module__ == module:
            return found
        if module == __name__ and name == Reply.__name__:
            return Reply
        # Python before 3.11.4 packs the member of an enumeration as an attribute of its class.
        if (module, name) == ("builtins", "getattr"):
            return _member
        raise pickle.UnpicklingError(f"{module}.{name} is not expected")


def _member(kind: object, name: object) -> Enum:
    if isinstance(kind, EnumType) and isinstance(name, str) and name in kind.__members__:
        return cast("Enum", kind.__members__[name])
    raise pickle.UnpicklingError(f"{name} of {kind} is not expected")


def _unpack(answer: bytes) -> Reply:
    reply = _ModelUnpickler(io.BytesIO(answer)).load()
    if not isinstance(reply, Reply):
        raise pickle.UnpicklingError("not a reply")
    return reply

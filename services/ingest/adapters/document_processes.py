"""Read documents of several books at once, each in a process of its own."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from services.ingest.adapters.document_process import DocumentProcess
from services.ingest.model.book import ReadDocument, SourceFile
from services.ingest.model.image import Image
from services.ingest.ports.reading import ReadTask

_IDLE_S = 30.0
"""Seconds after which a process that nobody needed is ended; the first one is kept."""


class DocumentProcesses:
    """Up to `most` reading processes, so that a slow document holds up no other: DocumentReader."""

    def __init__(
        self, make: Callable[[], DocumentProcess], most: int, *, idle_s: float = _IDLE_S
    ) -> None:
        self._make = make
        self._first = make()
        self._idle_s = idle_s
        # The first is taken first, so that the others come to rest.
        self._idle = [self._first]
        self._all = {self._first}
        self._places = asyncio.Semaphore(most)
        self._resting: dict[DocumentProcess, asyncio.Task[None]] = {}

    async def read(self, task: ReadTask) -> ReadDocument:
        """Read a document as soon as a process is free. Raises what that process does."""
        async with self._free() as process:
            return await process.read(task)

    async def read_image(self, data: bytes) -> Image:
        """Check a picture as soon as a process is free. Raises what that process does."""
        async with self._free() as process:
            return await process.read_image(data)

    async def read_lines(self, file: SourceFile) -> list[str]:
        """Read some of a document as soon as a process is free. Raises what that process does."""
        async with self._free() as process:
            return await process.read_lines(file)

    @asynccontextmanager
    async def _free(self) -> AsyncIterator[DocumentProcess]:
        async with self._places:
            process = self._take()
            try:
                yield process
            finally:
                self._give_back(process)

    def warm(self) -> None:
        """Start the first process now."""
        self._first.warm()

    async def close(self) -> None:
        """End all processes."""
        for resting in self._resting.values():
            resting.cancel()
        await asyncio.gather(*self._resting.values(), return_exceptions=True)
        await asyncio.gather(*(process.close() for process in self._all))

    def _take(self) -> DocumentProcess:
        process = self._idle.pop() if self._idle else self._make()
        self._all.add(process)
        if resting := self._resting.pop(process, None):
            resting.cancel()
        return process

    def _give_back(self, process: DocumentProcess) -> None:
        if process is self._first:
            self._idle.append(process)
            return
        self._idle.insert(0, process)
        self._resting[process] = asyncio.create_task(self._rest(process))

    async def _rest(self, process: DocumentProcess) -> None:
        await asyncio.sleep(self._idle_s)
        del self._resting[process]
        self._idle.remove(process)
        self._all.discard(process)
        await process.close()

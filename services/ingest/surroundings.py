"""Read documents; one that tells no language by itself is read in that of what stands around it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from libs.errors import InvalidInput
from services.ingest.model.book import PlacedFile, ReadDocument
from services.ingest.ports.reading import DocumentReader, Files, ReadTask

_MOST_LOOKED_AT = 12
"""Documents around one, the nearest first: a book of names alone is not read twelve times."""


class ReaderInPlace:
    """Reads the documents of one book, whichever of them by itself or in any order.

    What stands before a document says more than what comes as far behind it. Each is looked at once,
    and what it tells does not depend on who reads it when.
    """

    def __init__(
        self, reader: DocumentReader, files: Files, documents: Sequence[PlacedFile]
    ) -> None:
        self._reader = reader
        self._files = files
        self._documents = documents
        self._told: dict[str, str] = {}
        """Languages of documents that tell theirs, by path; "" of those that do not."""

    async def read(self, task: ReadTask) -> ReadDocument:
        """Read a document. Raises what the reader does."""
        read = await self._reader.read(task)
        if task.language:
            return read
        self._note(read)
        if read.tells_language:
            return read
        around = await self._around(task)
        if not around or around == read.report.language:
            return read
        return await self._reader.read(replace(task, around=around))

    async def _around(self, task: ReadTask) -> str:
        """Return the language of the nearest document that tells one; "" where none near does."""
        for placed in self._nearest(task.placed.position):
            path = placed.file.path
            if path not in self._told:
                await self._look_at(replace(task, placed=placed))
            if self._told[path]:
                return self._told[path]
        return ""

    async def _look_at(self, task: ReadTask) -> None:
        path = task.placed.file.path
        try:
            [file] = await self._files.read([path])
            self._note(
                await self._reader.read(replace(task, placed=replace(task.placed, file=file)))
            )
        except InvalidInput:
            self._told[path] = ""

    def _note(self, read: ReadDocument) -> None:
        language = read.report.language if read.tells_language else ""
        self._told[read.document.path] = language

    def _nearest(self, position: int) -> Iterator[PlacedFile]:
        for distance in range(1, _MOST_LOOKED_AT // 2 + 1):
            for at in (position - distance, position + distance):
                if 0 <= at < len(self._documents):
                    yield self._documents[at]

"""Find out which renditions of a source are one text, by reading some of each."""

import asyncio
from collections.abc import Sequence

from libs.errors import InvalidInput
from services.ingest.model.book import SourceFile
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.formats import format_of, is_document
from services.ingest.planning.same_text import Search, letters_in, lines_in, runs_of
from services.ingest.ports.reading import DocumentReader, FileEntry, Files

_MOST_SAMPLED = 12
"""Documents of a folder that runs are taken from."""


async def compare_renditions(
    groups: Sequence[Sequence[str]], files: Files, reader: DocumentReader
) -> dict[str, str]:
    """Return of renditions that lie beside each other what the first of each group says of the others.

    That is the first where they are the same text, and "" where they are another. Those of which
    nothing can be told are left out. A rendition is a document, or a folder with a slash behind.
    """
    entries = await files.entries()
    found: dict[str, str] = {}
    for first, *others in groups:
        searches = {
            rendition: Search(await _runs_of(_documents(entries, rendition), files, reader))
            for rendition in others
        }
        await _look_through(_documents(entries, first), files, list(searches.values()))
        found |= {
            rendition: first if search.verdict else ""
            for rendition, search in searches.items()
            if search.verdict is not None
        }
    return found


def _documents(entries: Sequence[FileEntry], rendition: str) -> list[FileEntry]:
    if not rendition.endswith("/"):
        return [entry for entry in entries if entry.path == rendition]
    return [
        entry for entry in entries if entry.path.startswith(rendition) and is_document(entry.path)
    ]


async def _runs_of(
    documents: Sequence[FileEntry], files: Files, reader: DocumentReader
) -> list[str]:
    step = max(1, len(documents) // _MOST_SAMPLED)
    lines: list[str] = []
    for entry in documents[::step][:_MOST_SAMPLED]:
        [file] = await files.read([entry.path])
        if format_of(entry.path).is_binary:
            try:
                lines += await reader.read_lines(file)
            except InvalidInput:
                continue  # reading the document says what is wrong with it
        else:
            lines += await asyncio.to_thread(_lines_of, file)
    return await asyncio.to_thread(runs_of, lines)


def _lines_of(file: SourceFile) -> list[str]:
    try:
        return lines_in(format_of(file.path), decode_text(file))
    except InvalidInput:
        return []


async def _look_through(
    documents: Sequence[FileEntry], files: Files, searches: Sequence[Search]
) -> None:
    for entry in documents:
        [file] = await files.read([entry.path])
        await asyncio.to_thread(_look_in, file, searches)


def _look_in(file: SourceFile, searches: Sequence[Search]) -> None:
    try:
        letters = letters_in(format_of(file.path), decode_text(file))
    except InvalidInput:
        return
    for search in searches:
        search.look_in(letters)

"""Find out which renditions of a source are one text, by reading some of each."""

import asyncio
from collections.abc import Mapping, Sequence

from libs.errors import InvalidInput
from services.ingest.model.book import SourceFile
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.formats import Format, format_of, is_document
from services.ingest.planning.renditions import is_of, is_several
from services.ingest.planning.same_text import Search, letters_in, letters_of, lines_in, runs_of
from services.ingest.ports.reading import DocumentReader, FileEntry, Files

_MOST_SAMPLED = 12
"""Documents of a folder that runs are taken from."""


async def compare_renditions(
    groups: Sequence[Sequence[str]], files: Files, reader: DocumentReader
) -> dict[str, str]:
    """Return of renditions that lie beside each other what the first of each group says of the others.

    That is the first where they are the same text, and "" where they are another. Those of which
    nothing can be told are left out. Renditions are named as `omit_renditions` does.
    """
    entries = {entry.path: entry for entry in await files.entries()}
    found: dict[str, str] = {}
    for first, *others in groups:
        searches = {
            rendition: Search(await _runs_of(_documents(entries, rendition), files, reader))
            for rendition in others
        }
        await _look_through(_documents(entries, first), files, reader, list(searches.values()))
        # A short note in a folder of pages is no form of them: nothing says that they are alike.
        found |= {
            rendition: first if search.verdict else ""
            for rendition, search in searches.items()
            if search.verdict is not None or (search.is_short and _is_note(rendition, first))
        }
    return found


def _is_note(rendition: str, first: str) -> bool:
    return format_of(rendition) is Format.PLAIN or not first.endswith("/")


def _documents(entries: Mapping[str, FileEntry], rendition: str) -> list[FileEntry]:
    if not is_several(rendition):
        return [entries[rendition]]
    return [
        entry for path, entry in entries.items() if is_of(path, rendition) and is_document(path)
    ]


async def _runs_of(
    documents: Sequence[FileEntry], files: Files, reader: DocumentReader
) -> list[str]:
    step = max(1, len(documents) // _MOST_SAMPLED)
    lines: list[str] = []
    for entry in documents[::step][:_MOST_SAMPLED]:
        [file] = await files.read([entry.path])
        try:
            if format_of(entry.path).is_binary:
                lines += await reader.read_lines(file)
            else:
                lines += await asyncio.to_thread(_lines_of, file)
        except InvalidInput:
            continue  # reading the document says what is wrong with it
    return await asyncio.to_thread(runs_of, lines)


def _lines_of(file: SourceFile) -> list[str]:
    return lines_in(format_of(file.path), decode_text(file))


async def _look_through(
    documents: Sequence[FileEntry],
    files: Files,
    reader: DocumentReader,
    searches: Sequence[Search],
) -> None:
    for entry in documents:
        [file] = await files.read([entry.path])
        try:
            if format_of(entry.path).is_binary:
                letters = letters_of("\n".join(await reader.read_lines(file)))
            else:
                letters = await asyncio.to_thread(_letters_of, file)
        except InvalidInput:
            continue
        for search in searches:
            search.look_in(letters)


def _letters_of(file: SourceFile) -> str:
    return letters_in(format_of(file.path), decode_text(file))

"""An upload in, its documents and the files that order them out; refused as a whole or taken."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import BinaryIO

from libs.errors import InvalidInput
from services.ingest.model import Source, SourceFile
from services.ingest.parsers import book_file
from services.ingest.parsers.archive import (
    ENDINGS,
    Limits,
    check_path,
    read_archive,
    too_large,
)

DOCUMENT_ENDINGS = (".md", ".mdx", ".markdown")
CONTROL_NAMES = (book_file.NAME, "_category_.json", "_category_.yml", "_category_.yaml")
_SKIPPED_FOLDERS = ("node_modules", "__MACOSX")


def fetch_source(file_name: str, stream: BinaryIO, limits: Limits) -> Source:
    """Read an archive or a single document, told apart by `file_name`.

    Raises InvalidInput for what can't be read, naming the file and the place; TooLarge for what is
    over a limit.
    """
    size = stream.seek(0, 2)
    stream.seek(0)
    name = file_name.replace("\\", "/").rsplit("/", 1)[-1]
    ending = next((end for end in ENDINGS if name.lower().endswith(end)), None)
    warnings: Sequence[str] = ()
    if size == 0:
        raise InvalidInput("The source is empty.")
    if ending:
        files, warnings = read_archive(ending, stream, size, limits, _is_wanted)
    elif name.lower().endswith(DOCUMENT_ENDINGS):
        if size > limits.document:
            raise too_large(name, limits)
        files = [SourceFile(check_path(name), stream.read())]
    else:
        known = ", ".join((*ENDINGS, *DOCUMENT_ENDINGS))
        raise InvalidInput(f"The file name must end in one of {known}.")
    for file in files:
        _check_text(file)
        if _name(file.path) == book_file.NAME:
            book_file.read_book_file(file.data)
    if not any(is_document(file.path) for file in files):
        raise InvalidInput("The source holds no Markdown document (.md, .mdx, .markdown).")
    return Source(sorted(files, key=lambda file: file.path), warnings)


def is_document(path: str) -> bool:
    return path.lower().endswith(DOCUMENT_ENDINGS) and _name(path) != "SUMMARY.md"


def _name(path: str) -> str:
    return PurePosixPath(path).name


def _is_wanted(path: str) -> bool:
    parts = path.split("/")
    if any(part.startswith(".") or part in _SKIPPED_FOLDERS for part in parts):
        return False
    return parts[-1] in CONTROL_NAMES or path.lower().endswith(DOCUMENT_ENDINGS)


def _check_text(file: SourceFile) -> None:
    nul = file.data.find(0)
    try:
        file.data.decode("utf-8")
    except UnicodeDecodeError as error:
        if nul < 0 or error.start < nul:
            where = _place(file.data, error.start)
            raise InvalidInput(f'"{file.path}" is not UTF-8 text: {where}.') from error
    if nul >= 0:
        raise InvalidInput(f'"{file.path}" holds a NUL character: {_place(file.data, nul)}.')


def _place(data: bytes, offset: int) -> str:
    line = data.count(b"\n", 0, offset) + 1
    return f"byte {offset}, line {line}"

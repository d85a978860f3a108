"""An upload in, its documents and the files that order them out; refused as a whole or taken."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import BinaryIO

from libs.errors import InvalidInput
from services.ingest.model import Source, SourceFile
from services.ingest.parsers import book_file, docusaurus
from services.ingest.parsers.archive import (
    ENDINGS,
    Limits,
    check_path,
    read_archive,
    too_large,
)
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.forms import (
    DOCUMENT_ENDINGS,
    Form,
    check_binary,
    foreign_advice,
    foreign_form,
    form_of,
    is_document,
    is_side_file,
)

CONTROL_NAMES = (
    *(book_file.NAME, "_category_.json", "_category_.yml", "_category_.yaml"),
    *docusaurus.SIDEBARS,
    *docusaurus.CONFIGS,
)
_SKIPPED_FOLDERS = ("node_modules", "__MACOSX", "_static", "_sources", "_templates", "_build")


def fetch_source(
    file_name: str, stream: BinaryIO, limits: Limits, *, allow_partial: bool = False
) -> Source:
    """Read an archive or a single document, told apart by `file_name`.

    With `allow_partial`, documents that can't be decoded are let in: reading them will fail.

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
    elif form := foreign_form(name):
        raise InvalidInput(f'"{check_path(name)}": {foreign_advice(form)}.')
    else:
        known = ", ".join((*ENDINGS, *DOCUMENT_ENDINGS))
        raise InvalidInput(f"The file name must end in one of {known}.")
    for file in files:
        let_in = allow_partial and is_document(file.path)
        if not let_in and not foreign_form(file.path):
            _check(file)
    foreign = [file.path for file in files if foreign_form(file.path)]
    files = [file for file in files if not foreign_form(file.path)]
    if foreign and not any(is_document(file.path) for file in files):
        raise InvalidInput(f'"{foreign[0]}": {foreign_advice(foreign_form(foreign[0]))}.')
    warnings = [*warnings, *_warn_of_foreign(foreign)]
    if not any(is_document(file.path) for file in files):
        raise InvalidInput(f"The source holds no document ({', '.join(DOCUMENT_ENDINGS)}).")
    return Source(sorted(files, key=lambda file: file.path), warnings)


def _warn_of_foreign(paths: Sequence[str]) -> Iterator[str]:
    for form in dict.fromkeys(foreign_form(path) for path in paths):
        same = [path for path in paths if foreign_form(path) == form]
        more = f" and {len(same) - 1} more" if len(same) > 1 else ""
        yield f'"{same[0]}"{more} was left out: {foreign_advice(form)}.'


def _name(path: str) -> str:
    return PurePosixPath(path).name


def _is_wanted(path: str) -> bool:
    parts = path.split("/")
    if any(part.startswith(".") or part in _SKIPPED_FOLDERS for part in parts):
        return False
    if parts[-1] in CONTROL_NAMES:
        return True
    known = form_of(path) is not Form.OTHER or bool(foreign_form(path))
    return known and not is_side_file(path)


def _check(file: SourceFile) -> None:
    if form_of(file.path).is_binary:
        check_binary(file)
        return
    decode_text(file)
    if _name(file.path) == book_file.NAME:
        book_file.read_book_file(file.data)

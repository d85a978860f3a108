"""Take out of an upload the documents, their pictures and the files that order them, or refuse it."""

import io
from collections.abc import Callable, Collection, Iterator, Sequence
from operator import itemgetter
from pathlib import PurePosixPath
from typing import BinaryIO, overload

from libs.errors import InvalidInput
from services.ingest.errors import name_failures
from services.ingest.model.book import Source, SourceFile
from services.ingest.parsers import book_file, docusaurus
from services.ingest.parsers.archive import (
    ENDINGS,
    Limits,
    Meter,
    check_path,
    too_large,
    walk_archive,
)
from services.ingest.parsers.encoding import decode_text
from services.ingest.parsers.formats import (
    DOCUMENT_ENDINGS,
    Format,
    check_binary,
    foreign_advice,
    foreign_format,
    format_of,
    is_document,
    is_part,
    is_sheet,
    is_side_file,
    is_xml,
)
from services.ingest.parsers.images import is_image
from services.ingest.parsers.lazy import load_books
from services.ingest.planning import navigation, site_authors

CONTROL_NAMES = (
    *(book_file.NAME, "_category_.json", "_category_.yml", "_category_.yaml"),
    *docusaurus.SIDEBARS,
    *docusaurus.CONFIGS,
    *dict.fromkeys((*navigation.NAMES, *site_authors.NAMES)),
)
_WITHOUT_SHEETS = ("node_modules", "__MACOSX", "_sources", "_templates", "_build")
_SKIPPED_FOLDERS = (*_WITHOUT_SHEETS, "_static", "_modules")
"""Among them the source code of programs as Sphinx shows it beside its pages."""
_MOST_REASONS = 3


class _Unpacked(Sequence[SourceFile]):
    """Files whose bytes lie in `room`: each is read when it is asked for."""

    def __init__(self, room: BinaryIO) -> None:
        self._room = room
        self.places: list[tuple[str, int, int, str]] = []

    def add(self, file: SourceFile) -> None:
        start = self._room.seek(0, io.SEEK_END)
        self._room.write(file.data)
        self.places.append((file.path, start, len(file.data), file.content_hash))

    def replace(self, file: SourceFile) -> None:
        """Put other bytes in the place of a file's."""
        self.drop((file.path,))
        self.add(file)

    def drop(self, paths: Collection[str]) -> None:
        self.places = [place for place in self.places if place[0] not in paths]

    def sort(self) -> None:
        self.places.sort(key=itemgetter(0))

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> SourceFile: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SourceFile]: ...

    def __getitem__(self, index: int | slice) -> SourceFile | Sequence[SourceFile]:
        if isinstance(index, slice):
            return [self._read(place) for place in self.places[index]]
        return self._read(self.places[index])

    def _read(self, place: tuple[str, int, int, str]) -> SourceFile:
        path, start, size, digest = place
        self._room.seek(start)
        return SourceFile(path, self._room.read(size), digest)


def fetch_source(
    file_name: str,
    stream: BinaryIO,
    limits: Limits,
    *,
    allow_partial: bool = False,
    room: BinaryIO | None = None,
) -> Source:
    """Read an archive or a single document, told apart by `file_name`.

    What is unpacked is kept in `room`, in memory by default, and lasts as long as that. With
    `allow_partial`, documents that can't be decoded are let in: reading them will fail; those that
    are too large are left out with a warning.

    Raises InvalidInput for what can't be read, naming the file and the place; TooLarge for what is
    over a limit.
    """
    warnings: list[str] = []
    files = _Unpacked(room or io.BytesIO())
    foreign: list[str] = []
    problems: dict[str, str] = {}
    meter = Meter(_size_of(stream), limits, _may_miss(allow_partial=allow_partial))
    for file in _walk(file_name, stream, meter, warnings):
        if foreign_format(file.path):
            foreign.append(file.path)
            continue
        if not (allow_partial and is_document(file.path)):
            # What is wrong with the archive as a whole is said before what is in its files.
            problems |= _problems_of(file)
        files.add(file)
    if problems:
        documents = {path for path, *_ in files.places if is_document(path)}
        has_rest = problems.keys() < documents
        raise InvalidInput(name_failures([*problems.values()], has_rest=has_rest))
    others = _join_books(files, warnings, strict=not allow_partial)
    files.sort()
    if not any(is_document(path) for path, *_ in files.places):
        raise InvalidInput(_name_nothing(foreign, warnings, others))
    return Source(files, [*warnings, *_warn_of_foreign(foreign)])


def _join_books(files: _Unpacked, warnings: list[str], *, strict: bool) -> list[str]:
    """Put books together that lie in several files of XML; return what is XML of another kind."""
    files.sort()
    numbers = {path: number for number, (path, *_) in enumerate(files.places)}
    if not any(map(is_xml, numbers)):
        files.drop([path for path in numbers if is_part(path)])
        return []
    books = load_books().find_books(list(numbers), lambda path: files[numbers[path]], strict=strict)
    for path, data in books.whole.items():
        files.replace(SourceFile(path, data))
    unused = {*books.unused, *books.pieces, *books.copies}
    files.drop({*books.parts, *books.others, *unused, *filter(is_part, numbers)})
    for whole in dict.fromkeys(books.unused.values()):
        named = [path for path, by in books.unused.items() if by == whole]
        reason = f'"{whole}" declares what is there and never takes it in'
        warnings.append(_left_out(named, reason))
    for path, same in books.copies.items():
        warnings.append(_left_out([path], f'it is a copy of "{same}"'))
    if books.pieces:
        reason = "it is no whole XML file, and no document takes it in"
        warnings.append(_left_out(books.pieces, reason))
    others: list[str] = books.others
    return others


def _may_miss(*, allow_partial: bool) -> Callable[[str], bool]:
    """Return which files may be left out for their size."""
    return lambda path: (
        bool(foreign_format(path))
        or is_image(path)
        or is_sheet(path)
        or is_xml(path)
        or is_part(path)
        or (allow_partial and is_document(path))
    )


def _size_of(stream: BinaryIO) -> int:
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    if size == 0:
        raise InvalidInput("The source is empty.")
    return size


def _name_nothing(
    foreign: Sequence[str], warnings: Sequence[str], others: Sequence[str] = ()
) -> str:
    """Say why a source holds no document; `others` are files of XML of another kind."""
    if foreign:
        return f'"{foreign[0]}": {foreign_advice(foreign_format(foreign[0]))}.'
    if others:
        return f'"{others[0]}" is neither DocBook nor Mallard, and no other XML is read.'
    nothing = f"The source holds no document ({', '.join(DOCUMENT_ENDINGS)})."
    return " ".join([nothing, *warnings[:_MOST_REASONS]])


def _walk(
    file_name: str, stream: BinaryIO, meter: Meter, warnings: list[str]
) -> Iterator[SourceFile]:
    """Yield the wanted files of an archive, or the single document that the stream is."""
    name = file_name.replace("\\", "/").rsplit("/", 1)[-1]
    ending = next((end for end in ENDINGS if name.lower().endswith(end)), None)
    if ending:
        yield from walk_archive(ending, stream, meter, _is_wanted, warnings)
    elif name.lower().endswith(DOCUMENT_ENDINGS):
        if meter.packed > meter.limits.document:
            raise too_large(name, meter.limits)
        yield SourceFile(check_path(name), stream.read())
    elif format_ := foreign_format(name):
        raise InvalidInput(f'"{check_path(name)}": {foreign_advice(format_)}.')
    else:
        known = ", ".join((*ENDINGS, *DOCUMENT_ENDINGS))
        raise InvalidInput(f"The file name must end in one of {known}.")


def _problems_of(file: SourceFile) -> dict[str, str]:
    """Return why a file can't be taken, by its path."""
    try:
        _check(file)
    except InvalidInput as error:
        return {file.path: error.message}
    return {}


def _warn_of_foreign(paths: Sequence[str]) -> Iterator[str]:
    for format_ in dict.fromkeys(foreign_format(path) for path in paths):
        same = [path for path in paths if foreign_format(path) == format_]
        yield _left_out(same, foreign_advice(format_))


def _left_out(paths: Sequence[str], reason: str) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f'"{paths[0]}"{more} was left out: {reason}.'


def _name(path: str) -> str:
    return PurePosixPath(path).name


def _is_wanted(path: str) -> bool:
    parts = path.split("/")
    skipped = _WITHOUT_SHEETS if is_sheet(path) else _SKIPPED_FOLDERS
    if any(part.startswith(".") or part in skipped for part in parts[:-1]):
        return False
    if parts[-1] not in CONTROL_NAMES and (parts[-1].startswith(".") or parts[-1] in skipped):
        return False
    if parts[-1] in CONTROL_NAMES or is_image(path) or is_sheet(path) or is_part(path):
        return True
    known = format_of(path) is not Format.OTHER or bool(foreign_format(path))
    return known and not is_side_file(path)


def _check(file: SourceFile) -> None:
    if is_sheet(file.path) or is_xml(file.path) or is_part(file.path):
        return  # whether it is a document is not known yet; reading it says what is wrong
    if is_image(file.path):
        return  # one that is none is named by the documents that show it
    if format_of(file.path).is_binary:
        check_binary(file)
        return
    decode_text(file)
    if _name(file.path) == book_file.NAME:
        book_file.read_book_file(file.data)

"""Read the wanted files of an archive while counting bytes."""

import bz2
import gzip
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, BinaryIO, cast

from libs.errors import InvalidInput, TooLarge
from services.ingest.model.book import SourceFile
from services.ingest.parsers.images import is_image

MIB = 1024 * 1024
_RATIO = 100
_RATIO_FREE = 4 * MIB
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
)
_OPENERS: dict[str, Callable[[BinaryIO], IO[bytes]]] = {
    ".tar": lambda stream: stream,
    ".tar.gz": lambda stream: cast("IO[bytes]", gzip.GzipFile(fileobj=stream, mode="rb")),
    ".tgz": lambda stream: cast("IO[bytes]", gzip.GzipFile(fileobj=stream, mode="rb")),
    ".tar.bz2": lambda stream: cast("IO[bytes]", bz2.BZ2File(stream)),
    ".tar.xz": lambda stream: cast("IO[bytes]", lzma.LZMAFile(stream)),  # noqa: SIM115 - ours to read
}
ENDINGS = (".zip", *_OPENERS)
_HEADER = b"PK\x01\x02"
_HEADER_BYTES = 46
_LENGTHS = struct.Struct("<HHH")
"""Of an entry's name, extra field and comment, from its 28th byte on."""
_LARGEST_HEADER = 1024
"""Bytes of an entry in the directory; a name may have 512 characters."""


@dataclass(frozen=True)
class Limits:
    """What an upload may hold. Sizes are bytes."""

    upload: int = 64 * MIB
    unpacked: int = 256 * MIB
    document: int = 16 * MIB
    entries: int = 20_000
    image: int = 8 * MIB
    images: int = 96 * MIB
    image_count: int = 5_000
    """Pictures beyond these three are left out."""

    def largest(self, path: str) -> int:
        """Return the largest that a file may be."""
        return self.image if is_image(path) else self.document


@dataclass(frozen=True)
class _Entry:
    path: str
    size: int
    read: Callable[[], bytes]


class Meter:
    """Counts what is unpacked, and stops what unpacks to too much.

    `may_miss` says by path which files may be left out for their size; the default is none.
    """

    def __init__(
        self, packed: int, limits: Limits, may_miss: Callable[[str], bool] | None = None
    ) -> None:
        self.packed = max(1, packed)
        self.limits = limits
        self.may_miss = may_miss or (lambda _: False)
        self._bytes = 0
        self._entries = 0
        self._image_bytes = 0
        self._images = 0

    def takes_image(self, size: int) -> bool:
        """Say whether there is room for one more picture, and count it."""
        if self._image_bytes + size > self.limits.images or self._images >= self.limits.image_count:
            return False
        self._image_bytes += size
        self._images += 1
        return True

    def add_entry(self) -> None:
        self._entries += 1
        if self._entries > self.limits.entries:
            raise too_many(self.limits.entries)

    def add_bytes(self, count: int) -> None:
        self._bytes += count
        if self._bytes > self.limits.unpacked:
            megabytes = self.limits.unpacked // MIB
            raise TooLarge(f"The archive unpacks to more than {megabytes} MiB.")
        if self._bytes > max(_RATIO_FREE, self.packed * _RATIO):
            raise TooLarge(f"The archive unpacks to more than {_RATIO} times its size.")


class _MeteredStream:
    """A decompressed stream that cannot seek, counted as it is read."""

    def __init__(self, stream: IO[bytes], meter: Meter) -> None:
        self._stream = stream
        self._meter = meter

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._meter.add_bytes(len(data))
        return data


def read_archive(
    ending: str,
    stream: BinaryIO,
    packed: int,
    limits: Limits,
    wanted: Callable[[str], bool],
) -> tuple[list[SourceFile], list[str]]:
    """Return the files of an archive that are `wanted` by path, and warnings; see walk_archive."""
    warnings: list[str] = []
    return list(walk_archive(ending, stream, Meter(packed, limits), wanted, warnings)), warnings


def walk_archive(
    ending: str,
    stream: BinaryIO,
    meter: Meter,
    wanted: Callable[[str], bool],
    warnings: list[str],
) -> Iterator[SourceFile]:
    """Yield the files of an archive that are `wanted` by path, one at a time in memory.

    Those that the `meter` may miss are left out with a warning when they are too large.

    Raises InvalidInput for an archive that is damaged, or that holds a path outside of its folder
    or the same path twice; TooLarge for one over a limit.
    """
    entries = _zip_entries if ending == ".zip" else _tar_entries
    seen: set[str] = set()
    try:
        for entry in entries(ending, stream, meter, warnings):
            if not wanted(entry.path):
                continue
            if entry.path in seen:
                raise InvalidInput(f'The archive holds "{entry.path}" twice.')
            seen.add(entry.path)
            if entry.size > meter.limits.largest(entry.path):
                error = too_large(entry.path, meter.limits)
                if not meter.may_miss(entry.path):
                    raise error
                warnings.append(f"Left out: {error.message}")
                continue
            if is_image(entry.path) and not meter.takes_image(entry.size):
                warnings.append(f'"{entry.path}" was left out: the pictures take too much room.')
                continue
            yield SourceFile(entry.path, entry.read())
    except _BROKEN as error:
        raise InvalidInput(
            "The archive is damaged, or not in the format that its name says."
        ) from error


def too_large(path: str, limits: Limits) -> TooLarge:
    return TooLarge(f'"{path}" is larger than {limits.largest(path) // MIB} MiB.')


def check_path(path: str) -> str:
    """Return `path` without "./" in front. Raises InvalidInput when it leaves its folder."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    shown = ascii(path)[1:-1][:120]
    if path.startswith("/") or ".." in parts or path[1:2] == ":":
        raise InvalidInput(f'The archive holds "{shown}", a path that leaves its folder.')
    if "\\" in path:
        raise InvalidInput(
            f'The archive holds "{shown}", a name with a backslash, which is a folder to some: '
            "rename it."
        )
    if not "".join(parts).isprintable():
        raise InvalidInput(f'The archive holds "{shown}", a name that can\'t be read.')
    clean = "/".join(parts)
    if len(clean) > 512:
        raise InvalidInput(f'The archive holds "{shown}…", a path of more than 512 characters.')
    return clean


class _CountedDirectory:
    """A ZIP's stream that counts the entries of its directory before objects are made of them."""

    def __init__(self, stream: BinaryIO, limits: Limits) -> None:
        self._stream = stream
        self._entries = limits.entries
        self.is_open = False

    def read(self, size: int = -1) -> bytes:
        """Read as the stream does. Raises TooLarge for a directory of too many entries."""
        if self.is_open:
            return self._stream.read(size)
        # zipfile asks for the whole directory at once, by the size that the archive says it has.
        if size > self._entries * _LARGEST_HEADER:
            raise too_many(self._entries)
        data = self._stream.read(size)
        at = count = 0
        while data.startswith(_HEADER, at):
            count += 1
            if count > self._entries:
                raise too_many(self._entries)
            at += _HEADER_BYTES + sum(_LENGTHS.unpack_from(data.ljust(at + _HEADER_BYTES), at + 28))
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def too_many(entries: int) -> TooLarge:
    return TooLarge(f"The archive holds more than {entries} entries.")


def _zip_entries(_: str, stream: BinaryIO, meter: Meter, warnings: list[str]) -> Iterator[_Entry]:
    counted = _CountedDirectory(stream, meter.limits)
    with zipfile.ZipFile(cast("BinaryIO", counted)) as archive:
        counted.is_open = True
        for info in archive.infolist():
            meter.add_entry()
            path = check_path(info.filename)
            kind = stat.S_IFMT(info.external_attr >> 16)
            if info.is_dir():
                continue
            if kind not in (0, stat.S_IFREG):
                warnings.append(f'"{path}" is a link or a device and was left out.')
                continue
            yield _Entry(path, info.file_size, lambda info=info: _read_zipped(archive, info, meter))  # type: ignore[misc]


def _read_zipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo, meter: Meter) -> bytes:
    if info.flag_bits & 1:
        raise InvalidInput("The archive is encrypted.")
    parts = []
    with archive.open(info) as file:
        while data := file.read(MIB):
            meter.add_bytes(len(data))
            parts.append(data)
    return b"".join(parts)


def _tar_entries(
    ending: str, stream: BinaryIO, meter: Meter, warnings: list[str]
) -> Iterator[_Entry]:
    metered = cast("IO[bytes]", _MeteredStream(_OPENERS[ending](stream), meter))
    with tarfile.open(fileobj=metered, mode="r|") as archive:
        for member in archive:
            meter.add_entry()
            path = check_path(member.name)
            if member.isdir():
                continue
            if not member.isreg():
                warnings.append(f'"{path}" is a link or a device and was left out.')
                continue
            yield _Entry(
                path,
                member.size,
                lambda member=member: _read_member(archive, member, meter),  # type: ignore[misc]
            )


def _read_member(archive: tarfile.TarFile, member: tarfile.TarInfo, meter: Meter) -> bytes:
    if member.issparse():
        # Its holes are made here: they have not been counted with the stream.
        meter.add_bytes(member.size)
    file = archive.extractfile(member)
    return file.read() if file else b""

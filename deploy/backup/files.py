"""Write and read the files of a backup: in a folder, or in a bucket of S3 and its like.

Each call to the store's client is a blocking one, in a thread: its coroutines are ended by threads of
its own, and where one of those is not done when the interpreter ends, the process is aborted.
"""

import asyncio
import hashlib
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import obstore
from obstore.store import LocalStore, ObjectStore, from_url

from deploy.backup.faults import translated_faults
from deploy.backup.manifest import MANIFEST, BackupError, Manifest, SavedFile, read_manifest

_GZIP = 31
"""zlib's name for a stream with gzip's header."""
_FAST = 1
_PIECE = 1 << 20
_BUFFER = 8 << 20
_DAMAGED = "{} is not what was written: the backup is damaged."


class Writer:
    """A file that is being written: compressed, counted and hashed on its way."""

    def __init__(self, name: str, sink: "obstore.WritableFile") -> None:
        self._name = name
        self._sink = sink
        self._compressor = zlib.compressobj(_FAST, wbits=_GZIP)
        self._hash = hashlib.sha256()
        self._bytes = 0

    async def write(self, data: bytes) -> None:
        await self._put(await asyncio.to_thread(self._compressor.compress, data))

    async def finish(self) -> SavedFile:
        """Write what is left; the file is there once this returns."""
        await self._put(self._compressor.flush())
        with translated_faults():
            await asyncio.to_thread(self._sink.close)
        return SavedFile(self._name, self._bytes, self._hash.hexdigest())

    async def _put(self, data: bytes) -> None:
        if data:
            self._hash.update(data)
            self._bytes += len(data)
            with translated_faults():
                await asyncio.to_thread(self._sink.write, data)


class Files:
    """The files of one backup, below a folder or a bucket's prefix."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    async def is_empty(self) -> bool:
        with translated_faults():
            return not await asyncio.to_thread(self._holds_any)

    def _holds_any(self) -> bool:
        return any(obstore.list(self._store, chunk_size=1))

    def create(self, name: str) -> Writer:
        """Return a writer; without its `finish` there is no such file."""
        return Writer(name, obstore.open_writer(self._store, name, buffer_size=_BUFFER))

    async def read(self, file: SavedFile) -> AsyncIterator[bytes]:
        """Yield what was written, in pieces.

        Raises BackupError, at the latest after the last piece, when the file is not what was written.
        """
        unpack, found = zlib.decompressobj(wbits=_GZIP), hashlib.sha256()
        async for packed in self._stored(file.name):
            found.update(packed)
            try:
                data = await asyncio.to_thread(unpack.decompress, packed)
            except zlib.error as error:
                raise BackupError(_DAMAGED.format(file.name)) from error
            if data:
                yield data
        if found.hexdigest() != file.sha256:
            raise BackupError(_DAMAGED.format(file.name))

    async def _stored(self, name: str) -> AsyncIterator[bytes]:
        try:
            with translated_faults(missing=True):
                found = await asyncio.to_thread(obstore.get, self._store, name)
        except FileNotFoundError as error:
            raise BackupError(f"{name} is missing: the backup is damaged.") from error
        pieces = iter(found.stream(_PIECE))
        while True:
            with translated_faults():
                piece = await asyncio.to_thread(next, pieces, None)
            if piece is None:
                return
            yield bytes(piece)

    async def write_manifest(self, text: bytes) -> None:
        with translated_faults():
            await asyncio.to_thread(obstore.put, self._store, MANIFEST, text)

    async def manifest(self) -> Manifest:
        """Raise BackupError where there is no whole backup, or none that can be read here."""
        try:
            with translated_faults(missing=True):
                text = await asyncio.to_thread(self._read_manifest)
        except FileNotFoundError as error:
            raise BackupError(
                f"There is no whole backup: {MANIFEST}, which is written last, is not there."
            ) from error
        return read_manifest(text)

    def _read_manifest(self) -> bytes:
        return bytes(obstore.get(self._store, MANIFEST).bytes())


def open_files(place: str, *, make: bool) -> Files:
    """Open a folder, or an address like s3://bucket/prefix; with `make` the folder is made.

    Keys, region and endpoint of a bucket are looked up where the provider's own tools do: for S3 in
    AWS_ACCESS_KEY_ID and its like.
    Raises BackupError for what can't be opened.
    """
    with translated_faults():
        if urlsplit(place).scheme and "://" in place:
            return Files(from_url(place))
        folder = Path(place).absolute()
        if not make and not folder.is_dir():
            raise BackupError(f"There is no folder {place}.")
        return Files(LocalStore(folder, mkdir=make))

"""Keep the archive's files in a folder or an S3-compatible store."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from libs.errors import NotFound, Unavailable
from libs.settings import SettingsError
from services.generation.records.ports import ArchiveFiles

LACKING = "The archive needs packages that are not installed: pip install 'quoth[archive]'"
_GONE = "The archive has no file {name}."
_SILENT = "The archive does not answer, or does not let us in: {reason}"


def open_files(address: str) -> ArchiveFiles:
    """Open the archive at a folder's path or s3://bucket/prefix.

    What reaches S3 is said by AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, for another
    than Amazon's, AWS_ENDPOINT_URL. Raises SettingsError for what is neither, or lacks its packages.
    """
    scheme = urlsplit(address).scheme
    if scheme == "s3":
        return _Bucket(address)
    if scheme or not address:
        raise SettingsError("QUOTH_AUDIT_ARCHIVE must be a folder, or s3://bucket/prefix")
    return _Folder(Path(address))


def require_archive(address: str) -> None:
    """Raise SettingsError for an archive that can't be used: no such kind, or packages lack."""
    open_files(address)
    if find_spec("duckdb") is None:
        raise SettingsError(LACKING)


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, name: str, source: Path) -> None:
        try:
            await asyncio.to_thread(self._put, name, source)
        except OSError as error:
            raise Unavailable(_SILENT.format(reason=error.strerror)) from error

    @asynccontextmanager
    async def at_hand(self, name: str) -> AsyncIterator[Path]:
        path = self._folder / name
        if not path.exists():
            raise NotFound(_GONE.format(name=name))
        yield path

    async def delete(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)

    def _put(self, name: str, source: Path) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = self._folder / f"{name}.part"
        shutil.copyfile(source, part)
        part.chmod(0o600)
        _sync(part)
        part.replace(self._folder / name)
        _sync(self._folder)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class _Bucket:
    """Its client's calls block, in threads: coroutines of it may abort a process that ends."""

    def __init__(self, address: str) -> None:
        try:
            from obstore.store import S3Store  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise SettingsError(LACKING) from error
        plain = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
        self._store = S3Store.from_url(
            address, client_options={"allow_http": True} if plain else None
        )

    async def put(self, name: str, source: Path) -> None:
        import obstore  # noqa: PLC0415 - an extra

        with _translated():
            await asyncio.to_thread(obstore.put, self._store, name, source)

    @asynccontextmanager
    async def at_hand(self, name: str) -> AsyncIterator[Path]:
        import obstore  # noqa: PLC0415 - an extra

        def fetch(path: Path) -> None:
            with path.open("wb") as file:
                file.writelines(obstore.get(self._store, name).stream())

        with TemporaryDirectory(prefix="quoth-archive-") as folder:
            path = Path(folder) / name
            with _translated():
                await asyncio.to_thread(fetch, path)
            yield path

    async def delete(self, name: str) -> None:
        import obstore  # noqa: PLC0415 - an extra

        with _translated():
            await asyncio.to_thread(obstore.delete, self._store, name)


@contextmanager
def _translated() -> Iterator[None]:
    """Turn what the store's client raises into our own errors, without addresses and keys."""
    from obstore.exceptions import BaseError  # noqa: PLC0415 - an extra

    try:
        yield
    except FileNotFoundError as error:
        raise NotFound("The archive has not that file.") from error
    except (BaseError, OSError) as error:
        raise Unavailable(_SILENT.format(reason=type(error).__name__)) from error

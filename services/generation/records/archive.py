"""The months of the record that are in the archive, whatever keeps and writes its files."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from libs.errors import QuothError
from libs.settings import SettingsError
from services.generation.records.columns import COLUMNS
from services.generation.records.hashes import hash_and_size, hash_of_all, is_whole, row_hash
from services.generation.records.kept import ArchivedMonth
from services.generation.records.ports import ArchiveFiles, MonthFormat, MonthTables

_ANOTHER = "The archive gave back another file than it was given: {name}. Nothing was dropped."


@dataclass
class ReadBack:
    """What a file holds: the hashes of its rows, and the ids of those that are not what was written."""

    hashes: list[bytes] = field(default_factory=list)
    broken: set[UUID] = field(default_factory=set)

    def take(self, row: Mapping[str, Any]) -> None:
        found = row_hash(row)
        self.hashes.append(found)
        if found != row["row_hash"] or not is_whole(row):
            self.broken.add(row["log_id"])

    @property
    def rows_hash(self) -> bytes:
        return hash_of_all(self.hashes)


class AuditArchive:
    """Finds the archive's files by the database that tells of them; `files` is None for no archive."""

    def __init__(
        self, tables: MonthTables, files: ArchiveFiles | None, written: MonthFormat
    ) -> None:
        self._tables = tables
        self._files = files
        self.format = written

    @property
    def is_there(self) -> bool:
        return self._files is not None

    async def list_months(self) -> list[ArchivedMonth]:
        """Return what is archived, by name.

        Raises SettingsError where something is and nobody has said where.
        """
        found = await self._tables.list_archived()
        if found:
            self._given()
        return found

    def at_hand(self, name: str) -> AbstractAsyncContextManager[Path]:
        """Have a file at a path while the block runs. Raises NotFound."""
        return self._given().at_hand(name)

    async def write_month(self, month: date, until: date, folder: Path) -> Path:
        """Return a file in `folder` of the warm rows of a month that ends before `until`."""
        target = folder / "rows.parquet"
        rows = await self._tables.write_rows("warm", folder, tuple(COLUMNS), month, until)
        await self.format.write(rows, target)
        for path in rows:
            path.unlink()
        return target

    async def put(
        self, name: str, month: date, source: Path, broken: Collection[UUID] = ()
    ) -> ArchivedMonth:
        """Store a file, and return what it holds once it was read back.

        Raises QuothError where the archive gives back another one, or one with rows that are not
        whole beside those that are known to be `broken`.
        """
        file_hash, _ = hash_and_size(source)
        await self._given().put(name, source)
        async with self.at_hand(name) as path:
            stored_hash, size = hash_and_size(path)
            found = await self.read_back(path)
        if stored_hash != file_hash or found.broken - set(broken):
            raise QuothError(_ANOTHER.format(name=name))
        return ArchivedMonth(name, month, len(found.hashes), found.rows_hash, file_hash, size)

    async def read_back(self, path: Path) -> ReadBack:
        found = ReadBack()
        await self.format.read(path, found.take)
        return found

    async def delete(self, name: str) -> None:
        await self._given().delete(name)

    def _given(self) -> ArchiveFiles:
        if self._files is None:
            raise SettingsError(
                "Months of the record are in the archive: say where, --archive or QUOTH_AUDIT_ARCHIVE"
            )
        return self._files


@asynccontextmanager
async def scratch() -> AsyncIterator[Path]:
    """Have a folder of our own while the block runs."""
    with TemporaryDirectory(prefix="quoth-audit-") as folder:
        yield Path(folder)

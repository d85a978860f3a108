"""Erase what was asked and answered, and leave of each row its skeleton and the fact."""

import asyncio
import time
from dataclasses import replace
from uuid import uuid4

from libs.errors import Conflict, QuothError
from libs.telemetry.metrics import count_upkeep
from services.generation.records.archive import AuditArchive, scratch
from services.generation.records.kept import ArchivedMonth, Erased
from services.generation.records.ports import SubjectTables
from services.generation.records.subject import Subject
from services.generation.records.upkeep import AuditUpkeep

_OPEN_S = 40.0
"""A question that is being answered has its row by then."""
_POLL_S = 0.5


class AuditErasure:
    """Erases with the rights of the tables' owner."""

    def __init__(self, tables: SubjectTables, upkeep: AuditUpkeep, archive: AuditArchive) -> None:
        self._tables = tables
        self._upkeep = upkeep
        self._archive = archive

    async def erase(self, subject: Subject) -> Erased:
        """Erase the rows of `subject` and all that is kept beside them, in the archive as well.

        Waits for questions that are being answered. Raises Conflict when they do not end, and
        SettingsError where months are archived and the archive is not given or can't be read.
        """
        months = await self._archive.list_months()
        archived = sum([await self._erase_file(month, subject) for month in months])
        await self._await_open_rows(subject)
        erased = await self._tables.erase(subject)
        erased = replace(erased, rows=erased.rows + archived)
        count_upkeep("erased_rows", erased.rows)
        return erased

    async def _erase_file(self, month: ArchivedMonth, subject: Subject) -> int:
        """Put a new file in the place of one that has rows of the subject; return how many it had.

        Each file has an erasure of its own, told by the stroke that makes the new one valid.
        """
        written, given, erasure_id = self._archive.format, subject.given, uuid4()
        async with scratch() as folder:
            target = folder / "erased.parquet"
            async with self._archive.at_hand(month.name) as path:
                count = await written.count(path, given)
                if not count:
                    return 0
                before = await self._archive.read_back(path)
                await written.write_erased(path, target, given, erasure_id)
            name = _next_name(month.name)
            file = await self._archive.put(name, month.month, target, before.broken)
            if file.rows_hash != before.rows_hash:
                raise QuothError(f"The archive's new file has other rows than the old one: {name}.")
            await self._tables.replace_archived(month.name, file, erasure_id, subject, count)
        await self._archive.delete(month.name)
        return count

    async def _await_open_rows(self, subject: Subject) -> None:
        """Wait until no row of the subject is open: what it holds would come after the erasure."""
        deadline = time.monotonic() + _OPEN_S
        while await self._tables.has_open_rows(subject):
            if time.monotonic() > deadline:
                raise Conflict("A question of theirs is still being answered. Try again soon.")
            await self._upkeep.close_rows()
            await asyncio.sleep(_POLL_S)


def _next_name(name: str) -> str:
    """Return another name for the file of the same month."""
    month = name.removesuffix(".parquet").partition("-")[0]
    return f"{month}-{uuid4().hex[:8]}.parquet"

"""Retain the record: months are compressed, archived, and deleted once they were read back."""

import logging
from dataclasses import dataclass, field
from datetime import date, timedelta

from libs.errors import Conflict
from services.generation.records.archive import AuditArchive, scratch
from services.generation.records.ports import MonthTables

_LOG = logging.getLogger(__name__)


@dataclass
class Retained:
    """What was done: months that were packed, and months that went to the archive."""

    packed: list[str] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    packed_rows: int = 0
    rows: int = 0
    size: int = 0


class AuditRetention:
    """Works with the rights of the service; without an archive nothing is archived."""

    def __init__(
        self, tables: MonthTables, archive: AuditArchive, hot_days: int, warm_days: int
    ) -> None:
        self._tables = tables
        self._archive = archive
        self._hot = timedelta(days=hot_days)
        self._warm = timedelta(days=warm_days)

    async def retain(self, today: date) -> Retained | None:
        """Pack and archive the months that are old enough; None while another one does.

        A month that still has rows of a day that is not sealed waits.
        """
        done = Retained()
        async with self._tables.hold_retention() as is_ours:
            if not is_ours:
                return None
            for month in await self._months("hot", today - self._hot):
                await self._pack(month, done)
            if self._archive.is_there:
                for month in await self._months("warm", today - self._warm):
                    await self._put_away(month, done)
        return done

    async def _months(self, tier: str, before: date) -> list[date]:
        """Return the months of a tier that were over on that day."""
        return [month for month in await self._tables.list_months(tier) if _next(month) <= before]

    async def _pack(self, month: date, done: Retained) -> None:
        try:
            rows = await self._tables.pack_month(month)
        except Conflict as error:
            done.waiting.append(f"{month:%Y-%m}")
            _LOG.warning("%s of the record is not packed yet: %s", month, error.message)
            return
        if rows:
            done.packed.append(f"{month:%Y-%m}")
        done.packed_rows += rows

    async def _put_away(self, month: date, done: Retained) -> None:
        """Write a month to the archive, read it back, and only then let it go."""
        async with scratch() as folder:
            source = await self._archive.write_month(month, _next(month), folder)
            archived = await self._archive.put(await self._name(month), month, source)
        try:
            await self._tables.drop_month(archived)
        except Conflict as error:
            await self._archive.delete(archived.name)
            done.waiting.append(f"{month:%Y-%m}")
            _LOG.warning("%s stays in the database: %s", month, error.message)
            return
        done.archived.append(f"{month:%Y-%m}")
        done.rows += archived.row_count
        done.size += archived.size

    async def _name(self, month: date) -> str:
        """Return the name of a new file: a clock that jumped may have filled a month twice."""
        there = {archived.name for archived in await self._archive.list_months()}
        names = (f"audit_{month:%Y_%m}-{number}.parquet" for number in range(1, len(there) + 2))
        return next(name for name in names if name not in there)


def _next(month: date) -> date:
    return (month.replace(day=1) + timedelta(days=32)).replace(day=1)

"""Ask the whole record in SQL: what is in the database and what is in the archive, as one table."""

import re
from contextlib import AsyncExitStack
from datetime import date, timedelta

from services.generation.records.archive import AuditArchive, scratch
from services.generation.records.columns import COLUMNS
from services.generation.records.kept import QueryResult
from services.generation.records.ports import MonthTables

_MONTH = timedelta(days=31)
_SELECTING = re.compile(r"\s*(select|with)\b", re.IGNORECASE)
# A star that stands for columns, and what else does; the star of count(*) does not.
_ALL_COLUMNS = re.compile(r"(?<!\()\*|\*(?!\))|\bcolumns\b|\bsummarize\b", re.IGNORECASE)


class AuditQuery:
    """Needs no right but to read the record."""

    def __init__(self, tables: MonthTables, archive: AuditArchive) -> None:
        self._tables = tables
        self._archive = archive

    async def query(self, sql: str, since: date, until: date) -> QueryResult:
        """Run `sql` on the table audit_logs, of days from `since` on and before `until`.

        Raises InvalidInput for what is no SQL, SettingsError without the packages it needs.
        """
        names = named_columns(sql)
        async with scratch() as folder, AsyncExitStack() as held:
            rows = [
                path
                for tier in ("hot", "warm")
                for path in await self._tables.write_rows(tier, folder, names, since, until)
            ]
            months = [
                await held.enter_async_context(self._archive.at_hand(month.name))
                for month in await self._archive.list_months()
                if month.month < until and month.month + _MONTH > since
            ]
            return await self._archive.format.query(sql, names, rows, months, (since, until))


def named_columns(sql: str) -> tuple[str, ...]:
    """Return the columns that a query may need: those it names, or all."""
    words = set(re.findall(r"\w+", sql.lower()))
    if not _SELECTING.match(sql) or _ALL_COLUMNS.search(sql):
        return tuple(COLUMNS)
    return tuple(name for name in COLUMNS if name in words or name == "timestamp")

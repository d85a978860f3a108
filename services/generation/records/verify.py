"""Verify the record of answers: the hash of each row, and the chain of its days."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from uuid import UUID

from libs.errors import NotFound
from services.generation.records.archive import AuditArchive
from services.generation.records.hashes import SealedDay, hash_of_all, is_whole, row_hash
from services.generation.records.kept import ArchivedMonth, Erasure, KeptRow
from services.generation.records.ports import ChainTables

MOST_FAULTS = 100
"""So many faults are told one by one."""


@dataclass
class ChainReport:
    """What became of the chain: `head` is the digest of the last sealed day, "" for none.

    `waiting` rows are of days that are not sealed yet, `erased` ones have their skeleton alone;
    `faults` say what does not hold, in plain words, the first of `fault_count`.
    """

    days: int = 0
    rows: int = 0
    waiting: int = 0
    erased: int = 0
    head: str = ""
    faults: list[str] = field(default_factory=list)
    fault_count: int = 0

    def add(self, fault: str) -> None:
        self.fault_count += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(fault)


class AuditVerifier:
    """Needs no right but to read the record."""

    def __init__(self, tables: ChainTables, archive: AuditArchive) -> None:
        self._tables = tables
        self._archive = archive

    async def verify(self, known: bytes = b"") -> ChainReport:
        """Check the record whole, and say what does not fit.

        A row's content has the hash that stands beside it, or was erased and stands in an erasure; the
        rows of a day make the day's seal; each day's digest holds the day's before; what was archived
        is read from the archive.

        `known` is a digest that was noted elsewhere, and has to be one of the chain's. Raises
        SettingsError where months are archived and the archive is not given or can't be read.
        """
        checking = _Checking()
        days, erasures = await self._tables.read_chain(checking.take)
        for month in await self._archive.list_months():
            try:
                await self._take_archived(checking, month)
            except NotFound:
                checking.report.add(f"the archive has no file {month.name}")
        checking.check_erasures(erasures)
        checking.check_days(days, erasures)
        if known and known not in {day.digest for day in days}:
            checking.report.add(f"no day has the digest {known.hex()}: the chain was made anew")
        return checking.report

    async def _take_archived(self, checking: "_Checking", month: ArchivedMonth) -> None:
        hashes = []

        def take(row: Mapping[str, Any]) -> None:
            found = _to_kept(row)
            hashes.append(found.hash)
            checking.take(found)

        async with self._archive.at_hand(month.name) as path:
            await self._archive.format.read(path, take)
        if hash_of_all(hashes) != month.rows_hash:
            checking.report.add(f"{month.name} has other rows than those that were archived")


def _to_kept(row: Mapping[str, Any]) -> KeptRow:
    of_row = (row["log_id"], row["chain_day"], row["row_hash"], row["erasure_id"])
    return KeptRow(*of_row, row_hash(row), is_whole(row))


class _Checking:
    """Gathers what is found of the rows, and compares it with the days and the erasures."""

    def __init__(self) -> None:
        self.report = ChainReport()
        self._hashes: dict[date, list[bytes]] = defaultdict(list)
        self._erased: Counter[UUID] = Counter()

    def take(self, row: KeptRow) -> None:
        self.report.rows += 1
        self._hashes[row.chain_day].append(row.hash)
        if row.erasure_id is not None:
            self.report.erased += 1
            self._erased[row.erasure_id] += 1
        what = "" if row.is_whole else "what was asked and answered"
        if row.hash != row.row_hash:
            what = "when, where or how it ended"
        if what:
            self.report.add(f"the row {row.log_id} of {row.chain_day} was changed: {what}")

    def check_erasures(self, erasures: Sequence[Erasure]) -> None:
        for erasure in erasures:
            found = self._erased.pop(erasure.erasure_id, 0)
            if found != erasure.row_count:
                self.report.add(
                    f"the erasure {erasure.erasure_id} was of {erasure.row_count} rows and {found} say "
                    "so"
                )
        for unknown, count in self._erased.items():
            self.report.add(f"{count} rows name an erasure that is not recorded: {unknown}")

    def check_days(self, days: Sequence[SealedDay], erasures: Sequence[Erasure]) -> None:
        report, previous, last = self.report, b"", date.min
        hashes: dict[date, list[bytes]] = defaultdict(list)
        for erasure in erasures:
            hashes[erasure.chain_day].append(erasure.hash)
        for day in days:
            if day.previous != previous or day.digest != day.expected_digest():
                report.add(f"the digest of {day.day} does not follow from that of the day before")
            made = hashes.pop(day.day, [])
            if (hash_of_all(made) if made else b"") != day.erasures_hash:
                report.add(f"{day.day} has other erasures than those it was sealed with")
            self._check_rows(day)
            previous, last = day.digest, day.day
            report.days += 1
            report.head = day.digest.hex()
        for missing, rows in sorted(self._hashes.items()):
            report.waiting += len(rows)
            if missing < last:
                report.add(f"{len(rows)} rows of {missing} were added after that day was over")
        for missing in sorted(hashes):
            if missing < last:
                report.add(f"erasures of {missing} were added after that day was over")

    def _check_rows(self, day: SealedDay) -> None:
        found = self._hashes.pop(day.day, [])
        if len(found) != day.row_count:
            self.report.add(f"{day.day} was sealed with {day.row_count} rows and has {len(found)}")
        elif hash_of_all(found) != day.rows_hash:
            self.report.add(f"{day.day} has other rows than those it was sealed with")

"""When the record's upkeep does what: partitions before the first answer, what is old later."""

import time
from datetime import datetime

import pytest

from services.generation.records.upkeep import AuditUpkeep


class Tables:
    """Tables with nothing to do in them."""

    async def make_months(self, months: list[datetime]) -> None: ...

    async def list_open_months(self, open_s: float) -> list[datetime]:
        return []

    async def close_rows(self, open_s: float) -> int:
        return 0

    async def purge(self) -> None: ...

    async def seal_days(self) -> list[object]:
        return []


async def test_the_record_grows_old_a_minute_after_the_start_and_then_each_hour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock_s, begun = 5.0, list[float]()
    monkeypatch.setattr(time, "monotonic", lambda: clock_s)

    async def retain() -> None:
        begun.append(clock_s)

    kept = AuditUpkeep(Tables(), retain)  # type: ignore[arg-type]
    for clock_s in (5.0, 64.0, 65.0, 80.0, 3664.0, 3665.0, 3680.0):  # noqa: B007 - read by the clock
        await kept._work()
        if kept._retaining is not None:
            await kept._retaining

    assert begun == [65.0, 3665.0]

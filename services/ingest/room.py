"""Keep the last of the disk free: nothing is added to books below a floor, readers go on."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from libs.errors import NoRoom
from libs.rpc.readiness import WRITES, Readiness

MIB = 1 << 20
_EVERY_S = 1.0

FreeBytes = Callable[[Path], int]
"""Tells how much is free on the disk of a folder. Raises OSError."""


def free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


class DiskFloor:
    """The free space of the stores' disk that adding to books must leave; reached without memory.

    Without a folder, where the stores are servers elsewhere, there is no floor. A folder that can't
    be looked at says nothing about room.
    """

    def __init__(self, folder: Path | None, floor_mib: int, free: FreeBytes = free_bytes) -> None:
        self._folder = folder
        self._floor_mib = floor_mib
        self._free = free

    def is_reached(self, size: int = 0) -> bool:
        """Say whether `size` bytes more would leave less than the floor."""
        if self._folder is None:
            return False
        try:
            return self._free(self._folder) - size < self._floor_mib * MIB
        except OSError:
            return False

    def require(self, size: int = 0) -> None:
        """Raise NoRoom where `size` bytes more would leave less than the floor."""
        if self.is_reached(size):
            raise NoRoom(
                f"The disk is nearly full: {self._floor_mib} MiB must stay free, and there is no room "
                "to add to a book. Free some, and try again; books can still be read and deleted."
            )


NO_FLOOR = DiskFloor(None, 0)
"""For stores whose disk is not ours to look at."""


async def watch_room(
    floor: DiskFloor,
    readiness: Readiness,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Let `readiness` say whether there is room to write, second by second, until cancelled."""
    while True:
        await readiness.set_part(WRITES, not floor.is_reached())
        await sleep(_EVERY_S)

"""Refuse to add to books below a floor of free disk space; readers go on."""

import asyncio
import itertools
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from libs.errors import NoRoom
from libs.rpc.readiness import WRITES, Readiness

MIB = 1 << 20
_EVERY_S = 1.0
_TRIED_EVERY = 5
"""How many looks at the disk there are for each try to write to a store that was full."""

FreeBytes = Callable[[Path], int]
"""Tells how much is free on the disk of a folder. Raises OSError."""


def free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


class DiskFloor:
    """The free space of the stores' disk that adding to books must leave; reached without memory.

    Without a folder, where the stores are servers elsewhere, there is no floor. A folder that can't
    be looked at says nothing about room. A vector store's own disk is known by `try_store`, which
    writes to it and raises NoRoom.
    """

    def __init__(
        self,
        folder: Path | None,
        floor_mib: int,
        free: FreeBytes = free_bytes,
        try_store: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._folder = folder
        self._floor_mib = floor_mib
        self._free = free
        self._try_store = try_store
        self._store_says = ""

    @property
    def is_store_full(self) -> bool:
        """Whether the vector store had no room when it was last tried."""
        return bool(self._store_says)

    async def try_store(self) -> None:
        """Find out whether the vector store's disk has room, by writing to it.

        Not below the floor, which says so by itself: an engine whose files are mapped into memory
        ends at once where the disk has no page for them.
        """
        if self._try_store is None or self._is_low(0):
            return
        try:
            await self._try_store()
            self._store_says = ""
        except NoRoom as full:
            self._store_says = full.message

    def is_reached(self, size: int = 0) -> bool:
        """Say whether `size` bytes more would leave less than the floor."""
        return self.is_store_full or self._is_low(size)

    def _is_low(self, size: int) -> bool:
        if self._folder is None:
            return False
        try:
            return self._free(self._folder) - size < self._floor_mib * MIB
        except OSError:
            return False

    def require(self, size: int = 0) -> None:
        """Raise NoRoom where `size` bytes more would leave less than the floor."""
        if self.is_store_full:
            raise NoRoom(self._store_says)
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
    for look in itertools.count():
        if floor.is_store_full and look % _TRIED_EVERY == 0:
            await floor.try_store()
        await readiness.set_part(WRITES, not floor.is_reached())
        await sleep(_EVERY_S)

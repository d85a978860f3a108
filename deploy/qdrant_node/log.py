"""Syncing a shard's write-ahead log to the disk, which the engine itself does not do per write.

The engine's only way is to flush the whole shard, five to twenty times the cost of this, and with
the interpreter's lock held.
"""

import os
from pathlib import Path

from deploy.embedded import sync_folder


class WriteAheadLog:
    """The folder of a log: the segment `open-N` with the least N is written, the rest is full or
    yet unused; a full one is renamed, a flushed one is removed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._synced_names: frozenset[str] = frozenset()

    def sync(self) -> None:
        """Return when all that was in the log at the call is on the disk."""
        while self._folder.exists():
            try:
                self._sync()
            except FileNotFoundError:
                # Renamed since it was listed, or the whole shard gave way to an optimised one.
                continue
            return

    def _sync(self) -> None:
        names = frozenset(path.name for path in self._folder.iterdir())
        if names == self._synced_names:
            open_segments = [name for name in names if name.startswith("open-")]
            self._sync_file(min(open_segments, key=lambda name: int(name.partition("-")[2])))
            return
        for name in names:
            self._sync_file(name)
        sync_folder(self._folder)
        self._synced_names = names

    def _sync_file(self, name: str) -> None:
        descriptor = os.open(self._folder / name, os.O_RDONLY)
        try:
            os.fdatasync(descriptor)
        finally:
            os.close(descriptor)

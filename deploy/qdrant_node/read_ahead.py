"""Bring what searches read of the live shards' payloads into the system's page cache.

The engine leaves payloads out of the cache when it opens a shard. Each question then waits for a
hundred reads of the disk, until every part of the book has been asked for once.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_PAYLOADS = "segments/*/payload_storage/*.dat"
_SHARE = 4
"""At most one part in so many of the free memory is filled: what is larger is left to the questions."""

_TOGETHER = 1 << 20


def read_ahead(shard_folders: Iterable[Path], free_bytes: int) -> int:
    """Read the payloads of the shards once, as far as they fit; returns how many bytes that were."""
    left = free_bytes // _SHARE
    read = 0
    for path in (path for folder in shard_folders for path in sorted(folder.glob(_PAYLOADS))):
        with suppress(FileNotFoundError), path.open("rb", buffering=0) as file:  # or optimised away
            size = path.stat().st_size
            if size > left:
                continue
            while file.read(_TOGETHER):
                pass
            left -= size
            read += size
    return read


def free_memory() -> int:
    """Return the bytes of memory that nobody uses now; 0 where the system does not say."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 0

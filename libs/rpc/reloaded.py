"""Read files, and read them again when they have changed."""

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from libs.settings import SettingsError

_LOG = logging.getLogger(__name__)

LOOK_S = 1.0
"""Seconds after which files are looked at again."""

T = TypeVar("T")

_Stamp = tuple[tuple[int, int, int], ...]


class Reloaded(Generic[T]):
    """The value that `read` makes of the files at `paths`; the same object until they change.

    What cannot be used, or is being written, leaves the value as it was; the log says so once.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        read: Callable[[], T],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read for the first time. Raises what `read` raises, SettingsError for files it can't use."""
        self._paths = paths
        self._read = read
        self._clock = clock
        self._stamp = self._look()
        self._value = read()
        self._looked = clock()

    def current(self) -> T:
        if self._paths and self._clock() - self._looked >= LOOK_S:
            self._looked = self._clock()
            stamp = self._look()
            if stamp != self._stamp:
                self._read_again(stamp)
        return self._value

    def _read_again(self, stamp: _Stamp) -> None:
        try:
            value = self._read()
        except SettingsError as error:
            _LOG.warning("%s; what was read before is used on", error)
        else:
            # Written to while it was read: the next look reads it once more.
            stamp = stamp if self._look() == stamp else ()
            self._value = value
        self._stamp = stamp

    def _look(self) -> _Stamp:
        found = []
        for path in self._paths:
            try:
                status = path.stat()
            except OSError:
                found.append((0, 0, 0))
            else:
                found.append((status.st_ino, status.st_mtime_ns, status.st_size))
        return tuple(found)

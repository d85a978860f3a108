"""Keep the lines of a child in a log file of bounded size."""

import re
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

MAX_BYTES = 5_000_000
"""Size at which a log file is put aside as `.1`, replacing the one before."""

_WORTH_SHOWING = re.compile(r"\b(WARNING|ERROR|CRITICAL|FATAL|PANIC)\b")


class CappedLog:
    """A file that is appended to, and never grows past `max_bytes` by more than a line."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._file = self._open()

    @property
    def path(self) -> Path:
        return self._path

    def write(self, line: bytes) -> None:
        """Add one line. A full disk loses lines of the log, it stops nothing."""
        try:
            if self._file.tell() + len(line) > self._max_bytes:
                self._put_aside()
            self._file.write(line)
        except OSError:
            return

    def _put_aside(self) -> None:
        # Missing where it was put aside before and no new one could be opened.
        with suppress(FileNotFoundError):
            self._path.replace(self._path.with_suffix(".log.1"))
        new = self._open()
        self._file.close()
        self._file = new

    def close(self) -> None:
        self._file.close()

    def _open(self) -> BinaryIO:
        return self._path.open("ab", buffering=0)


def is_worth_showing(line: str) -> bool:
    """Tell whether a line is a warning or worse."""
    return _WORTH_SHOWING.search(line) is not None

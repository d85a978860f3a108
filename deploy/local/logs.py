"""Keep the lines of a child in a log file of bounded size."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

MAX_BYTES = 5_000_000
"""Size at which a log file is put aside as `.1`, replacing the one before."""

_WORTH_SHOWING = re.compile(r"\b(WARNING|ERROR|CRITICAL|FATAL|PANIC)\b")


class CappedLog:
    """A file that is appended to, and never grows past `max_bytes` by more than a line.

    One that can't be put aside begins anew in its place; one that can't be written loses lines. `tell`
    is given a line about either, once until it is mended; nothing stops for it.
    """

    def __init__(
        self,
        path: Path,
        max_bytes: int = MAX_BYTES,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._tell = tell
        self._told: set[Path] = set()
        self._file: BinaryIO | None = None

    @property
    def path(self) -> Path:
        return self._path

    def write(self, line: bytes) -> None:
        """Add one line. A full disk loses lines of the log, it stops nothing."""
        try:
            file = self._open()
            if file.tell() + len(line) > self._max_bytes:
                file = self._put_aside(file)
            file.write(line)
        except OSError as error:
            self._complain(self._path, error, "its lines are lost")
        else:
            self._told.discard(self._path)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> BinaryIO:
        if self._file is None:
            self._file = self._path.open("ab", buffering=0)
        return self._file

    def _put_aside(self, file: BinaryIO) -> BinaryIO:
        """Return the file to go on with: a new one, or the same one, emptied."""
        before = self._path.with_suffix(".log.1")
        try:
            self._path.replace(before)
        except FileNotFoundError:  # put aside before, when no new one could be opened
            pass
        except OSError as error:
            self._complain(before, error, f"{self._path.name} begins anew without it")
            file.truncate(0)
            file.seek(0)
            return file
        new = self._path.open("ab", buffering=0)
        file.close()
        self._file = new
        self._told.discard(before)
        return new

    def _complain(self, path: Path, error: OSError, so: str) -> None:
        if path not in self._told:
            self._told.add(path)
            self._tell(f"{path} can't be written ({error.strerror}): {so}.")


def is_worth_showing(line: str) -> bool:
    """Tell whether a line is a warning or worse."""
    return _WORTH_SHOWING.search(line) is not None

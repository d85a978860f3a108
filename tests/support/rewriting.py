"""Rewrite the assertions of a fresh checkout once, and not in each worker at the same moment.

pytest keeps beside each file of tests what it made of it, and whoever collects next reads that: 18 s of
processor time, where making it takes 30. Workers begin together, and none would find anything kept.
"""

import fcntl
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import cache_from_source
from pathlib import Path

import pytest

_KEPT = f".{sys.implementation.cache_tag}-pytest-{pytest.__version__}.pyc"


def kept_beside(path: Path) -> Path:
    """Return where pytest keeps what it made of a file of tests."""
    return Path(cache_from_source(str(path))).with_name(f"{path.stem}{_KEPT}")


def are_mostly_kept(paths: Iterable[Path]) -> bool:
    """Whether of most files of tests there is something kept, so that waiting would gain nothing.

    It is true as well where Python is told to keep nothing.
    """
    found = [kept_beside(path).exists() for path in paths]
    return sys.dont_write_bytecode or 2 * sum(found) > len(found)


@contextmanager
def one_first(done: Path, run: str) -> Iterator[None]:
    """Let whoever comes first into the block leave it before all others go in together.

    `done` is a file that names the run of which one was through; it is made where it is missing.
    """
    with done.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if file.read() != run:
            yield
            file.truncate(0)
            file.write(run)
            return
    yield

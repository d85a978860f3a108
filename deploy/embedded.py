"""What embedded PostgreSQL and Qdrant share: one owner per folder, an end together with the parent."""

import contextlib
import ctypes
import fcntl
import os
import signal
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, NoReturn

PR_SET_PDEATHSIG = 1

PRIVATE = 0o077
"""Rights that nobody but the owner of a file of ours has."""

# What Python, the loader and the programs look up. Whatever else there is may be a key.
_PASSED_ON = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "PG_BIN", "VIRTUAL_ENV"}
_PASSED_ON_BY_PREFIX = ("LC_", "LD_", "PYTHON", "RUST_", "MALLOC_", "COVERAGE_")


class StartError(Exception):
    """Why a store cannot start with what it was given, in one line for who started it."""

    exit_status = 2


class EndedError(StartError):
    """A store failed on its own; started again, it may work."""

    exit_status = 1


def signal_on_parent_death(number: signal.Signals) -> None:
    """Have the kernel send this process `number` when its parent dies (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, number)


def follow_parent(pid: int) -> None:
    """End with the parent `pid`; refuse when it is already gone."""
    signal_on_parent_death(signal.SIGTERM)
    # The parent may have died between our start and the call above.
    if os.getppid() != pid:
        raise StartError(f"the parent process {pid} is gone")


def is_stopped(pid: int) -> bool:
    """Tell whether a process was stopped by a signal (Linux only; False elsewhere)."""
    return _state_of(pid) == "T"


def is_ended(pid: int) -> bool:
    """Tell whether a process is gone but for its parent's notice of it (Linux only; else False)."""
    return _state_of(pid) == "Z"


def _state_of(pid: int) -> str:
    try:
        status = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    return status.rpartition(")")[2].split()[0]


def store_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what a store gets to see of an environment: no setting of ours, and no key."""
    return {
        name: value
        for name, value in environment.items()
        if name in _PASSED_ON or name.startswith(_PASSED_ON_BY_PREFIX)
    }


def make_private(path: Path) -> None:
    """Take from everybody else the rights to `path` and all below it; no link is followed."""
    _close_to_others(path)
    for folder, folders, files in os.walk(path):
        for name in (*folders, *files):
            _close_to_others(Path(folder, name))


def _close_to_others(path: Path) -> None:
    # Another process may remove files meanwhile, and what belongs to another user is his to close.
    with contextlib.suppress(FileNotFoundError, PermissionError):
        status = path.lstat()
        if not stat.S_ISLNK(status.st_mode) and status.st_mode & PRIVATE:
            path.chmod(stat.S_IMODE(status.st_mode) & ~PRIVATE)


def claim_folder(folder: Path, owner: str) -> IO[str]:
    """Make `folder` ours until the returned file is closed or the process ends.

    The lock file is also the mark by which we know a folder as our own: a store deletes
    leftovers in its folder, so it must never be let loose on somebody else's.
    """
    mark = folder / f".{owner}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not mark.exists() and any(folder.iterdir()):
            raise StartError(
                f"folder {folder} holds files of something else; empty it, or choose another one"
            )
        file = mark.open("a+", encoding="ascii")
    except OSError as error:
        raise StartError(f"folder {folder} cannot be used: {error.strerror}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.seek(0)
        holder = file.read().strip() or "unknown"
        file.close()
        raise StartError(f"folder {folder} is in use by another process (pid {holder})") from error
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def fail(store: str, error: Exception) -> NoReturn:
    """End the process: one line on standard error, and a status that says whether to try again."""
    print(f"{store}: {error}", file=sys.stderr)
    sys.exit(getattr(error, "exit_status", EndedError.exit_status))


def sync_folder(folder: Path) -> None:
    """Make created, renamed and removed names in `folder` survive a power loss."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

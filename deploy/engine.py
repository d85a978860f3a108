"""What the embedded engines share: one owner per folder, and an end together with the parent."""

import ctypes
import fcntl
import os
import signal
import sys
from pathlib import Path
from typing import IO, NoReturn

PR_SET_PDEATHSIG = 1


class StartError(Exception):
    """Why an engine cannot start with what it was given, in one line for who started it."""

    exit_status = 2


class EndedError(StartError):
    """An engine failed on its own; started again, it may work."""

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


def claim_folder(folder: Path, owner: str) -> IO[str]:
    """Make `folder` ours until the returned file is closed or the process ends.

    The lock file is also the mark by which we know a folder as our own: an engine deletes
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


def fail(engine: str, error: Exception) -> NoReturn:
    """End the process: one line on standard error, and a status that says whether to try again."""
    print(f"{engine}: {error}", file=sys.stderr)
    sys.exit(getattr(error, "exit_status", EndedError.exit_status))


def sync_folder(folder: Path) -> None:
    """Make created, renamed and removed names in `folder` survive a power loss."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

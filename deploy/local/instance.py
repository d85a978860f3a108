"""Hold a folder and its ports for one product, and write down what runs there."""

import errno
import fcntl
import json
import os
import shutil
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from deploy.embedded import StartError, make_private
from deploy.local.processes import CACHE, POSTGRES, QDRANT, Process
from deploy.local.settings import LAST_PORT, PORTS

LOCK = "lock"
RUN = "run.json"
LOGS = "logs"
FIRST_START_MIB = 256
"""Free disk for a first start: a home with the sample book took 98 MiB, and books are to fit too."""
_PATIENCE_S = 5.0

_FAR = 100
"""Ports between those that are suggested: programs tend to take several in a row."""

_LEAST_PORT = 8080


@contextmanager
def hold_home(home: Path, url: str) -> Iterator[int]:
    """Make `home` ours while the block runs. Raises StartError when it is someone else's.

    Yields a descriptor that children should inherit: the lock holds until the last of them is gone,
    so a killed run and the next one never meet in the same folder. A new home that nothing came into,
    as where a port is taken, is gone behind it.
    """
    is_new = not home.exists()
    try:
        home.mkdir(parents=True, exist_ok=True)
        file = (home / LOCK).open("a+", encoding="ascii")
    except OSError as error:
        raise StartError(f"QUOTH_HOME {home} cannot be used: {error.strerror}") from error
    with file:
        _lock(file, home)
        (home / RUN).unlink(missing_ok=True)  # of a run that was killed
        _close_to_others(home)
        file.truncate(0)
        file.write(f"{os.getpid()} {url}")
        file.flush()
        try:
            yield file.fileno()
        finally:
            (home / RUN).unlink(missing_ok=True)
            file.truncate(0)
            if is_new:
                _remove_unused(home)


def _remove_unused(home: Path) -> None:
    """Remove a folder that was made for a run which came to nothing, and holds its lock alone."""
    with suppress(OSError):  # a folder that is not there, or not ours to look into, stays as it is
        if [one.name for one in home.iterdir()] == [LOCK]:
            (home / LOCK).unlink()
            home.rmdir()


def is_held(home: Path, lock: int) -> bool:
    """Say whether `home` is still the folder that `lock` was taken in: not moved, removed, replaced."""
    try:
        there, ours = (home / LOCK).stat(), os.fstat(lock)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def _lock(file: TextIO, home: Path) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            pid, _, url = file.read().partition(" ")
            if pid and _runs(int(pid)):
                raise StartError(
                    f"Quoth is already running in {home}: process {pid}, {url}. End it by Ctrl-C in "
                    f"its terminal or by `kill {pid}`, or set QUOTH_HOME to another folder."
                ) from error
            # A killed supervisor takes its children along, but not in the same instant.
            if time.monotonic() > deadline:
                raise StartError(
                    f"Processes of an earlier run still use {home}; end them first."
                ) from error
        time.sleep(0.02)


def _close_to_others(home: Path) -> None:
    """Make the home and what we keep in it ours alone: earlier versions left it open to read.

    The person's own files, in a home that is not only ours, keep their rights.
    """
    home.chmod(0o700)
    for name in (LOCK, LOGS, CACHE, POSTGRES, QDRANT):
        make_private(home / name)


def require_room(home: Path) -> None:
    """Raise StartError when a first start would fill the disk. A later one has its books to show."""
    if (home / POSTGRES / "cluster").exists():
        return
    free_mib = shutil.disk_usage(home).free >> 20
    if free_mib < FIRST_START_MIB:
        raise StartError(
            f"QUOTH_HOME {home} has {free_mib} MiB of free disk, and a first start needs "
            f"{FIRST_START_MIB}. Free some, or choose another folder."
        )


def write_run(home: Path, url: str, processes: dict[str, dict[str, Any]]) -> None:
    """Write what runs, for tools and tests: `{"pid", "url", "processes": {name: {"pid", …}}}`.

    Readable by us alone: it holds the key that the embedded Qdrant has for this run, and the token of
    the services.
    """
    part = home / f"{RUN}.part"
    text = json.dumps({"pid": os.getpid(), "url": url, "processes": processes}, indent=2)
    part.touch(mode=0o600)
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(home / RUN)


def read_run(home: Path) -> dict[str, Any]:
    """Return what `write_run` wrote; {} when nothing runs."""
    try:
        return dict(json.loads((home / RUN).read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError):
        return {}


def read_live_run(home: Path) -> dict[str, Any]:
    """Return what `write_run` wrote, unless the process that did is gone."""
    run = read_run(home)
    return run if run and _runs(int(run["pid"])) else {}


def check_ports(processes: Sequence[Process]) -> None:
    """Raise StartError, naming the ports and what wants them, when any is taken."""
    taken = [(one, reason) for one in processes if one.port and (reason := _refuses(one.port))]
    if not taken:
        return
    named = ", ".join(f"{one.port} (for {one.name})" for one, _ in taken)
    several, plural = ("Ports", "are") if len(taken) > 1 else ("Port", "is")
    first, reason = taken[0]
    holder = "cannot be used"
    if reason == errno.EADDRINUSE:
        holder = f"{plural} taken by another `quoth up` or another program"
    raise StartError(
        f"{several} {named} {holder}. End that, or set QUOTH_PORT to the first of five free ports "
        f"in a row and run the command again, as with QUOTH_PORT={_suggest_port(first.port)}."
    )


def _refuses(port: int) -> int:
    """Return why the port cannot be had, as an errno; 0 when it can be."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # Without this, connections that have just been closed would count as a taken port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            return int(error.errno or errno.EADDRINUSE)
    return 0


def _suggest_port(taken: int) -> int:
    """Return the first of five ports in a row that are free, some way from the one that is taken."""
    above = range(taken - taken % 10 + _FAR, LAST_PORT - PORTS, _FAR)
    below = range(_LEAST_PORT, taken - _FAR, _FAR)
    free = (
        first
        for first in chain(above, below)
        if not any(map(_refuses, range(first, first + PORTS)))
    )
    return next(free, _LEAST_PORT)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

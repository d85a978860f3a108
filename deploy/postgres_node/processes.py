"""Find what works in a cluster, and wait for the server that a killed node has left there."""

import contextlib
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

from deploy.embedded import StartError, is_ended, is_stopped

PREDECESSOR_S = 20.0
# A server that was only stopped for a moment ends by itself.
STANDSTILL_S = 2.0
# A fast shutdown writes 32 MB at most; what takes longer hangs, and recovers at the next start.
STOP_S = 6
POLL_S = 0.01


def await_predecessor(cluster: Path) -> None:
    """Wait for the server of a killed supervisor, which is shutting down on its own.

    What stands still will not, and what was told to stop in the middle of a recovery may wait for
    ever: it is killed, and so are sessions whose server is gone, because a new server refuses to
    start beside them. Raises StartError where a server serves in this cluster and was not told to
    stop.
    """
    began = time.monotonic()
    while (pid := _postmaster(cluster)) is not None and _runs_in(pid, cluster):
        waited_s = time.monotonic() - began
        if waited_s > STANDSTILL_S:
            _kill(filter(is_stopped, _working_in(cluster)))
        if waited_s > STOP_S and _state_of_server(cluster) == "stopping":
            kill_all(cluster)
        if waited_s > PREDECESSOR_S:
            raise StartError(f"{cluster} is in use by another PostgreSQL (pid {pid})")
        time.sleep(POLL_S)
    kill_all(cluster)
    # Until its parent has taken note of its end it is in the way of the next.
    began = time.monotonic()
    while pid is not None and is_ended(pid) and time.monotonic() < began + STANDSTILL_S:
        time.sleep(POLL_S)


def kill_all(cluster: Path) -> None:
    """End what still works in the cluster; every process of PostgreSQL is a group of its own."""
    _kill(_working_in(cluster))


def _working_in(cluster: Path) -> list[int]:
    pids = [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]
    return [pid for pid in pids if _runs_in(pid, cluster)]


def _kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _postmaster(cluster: Path) -> int | None:
    try:
        return int(_lock_lines(cluster)[0])
    except (IndexError, ValueError):
        return None


def _state_of_server(cluster: Path) -> str:
    """Return what the server says of itself: starting, ready, standby or stopping; "" for nothing."""
    return "".join(_lock_lines(cluster)[7:8]).strip()


def _lock_lines(cluster: Path) -> list[str]:
    try:
        return (cluster / "postmaster.pid").read_text("utf-8").splitlines()
    except FileNotFoundError:
        return []


def _runs_in(pid: int, cluster: Path) -> bool:
    """Whether `pid` is a process whose working folder is the cluster."""
    try:
        return Path(f"/proc/{pid}/cwd").resolve() == cluster.resolve()
    except OSError:
        return False


def says_ready(pid: int, cluster: Path) -> bool:
    return _postmaster(cluster) == pid and _state_of_server(cluster) == "ready"

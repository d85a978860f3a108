"""Redis as the system's packages have it."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def running_redis(folder: Path) -> Iterator[str]:
    """A Redis with nothing in it, at a socket in `folder`; skips where there is none."""
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("redis-server is not on this machine")
    place = folder / "redis.sock"
    command = [server, "--port", "0", "--unixsocket", str(place), "--save", ""]
    place.unlink(missing_ok=True)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    try:
        while not _answers(place):
            assert process.poll() is None
            time.sleep(0.01)
        yield f"unix://{place}"
    finally:
        process.kill()
        process.wait()


def _answers(place: Path) -> bool:
    """Whether somebody listens: the socket is there a moment before."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(place)) == 0

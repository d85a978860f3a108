"""Redis as the system's packages have it."""

import shutil
import subprocess
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
    socket = folder / "redis.sock"
    command = [server, "--port", "0", "--unixsocket", str(socket), "--save", ""]
    socket.unlink(missing_ok=True)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    try:
        while not socket.exists():
            assert process.poll() is None
        yield f"unix://{socket}"
    finally:
        process.kill()
        process.wait()

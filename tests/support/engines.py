"""The embedded engines as processes for tests: started, ready, and surely ended.

    with qdrant_node(tmp_path / "qdrant") as node:
        client = node.client()                  # an AsyncQdrantClient; close it
    with postgres_node(tmp_path / "postgres") as node:
        connection = await asyncpg.connect(node.dsn)

Both block for the moment of starting and stopping, in async tests too.
"""

import contextlib
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from qdrant_client import AsyncQdrantClient

START_S = 180.0
STOP_S = 20.0
GRPC_PORT = 6334


@dataclass(frozen=True)
class Engine:
    """A running engine process."""

    process: subprocess.Popen[bytes]
    ready: str
    stderr: IO[bytes]

    @property
    def pid(self) -> int:
        return self.process.pid

    def kill(self) -> None:
        """Kill it at once, as a crash would (SIGKILL)."""
        self.process.kill()
        self.process.wait(STOP_S)

    def stop(self) -> int:
        """Ask it to end (SIGTERM); returns its exit code."""
        self.process.terminate()
        return self.process.wait(STOP_S)

    def complaints(self) -> str:
        """What it has written to stderr so far."""
        self.stderr.seek(0)
        return self.stderr.read().decode()


@dataclass(frozen=True)
class QdrantServer:
    """What answers Qdrant's gRPC API at an address."""

    url: str
    api_key: str | None = None

    def client(self) -> AsyncQdrantClient:
        # As a header: the `api_key` argument warns about a connection without TLS.
        headers = {"api-key": self.api_key} if self.api_key else None
        address = urlsplit(self.url)
        return AsyncQdrantClient(
            host=address.hostname,
            grpc_port=address.port or GRPC_PORT,
            prefer_grpc=True,
            check_compatibility=False,
            headers=headers,
            timeout=60,  # its own five seconds are few beside other tests
        )


@dataclass(frozen=True)
class QdrantNode(Engine):
    """A node of ours."""

    api_key: str | None = None

    @property
    def port(self) -> int:
        return int(self.ready.rpartition(":")[2])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self) -> AsyncQdrantClient:
        return QdrantServer(self.url, self.api_key).client()


@dataclass(frozen=True)
class PostgresNode(Engine):
    """A PostgreSQL server with the empty database `quoth`."""

    @property
    def dsn(self) -> str:
        return self.ready

    @property
    def sockets(self) -> Path:
        return Path(self.dsn.partition("host=")[2])


@contextlib.contextmanager
def qdrant_node(
    data_dir: Path,
    *,
    port: int = 0,
    api_key: str | None = None,
    optimise_at: int | None = None,
) -> Iterator[QdrantNode]:
    """A Qdrant node on `data_dir`; port 0 takes a free one."""
    command = ["deploy.qdrant_node", "--data", str(data_dir), "--port", str(port)]
    if optimise_at is not None:
        command += ["--optimise-at", str(optimise_at)]
    environment = {"QUOTH_QDRANT_API_KEY": api_key} if api_key else {}
    with _engine(command, environment) as (process, ready, stderr):
        yield QdrantNode(process, ready, stderr, api_key)


@contextlib.contextmanager
def postgres_node(data_dir: Path) -> Iterator[PostgresNode]:
    """A PostgreSQL server on `data_dir`."""
    with _engine(["deploy.postgres_node", "--data", str(data_dir)], {}) as started:
        node = PostgresNode(*started)
        yield node
    # A killed node leaves it to its next start.
    shutil.rmtree(node.sockets, ignore_errors=True)


def start(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run an engine that is expected to refuse to start."""
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )


@contextlib.contextmanager
def _engine(
    command: list[str], environment: dict[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], str, IO[bytes]]]:
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", *command, "--parent-pid", str(os.getpid())],
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**os.environ, **environment},
        )
        with process:
            try:
                yield process, _ready_line(process, stderr), stderr
            finally:
                _end(process)


def _ready_line(process: subprocess.Popen[bytes], stderr: IO[bytes]) -> str:
    assert process.stdout is not None
    readable, _, _ = select.select([process.stdout], [], [], START_S)
    line = process.stdout.readline().decode() if readable else ""
    if not line.startswith("ready "):
        stderr.seek(0)
        raise RuntimeError(f"the engine did not start: {stderr.read().decode()}")
    return line.removeprefix("ready ").strip()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be collected does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def eventually(reached: Callable[[], object], message: str, seconds: float = 30.0) -> None:
    """Poll `reached()` until it is true; fail with `message` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline, message
        time.sleep(0.01)

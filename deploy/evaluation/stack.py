"""Start the product in a temporary home for a measurement, and remove it afterwards."""

import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from deploy.evaluation.profile_changes import Settings, write_profiles
from deploy.local.instance import read_run
from deploy.local.processes import GATEWAY
from deploy.local.settings import PORTS

_START_S = 120.0
_STOP_S = 30.0
_PORT_TRIES = 50

TOKEN = secrets.token_urlsafe(32)
"""What the services of a product that is started here ask of their callers."""


class StackError(Exception):
    """The product could not be started; the message says why."""


@contextmanager
def run_stack(
    profiles: Mapping[str, Mapping[str, Settings]] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Run the product for itself, with `profiles` beside the shipped ones, and yield its URL.

    Nothing is left behind. Raises StackError when it does not start.
    """
    with tempfile.TemporaryDirectory(prefix="quoth-eval-") as folder:
        home, known = Path(folder, "home"), Path(folder, "profiles")
        known.mkdir()
        write_profiles(known, profiles or {})
        variables = _without_own_product(os.environ) | {
            "QUOTH_HOME": str(home),
            "QUOTH_PORT": str(free_ports(PORTS)),
            "QUOTH_SERVICE_TOKEN": TOKEN,
            "QUOTH_PROFILES": str(known),
            **(environment or {}),
        }
        log = Path(folder, "log")
        with run_module("deploy.local", variables, log) as process:
            yield _wait_until_ready(process, home, log)


@contextmanager
def run_module(
    module: str, variables: Mapping[str, str], log: Path
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a module that follows its parent, until the block ends or this process is told to.

    Raises SystemExit where SIGTERM comes, so that callers clear away what they made as well.
    """

    def leave(number: int, _: FrameType | None) -> None:
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    start = (sys.executable, "-P", "-m", module, "--parent-pid", str(os.getpid()))
    try:
        with log.open("w+b") as output:
            process = subprocess.Popen(start, env=variables, stdout=output, stderr=output)  # noqa: S603 - our own module
        try:
            yield process
        finally:
            _stop(process)
    finally:
        signal.signal(signal.SIGTERM, before)


def _without_own_product(environment: Mapping[str, str]) -> dict[str, str]:
    """Leave out the stores and the transport of the product that may run here.

    Measuring never writes to its stores.
    """
    ours = (
        *("QUOTH_QDRANT_URL", "QUOTH_QDRANT_API_KEY", "QUOTH_POSTGRES_DSN"),
        *("QUOTH_SERVICE_TOKEN_FILE", "QUOTH_RPC_TLS"),
    )
    return {name: value for name, value in environment.items() if name not in ours}


def _wait_until_ready(process: "subprocess.Popen[bytes]", home: Path, log: Path) -> str:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise StackError(f"The product did not start:\n{_tail(log)}")
        run = read_run(home)
        if run and run["processes"].get(GATEWAY, {}).get("ready"):
            return str(run["url"])
        time.sleep(0.05)
    raise StackError(f"The product was not ready after {_START_S:.0f} s:\n{_tail(log)}")


def _tail(log: Path) -> str:
    return "\n".join(log.read_text("utf-8", errors="replace").splitlines()[-15:])


def _stop(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_ports(count: int) -> int:
    """Return the first of `count` ports in a row that are free on 127.0.0.1."""
    for _ in range(_PORT_TRIES):
        # Below the ports that systems give to outgoing connections.
        first = random.randrange(20_000, 32_000)  # noqa: S311 - not a secret
        if all(is_free(first + step) for step in range(count)):
            return first
    raise StackError(f"No {count} free ports in a row were found.")


def is_free(port: int) -> bool:
    """Whether nobody listens on a port of 127.0.0.1."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True

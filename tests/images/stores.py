"""The two stores for containers that are tried: both over TCP, on this machine alone."""

import contextlib
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from deploy.evaluation.stack import free_ports
from deploy.postgres_node.account import Account
from deploy.postgres_node.programs import Programs, find_programs, reachable_programs
from tests.support.engines import START_S, STOP_S, qdrant_node


@contextlib.contextmanager
def tcp_postgres() -> Iterator[str]:
    """A PostgreSQL that asks for a password, as a server elsewhere does; yields its DSN."""
    account = Account.current()
    programs = Programs(reachable_programs(find_programs(), account), account)
    folder = Path(tempfile.mkdtemp(prefix="quoth-images-", dir="/tmp"))
    port, password = free_ports(1), secrets.token_urlsafe(16)
    account.own(folder)
    try:
        file = folder / "password"
        file.write_text(password, "utf-8")
        account.own(file)
        cluster = str(folder / "cluster")
        programs.check(
            "initdb",
            "-D",
            cluster,
            "-U",
            "quoth",
            "--auth=scram-sha-256",
            f"--pwfile={file}",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        )
        options = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": ""}
        settings = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
        server = programs.start("postgres", "-D", cluster, *settings, log=folder / "log", fds=())
        try:
            _await_ready(folder / "cluster" / "postmaster.pid", server)
            yield f"postgresql://quoth:{password}@127.0.0.1:{port}/postgres"
        finally:
            server.terminate()
            server.wait(STOP_S)
    finally:
        shutil.rmtree(folder)


def _await_ready(file: Path, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while not (file.exists() and "ready" in file.read_text("utf-8")):
        if server.poll() is not None or time.monotonic() > until:
            raise SystemExit("PostgreSQL does not start")
        time.sleep(0.1)


@contextlib.contextmanager
def tcp_qdrant() -> Iterator[tuple[str, str]]:
    """The embedded Qdrant with a key; yields its URL and the key."""
    key = secrets.token_urlsafe(16)
    with (
        tempfile.TemporaryDirectory() as folder,
        qdrant_node(Path(folder) / "qdrant", api_key=key) as node,
    ):
        yield node.url, key

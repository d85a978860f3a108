"""PostgreSQL and PgBouncer as Debian packages them: over TCP, by password, with TLS."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.certificates import Authority
from tests.support.ports import free_ports

PASSWORD = "sesame"
DEBIAN = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
_USER = "quoth"
_START_S = 120.0


@dataclass(frozen=True)
class DebianServers:
    """Addresses of one server: straight and by TLS, and by a pooler if that is installed."""

    direct: str
    pooled: str | None


def _as_user() -> dict[str, Any]:
    """Neither program runs as root."""
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam("postgres")
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


@contextlib.contextmanager
def debian_servers() -> Iterator[DebianServers]:
    """Run them in a folder of their own; both end with the block."""
    as_user = _as_user()
    folder = Path(tempfile.mkdtemp(prefix="quoth-debian-"))
    try:
        authority = Authority(folder)
        certificate, key = authority.issue("postgres")
        (folder / "password").write_text(PASSWORD)
        for path in (folder, *folder.iterdir(), authority.path):
            path.chmod(0o700 if path.is_dir() else 0o600)
            if as_user:
                os.chown(path, as_user["user"], as_user["group"])
        with contextlib.ExitStack() as opened:
            port = opened.enter_context(_postgres(folder, certificate, key, as_user))
            secured = f"sslmode=verify-full&sslrootcert={authority.path}"
            direct = f"postgresql://{_USER}:{PASSWORD}@127.0.0.1:{port}/postgres?{secured}"
            pooled = None
            if PGBOUNCER:
                pooler = opened.enter_context(_pgbouncer(folder, port, as_user))
                pooled = f"postgresql://{_USER}:{PASSWORD}@127.0.0.1:{pooler}/postgres"
            yield DebianServers(direct, pooled)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _postgres(folder: Path, certificate: Path, key: Path, as_user: dict[str, Any]) -> Iterator[int]:
    programs, data, port = DEBIAN[-1], folder / "data", free_ports(1)
    subprocess.run(
        [
            *(programs / "initdb", "-D", data, "-U", _USER, "-A", "scram-sha-256"),
            *("--pwfile", folder / "password", "--no-sync", "--encoding=UTF8", "--locale=C"),
        ],
        check=True,
        capture_output=True,
        cwd="/",
        **as_user,
    )
    (data / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 scram-sha-256\n")
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": str(port),
        "unix_socket_directories": "",
        "ssl": "on",
        "ssl_cert_file": str(certificate),
        "ssl_key_file": str(key),
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with _running([programs / "postgres", "-D", data, *options], port, as_user):
        _await_recovered(programs / "pg_isready", port)
        yield port


def _await_recovered(pg_isready: Path, port: int) -> None:
    """The port answers before the server lets anybody in."""
    asked = [str(pg_isready), "--quiet", "--host=127.0.0.1", f"--port={port}"]
    deadline = time.monotonic() + _START_S
    while subprocess.run(asked, check=False).returncode:
        assert time.monotonic() < deadline, "PostgreSQL lets nobody in"
        time.sleep(0.05)


@contextlib.contextmanager
def _pgbouncer(folder: Path, server: int, as_user: dict[str, Any]) -> Iterator[int]:
    port, users, told = free_ports(1), folder / "users", folder / "pgbouncer.ini"
    users.write_text(f'"{_USER}" "{PASSWORD}"\n')
    told.write_text(
        f"[databases]\n* = host=127.0.0.1 port={server}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = scram-sha-256\nauth_file = {users}\npool_mode = transaction\n"
        "server_tls_sslmode = require\ndefault_pool_size = 3\n"
    )
    for path in (users, told):
        path.chmod(0o644)
    assert PGBOUNCER
    with _running([PGBOUNCER, told], port, as_user):
        yield port


@contextlib.contextmanager
def _running(command: list[str | Path], port: int, as_user: dict[str, Any]) -> Iterator[None]:
    import socket

    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **as_user
    )
    try:
        deadline = time.monotonic() + _START_S
        while True:
            assert process.poll() is None, f"{command[0]} ended"
            assert time.monotonic() < deadline, f"{command[0]} does not start"
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(_START_S)

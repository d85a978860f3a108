"""Make a cluster whole or not at all, let in nobody else, and start a server on it."""

import contextlib
import hashlib
import os
import pwd
import shutil
import subprocess
from pathlib import Path

from deploy.embedded import StartError, sync_folder
from deploy.postgres_node.account import Account, refuse_strangers, temporary_folder
from deploy.postgres_node.programs import Programs, passable

USER = DATABASE = "quoth"
_PEERS = "owner"
PORT = 5432
# The kernel's limit for the path of a unix socket, its closing NUL not counted.
MAX_SOCKET_PATH = 107
MAX_LOG_BYTES = 4 << 20

SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "port": str(PORT),
    "fsync": "on",
    "synchronous_commit": "on",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "min_wal_size": "32MB",
    # A segment that is used again would keep deleted texts until it is overwritten.
    "wal_recycle": "off",
    "max_wal_size": "512MB",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
# PostgreSQL 18 starts three more processes for its reads unless told not to.
SETTINGS_FROM_18 = {"io_method": "sync"}


def create_cluster(programs: Programs, cluster: Path) -> None:
    """Make the cluster aside and move it into place: half a cluster is never found."""
    for unfinished in cluster.parent.glob("cluster.new-*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    new = cluster.with_name(f"cluster.new-{os.getpid()}")
    new.mkdir(mode=0o700)
    programs.account.own(new)
    provider = ["--locale-provider=builtin"] if programs.version() >= 17 else []
    with passable(new, programs.account) as (path, fds):
        access = ["-U", USER, "--auth-local=peer", "--auth-host=reject"]
        content = ["--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums", *provider]
        programs.check("initdb", "-D", path, *access, *content, "--no-sync", fds=fds)
        creating = f"CREATE DATABASE {DATABASE}\n".encode()
        single = ["postgres", "--single", "-c", "fsync=off"]
        programs.check(*single, "-D", path, "postgres", stdin=creating, fds=fds)
    # Once for all instead of once for each of a thousand files: seconds, on a busy disk.
    os.sync()
    new.rename(cluster)
    sync_folder(cluster.parent)


def admit_only_us(cluster: Path, account: Account) -> None:
    """Let in our own user alone, known by the kernel: no password, and nobody by his word.

    Written at every start, because earlier versions let in whoever reached the socket, and because
    a cluster may have been moved to another user.
    """
    us = pwd.getpwuid(os.geteuid()).pw_name
    rules = {
        "pg_ident.conf": f'{_PEERS} "{us}" {USER}\n',
        "pg_hba.conf": f"local all {USER} peer map={_PEERS}\n",
    }
    for name, text in rules.items():
        new = cluster / f"{name}.new"
        new.write_text(text, "utf-8")
        new.chmod(0o600)
        account.own(new)
        new.replace(cluster / name)


def check_version(programs: Programs, cluster: Path) -> int:
    made_by = int((cluster / "PG_VERSION").read_text("ascii"))
    version = programs.version()
    if made_by != version:
        raise StartError(
            f"{cluster} was made by PostgreSQL {made_by}, but {programs.folder} is {version}; "
            "set PG_BIN to the right one, or dump and restore"
        )
    return version


def socket_folder(wanted: Path | None, data: Path, account: Account) -> Path:
    """A folder of our own for the socket, with a path short enough for one."""
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:12]
    folder = wanted or temporary_folder(account) / f"quoth-pg-{digest}"
    length = len(os.fsencode(folder / f".s.PGSQL.{PORT}"))
    if length > MAX_SOCKET_PATH:
        raise StartError(
            f"the socket folder {folder} makes a path of {length} bytes, more than a socket may "
            f"have ({MAX_SOCKET_PATH}); choose a shorter one with --socket-dir"
        )
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        account.own(folder)
    if wanted is None:
        refuse_strangers(folder, os.geteuid(), account.uid)
    closed = account.barred_at(folder)
    if closed is not None:
        raise StartError(
            f"run by root, PostgreSQL runs as {account.name}, who may not enter {closed}; "
            "choose another folder with --socket-dir"
        )
    return folder


def start_server(
    programs: Programs, cluster: Path, sockets: Path, log: Path
) -> subprocess.Popen[bytes]:
    settings = {**SETTINGS, "unix_socket_directories": str(sockets)}
    if check_version(programs, cluster) >= 18:
        settings |= SETTINGS_FROM_18
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    if log.exists() and log.stat().st_size > MAX_LOG_BYTES:
        log.unlink()
    with passable(cluster, programs.account) as (path, fds):
        return programs.start("postgres", "-D", path, *options, log=log, fds=fds)

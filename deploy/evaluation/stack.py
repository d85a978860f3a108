"""Profile settings in; the product running in a temporary home, and gone afterwards, out."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.local.instance import read_run
from deploy.local.processes import GATEWAY
from deploy.local.settings import PORTS
from libs.profiles import SHIPPED

_START_S = 120.0
_STOP_S = 30.0
_PORT_TRIES = 50

Settings = dict[str, Any]


class StackError(Exception):
    """The product could not be started; the message says why."""


class SettingError(Exception):
    """A profile setting that can't be read or does not exist."""


@dataclass(frozen=True)
class Sweep:
    """One setting and the values to try it with."""

    key: str
    values: tuple[Any, ...]


def read_settings(texts: Sequence[str]) -> Settings:
    """Read "table.key=value" lines; a key without its table must be in one table only."""
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise SettingError(f"--set wants key=value, not {text!r}")
        found[full_key(key.strip())] = _value(value)
    return found


def read_sweep(text: str) -> Sweep:
    """Read "key=a,b,c"."""
    key, equals, values = text.partition("=")
    if not equals or not values:
        raise SettingError(f"--sweep wants key=a,b,c, not {text!r}")
    return Sweep(full_key(key.strip()), tuple(_value(value) for value in values.split(",")))


def full_key(key: str) -> str:
    """Return "table.key" for a profile setting. Raises SettingError for an unknown one."""
    known = [f"{table}.{name}" for table, held in load_tables("").items() for name in held]
    found = [name for name in known if key in (name, name.split(".", 1)[1])]
    if len(found) != 1:
        raise SettingError(f"{key!r} is no profile setting. Known: {', '.join(known)}.")
    return found[0]


def load_tables(profile: str) -> dict[str, Settings]:
    """Return the tables of a shipped profile. Raises SettingError for an unknown one."""
    path = SHIPPED / f"{profile or 'default'}.toml"
    if not re.fullmatch(r"[\w-]*", profile) or not path.is_file():
        raise SettingError(f"There is no profile {profile!r}.")
    return tomllib.loads(path.read_text("utf-8"))


def changed_tables(profile: str, changes: Mapping[str, Any]) -> dict[str, Settings]:
    """Return the tables of a profile with "table.key" values changed."""
    tables = load_tables(profile)
    for key, value in changes.items():
        table, name = key.split(".", 1)
        old = tables[table][name]
        number = isinstance(old, float) and isinstance(value, int) and not isinstance(value, bool)
        tables[table][name] = float(value) if number else value
    return tables


def _value(text: str) -> Any:
    """Read a TOML value; what is none is a string."""
    try:
        return tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def write_profiles(folder: Path, more: Mapping[str, Mapping[str, Settings]]) -> None:
    """Copy the shipped profiles into `folder` and put more beside them."""
    for path in SHIPPED.glob("*.toml"):
        (folder / path.name).write_bytes(path.read_bytes())
    for name, tables in more.items():
        (folder / f"{name}.toml").write_text(_toml(tables), "utf-8")


def _toml(tables: Mapping[str, Settings]) -> str:
    lines: list[str] = []
    for table, held in tables.items():
        lines.append(f"[{table}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in held.items()]
    return "\n".join(lines) + "\n"


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
            "QUOTH_PROFILES": str(known),
            **(environment or {}),
        }
        with Path(folder, "log").open("w+b") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "deploy.cli", "up", "--no-sample"],
                env=variables,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            try:
                yield _wait_until_ready(process, home, Path(folder, "log"))
            finally:
                _stop(process)


def _without_own_product(environment: Mapping[str, str]) -> dict[str, str]:
    """Leave out the stores of the product that may run here: measuring never writes to them."""
    ours = ("QUOTH_QDRANT_URL", "QUOTH_QDRANT_API_KEY", "QUOTH_POSTGRES_DSN")
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
        if all(_is_free(first + step) for step in range(count)):
            return first
    raise StackError(f"No {count} free ports in a row were found.")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True

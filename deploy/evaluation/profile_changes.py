"""Settings of a profile as the command line changes them for a measurement."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from libs.profiles import SHIPPED

Settings = dict[str, Any]


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
        lines += [f"{key} = {_toml_value(value)}" for key, value in held.items()]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    items = (f"{json.dumps(key)} = {json.dumps(item)}" for key, item in value.items())
    return f"{{ {', '.join(items)} }}"

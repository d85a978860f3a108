"""Read a settings object from environment variables."""

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, field, fields
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


class SettingsError(Exception):
    """A variable that is missing or can't be read; the message names it."""


def setting(variable: str, help_text: str, *, default: Any = MISSING, secret: bool = False) -> Any:
    """Declare a dataclass field that is read from `variable`.

    `help_text` says what it does, with its unit. Without a default the variable must be set. A
    secret is kept out of `repr`.
    """
    metadata = {"variable": variable, "help": help_text}
    if default is MISSING:
        return field(metadata=metadata, repr=not secret)
    return field(default=default, metadata=metadata, repr=not secret)


def load_settings(cls: type[T], environment: Mapping[str, str]) -> T:
    """Read every field of `cls` from its variable; an empty variable counts as absent."""
    hints = get_type_hints(cls)
    values: dict[str, Any] = {}
    for item in fields(cls):  # type: ignore[arg-type]
        text = environment.get(_variable(item), "")
        if text:
            values[item.name] = _parse(_variable(item), text, hints[item.name])
        elif item.default is MISSING:
            raise SettingsError(f"{_variable(item)} is not set: {item.metadata['help']}")
    return cls(**values)


def _variable(item: "Field[Any]") -> str:
    return str(item.metadata["variable"])


def _parse(variable: str, text: str, hint: Any) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(part for part in get_args(hint) if part is not type(None))
    if hint is bool:
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off"):
            return False
        raise SettingsError(f"{variable} must be true or false, not {text!r}")
    if hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            raise SettingsError(f"{variable} must be a number, not {text!r}") from None
    return Path(text) if hint is Path else text

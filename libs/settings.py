"""Read a settings object from environment variables."""

import math
import types
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, Field, field, fields
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class SettingsError(Exception):
    """Variables that are missing or can't be used; the message names each in a line of its own."""


def setting(
    variable: str,
    help_text: str,
    *,
    default: Any = MISSING,
    secret: bool = False,
    least: float = 0,
    one_of: Collection[str] = (),
    exists: bool = False,
) -> Any:
    """Declare a dataclass field that is read from `variable`.

    `help_text` says what it does, with its unit. Without a default the variable must be set. A
    secret is one line, without space around it, and kept out of `repr`. A number is `least` or more,
    a text `one_of` those, if any are named, and a path that `exists` is there.
    """
    metadata = {
        "variable": variable,
        "help": help_text,
        "least": least,
        "one_of": tuple(one_of),
        "exists": exists,
    }
    if default is MISSING:
        return field(metadata=metadata, repr=not secret)
    return field(default=default, metadata=metadata, repr=not secret)


def load_settings(cls: type[T], environment: Mapping[str, str]) -> T:
    """Read every field of `cls` from its variable; an empty variable counts as absent.

    Raises SettingsError with all variables that can't be used.
    """
    hints = get_type_hints(cls)
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for item in fields(cls):  # type: ignore[arg-type]
        text = environment.get(_variable(item), "")
        if text:
            try:
                values[item.name] = _checked(item, _parse(item, text, hints[item.name]))
            except SettingsError as error:
                wrong.append(str(error))
        elif item.default is MISSING:
            wrong.append(f"{_variable(item)} is not set: {item.metadata['help']}")
    if wrong:
        raise SettingsError("\n".join(wrong))
    return cls(**values)


def variables_of(*classes: type[Any]) -> frozenset[str]:
    """Return the names of all variables that `classes` are read from."""
    return frozenset(_variable(item) for cls in classes for item in fields(cls))


def require_settings(classes: Iterable[type[Any]], environment: Mapping[str, str]) -> None:
    """Raise SettingsError with what is wrong for any of `classes`, each line once."""
    wrong: dict[str, None] = {}
    for cls in classes:
        try:
            load_settings(cls, environment)
        except SettingsError as error:
            wrong |= dict.fromkeys(str(error).splitlines())
    if wrong:
        raise SettingsError("\n".join(wrong))


def _variable(item: "Field[Any]") -> str:
    return str(item.metadata["variable"])


def _parse(item: "Field[Any]", text: str, hint: Any) -> Any:
    variable = _variable(item)
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(part for part in get_args(hint) if part is not type(None))
    if hint is bool:
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off"):
            return False
        raise SettingsError(f"{variable} must be true or false, not {text!r}")
    if hint in (int, float):
        return _number(variable, text, hint)
    if not item.repr:
        text = text.strip()  # a file's last line end is no part of the key in it
        if not text.isprintable():
            raise SettingsError(f"{variable} must be one line without control characters")
    return Path(text) if hint is Path else text


def _number(variable: str, text: str, kind: type[float]) -> float:
    try:
        value = kind(text)
    except ValueError:
        whole = "whole " if kind is int else ""
        raise SettingsError(f"{variable} must be a {whole}number, not {text!r}") from None
    if not math.isfinite(value):
        raise SettingsError(f"{variable} must be a number, not {text!r}")
    return value


def _checked(item: "Field[Any]", value: Any) -> Any:
    """Return a value that is within its limits. Raises SettingsError for any other."""
    variable, limits = _variable(item), item.metadata
    least, one_of = limits["least"], limits["one_of"]
    if isinstance(value, int | float) and not isinstance(value, bool) and value < least:
        raise SettingsError(f"{variable} must be {least:g} or more, not {value:g}")
    if one_of and isinstance(value, str) and not {value, value.upper()} & {*one_of}:
        known = ", ".join(one_of)
        raise SettingsError(f"{variable} must be one of {known}, not {value!r}")
    if limits["exists"] and isinstance(value, Path) and not value.exists():
        raise SettingsError(f"{variable} names what is not there: {value}")
    return value

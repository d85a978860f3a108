"""Read quoth.toml, in which a book says what it is."""

import re
import tomllib
from dataclasses import dataclass
from typing import Any

from libs.errors import InvalidInput
from libs.text import is_printable
from services.ingest.model.language_tag import read_language

NAME = "quoth.toml"
_LISTS = ("order", "exclude")
_STRINGS = ("title", "language", "base_url")


@dataclass(frozen=True)
class BookFile:
    """What quoth.toml says; empty where it says nothing."""

    title: str = ""
    language: str = ""
    base_url: str = ""
    order: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def read_book_file(data: bytes) -> BookFile:
    """Raises InvalidInput for anything but the known keys with values that make sense."""
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(f"{NAME} is not valid TOML: {error}") from error
    for key, value in table.items():
        _check(key, value)
    values: dict[str, Any] = {k: tuple(v) if k in _LISTS else v for k, v in table.items()}
    if stated := values.get("language"):
        values["language"] = read_language(stated, f"{NAME}: language")
    book_file = BookFile(**values)
    if book_file.base_url and not re.fullmatch(r"https?://[^\s<>\"]+", book_file.base_url):
        raise InvalidInput(f"{NAME}: base_url must start with https:// or http://")
    return book_file


def _check(key: str, value: object) -> None:
    if key in _STRINGS:
        if not isinstance(value, str) or len(value) > 500 or not is_printable(value):
            raise InvalidInput(f"{NAME}: {key} must be one line of text, at most 500 characters")
    elif key in _LISTS:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise InvalidInput(f"{NAME}: {key} must be a list of paths")
    else:
        known = ", ".join((*_STRINGS, *_LISTS))
        raise InvalidInput(f"{NAME}: unknown key {ascii(key)[:80]}; known are {known}")

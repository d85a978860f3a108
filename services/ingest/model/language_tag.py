"""Read what somebody states as the language of a book: a code of ISO 639, with region or without."""

import json
import re
from functools import cache
from importlib import resources
from typing import Any

from libs.errors import InvalidInput

LONGEST = 35
"""Letters of a tag, the least that RFC 5646 (4.4.1) has every program take."""

_LIST = "https://www.loc.gov/standards/iso639-2/php/code_list.php"
_MOST_NAMED = 3
_VARIANT = re.compile(r"[0-9][a-z0-9]{3}|[a-z0-9]{5,8}")


def read_language(stated: str, where: str) -> str:
    """Return the code of the language that a tag such as "pt-BR" names: two letters where it has two.

    The rest of the tag is checked and not kept: words and sentences are told by the language alone.
    Raises InvalidInput, which begins with `where`.
    """
    parts = stated.strip().lower().replace("_", "-").split("-")
    code = _code_of(parts[0])
    if len(stated) > LONGEST or not code:
        # "xx-YY" may be a slip in its first part, and so may "english".
        raise InvalidInput(f"{where}: {_refuse(stated, 'is no language code', _near(parts[0]))}")
    if unknown := _first_unknown(parts[1:]):
        of_parts = f"names a language, but {_shown(unknown)} is no script or region"
        raise InvalidInput(f"{where}: {_refuse(stated, of_parts, [code])}")
    return code


def _refuse(stated: str, wrong: str, near: list[str]) -> str:
    names = _registry()["names"]
    meant = [f"{code} ({names[code]})" if code in names else code for code in near]
    asked = f"Did you mean {' or '.join(meant)}? " if meant else ""
    return (
        f"{_shown(stated)} {wrong}. {asked}Give a code of ISO 639 such as en, pt-BR or zh-Hans "
        f"({_LIST}), or nothing, and the language is found."
    )


def _shown(text: str) -> str:
    return f'"{ascii(text[:LONGEST])[1:-1]}"'


def _code_of(subtag: str) -> str:
    registry = _registry()
    if subtag in registry["names"]:
        return subtag
    if other := registry["others"].get(subtag):
        return str(other)
    is_known = len(subtag) == 3 and subtag[2] in registry["three_letters"].get(subtag[:2], "")
    return subtag if is_known else ""


def _first_unknown(parts: list[str]) -> str | None:
    """Return the first of the parts after the language that can't stand in its place."""
    registry = _registry()
    kinds = [
        lambda part: len(part) == 3 and bool(_code_of(part)),
        lambda part: part.title() in registry["scripts"],
        lambda part: part.upper() in registry["regions"],
    ]
    for part in parts:
        while kinds and not kinds[0](part):
            kinds.pop(0)
        if kinds:
            kinds.pop(0)
        elif not _VARIANT.fullmatch(part):
            return part
    return None


def _near(word: str) -> list[str]:
    """Return the codes of languages that are called so, or whose names have these letters in turn."""
    names: dict[str, str] = _registry()["names"]
    called = {name.lower(): code for code, name in names.items()}
    if word in called:
        return [called[word]]
    if not word.isascii() or not word.isalpha():
        return []
    pattern = re.compile(".*?".join(map(re.escape, word)))
    found = [(len(match[0]), len(name), name) for name in called if (match := pattern.match(name))]
    return [called[name] for *_, name in sorted(found)[:_MOST_NAMED]]


@cache
def _registry() -> dict[str, Any]:
    source = resources.files("services.ingest.model").joinpath("languages.json")
    table: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return table

"""How long a file gets when its substitutions are put in: a few lines may stand for gigabytes."""

import re
from collections.abc import Mapping

from libs.errors import InvalidInput

_DEFINITION = re.compile(r"[ \t]*\.\. \|([^|\n]{1,200})\|[ \t]")
_REFERENCE = re.compile(r"\|([^|\n]{1,200})\|")
_MOST = 1_000_000
"""Characters that substitutions may add to a file."""


def check_substitutions(source: str) -> None:
    """Raises InvalidInput for a file that they would make too long, RecursionError for a long chain."""
    texts, body = _read(source)
    if not texts:
        return
    lengths: dict[str, int] = {}
    added = sum(_length(_key(name), texts, lengths) for name in _REFERENCE.findall(body))
    if added + sum(lengths.values()) > _MOST:
        raise InvalidInput(f"its substitutions stand for more than {_MOST} characters")


def _read(source: str) -> tuple[dict[str, str], str]:
    """Return what the definitions hold, by their name, and all other text."""
    texts: dict[str, list[str]] = {}
    body: list[str] = []
    into = body
    for line in source.split("\n"):
        found = _DEFINITION.match(line)
        if found:
            into = texts.setdefault(_key(found[1]), [])
            line = line[found.end() :]  # noqa: PLW2901
        elif line[:1].strip():
            into = body
        into.append(line)
    return {name: "\n".join(lines) for name, lines in texts.items()}, "\n".join(body)


def _key(name: str) -> str:
    return " ".join(name.lower().split())


def _length(name: str, texts: Mapping[str, str], lengths: dict[str, int]) -> int:
    """Return the length of a substitution with all others within it, at most one over the bound."""
    if name not in lengths:
        lengths[name] = 0  # while it is measured: one that holds itself is an error of its own
        text = texts.get(name, "")
        inner = (_length(_key(one), texts, lengths) for one in _REFERENCE.findall(text))
        lengths[name] = min(_MOST + 1, len(text) + sum(inner))
    return lengths[name]

"""The two kinds of entries of a language's resource: words and patterns."""

import re
from collections.abc import Iterable
from typing import Any, TypeAlias


class Words(frozenset[str]):
    """Words, or phrases where the resource lists them one by one."""


Pattern: TypeAlias = re.Pattern[str]

NO_WORDS = Words()
OFF: Pattern = re.compile(r"(?!)")
"""Never matches: a pattern that a resource does not have switches its rule off."""


def alternatives(words: Iterable[str]) -> str:
    """Return the part of a regular expression that matches any of `words`, the longest first."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(map(re.escape, longest_first)) or OFF.pattern


def decode_entry(kind: type, value: Any) -> Any:
    """Read words, parted by spaces or listed, or a pattern, which may be listed by alternatives."""
    if kind is Words:
        return Words(value.split() if isinstance(value, str) else value)
    alternatives = [value] if isinstance(value, str) else value
    return re.compile("|".join(alternatives).replace("\\\n", ""), re.IGNORECASE)

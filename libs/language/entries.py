"""The two kinds of entries of a language's resource: words and patterns."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from msgspec import Struct, structs


class Words(frozenset[str]):
    """Words, or phrases where the resource lists them one by one."""


class Pattern:
    """A regular expression, which is compiled when it is first asked for.

    All of all languages take more than a second, and a process reads few languages. Raises re.error
    at that first time where it is none.
    """

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self.pattern = pattern
        self._flags = flags

    def compile(self) -> None:
        _ = self._compiled

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    @cached_property
    def search(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.search

    @cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.match

    @cached_property
    def fullmatch(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.fullmatch

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        return self._compiled.finditer

    @cached_property
    def findall(self) -> Callable[..., list[Any]]:
        return self._compiled.findall

    @cached_property
    def split(self) -> Callable[..., list[Any]]:
        return self._compiled.split

    @cached_property
    def sub(self) -> Callable[..., str]:
        return self._compiled.sub


NO_WORDS = Words()
OFF = Pattern(r"(?!)")
"""Never matches: a pattern that a resource does not have switches its rule off."""


def patterns_in(entry: Any) -> Iterator[Pattern]:
    """Yield the patterns of an entry, or of all that a table or a list of entries has."""
    if isinstance(entry, Pattern):
        yield entry
    elif isinstance(entry, Struct):
        yield from patterns_in(structs.astuple(entry))
    elif isinstance(entry, dict):
        yield from patterns_in(tuple(entry.values()))
    elif isinstance(entry, tuple):
        for one in entry:
            yield from patterns_in(one)


def alternatives(words: Iterable[str]) -> str:
    """Return the part of a regular expression that matches any of `words`, the longest first."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(map(re.escape, longest_first)) or OFF.pattern


def decode_entry(kind: type, value: Any) -> Any:
    """Read words, parted by spaces or listed, or a pattern, which may be listed by alternatives."""
    if kind is Words:
        return Words(value.split() if isinstance(value, str) else value)
    alternatives = [value] if isinstance(value, str) else value
    return Pattern("|".join(alternatives).replace("\\\n", ""), re.IGNORECASE)

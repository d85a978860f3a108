"""Put together words that a program parted by a hyphen at the end of a line."""

import re
from collections.abc import Sequence
from itertools import pairwise

from services.ingest.parsers.wrapped import is_suspended, join_lines

_PARTED = re.compile(r"(?<![\w./@$:=&?%-])([^\W\d_]+)-$")
_REST = re.compile(r"\w+")
_WORD = re.compile(r"\w+(?:-\w+)*")
_PROVEN = 3
"""Parted words that the text has whole elsewhere, from which it is hyphenated throughout."""


class Hyphens:
    """Tells by the other words of a text which hyphens at line ends are no part of a word."""

    def __init__(self, blocks: Sequence[Sequence[str]]) -> None:
        lines = [line.strip() for block in blocks for line in block]
        breaks = [found for pair in pairwise(lines) if (found := _parts(*pair))]
        self._words: set[str] = set()
        if breaks:
            self._words = _words_of(lines)
        self._is_hyphenated = sum(self._stands_whole(*parts) for parts in breaks) >= _PROVEN

    def join(self, above: str, below: str) -> str:
        """Join two lines of a paragraph as `join_lines` does, but without such a hyphen."""
        parts = _parts(above, below)
        if parts and not is_suspended(below) and self._is_parted(*parts):
            return above[:-1] + below
        return join_lines(above, below)

    def _is_parted(self, first: str, rest: str) -> bool:
        if self._stands_whole(first, rest):
            return True
        is_known = f"{first}-{rest}" in self._words or first in self._words
        return self._is_hyphenated and not is_known

    def _stands_whole(self, first: str, rest: str) -> bool:
        return first + rest in self._words and f"{first}-{rest}" not in self._words


def _parts(above: str, below: str) -> tuple[str, str] | None:
    """Return the parts of the word that a line break stands in, if it may be one."""
    parted, rest = _PARTED.search(above), _REST.match(below)
    if not parted or not rest or not (rest[0][0].islower() or (parted[1] + rest[0]).isupper()):
        return None
    return parted[1].casefold(), rest[0].casefold()


def _words_of(lines: Sequence[str]) -> set[str]:
    """Return the words of a text but those that stand in two lines."""
    found: set[str] = set()
    above = ""
    for line in lines:
        words = [word.casefold() for word in _WORD.findall(line)]
        if _parts(above, line):
            words = words[1:]
        found.update(words[:-1] if line.endswith("-") else words)
        above = line
    return found

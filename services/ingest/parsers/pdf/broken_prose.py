"""Tell the columns of a page, in which sentences go on from line to line, from those of a table."""

from collections.abc import Sequence
from statistics import median

_LEAST_LETTERS = 12
"""Of most lines of each column: labels and numbers of a table are shorter."""
_GOES_ON = 0.55
"""Of the lines of each column below its first, that begin within a sentence."""


def are_prose(columns: Sequence[Sequence[str]]) -> bool:
    """Whether the lines of each of several columns, from the top, go on with the line above.

    A table has a column of names at least, or its cells begin sentences.
    """
    return len(columns) > 1 and all(map(is_prose, columns))


def are_long(lines: Sequence[str]) -> bool:
    """Whether lines have as many letters as those of a text."""
    return median([sum(map(str.isalpha, line)) for line in lines]) >= _LEAST_LETTERS


def is_prose(lines: Sequence[str]) -> bool:
    """Whether the lines of a column, from the top, are long and go on with the line above."""
    if len(lines) < 3 or not are_long(lines):
        return False
    going = sum(line[:1].isalpha() and not line[:1].isupper() for line in lines[1:])
    return going >= _GOES_ON * (len(lines) - 1)

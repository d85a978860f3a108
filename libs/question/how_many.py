"""Read how many of a thing a text speaks of: "the five levels", "which three categories"."""

import re
from collections.abc import Iterator

from libs.language.lexicon import Lexicon

_WORD = re.compile(r"[.,]?\d+(?:[.,]\d+)*(?!\w)|\w+(?:-\w+)*")
"""A number with its fraction, or a word with what is joined to it: "four-stage" counts nothing."""

_LEAST, _MOST = 2, 9
"""Numbers of things that a text may well list."""

_NOUN_WITHIN = 3
"""Words behind a number among which is what it counts."""

_COUNTED_BEFORE = 5
"""Words of a question among which stands how many are asked for: "For which three categories"."""

_BETWEEN = re.compile(r"[,;،؛，；、]|\n")
"""Stands between two of several things, and is no end of a sentence."""


def small_numbers(text: str, lexicon: Lexicon) -> Iterator[tuple[int, list[str]]]:
    """Yield each number from 2 to 9 of a text, in digits or in words, with the words behind it."""
    known = lexicon.checks.numbers.values
    said = [word.lower() for word in _WORD.findall(text)]
    for at, word in enumerate(said):
        value = float(word) if word.isdecimal() else known.get(word, 0.0)
        is_part = said[at + 1 : at + 2] and said[at + 1] in known
        if _LEAST <= value <= _MOST and not is_part:
            yield int(value), said[at + 1 : at + 1 + _NOUN_WITHIN]


def count_asked(question: str, lexicon: Lexicon) -> int:
    """Return how many things `question` says that it asks for; 0 where it says no number."""
    head = " ".join(_WORD.findall(question)[:_COUNTED_BEFORE])
    return max((number for number, _ in small_numbers(head, lexicon)), default=0)


def count_told(text: str) -> int:
    """Return how many things a text may name at most: by its commas and a last "and"."""
    return len(_BETWEEN.findall(text)) + 2

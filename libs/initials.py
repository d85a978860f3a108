"""Know an abbreviation for what it stands for: "DOF" for degrees of freedom."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from libs.text import words

_SHORTEST, _LONGEST = 2, 5
"""Letters of an abbreviation, each of which begins a word."""

_ABBREVIATION = re.compile(r"(?<![^\W_])[^\W\d_]{2,8}(?![^\W_])")


@lru_cache(maxsize=4096)
def abbreviations_in(text: str) -> frozenset[str]:
    """Return the words of a text that are all capitals, as they are written; a plural's "s" is left."""
    found = (one.removesuffix("s") for one in _ABBREVIATION.findall(text))
    return frozenset(one for one in found if len(one) >= _SHORTEST and one.isupper())


def spelled_out_in(text: str, phrase: str, *, whole: bool = False) -> frozenset[str]:
    """Return the words of `phrase` that an abbreviation of `text` stands for.

    Unless it has to be the `whole`, a longer one counts where it ends so: an LLM is a language model.
    """
    held = abbreviations_in(text)
    spoken = words(phrase) if held else []
    runs = (
        spoken[at : at + length]
        for length in range(_SHORTEST, _LONGEST + 1)
        for at in range(len(spoken) - length + 1)
    )
    return frozenset(
        word for run in runs if any(map(_stands_for(run, whole), held)) for word in run
    )


def _stands_for(run: Sequence[str], whole: bool) -> Callable[[str], bool]:
    initials = "".join(word[0] for word in run).upper()
    return lambda short: short == initials if whole else short.endswith(initials)

"""A sentence and its quotes in, whether the quotes say what the sentence says out.

A sentence that is its quote passes. Any other must keep the facts (numbers with their units, names,
negations, directions, most of the meaning words) and be supported in the sense of `support`.
"""

import re
import unicodedata
from collections.abc import Sequence

from libs.text import collapse_space, fold
from services.generation.support import LEAST_SUPPORT, support
from services.generation.wording import (
    adds_strength,
    counted,
    coverage,
    drops_hedge,
    meaning,
    names,
    negations_agree,
    numbers,
    stems,
    turns_direction,
)

_LEAST_COVERAGE = 0.8
"""Share of a sentence's meaning words that the quotes must hold."""

_MOST_MISSING = 1
"""Meaning words that even a long sentence may have beyond its quotes."""

_LEAD_IN = re.compile(
    r"^(?:(?:according to|as|in) (?:the|this) (?:book|text|source|passage|chapter|section)"
    r"(?: (?:says|states|puts it|notes))?,? |(?:the|this) (?:book|text|source|passage|chapter|section) "
    r"(?:says|states|notes|explains|describes|mentions) that |in short, |in other words, )",
    re.IGNORECASE,
)
"""What only introduces a statement and adds nothing to it."""

_HIDDEN = ("Cc", "Cf", "Co", "Cs", "Cn")
_MADE_OUTSIDE = re.compile(
    r"""(?:[a-z][a-z0-9+.-]{1,20}:)?//\S+ | \bwww\.\S+ | \b(?:data|javascript|vbscript|mailto|file):\S+
    | \b[\w-]+(?:\.[\w-]+)+/\S* | </?[a-z!][^>]*>? | &\#?\w+; | !?\[[^\]]*\]\s?[(\[:] | ^\[[^\]]+\]:""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


def is_grounded(sentence: str, quotes: Sequence[str]) -> bool:
    """Return whether `quotes` support `sentence`, and it carries nothing that came from elsewhere."""
    if not quotes or not _carries_only(sentence, quotes):
        return False
    if any(_same(sentence, quote) for quote in quotes):
        return True
    cited = "\n".join(quotes)
    sentence = _LEAD_IN.sub("", sentence)
    return _keeps_facts(sentence, cited) and support(sentence, cited) >= LEAST_SUPPORT


def _keeps_facts(sentence: str, cited: str) -> bool:
    """Whether nothing that turns a true sentence into a false one differs from `cited`."""
    wanted, given = meaning(sentence), meaning(cited)
    return (
        numbers(sentence) <= numbers(cited)
        and names(sentence) | counted(sentence) <= stems(cited)
        and negations_agree(sentence, cited)
        and not turns_direction(sentence, cited)
        and not adds_strength(sentence, cited)
        and not drops_hedge(sentence, cited)
        and coverage(wanted, given) >= _LEAST_COVERAGE
        and len(wanted - given) <= _MOST_MISSING
    )


def _same(sentence: str, quote: str) -> bool:
    return sentence == quote or fold(sentence.strip()).text == fold(quote.strip()).text


def _carries_only(sentence: str, quotes: Sequence[str]) -> bool:
    """Whether every link, tag, control and bidi character of the sentence is the book's own."""
    for character in sentence:
        hidden = character not in "\n\t" and unicodedata.category(character) in _HIDDEN
        foreign = hidden or character == "\N{REPLACEMENT CHARACTER}"
        if foreign and not any(character in quote for quote in quotes):
            return False
    cited = [collapse_space(quote) for quote in quotes]
    return all(
        any(collapse_space(found.group()) in quote for quote in cited)
        for found in _MADE_OUTSIDE.finditer(sentence)
    )

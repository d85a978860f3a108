"""A sentence and its quotes in, whether the quotes say what the sentence says out.

The first form is strict and lexical: a sentence that is its quote passes; any other must take its
numbers with their units, its names, its negations and most of its meaning words from the quotes.
"""

import re
import unicodedata
from collections.abc import Sequence

from libs.text import collapse_space, fold, terms, words

_LEAST_COVERAGE = 0.8
"""Share of a sentence's meaning words that the quotes must hold."""

_SPOKEN_OF = 0.5
"""Share of a clause's meaning words from which the sentence speaks of it."""

_NUMBER = re.compile(
    r"(?<![\w.])((?:(?<=\s)|(?<=\()|^)[-−])?(\d+(?:[.,]\d+)*)\s?[-‐-―]?\s?([^\W\d_]+|[%°])?",
    re.MULTILINE,
)
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"\w[\w-]*")
_CLAUSE = re.compile(
    r"[;:,.!?—]\s|\b(?:but|however|while|whereas|although|though|because|and|so)\b", re.IGNORECASE
)
_NEGATIONS = frozenset(
    "no not never none neither nor without cannot nothing nobody hardly except unless".split()  # noqa: SIM905
)
_COUNT_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "zero . two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
    )
}
_UNITS = {
    **{name: name for name in "ms s kg g mg m mm cm km v kv mv w kw mw hz khz mhz ghz".split()},  # noqa: SIM905
    **{name: name for name in "nm n kn a ma mah wh kwh j kj pa kpa mpa bar k c f l ml".split()},  # noqa: SIM905
    **{name: name for name in "b kb mb gb tb fps rpm dof deg rad lsb px bit % °".split()},  # noqa: SIM905
    **dict.fromkeys(("second", "seconds", "sec", "secs"), "s"),
    **dict.fromkeys(("millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), "min"),
    **dict.fromkeys(("hour", "hours", "hrs", "h"), "h"),
    **dict.fromkeys(("day", "days"), "day"),
    **dict.fromkeys(("week", "weeks"), "week"),
    **dict.fromkeys(("month", "months"), "month"),
    **dict.fromkeys(("year", "years"), "year"),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), "m"),
    **dict.fromkeys(("kilogram", "kilograms"), "kg"),
    **dict.fromkeys(("gram", "grams"), "g"),
    **dict.fromkeys(("volt", "volts"), "v"),
    **dict.fromkeys(("watt", "watts"), "w"),
    **dict.fromkeys(("percent",), "%"),
    **dict.fromkeys(("degree", "degrees"), "deg"),
    **dict.fromkeys(("radian", "radians"), "rad"),
    **dict.fromkeys(("bits",), "bit"),
    **dict.fromkeys(("point", "points", "pts"), "point"),
}
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
    return (
        _numbers(sentence) <= _numbers(cited)
        and _names(sentence) <= _stems(cited)
        and _negations_agree(sentence, cited)
        and _coverage(_meaning(sentence), _meaning(cited)) >= _LEAST_COVERAGE
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


def _numbers(text: str) -> set[tuple[str, str]]:
    """Return the numbers of `text`, each bare and, where it has a unit, with it."""
    numbers = set()
    for found in _NUMBER.finditer(_in_digits(text)):
        digits = ("-" if found[1] else "") + found[2].replace(",", "")
        numbers.add((digits, ""))
        unit = _UNITS.get((found[3] or "").lower())
        if unit:
            numbers.add((digits, unit))
    return numbers


def _in_digits(text: str) -> str:
    return _LETTERS.sub(lambda found: _COUNT_WORDS.get(found[0].lower(), found[0]), text)


def _names(text: str) -> set[str]:
    """Return the words of `text` that may name something: with capitals, or letters and digits."""
    names: set[str] = set()
    for found in _WORD.finditer(text):
        word = found.group()
        mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
        if mixed or any(map(str.isupper, word)):
            names |= _stems(word)
    return names


def _stems(text: str) -> set[str]:
    # Acronyms have no stem: the last "s" of IMUs is taken off here.
    return {stem.removesuffix("s") for stem in terms(text) if not _is_negation(stem)}


def _meaning(text: str) -> set[str]:
    """Return the stems of `text` but those of its numbers and units, which are compared apart."""
    bare = _NUMBER.sub(
        lambda found: "" if (found[3] or "").lower() in _UNITS else f" {found[3] or ''}",
        _in_digits(text),
    )
    return _stems(bare)


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith(("n't", "n’t"))


def _is_negated(text: str) -> bool:
    return any(map(_is_negation, words(text)))


def _negations_agree(sentence: str, cited: str) -> bool:
    """Whether the sentence is negated exactly when the quotes negate what it speaks of."""
    spoken_of = _meaning(sentence)
    negated = any(
        _is_negated(clause) and _coverage(_meaning(clause), spoken_of) >= _SPOKEN_OF
        for clause in _CLAUSE.split(cited)
    )
    return _is_negated(sentence) == negated


def _coverage(wanted: set[str], given: set[str]) -> float:
    return len(wanted & given) / len(wanted) if wanted else 0.0

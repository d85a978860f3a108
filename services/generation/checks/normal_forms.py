"""Bring the words of a text into a normal form, so that two spellings of one can be compared."""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from libs.language.checks import Checks
from libs.language.entries import Words
from libs.language.lexicon import load_lexicon
from libs.text import every_stem, terms, words

_LETTERS = re.compile(r"[^\W\d_]+")
_MICRO = str.maketrans("µμ", "uu")

AntonymSide = tuple[int, int]
"""Index of an antonym pair, and 0 or 1 within it."""


@cache
def rules_of(language: str) -> Checks:
    return load_lexicon(language).checks


def is_negation(word: str, language: str = "") -> bool:
    polarity = rules_of(language).polarity
    return word in polarity.negations or word.endswith(polarity.endings)


def has_negation(text: str, language: str = "") -> bool:
    """Whether a word of the text denies something, in the language with this ISO 639-1 code."""
    return any(is_negation(word, language) for word in words(text))


def stems(text: str, language: str = "") -> set[str]:
    # Acronyms have no stem: the last "s" of IMUs is taken off here.
    return {stem.removesuffix("s") for stem in terms(text) if not is_negation(stem, language)}


def stems_of(texts: Iterable[str], language: str = "") -> set[str]:
    return set().union(*(stems(text, language) for text in texts))


def in_digits(text: str, language: str = "") -> str:
    counts = _counts(language)
    return _LETTERS.sub(lambda found: counts.get(found[0].lower(), found[0]), text)


def every_word(text: str, language: str = "") -> list[str]:
    """Return all words in order and normal form: stems, symbols of units, numbers in digits."""
    text = in_digits(text, language)
    units = unit_symbols(language)
    return [
        units.get(word) or stem.removesuffix("s")
        for word, stem in zip(words(text), every_stem(text), strict=True)
    ]


def coverage(wanted: set[str], given: set[str]) -> float:
    return len(wanted & given) / len(wanted) if wanted else 0.0


@cache
def antonyms(language: str = "") -> dict[str, AntonymSide]:
    """Return, for each word that has an antonym ("more", "less"), its place in the pairs."""
    return _sides(rules_of(language).polarity.opposites)


@cache
def contraries(language: str = "") -> dict[str, AntonymSide]:
    """Return the same for words that are opposed and compare nothing ("enabled", "disabled")."""
    return _sides(rules_of(language).polarity.contraries)


def _sides(pairs: Sequence[tuple[Words, Words]]) -> dict[str, AntonymSide]:
    return {
        word: (number, side)
        for number, pair in enumerate(pairs)
        for side, names in enumerate(pair)
        for word in names
    }


def antonyms_of(text: str, language: str = "") -> set[AntonymSide]:
    known = antonyms(language)
    return {known[word] for word in words(text) if word in known}


@cache
def unit_symbols(language: str = "") -> dict[str, str]:
    """Return the units' symbols in small letters, by their names and by themselves."""
    found = {symbol.lower(): symbol.lower() for symbol in _symbols(language)}
    return found | {name: symbol.lower() for name, symbol in _unit_names(language).items()}


@lru_cache(maxsize=4096)
def unit_of(spelled: str, language: str = "") -> str:
    """Return the symbol of the unit that is spelled so, "" where it is none.

    Capitals count where two units differ by them alone: "mPa" and "MPa"; "HZ" can only be "Hz".
    """
    rules = rules_of(language).units
    known = _symbols(language)
    word = spelled.translate(_MICRO)
    if word in rules.aliases or word in known:
        return rules.aliases.get(word, word)
    named = _unit_names(language).get(word.lower(), "")
    if named or len(word) == 1:
        return rules.aliases.get(named, named)
    alike = [symbol for symbol in known if symbol.lower() == word.lower()]
    return alike[0] if len(alike) == 1 else word if alike else ""


@cache
def _symbols(language: str) -> frozenset[str]:
    rules = rules_of(language).units
    made = (prefix + base for prefix in ("", *rules.prefixes) for base in rules.bases)
    return rules.symbols | frozenset(made)


@cache
def _unit_names(language: str) -> dict[str, str]:
    named = rules_of(language).units.names
    return {name: symbol for symbol, spelled in named.items() for name in spelled}


@cache
def _counts(language: str) -> dict[str, str]:
    """Return the whole numbers by their words, but for those that seldom count anything."""
    rules = rules_of(language).numbers
    return {
        word: str(int(value))
        for word, value in rules.values.items()
        if value == int(value) and (word not in rules.unsure or value == 0)
    }

"""Read how often something is said to happen: "every four years", "twice a week", "monthly"."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from libs.language.entries import Words
from libs.language.lexicon import Lexicon

_NEAR = 0.1
"""Share by which two rates may differ and be one: four weeks and a month."""

_OTHER = 2.0


@dataclass(frozen=True)
class Rate:
    """The days from one time to the next, and the words that say so."""

    days: float
    shown: str


def rates_in(text: str, lexicon: Lexicon) -> Iterator[Rate]:
    """Yield the rates in a text, in order."""
    rules = lexicon.claims.rates
    for found in rules.every.finditer(text):
        days = _days_of(found["unit"], rules.units)
        number = _number(found["n"], lexicon) if found["n"] else 1.0
        if days and number:
            yield Rate(days * number, found[0])
    for found in rules.times.finditer(text):
        days = _days_of(found["unit"], rules.units)
        number = rules.counts.get(found["n"].lower()) or _number(found["n"], lexicon)
        if days and number:
            yield Rate(days / number, found[0])
    for found in re.finditer(r"\w+", text):
        if days := _days_of(found[0], rules.adverbs):
            yield Rate(days, found[0])


def without_rates(text: str, lexicon: Lexicon) -> str:
    for one in rates_in(text, lexicon):
        text = text.replace(one.shown, " ")
    return text


def are_alike(one: Rate, other: Rate) -> bool:
    return abs(one.days - other.days) <= _NEAR * max(one.days, other.days)


def _days_of(word: str, known: Mapping[str, Words]) -> float:
    """Return the days of a unit, 0 for none."""
    return next((float(days) for days, names in known.items() if word.lower() in names), 0.0)


def _number(word: str, lexicon: Lexicon) -> float:
    """Return a number in digits or words, 0 for none: of "other" it is two."""
    if word.lower() in lexicon.claims.rates.other:
        return _OTHER
    if word.isdecimal():
        return float(word)
    known = lexicon.claims.rates.counts.get(word.lower())
    return float(known or lexicon.checks.numbers.values.get(word.lower(), 0.0))

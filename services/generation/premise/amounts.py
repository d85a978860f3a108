"""Find amounts of money in a text: the sign, code or name of the money stands before or behind.

"£40", "Rs. 40", "40 rupees", "$ 3 million" and "3 Millionen Franken" are amounts; of which money the
name says, so that pounds are compared with pounds alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from libs.language.entries import alternatives
from libs.language.lexicon import FALLBACK, Lexicon, load_lexicon

_DIGITS = r"\d+(?:[.,'’ \u00a0\u2009\u202f]\d{3}(?!\d))*(?:[.,]\d{1,2}(?!\d))?"
_PARTED = re.compile(r"[.,'’ \u00a0\u2009\u202f](?=\d{3}(?!\d))")
"""What parts thousands: no price has three digits behind its point."""


@dataclass(frozen=True)
class Amount:
    """So much of one money, and where in the text it stands."""

    value: float
    money: str
    shown: str
    start: int
    end: int


def amounts(text: str, language: str) -> Iterator[Amount]:
    """Yield the amounts of money in `text`, in order."""
    pattern, money_of, scales = _rules(language)
    for found in pattern.finditer(text):
        name = found["before"] or found["behind"]
        if (found["before"] or "").lower() in load_lexicon(language).stop_words:
            continue  # "sous 24 volts" is under them, and no sou.
        scale = scales.get((found["scale"] or "").lower(), 1.0)
        value = float(_PARTED.sub("", found["digits"]).replace(",", ".")) * scale
        yield Amount(value, money_of[name.lower()], found[0], *found.span())


@cache
def _rules(language: str) -> tuple[re.Pattern[str], dict[str, str], dict[str, float]]:
    """Return the pattern of an amount, the money of each name, and the words that multiply.

    Signs and codes are the same in all languages, and those of English are known in each.
    """
    known = (load_lexicon(FALLBACK), load_lexicon(language))
    money_of = {
        name.lower(): money
        for lexicon in known
        for money, names in lexicon.prices.currencies.items()
        for name in names
    }
    scales = {word: value for lexicon in known for word, value in _scales_of(lexicon).items()}
    names, words = alternatives(money_of), alternatives(scales)
    scale = rf"(?:\s?(?P<scale>{words})(?!\w))?"
    return (
        re.compile(
            rf"(?<![\w.,])(?:(?P<before>{names})\s?(?=\d)|(?=\d))(?P<digits>{_DIGITS}){scale}"
            rf"(?(before)(?!\w)|[\s\u00a0-]?(?:de |d['’])?(?P<behind>{names})(?!\w))",
            re.IGNORECASE,
        ),
        money_of,
        scales,
    )


def _scales_of(lexicon: Lexicon) -> dict[str, float]:
    numbers = lexicon.checks.numbers
    return {**numbers.scales, **numbers.glued_scales, **lexicon.prices.scales}

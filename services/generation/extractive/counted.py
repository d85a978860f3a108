"""Put first what counts the very things that are asked for, in one phrase.

"How many days of vacation are there?" is told by "20 days of vacation", and not by "your vacation rolls
over with a maximum bank of 27 days".
"""

from collections.abc import Sequence

from libs.question.expected import AnswerKind
from libs.question.said import asked_words
from libs.question.synonyms import is_said
from libs.text import words
from services.generation.extractive.candidates import Ranked
from services.generation.extractive.features import Asked

_AMONG = 8
"""Likeliest spans of which one leads."""

_AS_LIKELY = 0.25
"""Share of the best span's odds from which another one leads for that."""

_BETWEEN = 1
"""Words that may stand between those of what is counted, beside those that say nothing: "of"."""


def counting_first(asked: Asked, spans: Sequence[Ranked]) -> Sequence[Ranked]:
    """Return the spans with the first likely one that counts what is named by several words."""
    counted = asked_words(asked.analysis.expected.attribute, asked.lexicon)
    if not spans or not asked.expects(AnswerKind.QUANTITY) or len(counted) < 2:
        return spans
    least = _AS_LIKELY * spans[0].odds
    likely = [one for one in spans[:_AMONG] if one.odds >= least]
    first = next((one for one in likely if _counts(asked, counted, one.item.text)), spans[0])
    return [first, *(one for one in spans if one is not first)]


def _counts(asked: Asked, counted: frozenset[str], text: str) -> bool:
    """Whether right behind a number stand all words of what is counted."""
    said, numbers = words(text), asked.lexicon.checks.numbers.values
    reach = len(words(asked.analysis.expected.attribute)) + _BETWEEN
    language = asked.analysis.language
    return any(
        all(is_said(one, said[at + 1 : at + 1 + reach], asked.lexicon, language) for one in counted)
        for at, word in enumerate(said)
        if word.isdecimal() or word in numbers
    )

"""Whether two things of the book have changed places in a sentence, or cause and effect have.

"The temperature of the luminosity" has every word of "the luminosity of the temperature", and says
something else.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from libs.text import STOP_WORDS, sentence_ranges
from services.generation.checks.clauses import read_words
from services.generation.checks.normal_forms import coverage, rules_of, stems, unit_symbols

_ASIDE = re.compile(r"\s*\([^()\n]*\)")
"""What stands between words that belong together."""

_BESIDE = (-4, -3, -2, -1, 1, 2, 3, 4)
"""The places beside a word that tell which of the book's words stood there."""

_LEFT = 3
"""Which of them is the neighbour on the left; the one behind it is that on the right."""

_EDGE, _BEYOND = "^", ""
"""What stands beside the first word of a sentence and the last, and beyond that."""

_LEAST_SHARED = 0.75
"""Share of a sentence's content words from which it speaks of what a sentence of the book does."""


def exchanges_places(sentence: str, near: Sequence[str], language: str = "") -> bool:
    """Whether two words of one of the book's sentences each stand where the other stood."""
    own = _forms(sentence, language)
    lines = (line for text in near for line in _ASIDE.sub("", text).split("\n"))
    return any(
        _is_exchanged(own, _forms(line[start:end], language), language)
        for line in lines
        for start, end in sentence_ranges(line)
    )


def turns_cause(sentence: str, quotes: Sequence[str], language: str = "") -> bool:
    """Whether the sentence gives as the cause what the quotes give as the effect."""
    for cause, effect in _causes(sentence, language):
        for quote in quotes:
            for given, follows in _causes(quote, language):
                straight = coverage(cause, given) + coverage(effect, follows)
                crossed = coverage(cause, follows) + coverage(effect, given)
                if crossed > straight:
                    return True
    return False


def _causes(text: str, language: str) -> Iterator[tuple[set[str], set[str]]]:
    """Yield of each sentence that gives a cause the stems of the cause, and those of the rest."""
    for start, end in sentence_ranges(text):
        piece = text[start:end]
        for found in rules_of(language).scope.cause.finditer(piece):
            cause = stems(found["rest"], language)
            yield cause, stems(piece, language) - cause
        for found in rules_of(language).scope.effect.finditer(piece):
            effect = stems(found["rest"], language)
            yield stems(piece[: found.start()], language) - effect, effect


def _forms(text: str, language: str) -> tuple[str, ...]:
    return tuple(word.normal_form for word in read_words(text, language))


def _is_exchanged(own: Sequence[str], given: Sequence[str], language: str) -> bool:
    rules = rules_of(language).clauses
    # The symbol of a unit may be a stop word's: "second" is "s" here.
    light = (STOP_WORDS - unit_symbols(language).keys()) | rules.joiners
    between = rules.articles | rules.joiners | rules.equals
    content = [place for place, form in enumerate(own) if form not in light]
    shared = [place for place in content if own[place] in given]
    if len(shared) < _LEAST_SHARED * len(content):
        return False
    return any(
        own[first] != own[second]
        and not set(own[first + 1 : second]) <= between
        and _stands_for(own, first, given, own[second])
        and _stands_for(own, second, given, own[first])
        for first, second in combinations(shared, 2)
    )


def _stands_for(own: Sequence[str], place: int, given: Sequence[str], other: str) -> bool:
    """Whether what is beside `place` stands, in the book, beside `other` and not beside its word."""
    itself = _likeness(own, place, given, own[place])
    return _likeness(own, place, given, other) > itself


def _likeness(own: Sequence[str], place: int, given: Sequence[str], form: str) -> int:
    """Return how many words beside `place` stand in the same places beside `form` in the book.

    None do where neither of its neighbours does. An edge of both sentences counts as a word.
    """
    most = 0
    for at in (at for at, word in enumerate(given) if word == form):
        beside = [(_at(own, place + step), _at(given, at + step)) for step in _BESIDE]
        like = [one == other != _BEYOND for one, other in beside]
        if any(like[side] and beside[side][0] != _EDGE for side in (_LEFT, _LEFT + 1)):
            most = max(most, sum(like))
    return most


def _at(forms: Sequence[str], place: int) -> str:
    if 0 <= place < len(forms):
        return forms[place]
    return _EDGE if place in (-1, len(forms)) else _BEYOND

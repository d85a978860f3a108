"""Find a comparison that a question takes for granted and the book makes the other way round.

"Why does clay hold more water than sand?" is wrong where sand holds more than clay.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.said import asked_words
from libs.text import words
from services.generation.checks.normal_forms import has_negation
from services.generation.other_value import OtherValue
from services.generation.premise.clauses import pieces
from services.generation.premise.sayings import WORD, Saying

_Side = tuple[int, int]
"""Of a pair of opposites which, and which side of it."""

_LEAST_BEGINNING = 5
"""Letters by which a longer word is known: "cardio", "cardiovascular"."""

_BOTH = 2
"""Sides of a pair of opposites; of three that exclude each other none is the other way round."""


@dataclass(frozen=True)
class _Comparison:
    """Words before "than", which are said to be more, and behind it; and the sides of what compares."""

    more: frozenset[str]
    less: frozenset[str]
    sides: frozenset[_Side]


def find_compared(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return the comparison that a saying turns round; None without one."""
    lexicon = load_lexicon(question.language)
    if lexicon.reasons.asked.match(question.question.lstrip()) is None:
        return None
    cases = lexicon.claims.conditions
    told = [one for one in sayings if cases.isdisjoint(words(one.text))]
    return _find_turned(question, told, lexicon)


def _find_turned(
    question: QuestionAnalysis, sayings: Sequence[Saying], lexicon: Lexicon
) -> OtherValue | None:
    """Return the comparison of the question where sayings only make it with its things crossed.

    "Sand holds less than clay" says the same as "clay holds more than sand": the words that compare are
    turned, and the things change places with them.
    """
    language = question.language
    asked = next(_comparisons_in(question.question, lexicon, language), None)
    if asked is None:
        return None
    found = dict[str, None]()
    for saying in sayings:
        for one in _comparisons_in(saying.text, lexicon, language):
            if not asked.sides & (one.sides | _turned(one.sides)):
                continue
            is_same = bool(asked.sides & one.sides)
            is_straight, is_crossed = _are_of(asked, one), _are_of(asked, _crossed(one))
            if is_straight if is_same else is_crossed:
                return None
            if is_straight or is_crossed:
                found[saying.quote] = None
    return (
        OtherValue(_from_comparing(question.question, language), next(iter(found)))
        if found
        else None
    )


def _from_comparing(question: str, language: str) -> str:
    """Return a question from the word on that compares: "better than the other"."""
    known = _comparing(language)
    start = next(one.start() for one in WORD.finditer(question) if one[0].lower() in known)
    return question[start:].rstrip("?!. ")


def compares(question: QuestionAnalysis) -> bool:
    """Whether a question takes for granted that something is more so than another thing."""
    lexicon = load_lexicon(question.language)
    return next(_comparisons_in(question.question, lexicon, question.language), None) is not None


@cache
def _comparing(language: str) -> Mapping[str, _Side]:
    """Return the words of which one says less where the other says more, and which side each is on."""
    lexicon = load_lexicon(language)
    pairs = (*lexicon.checks.polarity.opposites, *lexicon.claims.opposed)
    return {
        word: (number, side)
        for number, pair in enumerate(pairs)
        if len(pair) == _BOTH
        for side, names in enumerate(pair)
        for word in names
    }


def _turned(sides: Collection[_Side]) -> frozenset[_Side]:
    return frozenset((number, 1 - side) for number, side in sides)


def _crossed(one: _Comparison) -> _Comparison:
    return _Comparison(one.less, one.more, one.sides)


def _are_of(asked: _Comparison, said: _Comparison) -> bool:
    """Whether just the same things stand in the same places: the second whole, some of the first."""
    if not all(_is_in(one, said.less) for one in asked.less):
        return False
    if any(_is_in(one, said.more) for one in asked.less):
        return False
    return any(_is_in(one, said.more) for one in asked.more - asked.less)


def _is_in(word: str, said: Collection[str]) -> bool:
    return any(
        word == one or (min(len(word), len(one)) >= _LEAST_BEGINNING and _begins(word, one))
        for one in said
    )


def _begins(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _comparisons_in(text: str, lexicon: Lexicon, language: str) -> Iterator[_Comparison]:
    """Yield what the clauses of a text compare by one "than" each, if they do not deny it."""
    than, known = lexicon.claims.than, _comparing(language)
    for clause in pieces(text, lexicon) if than else ():
        before, stands, behind = clause.partition(f" {than} ")
        sides = frozenset(known[one] for one in words(before) if stands and one in known)
        if not sides or f" {than} " in behind or has_negation(clause, language):
            continue
        more = frozenset(one for one in asked_words(before, lexicon) if one not in known)
        less = asked_words(behind, lexicon)
        if more and less:
            yield _Comparison(more, less, sides)

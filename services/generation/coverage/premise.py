"""Find what a question takes for granted and the book says otherwise: a value, or a name.

"Why was it founded in 1999?" has a premise that no refusal names. It is told where the passages say the
same of the same thing with one other value of its kind, in a sentence that says nothing else before it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from libs.language.entries import NO_WORDS
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import asked_words, is_one_of
from libs.text import words
from services.generation.checks.normal_forms import is_negation
from services.generation.checks.quantities import Quantity, quantities
from services.generation.coverage.amounts import Amount, amounts
from services.generation.coverage.premise_names import find_other_name
from services.generation.coverage.sayings import (
    OtherValue,
    is_said,
    list_sayings,
    says_all,
    words_told,
)
from services.generation.model import Passage

_YEAR = re.compile(r"(?<![\d.,/-])(?:1[5-9]|20)\d\d(?![\d/-]|[.,]\d)")
_NUMBER = re.compile(r"\d[\d.,]*")
_YEAR_LIKE = re.compile(r"(?<![\d.,])\d{3,4}(?![\d.,])")
_CLAUSE = re.compile(r"[,;:.?!(—–]\s")
_CLOSE = 1e-9
_NEAR = 0.25
"""How far a value that the book gives as about so much may be from the one it may be, as a share."""

_LEAST_WORDS = 2
"""Words beside the value: of fewer, anything may be said. Of a price, one: that it costs is another."""


@dataclass(frozen=True)
class _Value:
    """A year, an amount of money or a quantity, the words in which the question says it, and where."""

    shown: str
    number: float
    start: int
    measure: Quantity | Amount | None = None


def find_other_value(question: QuestionAnalysis, passages: Sequence[Passage]) -> OtherValue | None:
    """Return a value or a name of the question that no passage has, and what they say; else None.

    A sentence says it of the same thing if it has, with the titles above it, every word of the
    question, and before the value no other. Two that differ tell nothing, nor does what is said to be
    more, less or about so much, or denied.
    """
    lexicon = load_lexicon(question.language)
    if any(is_negation(word, question.language) for word in words(question.question)):
        return None
    texts = [passage.text for passage in passages]
    for value in _values(question, lexicon):
        if _is_hedged(question.question[: value.start], lexicon):
            continue
        if any(_holds(value, text, question.language) for text in texts):
            continue
        asked = _words_beside(value, question.question, lexicon)
        if len(asked) < _LEAST_WORDS - isinstance(value.measure, Amount):
            continue
        found = dict(_other_values(value, asked, passages, question))
        if len(found) == 1:
            return OtherValue(value.shown, *found.values())
    return find_other_name(question, passages)


def _words_beside(value: _Value, question: str, lexicon: Lexicon) -> frozenset[str]:
    """Return the words of the question beside a value; what it counts is one of them."""
    counts = isinstance(value.measure, Quantity) and not value.measure.unit
    said = f" {value.measure.spelled} " if counts and isinstance(value.measure, Quantity) else " "
    asked = words_told(question.replace(value.shown, said), lexicon)
    return asked - lexicon.prices.words if isinstance(value.measure, Amount) else asked


def _values(question: QuestionAnalysis, lexicon: Lexicon) -> Iterator[_Value]:
    """Yield the years, amounts and quantities of a question, but not of a kind that it asks for."""
    text, kind = question.question, question.expected.kind
    years = _YEAR.findall(text)
    if kind is not AnswerKind.DATE:
        yield from (
            _Value(found[0], float(found[0]), found.start()) for found in _YEAR.finditer(text)
        )
    if kind is AnswerKind.QUANTITY:
        return
    paid = list(amounts(text, question.language))
    yield from (_Value(one.shown, one.value, one.start, one) for one in paid)
    # What is paid is no other quantity as well.
    for one in reversed(paid):
        text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    for item in quantities(text, question.language):
        if not item.sure or not item.spelled or item.spelled.lower() in lexicon.stop_words:
            continue
        shown = re.search(rf"(?<![\w.,])[\w.,]+[\s-]?{re.escape(item.spelled)}(?!\w)", text)
        if shown and _NUMBER.match(shown[0]) and not shown[0].startswith(tuple(years)):
            yield _Value(shown[0], item.value, shown.start(), item)


def _is_hedged(before: str, lexicon: Lexicon) -> bool:
    """Whether a value behind `before` is not said to be it: "nearly", "more than", "before"."""
    return lexicon.checks.numbers.hedged.search(before) is not None


def _holds(value: _Value, text: str, language: str) -> bool:
    if value.measure is None:
        return value.shown in text
    held = {item.value for item in quantities(text, language)}
    held.update(one.value for one in amounts(text, language))
    return any(abs(one - value.number) <= _CLOSE for one in held)


def _other_values(
    value: _Value, asked: Collection[str], passages: Sequence[Passage], question: QuestionAnalysis
) -> Iterator[tuple[float, str]]:
    """Yield other values that are said of what is asked about, each with the sentence."""
    language, lexicon = question.language, load_lexicon(question.language)
    excused = lexicon.prices.words if isinstance(value.measure, Amount) else NO_WORDS
    is_year = value.measure is None
    measured = () if is_year else _measured_by(question.question[: value.start], lexicon)
    for said in list_sayings(passages, lexicon):
        text, until = said.text, 0
        for number, start, end in _alike(value, text, lexicon, language):
            # What is said of one value ends at the next.
            before = _pieces(_YEAR_LIKE.split(text[until:start])[-1], lexicon)[-1]
            behind = _pieces(_NUMBER.split(text[end:])[0], lexicon)[0]
            until = end
            if _is_hedged(text[:start], lexicon) and _is_near(number, value.number):
                continue
            if not says_all(asked, f"{said.over}\n{before} {behind}", lexicon, language):
                continue
            is_joined = bool(measured) and measured == _measured_by(before, lexicon)
            if is_joined or _says_no_more({*asked, *excused}, before, lexicon, language):
                yield number, said.quote


def _measured_by(before: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the noun that a value behind `before` is joined to, and what joins it: "gift of"."""
    last = words(before)[-2:]
    joined = len(last) > 1 and last[1] in lexicon.stop_words and last[0] not in lexicon.stop_words
    return tuple(last) if joined else ()


def _is_near(one: float, other: float) -> bool:
    return abs(one - other) <= _NEAR * max(one, other)


def _pieces(text: str, lexicon: Lexicon) -> list[str]:
    """Return the clauses of a text, by its signs and by words such as "and"."""
    return [one for part in _CLAUSE.split(text) for one in lexicon.spans.clause.split(part)]


def _alike(
    value: _Value, text: str, lexicon: Lexicon, language: str
) -> Iterator[tuple[float, int, int]]:
    """Yield the values of the same kind in a text, and where each begins and its number ends."""
    if value.measure is None:
        yield from ((float(found[0]), *found.span()) for found in _YEAR.finditer(text))
        return
    if isinstance(value.measure, Amount):
        for one in amounts(text, language):
            if one.money == value.measure.money:
                yield one.value, one.start, one.end
        return
    for found in _NUMBER.finditer(text):
        item = next(iter(quantities(text[found.start() :], language)), None)
        if item is not None and _is_same_kind(value.measure, item, lexicon):
            yield item.value, *found.span()


def _is_same_kind(one: Quantity, other: Quantity, lexicon: Lexicon) -> bool:
    if one.unit or other.unit:
        return one.unit == other.unit
    return bool(other.spelled) and is_one_of(other.spelled, (one.spelled,), lexicon)


def _says_no_more(asked: Collection[str], clause: str, lexicon: Lexicon, language: str) -> bool:
    """Whether all words of a clause are some of those of the question, and none denies it.

    A name besides may be of another thing: "The Tram Museum opened in" says nothing of the tram.
    """
    if any(is_negation(word, language) for word in words(clause)):
        return False
    more = {word for word in asked_words(clause, lexicon) if not word.isdecimal()}
    said = set(words(clause))
    shared = any(is_said(word, said, lexicon, language) for word in asked)
    return shared and all(is_said(word, asked, lexicon, language) for word in more)

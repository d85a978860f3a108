"""Read the years, amounts of money, quantities and numbers of things in a question and in a text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from libs.language.entries import Words
from libs.language.lexicon import FALLBACK, Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import is_one_of
from services.generation.checks.quantities import Quantity, quantities
from services.generation.premise.amounts import Amount, amounts

YEAR = re.compile(
    r"(?:(?<![\d.,/-])|(?<=[a-zß-ÿ]-))(?:1[5-9]|20)\d\d(?![\d/-]|[.,]\d|['’]?s\b|er\b)"
)
NUMBER = re.compile(r"\d[\d.,]*")
_NUMBER_OR_WORD = re.compile(r"\d[\d.,]*|[^\W\d_]+")

_NUMBERED = re.compile(r"([^\W\d_]{3,}) (\d{1,3})(?![\w%°€$£]|[.,:/-]\d| ?[%°€$£])")
"""A word with a number behind it that may be of its name."""
_NEXT_WORD = re.compile(r"\s+([^\W\d_]+)")
_WORDS_BEHIND = re.compile(r"(?:[ -]?[^\W\d_]{1,40}){1,8}")
_COUNTED = 3
"""Words behind a number that may be of what it counts."""
_CLOSE = 1e-9
_NEAR = 0.25
"""How far a value that the book gives as about so much may be from the one it may be, as a share."""


@dataclass(frozen=True)
class Label:
    """A number that names a thing rather than measures it: "bus 47"."""

    thing: str


Measure = Quantity | Amount | Label | None


@dataclass(frozen=True)
class Value:
    """What a question takes for granted, in its words, and where; a year has no measure."""

    shown: str
    number: float
    start: int
    measure: Measure = None
    years: frozenset[str] = frozenset()
    """Of the question, beside it: what is said of another year is of something else."""
    counted: tuple[str, ...] = ()
    """The first words of what it counts: "different layouts"."""

    @property
    def end(self) -> int:
        return self.start + len(self.shown)


_CODE = re.compile(r"(?<![\w-])[A-Za-z]{1,6}-?\d[\w-]*")
"""The code of a thing: "CM-30", "B12"."""


def list_values(question: QuestionAnalysis, lexicon: Lexicon) -> list[Value]:
    """Return the values of a question, but not of a kind that it asks for.

    How many there were in one year says nothing of another: a question for a quantity has none. Whether
    or why it is so much takes it for granted.
    """
    text, kind = question.question, question.expected.kind
    found: list[Value] = []
    states = question.types.yes_no or question.types.reason
    if kind is AnswerKind.QUANTITY and not states:
        return found
    if kind is not AnswerKind.DATE:
        found += (Value(year[0], float(year[0]), year.start()) for year in YEAR.finditer(text))
    paid = amounts(text, question.language)
    found += [Value(one.shown, one.value, one.start, one) for one in paid]
    # What is paid is no other quantity as well, and what is measured names nothing.
    without_paid = _without([one for one in found if one.measure], text)
    found += [
        one
        for one in _quantities_in(without_paid, question.language, lexicon)
        # "Why does the CM-30 cost so much?": a code has a number, and is a name.
        if not any(name.start() <= one.start < name.end() for name in _CODE.finditer(text))
    ]
    found += _labels_in(_without(found, text), lexicon)
    years = frozenset(YEAR.findall(text))
    return [replace(one, years=years - {one.shown}) for one in found]


def measured_words(measure: Measure, lexicon: Lexicon) -> frozenset[str]:
    """Return the words that only say that a thing has so much of what the unit measures."""
    if not isinstance(measure, Quantity):
        return frozenset()
    known = lexicon.symbols or load_lexicon(FALLBACK).symbols
    rules, spelled = lexicon.expected, measure.spelled.lower()
    dimensions = [
        name
        for name in rules.measures
        if (measure.unit or spelled) in known.get(name, Words())
        or spelled in lexicon.units.get(name, Words())
    ]
    return frozenset().union(
        *(rules.measures[name] | rules.measuring.get(name, Words()) for name in dimensions)
    )


def _without(values: Iterable[Value], text: str) -> str:
    """Return a text with spaces in the place of its values."""
    for one in values:
        text = text[: one.start] + " " * len(one.shown) + text[one.end :]
    return text


def _quantities_in(text: str, language: str, lexicon: Lexicon) -> Iterator[Value]:
    years = tuple(YEAR.findall(text))
    for item in quantities(text, language):
        if not item.sure or not item.spelled or item.spelled.lower() in lexicon.stop_words:
            continue
        shown = re.search(rf"(?<![\w.,])[\w.,]+[\s-]?{re.escape(item.spelled)}(?!\w)", text)
        if not shown or shown[0].startswith(years):
            continue
        said = next(iter(quantities(shown[0], language)), None)
        if NUMBER.match(shown[0]) or (said and is_same(said.value, item.value)):
            number = shown.start() + len(shown[0]) - len(item.spelled)
            counted = _counted_in(text[number:], lexicon)
            yield Value(shown[0], item.value, shown.start(), item, counted=counted)


def _labels_in(text: str, lexicon: Lexicon) -> Iterator[Value]:
    for found in _NUMBERED.finditer(text):
        thing, behind = found[1], _NEXT_WORD.match(text, found.end())
        if behind and behind[1].lower() not in lexicon.stop_words:
            continue
        if thing.lower() in lexicon.stop_words or is_hedged(text[: found.start(2)], lexicon):
            continue
        yield Value(found[0], float(found[2]), found.start(), Label(thing))


def alike(
    value: Value, text: str, lexicon: Lexicon, language: str
) -> Iterator[tuple[float, int, int]]:
    """Yield the values of the same kind in a text, and where each begins and its number ends."""
    measure = value.measure
    if measure is None:
        yield from ((float(found[0]), *found.span()) for found in YEAR.finditer(text))
    elif isinstance(measure, Label):
        for found in _NUMBERED.finditer(text):
            if found[1].lower() == measure.thing.lower():
                yield float(found[2]), *found.span(2)
    elif isinstance(measure, Amount):
        for one in amounts(text, language):
            if one.money == measure.money:
                yield one.value, one.start, one.end
    else:
        for start, end in _numbers_in(text, lexicon):
            item = next(iter(quantities(text[start:], language)), None)
            if item is not None and _is_comparable(value, item, text[end:], lexicon):
                yield item.value, start, end


def _numbers_in(text: str, lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """Yield where each number in digits, or in words, begins and ends."""
    numbers = lexicon.checks.numbers
    known = {*numbers.values, *numbers.scales, *numbers.fractions}
    begins: tuple[int, int] | None = None
    for found in _NUMBER_OR_WORD.finditer(text):
        word = found[0].lower()
        # "Twenty-one" and "nine hundred" are one number each.
        is_joined = begins is not None and not text[begins[1] : found.start()].strip(" -")
        if begins is not None and is_joined and word in known:
            begins = begins[0], found.end()
            continue
        if begins is not None:
            yield begins
        begins = None
        if NUMBER.match(word):
            yield found.span()
        elif word in numbers.values and word not in numbers.unsure:
            begins = found.span()
    if begins is not None:
        yield begins


def _is_same_kind(one: Quantity, other: Quantity, lexicon: Lexicon) -> bool:
    if one.unit or other.unit:
        return one.unit == other.unit
    spelled = one.spelled.lower()
    return bool(other.spelled) and is_one_of(other.spelled.lower(), (spelled,), lexicon)


def _is_comparable(value: Value, item: Quantity, behind: str, lexicon: Lexicon) -> bool:
    """Whether a number measures what the value does, or counts it: "eight different layouts"."""
    measure = value.measure
    if not isinstance(measure, Quantity):
        return False
    if _is_same_kind(measure, item, lexicon) or measure.unit or item.unit:
        return _is_same_kind(measure, item, lexicon)
    return any(is_one_of(one, value.counted, lexicon) for one in _counted_in(behind, lexicon))


def _counted_in(behind: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the first words behind a number, up to a sign or a word such as "of"."""
    found = list[str]()
    run = _WORDS_BEHIND.match(behind)
    for word in run[0].replace("-", " ").split()[:_COUNTED] if run else ():
        if word.lower() in lexicon.stop_words:
            break
        found.append(word.lower())
    return tuple(found)


def holds(value: Value, text: str, lexicon: Lexicon, language: str) -> bool:
    """Whether a text has the value, be it a number of something else; but no price counts things."""
    if value.measure is None:
        return value.shown in text
    bare = isinstance(value.measure, Amount)
    counts = isinstance(value.measure, Quantity) and not value.measure.unit
    held = {
        item.value
        for item in quantities(text, language)
        # "Nine months" are not so many members.
        if not (counts and item.unit)
        if not bare or item.unit or not item.spelled or item.spelled.lower() in lexicon.stop_words
    }
    held.update(one.value for one in amounts(text, language))
    return any(is_same(one, value.number) for one in held)


def is_same(one: float, other: float) -> bool:
    return abs(one - other) <= _CLOSE


def is_near(one: float, other: float) -> bool:
    return abs(one - other) <= _NEAR * max(one, other)


def is_hedged(before: str, lexicon: Lexicon) -> bool:
    """Whether a value behind `before` is not said to be it: "nearly", "more than", "before"."""
    return lexicon.checks.numbers.hedged.search(before) is not None


def is_since(before: str, lexicon: Lexicon) -> bool:
    """Whether `before` ends so that the year behind it is the one from which on something is so."""
    return lexicon.checks.numbers.since.search(before) is not None

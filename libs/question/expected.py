"""Tell what kind of answer a question expects."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from libs.language.entries import OFF, Words
from libs.language.lexicon import Lexicon
from libs.question.decompose import SubQuestion
from libs.question.types import QuestionType
from libs.text import content_terms, words

_ANY_DIMENSION = "any"

_COUNTED_WITHIN = 3
"""Words after a number in which what it counts stands: "six independently driven axes"."""


class AnswerKind(Enum):
    """What an answer has to be or to hold."""

    ANY = "any"
    QUANTITY = "quantity"
    DATE = "date"
    PERSON = "person"
    PLACE = "place"
    YES_NO = "yes_no"
    DEFINITION = "definition"
    CAUSE = "cause"
    PROCEDURE = "procedure"
    LIST = "list"
    CODE = "code"
    COMPARISON = "comparison"


class Dimension(Enum):
    """What a quantity measures."""

    LENGTH = "length"
    AREA = "area"
    VOLUME = "volume"
    MASS = "mass"
    TIME = "time"
    MONEY = "money"
    SHARE = "share"
    TEMPERATURE = "temperature"
    ANGLE = "angle"
    SPEED = "speed"
    FREQUENCY = "frequency"
    FORCE = "force"
    TORQUE = "torque"
    PRESSURE = "pressure"
    POWER = "power"
    ENERGY = "energy"
    VOLTAGE = "voltage"
    CURRENT = "current"
    DATA = "data"
    COUNT = "count"


@dataclass(frozen=True)
class ExpectedAnswer:
    """What an answer has to be; `attribute` is what is asked of the thing, in the question's words."""

    kind: AnswerKind = AnswerKind.ANY
    dimensions: frozenset[Dimension] = frozenset()
    """Of a quantity, or of what is compared: one of them; none where any number will do."""

    attribute: str = ""
    """The measured, counted or compared: "weight", "axes", "range"."""


def expect_answer(
    question: str, types: QuestionType, compared: tuple[SubQuestion, ...], lexicon: Lexicon
) -> ExpectedAnswer:
    """Return the most particular kind of answer that the words of `question` ask for."""
    rules = lexicon.expected
    quantity = _expect_quantity(question, lexicon)
    told = (
        (AnswerKind.COMPARISON, bool(compared) or types.comparison),
        (AnswerKind.QUANTITY, quantity is not None),
        (AnswerKind.DATE, rules.date.search(question) is not None),
        (AnswerKind.PERSON, rules.person.search(question) is not None),
        (AnswerKind.PLACE, rules.place.search(question) is not None),
        (AnswerKind.CAUSE, types.reason),
        (AnswerKind.PROCEDURE, rules.procedure.search(question) is not None),
        (AnswerKind.CODE, rules.code.search(question) is not None),
        (AnswerKind.LIST, types.list_of_things),
        (AnswerKind.YES_NO, types.yes_no),
        (AnswerKind.DEFINITION, types.definition),
    )
    kind = next((kind for kind, asked in told if asked), AnswerKind.ANY)
    if quantity is not None:
        return replace(quantity, kind=kind)
    return ExpectedAnswer(kind, attribute=name_attribute(question, lexicon))


def _expect_quantity(question: str, lexicon: Lexicon) -> ExpectedAnswer | None:
    """Return what is to be measured or counted, by the unit, the noun or the adjective that says so."""
    rules, attribute = lexicon.expected, name_attribute(question, lexicon)
    if asks_price(question, lexicon):
        return _quantity({Dimension.MONEY}, attribute)
    for named in map(str.lower, rules.in_unit.findall(question)):
        if dimensions := measured_by(named, lexicon):
            return _quantity(dimensions, attribute or named)
    if (found := rules.counted.search(question)) is not None:
        thing = found["thing"]
        first = next(iter(words(thing)), "")
        dimensions = frozenset() if rules.no_unit.match(thing) else measured_by(first, lexicon)
        return _quantity(dimensions or {Dimension.COUNT}, thing)
    for name, pattern in rules.measured.items():
        if pattern.search(question) is not None:
            several = [] if name == _ANY_DIMENSION else name.split("_or_")
            return _quantity(map(Dimension, several), attribute)
    return None


def _quantity(dimensions: Iterable[Dimension], attribute: str) -> ExpectedAnswer:
    return ExpectedAnswer(AnswerKind.QUANTITY, frozenset(dimensions), attribute)


def asks_price(question: str, lexicon: Lexicon) -> bool:
    rules = lexicon.prices
    asked = rules.asked.search(question) is not None
    return asked and rules.other_cost_asked.search(question) is None


def measured_by(unit: str, lexicon: Lexicon) -> frozenset[Dimension]:
    """Return what the unit of this name measures; "pound" may be two things."""
    return frozenset(Dimension(name) for name, units in lexicon.units.items() if unit in units)


def name_attribute(question: str, lexicon: Lexicon) -> str:
    """Return the words for what is asked of a thing; "" when none says so."""
    found = lexicon.expected.attribute.search(question)
    if found is None:
        return ""
    return next(text for text in found.groups() if text is not None).strip()


def holds_answer(expected: ExpectedAnswer, sentence: str, lexicon: Lexicon) -> bool:
    """Whether `sentence` has a value of the expected type; True where any sentence may be an answer.

    It says nothing of the thing that the value belongs to. Lists, procedures and comparisons are made
    of several sentences, of which each may be one.
    """
    rules = lexicon.values
    if expected.kind is AnswerKind.QUANTITY and rules.number is not OFF:
        return _holds_quantity(expected, sentence, lexicon)
    patterns = {
        AnswerKind.DATE: rules.date,
        AnswerKind.PERSON: rules.person,
        AnswerKind.PLACE: rules.place,
        AnswerKind.CAUSE: rules.cause,
        AnswerKind.DEFINITION: rules.definition,
        AnswerKind.CODE: rules.code,
    }
    pattern = patterns.get(expected.kind)
    return pattern is None or pattern is OFF or pattern.search(sentence) is not None


def _holds_quantity(expected: ExpectedAnswer, sentence: str, lexicon: Lexicon) -> bool:
    if not expected.dimensions:
        return lexicon.values.number.search(sentence) is not None
    return any(_holds_value(one, expected, sentence, lexicon) for one in expected.dimensions)


def _holds_value(
    dimension: Dimension, expected: ExpectedAnswer, sentence: str, lexicon: Lexicon
) -> bool:
    """Whether a number stands before a unit of `dimension` or, of a count, before what is counted."""
    rules = lexicon.values
    if dimension is Dimension.MONEY:
        return lexicon.prices.amount.search(sentence) is not None
    if dimension is Dimension.COUNT:
        counted = set(content_terms(expected.attribute)[:1])
        after = (words(sentence[found.end() :]) for found in rules.number.finditer(sentence))
        near = (content_terms(" ".join(behind[:_COUNTED_WITHIN])) for behind in after)
        return any(counted <= set(terms) for terms in near)
    symbols = lexicon.symbols.get(dimension.value, Words())
    names = lexicon.units.get(dimension.value, Words())
    for number in rules.number.finditer(sentence):
        unit = rules.unit.match(sentence, number.end())
        if unit and (unit[1] in symbols or unit[1].lower() in names):
            return True
    return False

"""Classify what kind of answer a question expects."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain

from libs.initials import spelled_out_in
from libs.language.entries import OFF, Words
from libs.language.lexicon import FALLBACK, Expected, Lexicon, load_lexicon
from libs.language.values import Attribute
from libs.question.attributes import AGE, asked_attribute
from libs.question.decompose import SubQuestion
from libs.question.said import (
    asked_words,
    is_one_of,
    mask_asked,
    may_name_agent,
    names_agent,
    shares_word,
    tells_who,
)
from libs.question.synonyms import forms_of, known_as
from libs.question.types import QuestionType
from libs.table_rows import cells_of, has_bare_shares
from libs.text import content_terms, is_unspaced, plain_letters, words

_ANY_DIMENSION = "any"

_LONGEST_QUESTION = 250
"""Characters beyond which a question holds a text or a listing, whose words ask for nothing."""

_FROM_TO = re.compile(r"\b(?:1\d|20)\d\d\s?[–—-]\s?(?:[^\W\d_]+\.?\s)?(?:1\d|20)\d\d\b")
"""From when to when something lasts: "May 2024 - May 2029"."""

_CAPITALISED = re.compile(r"\b[A-Z]\w+")
_NAME = re.compile(r"\b[A-Z]\w+(?: [A-Z]\w+)*")

_WORDS_OF_LABEL = 4

_NEAR = 20
"""Characters behind a number in which an abbreviation for what it counts stands: "7-DOF"."""

_MEASURED_BEHIND = re.compile(r"\s?[%‰°]|\s(?:[kMGT]i?B|[kM]?Hz|[kM]?W|[mk]?V|[kmcµ]m|k?g|ms|°C)\b")
"""What stands behind a number that measures, and counts nothing that follows."""

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


_NEXT_WORD = re.compile(r" ([^\W\d_]+)")
_LAST_IN_CELL = re.compile(r"[\s,/]([^\W\d_]{2,5}|[%°‰]\w?)$")
"""A sign of one letter is a unit in brackets alone: "Part A"."""
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]")
"""Where the header of a table has the unit of a column."""

_MEASURED = (AnswerKind.QUANTITY, AnswerKind.DATE)
_OF_ATTRIBUTES = (*_MEASURED, AnswerKind.PLACE)

TYPED = frozenset(
    (
        *(*_MEASURED, AnswerKind.PERSON, AnswerKind.PLACE),
        *(AnswerKind.CAUSE, AnswerKind.DEFINITION, AnswerKind.CODE),
    )
)
"""Kinds of which one sentence can be seen to be an answer or none."""


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
    SOUND = "sound"
    COUNT = "count"


@dataclass(frozen=True)
class ExpectedAnswer:
    """What an answer has to be; `attribute` is what is asked of the thing, in the question's words."""

    kind: AnswerKind = AnswerKind.ANY
    dimensions: frozenset[Dimension] = frozenset()
    """Of a quantity, or of what is compared: one of them; none where any number will do."""

    attribute: str = ""
    """The measured, counted or compared: "weight", "axes", "range"."""

    required: bool = False
    """Whether nothing that has no such value can be an answer."""


def expect_answer(
    question: str, types: QuestionType, compared: tuple[SubQuestion, ...], lexicon: Lexicon
) -> ExpectedAnswer:
    """Return the most particular kind of answer that the words of `question` ask for."""
    rules = lexicon.expected
    quantity, names = _expect_quantity(question, lexicon), _asks_for_name(question, lexicon)
    asked_for = (
        (AnswerKind.COMPARISON, bool(compared) or types.comparison),
        (AnswerKind.QUANTITY, quantity is not None),
        (AnswerKind.DATE, rules.date.search(question) is not None),
        (AnswerKind.PERSON, _asks_for_person(question, rules) or names),
        (AnswerKind.PLACE, rules.place.search(question) is not None),
        (AnswerKind.CAUSE, types.reason),
        (AnswerKind.PROCEDURE, rules.procedure.search(question) is not None),
        (AnswerKind.CODE, rules.code.search(question) is not None),
        (AnswerKind.LIST, types.list_of_things),
        (AnswerKind.YES_NO, types.yes_no),
        (AnswerKind.DEFINITION, types.definition),
    )
    kind = next((kind for kind, asked in asked_for if asked), AnswerKind.ANY)
    required = len(question) <= _LONGEST_QUESTION and (
        (kind is AnswerKind.QUANTITY and asks_price(question, lexicon))
        or (kind in _MEASURED and rules.required.search(question) is not None)
        or (kind is AnswerKind.DATE and rules.occurs.search(question) is not None)
        or (kind is AnswerKind.PERSON and (names or _asks_for_doer(question, lexicon)))
        or attribute_of(kind, question, lexicon) is not None
    )
    if quantity is not None:
        return replace(quantity, kind=kind, required=required)
    attribute = _name_year(question, rules) or name_attribute(question, lexicon)
    return ExpectedAnswer(kind, attribute=attribute, required=required)


def attribute_of(kind: AnswerKind, question: str, lexicon: Lexicon) -> Attribute | None:
    """Return the attribute that is asked for as a value of this kind, if it is one of those known."""
    if kind not in _OF_ATTRIBUTES:
        return None
    return asked_attribute(question, lexicon, is_quantity=kind is AnswerKind.QUANTITY)


def _name_year(question: str, rules: Expected) -> str:
    """Return the word by which a question for a date asks for its year; "" when it asks for none."""
    asked = rules.date.search(question)
    named = rules.year.search(asked[0]) if asked else None
    return named[0] if named else ""


def _asks_for_person(question: str, rules: Expected) -> bool:
    return any(rule.search(question) is not None for rule in (rules.person, rules.agent))


def _asks_for_name(question: str, lexicon: Lexicon) -> bool:
    """Whether the name of somebody or something is asked for; a word for it may be said otherwise.

    Commands, files and the like have names that look as any word does.
    """
    if not lexicon.spans.kinds.isdisjoint(words(question)):
        return False
    found = lexicon.expected.name.search(question)
    return found is not None and not found.groupdict().get("of") and lexicon.values.name is not OFF


def _asks_for_doer(question: str, lexicon: Lexicon) -> bool:
    rules = lexicon.expected
    return any(rule.search(question) is not None for rule in (rules.origin, rules.agent))


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
    wants_year = lexicon.expected.year.fullmatch(expected.attribute) is not None
    patterns = {
        AnswerKind.DATE: rules.year if wants_year else rules.date,
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
        return _holds_count(expected.attribute, sentence, lexicon)
    symbols = (lexicon.symbols or load_lexicon(FALLBACK).symbols).get(dimension.value, Words())
    names = lexicon.units.get(dimension.value, Words())
    if dimension is Dimension.LENGTH:
        names = Words(names | rules.extent)  # "32 bits" is as wide as a number is

    def measures(number: "re.Match[str]") -> bool:
        unit = rules.unit.match(sentence, number.end())
        named = {unit[1].lower(), plain_letters(unit[1]).lower()} if unit else set()
        return unit is not None and (unit[1] in symbols or bool(named & names))

    if any(map(measures, rules.number.finditer(sentence))):
        return True
    if expected.attribute:
        return False  # "After a month" says nothing of how many years.
    unnumbered = {Dimension.TIME: (rules.lasting, _FROM_TO), Dimension.FREQUENCY: (rules.often,)}
    is_said = any(rule.search(sentence) for rule in unnumbered.get(dimension, ()))
    return is_said or any(map(measures, rules.single.finditer(sentence)))


def _holds_count(counted: str, sentence: str, lexicon: Lexicon) -> bool:
    """Whether a number stands right before what is counted, in whatever form."""
    thing = words(counted)
    forms = frozenset(chain.from_iterable(forms_of(word, lexicon) for word in thing))
    terms = set(content_terms(" ".join((counted, *forms))))
    for number in lexicon.values.number.finditer(sentence):
        behind = sentence[number.end() :]
        if _MEASURED_BEHIND.match(behind):
            continue  # "80 % of the classes" are not 80 classes.
        near = words(behind)[:_COUNTED_WITHIN]
        if thing and spelled_out_in(behind[:_NEAR], counted).issuperset(thing):
            return True
        # A Chinese or Japanese number stands before a counter, which is how what is counted begins.
        if is_unspaced(counted) and behind.startswith(counted[0]):
            return True
        if not terms.isdisjoint(content_terms(" ".join(near))):
            return True
        if lexicon.values.alike_from and any(is_one_of(word, thing, lexicon) for word in near):
            return True
    return False


def may_hold(
    expected: ExpectedAnswer, sentence: str, over: str, lexicon: Lexicon, *, question: str = ""
) -> bool:
    """Whether `sentence` may say what is required; `over` is what stands over it, as a table's header.

    A wider test than `holds_answer`: where no sentence may, there is no answer. What `question` names
    is nobody who is asked for: "Who wrote Ledger?" asks for another name.
    """
    if not expected.required:
        return True
    attribute = attribute_of(expected.kind, question, lexicon)
    # An English attribute is told in words that are said of anything, "aged", "built"; elsewhere those
    # words are the attribute's own, and it is the values without one that stand in any sentence.
    says_little = attribute is None if lexicon.values.alike_from else attribute is not None
    # "What does it cost?" is told in a row that is called "Price".
    is_priced = {*words(sentence)} & lexicon.prices.words and Dimension.MONEY in expected.dimensions
    if says_little and not (is_priced or _speaks_of(question, f"{sentence}\n{over}", lexicon)):
        return False
    if attribute:
        return _tells(attribute, expected, sentence, over, lexicon, question=question)
    return _may_say(expected, sentence, over, lexicon, question=question)


def _may_say(
    expected: ExpectedAnswer, sentence: str, over: str, lexicon: Lexicon, *, question: str
) -> bool:
    rules = lexicon.values
    if expected.kind is AnswerKind.PERSON:
        return tells_who(sentence, over, lexicon) or _may_name(question, sentence, lexicon)
    if expected.kind is AnswerKind.DATE:
        if lexicon.expected.occurs.search(question) is not None:
            return rules.occasion.search(sentence) is not None
        sentence = _leave_dates(question, sentence, lexicon)
    elif expected.kind is AnswerKind.QUANTITY and not expected.dimensions:
        sentence = _without_bare_years(sentence, lexicon)
    if rules.number is OFF or holds_answer(expected, sentence, lexicon):
        return True
    return expected.kind is AnswerKind.QUANTITY and _may_measure(expected, sentence, over, lexicon)


def says_required(
    expected: ExpectedAnswer, sentence: str, lexicon: Lexicon, *, question: str
) -> bool:
    """Whether `sentence` surely has a value of the kind that is required, whatever it belongs to."""
    if attribute := attribute_of(expected.kind, question, lexicon):
        return _tells(attribute, expected, sentence, "", lexicon, question=question)
    if expected.kind is AnswerKind.PERSON:
        is_named = (lexicon.expected.origin, lexicon.expected.name)
        named = any(rule.search(question) is not None for rule in is_named)
        tell = _may_name if named else names_agent
        return tell(question, sentence, lexicon)
    if expected.kind is AnswerKind.DATE:
        sentence = _leave_dates(question, sentence, lexicon)
    return holds_answer(expected, sentence, lexicon)


def _tells(
    attribute: Attribute,
    expected: ExpectedAnswer,
    sentence: str,
    over: str,
    lexicon: Lexicon,
    *,
    question: str,
) -> bool:
    """Whether `sentence` has a value of the kind asked for and, or what stands over it, names that."""
    if attribute.said.search(f"{sentence}\n{over}") is None:
        return False
    if attribute == lexicon.attributes.get(AGE):
        # Who turns forty, or was born in 1931, is so many years old without the word for them.
        return lexicon.values.number.search(sentence) is not None
    if expected.kind is AnswerKind.DATE:
        sentence = _leave_dates(question, sentence, lexicon)
    return holds_answer(expected, sentence, lexicon)


def _leave_dates(question: str, sentence: str, lexicon: Lexicon) -> str:
    """Return `sentence` without the dates that can't be the one that `question` asks for."""
    if lexicon.values.alike_from:
        sentence = mask_asked(question, sentence, lexicon)
    if lexicon.expected.happened.search(question):
        return lexicon.values.recurring.sub(" ", sentence)
    return sentence


def _speaks_of(question: str, text: str, lexicon: Lexicon) -> bool:
    """Whether `text` names anything that the question does, or points to what was named before."""
    if not asked_words(question, lexicon):
        return True
    opening = frozenset(words(text)[:1])
    return not lexicon.checks.clauses.pronouns.isdisjoint(opening) or shares_word(
        question, text, lexicon
    )


def _may_name(question: str, sentence: str, lexicon: Lexicon) -> bool:
    """Whether `sentence` may say who did it: an author is named, another doer may be anybody."""
    rules, asked = lexicon.values, lexicon.expected
    if _asks_for_name(question, lexicon):
        return rules.name.search(mask_asked(question, sentence, lexicon)) is not None
    if asked.agent.search(question) and not asked.origin.search(question):
        return may_name_agent(question, sentence, lexicon)
    rest = _without_names_of(question, sentence)
    if rules.person is OFF or rules.origin is OFF:
        return all(
            one is OFF or one.search(rest) is not None for one in (rules.person, rules.origin)
        )
    # A listing below a sentence may have any name: who wrote it is said where the writing is.
    return any(
        rules.origin.search(part) is not None and rules.person.search(part) is not None
        for part in _said_together(rest)
    )


def _said_together(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, each that is only a label, "Written by", with those below it."""
    parts = text.split("\n\n")
    for at, part in enumerate(parts):
        yield "\n\n".join(parts[at:]) if len(part.split()) <= _WORDS_OF_LABEL else part


def _without_names_of(question: str, sentence: str) -> str:
    """Leave out the words with a capital that a question has too, but as a part of a longer name."""
    asked = frozenset(_CAPITALISED.findall(question)[1:])
    return _NAME.sub(lambda name: "" if asked.issuperset(name[0].split()) else name[0], sentence)


def _may_measure(expected: ExpectedAnswer, sentence: str, over: str, lexicon: Lexicon) -> bool:
    rules, asked = lexicon.values, expected.dimensions
    if asked == {Dimension.MONEY}:
        return lexicon.prices.other_cost.search(sentence) is not None
    if Dimension.FREQUENCY in asked and rules.often.search(sentence):
        return True
    if Dimension.COUNT not in asked and rules.multiple.search(sentence):
        return True
    if asked == {Dimension.COUNT}:
        sentence = _without_bare_years(sentence, lexicon)
    has_number = rules.number.search(sentence) is not None
    return has_number and (not asked or _may_belong(expected, sentence, over, lexicon))


def _without_bare_years(sentence: str, lexicon: Lexicon) -> str:
    """Leave out the years: they count nothing, unless a noun follows, as in "2000 users"."""

    def keep(year: re.Match[str]) -> str:
        following = _NEXT_WORD.match(sentence, year.end())
        counts = following is not None and following[1].lower() not in lexicon.stop_words
        return year[0] if counts else " "

    return lexicon.values.year.sub(keep, sentence)


def _may_belong(expected: ExpectedAnswer, sentence: str, over: str, lexicon: Lexicon) -> bool:
    """Whether a number may count or measure what is asked for, by words that stand elsewhere."""
    asked = expected.dimensions
    if Dimension.COUNT in asked:
        if lexicon.values.alike_from and shares_word(expected.attribute, sentence, lexicon):
            return True
        known = frozenset(content_terms(f"{sentence}\n{over}"))
        counted = content_terms(expected.attribute)
        return any(not known.isdisjoint(known_as(term)) for term in counted)
    is_extent = Dimension.LENGTH in asked and not lexicon.values.extent.isdisjoint(words(sentence))
    if is_extent or (Dimension.SHARE in asked and has_bare_shares(sentence)):
        return True
    if any(_names_measure(one, over, lexicon) for one in asked):
        return True
    return any(
        not lexicon.units.get(one.value, Words()).isdisjoint(words(over))
        or not lexicon.symbols.get(one.value, Words()).isdisjoint(_signs_over(over))
        for one in asked
    )


def _names_measure(dimension: Dimension, over: str, lexicon: Lexicon) -> bool:
    """Whether a column is called as what the dimension measures: "Weight", and no unit stands there."""
    pattern = lexicon.expected.measured.get(dimension.value)
    names = (name for row in over.split("\n") for name in cells_of(row)[1:])
    return pattern is not None and any(map(pattern.search, names))


def _signs_over(over: str) -> list[str]:
    """Return what may be a unit's sign over a table: "Weight (kg)", "Weight kg", "Weight, kg"."""
    ends = (_LAST_IN_CELL.search(cell) for row in over.split("\n") for cell in cells_of(row)[1:])
    in_brackets = " ".join(_IN_BRACKETS.findall(over)).split()
    return [*in_brackets, *(found[1] for found in ends if found)]

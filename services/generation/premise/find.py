"""Find what a question takes for granted and the book says otherwise: a value, a name or a clause.

"Why was it founded in 1999?" has a premise that no refusal names. It is told where the passages say the
same of the same thing with one other value of its kind, in a sentence that says nothing else before it,
or in the row of a table; and nowhere the value itself of that thing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind, ExpectedAnswer
from libs.question.said import is_one_of, words_told
from libs.question.stated import claim_in, question_behind
from libs.question.synonyms import said_of
from libs.text import words
from services.generation.checks.normal_forms import is_negation
from services.generation.checks.quantities import Quantity
from services.generation.model import Passage
from services.generation.other_value import OtherValue
from services.generation.premise.amounts import Amount
from services.generation.premise.claims import find_denied_claim
from services.generation.premise.clauses import Clause, clause_around
from services.generation.premise.compared import find_compared
from services.generation.premise.contrary import find_contrary
from services.generation.premise.denied import find_denial
from services.generation.premise.names import find_other_name, without_first_names
from services.generation.premise.opposed import find_opposed
from services.generation.premise.rows import holds_in_row, values_in_row
from services.generation.premise.sayings import Saying, list_sayings
from services.generation.premise.values import (
    YEAR,
    Label,
    Value,
    alike,
    holds,
    is_hedged,
    is_near,
    is_same,
    is_since,
    list_values,
    measured_words,
)

_TAKEN = ExpectedAnswer(AnswerKind.CAUSE)
"""Of a clause that is only stated: all of it is taken for granted, as where its reason is asked."""

_LEAST_WORDS = 2
"""Words beside the value: of fewer, anything may be said. Of a price, one: that it costs is another."""


_ATTRIBUTE = re.compile(r"[\w.,]+[ -][^\W\d_]+[ -](?P<thing>[^\W\d_]+)")
"""A value with its unit, and what it is a quality of."""

_PART = re.compile(r";\s")

_MAY_SAY = 0.5
"""Share of the words beside a value from which a sentence that has it may say it of that thing."""


def find_other_value(question: QuestionAnalysis, passages: Sequence[Passage]) -> OtherValue | None:
    """Return what a question takes for granted, and what the passages say otherwise; else None.

    That is its first clause, where it states one: "Since X was built in 1900, …". What only gives
    alternatives, or asks what something is, takes nothing for granted.
    """
    lexicon = load_lexicon(question.language)
    asks_of = lexicon.types.alternatives.search(question.question) is not None
    if asks_of or question.expected.kind is AnswerKind.DEFINITION:
        return None
    sayings = list(list_sayings(passages, lexicon))
    claim = claim_in(question.question, lexicon)
    if not claim:
        found = _find_other(question, passages, sayings) or find_compared(question, sayings)
        return found or _find_denied(question, sayings)
    stated = replace(question, question=claim, expected=_TAKEN, sub_questions=())
    main = question_behind(question.question, lexicon)
    asked = replace(question, question=main) if main else question
    found = _find_other(stated, passages, sayings)
    if found is None and not _says_no(claim, lexicon, question.language):
        found = find_denied_claim(question, sayings)
    found = found or find_contrary(stated, sayings)
    found = found or _find_other(asked, passages, sayings)
    return found or (_find_denied(asked, sayings) if main else None)


def _find_denied(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return what the question takes for granted where it is denied; where it denies, what is so."""
    if _says_no(question.question, load_lexicon(question.language), question.language):
        return find_opposed(question, sayings) or find_contrary(question, sayings)
    found = find_denied_claim(question, sayings) or find_denial(question, sayings)
    return found or find_contrary(question, sayings)


def _is_denied(text: str, lexicon: Lexicon, language: str) -> bool:
    spoken = words(text)
    is_negated = any(is_negation(word, language) for word in spoken)
    return is_negated or not lexicon.claims.lacking.isdisjoint(spoken)


def _says_no(text: str, lexicon: Lexicon, language: str) -> bool:
    """Whether a text says itself that something is not so, if only by "forbidden".

    Where the book says "never", such a claim agrees with it. A value beside it may yet be another.
    """
    forbids = not lexicon.claims.forbidding.isdisjoint(words(text))
    return forbids or _is_denied(text, lexicon, language)


def _find_other(
    question: QuestionAnalysis, passages: Sequence[Passage], sayings: Sequence[Saying]
) -> OtherValue | None:
    """Return a value or a name of the question that no passage has of it, and what they say; else None.

    A sentence says it of the same thing if it has, with the titles above it, every word of the
    question, and before the value no other. Two that differ tell nothing, nor does what is said to be
    more, less or about so much, or denied.
    """
    lexicon, language = load_lexicon(question.language), question.language
    if _is_denied(question.question, lexicon, language):
        return None
    values = list_values(question, lexicon)
    for value in values:
        asked = _words_beside(value, values, question, lexicon)
        if not _is_taken_for_granted(value, question.question, lexicon):
            continue
        if any(_may_hold(value, asked, saying, lexicon, language) for saying in sayings):
            continue
        found = {
            number: saying
            for needed in {asked, without_first_names(asked, question, passages)}
            for saying in sayings
            if all(year in f"{saying.over}\n{saying.text}" for year in value.years)
            for number in _other_values(value, needed, saying, question)
        }
        # "£18 instead of £32": what the book says is in the question as well.
        if len(found) == 1 and not any(is_same(one.number, *found) for one in values):
            return OtherValue(value.shown, next(iter(found.values())).quote)
    return find_other_name(question, passages, sayings) or find_opposed(question, sayings)


def _is_taken_for_granted(value: Value, question: str, lexicon: Lexicon) -> bool:
    """Whether the value is said to be so much, and not more, less or about so much."""
    before, behind = question[: value.start], question[value.end :]
    if lexicon.checks.numbers.compared.match(behind):
        return False
    since = value.measure is None and is_since(before, lexicon)
    return since or not is_hedged(before, lexicon)


def _words_beside(
    value: Value, values: Sequence[Value], question: QuestionAnalysis, lexicon: Lexicon
) -> frozenset[str]:
    """Return the words of the question beside its values; what this one counts is one of them."""
    measure, text = value.measure, question.question
    for one in values:
        text = text[: one.start] + " " * len(one.shown) + text[one.end :]
    counted = measure.spelled if isinstance(measure, Quantity) and not measure.unit else ""
    said = measure.thing if isinstance(measure, Label) else counted
    asked = words_told(f"{text[: value.start]} {said} {text[value.end :]}", lexicon)
    asked -= lexicon.expected.light
    return asked - lexicon.prices.words if isinstance(measure, Amount) else asked


def _may_hold(
    value: Value, asked: frozenset[str], saying: Saying, lexicon: Lexicon, language: str
) -> bool:
    """Whether the saying has the value, and may have it of what is asked about."""
    if saying.header:
        return holds_in_row(value, asked, saying, lexicon, language)
    if not holds(value, saying.text, lexicon, language):
        return False
    spoken = said_of(asked, f"{saying.before}\n{saying.text}", lexicon, language)
    if len(spoken) < _MAY_SAY * len(asked):
        return False
    parts = _PART.split(saying.text)
    of_all = [one for one in parts if said_of(asked, one, lexicon, language) == asked]
    if of_all and not any(holds(value, one, lexicon, language) for one in of_all):
        return False  # "Patience has 15 hp; the engine of Prudence has 6 hp."
    found = list(_clauses(value, saying, lexicon, language))
    same = [clause for number, _, clause in found if is_same(number, value.number)]
    return not same or not all(clause.is_of_another(asked) for clause in same)


def _other_values(
    value: Value, asked: frozenset[str], saying: Saying, question: QuestionAnalysis
) -> Iterator[float]:
    """Yield other values that a saying has of what is asked about."""
    language, lexicon = question.language, load_lexicon(question.language)
    if saying.header:
        yield from values_in_row(value, asked, saying, lexicon, language)
        return
    bare = asked - measured_words(value.measure, lexicon) - lexicon.expected.lasting
    if len(bare) == 1 and isinstance(value.measure, Quantity):
        yield from _measured_right_before(value, bare, saying.text, lexicon, language)
    if len(asked) + len(value.years) < _LEAST_WORDS - isinstance(value.measure, Amount):
        return
    before = question.question[: value.start]
    measured = () if value.measure is None else _measured_by(before, lexicon)
    # "With a pressure of 320 bar": what the unit measures is no other thing.
    excused = measured_words(value.measure, lexicon)
    # One of several years is that of its own clause.
    may_lean = value.measure is not None or len(YEAR.findall(saying.text)) == 1
    for number, start, clause in _clauses(value, saying, lexicon, language):
        if not _may_be_compared(value, number, before, saying.text[:start], lexicon):
            continue
        is_joined = bool(measured) and measured == _measured_by(clause.before, lexicon)
        wordings = {asked, asked - excused or asked}
        if any(
            clause.says_of(
                one,
                is_joined=is_joined,
                may_lean=may_lean,
                excused=excused,
                is_year=value.measure is None,
            )
            for one in wordings
        ):
            yield number


def _measured_right_before(
    value: Value, thing: frozenset[str], text: str, lexicon: Lexicon, language: str
) -> Iterator[float]:
    """Yield the values that stand right before the one thing that is measured: "six-week cycles"."""
    for number, start, _ in alike(value, text, lexicon, language):
        found = _ATTRIBUTE.match(text, start)
        if found and is_one_of(found["thing"].lower(), thing, lexicon):
            yield number


def _may_be_compared(value: Value, number: float, asked: str, told: str, lexicon: Lexicon) -> bool:
    """Whether both are said to be so much, or both to be so since then."""
    if value.measure is None and is_since(asked, lexicon):
        return is_since(told, lexicon)
    return not (is_hedged(told, lexicon) and is_near(number, value.number))


def _clauses(
    value: Value, saying: Saying, lexicon: Lexicon, language: str
) -> Iterator[tuple[float, int, Clause]]:
    """Yield each value of the kind in a saying, where it begins, and its clause."""
    until = 0
    for number, start, end in alike(value, saying.text, lexicon, language):
        clause = clause_around(saying, (until, start, end), lexicon, language)
        yield number, start, clause
        until = end


def _measured_by(before: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the noun that a value behind `before` is joined to, and what joins it: "gift of"."""
    last = words(before)[-2:]
    joined = len(last) > 1 and last[1] in lexicon.stop_words and last[0] not in lexicon.stop_words
    return tuple(last) if joined else ()
